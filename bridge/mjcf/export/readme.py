"""The papers of an export but for what it lost: where it came from, and how to use it."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import fields
from importlib import metadata
from pathlib import Path

from bridge.mjcf.document import Built
from bridge.mjcf.xml.context import Options
from loaders.scene import Scene

MARK = "<!-- Written by sdfbridge "
"""What every MJCF file that is written here begins with, but for the scene."""


def generator(scene: Scene) -> str:
    """One line that says who wrote the file, and from what."""
    who = f"{MARK.removeprefix('<!-- ')}{_version()}"
    return f"{who} from {_source_name(scene)}; see README.md and FIDELITY.md."


def derivation(name: str, scene: Scene, built: Built, options: Options, parts: Sequence[str] = ()) -> str:
    """README.md: how to use the model, how it was made, how to make it again; ``parts`` are files that it includes."""
    source = _source_name(scene)
    changed = [f'{key}="{value}"' for key, value in _asked(options).items()]
    call = ", ".join([f'"{source}"', f'"{name}"', *changed])
    lines = [
        f"# {name}",
        "",
        f"`{name}.xml` is the model alone; `scene.xml` has it before a camera, with a floor and a lamp if it has none.",
        *_parts(name, parts),
        "",
        "```sh",
        "python -m mujoco.viewer --mjcf=scene.xml",
        "```",
        "",
        "## Derivation",
        "",
        "| | |",
        "|---|---|",
        f"| source | `{source}` |",
        f"| SHA-256 of the source | {_hash(scene)} |",
        f"| written by | sdfbridge {_version()} |",
        f"| command | `bridge.export_mjcf({call})` |",
        "",
        "The body of a link is the link's own frame, and `qpos` of a hinge or slide is the position of its joint.",
        "What MuJoCo cannot hold, or holds with an error, is listed in [FIDELITY.md](FIDELITY.md).",
        *_floating(built),
        "",
        *_joint_table(built),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _parts(name: str, parts: Sequence[str]) -> list[str]:
    """What a world in several files consists of."""
    files = ", ".join(f"`{file}`" for file in parts)
    return ["", f"`{name}.xml` includes {files}, one file for each model of several links."] if parts else []


def _asked(options: Options) -> dict[str, str]:
    standard = Options()
    return {
        key: getattr(options, key)
        for key in (field.name for field in fields(options))
        if getattr(options, key) != getattr(standard, key)
    }


def _floating(built: Built) -> list[str]:
    """That a robot falls because nothing holds it, which is easily missed."""
    moving = [child for e in built.root.walk() if e.tag == "worldbody" for child in e.children if child.tag == "body"]
    robots = [body for body in moving if {"freejoint", "body"} <= {child.tag for child in body.children}]
    names = ", ".join(f"`{body.attributes['name']}`" for body in robots)
    told = f'Nothing in the source holds {names}, free to fall; `base="fixed"` would, or a fixed joint to the world.'
    return ["", told] if robots else []


_WIDTHS = {"free": 7, "ball": 4}


def _joint_table(built: Built) -> list[str]:
    """Each joint with its place in ``qpos``."""
    rows = []
    start = 0
    for element in built.root.walk():
        if element.tag not in {"joint", "freejoint"} or "name" not in element.attributes:
            continue
        kind = "free" if element.tag == "freejoint" else element.attributes.get("type", "hinge")
        width = _WIDTHS.get(kind, 1)
        place = f"{start}" if width == 1 else f"{start} to {start + width - 1}"
        rows.append(f"| `{element.attributes['name']}` | {kind} | {place} |")
        start += width
    return ["## Joints", "", "| joint | type | qpos |", "|---|---|---|", *rows] if rows else []


def _source_name(scene: Scene) -> str:
    return Path(scene.source).name or "a scene in memory"


def _hash(scene: Scene) -> str:
    path = Path(scene.source)
    return f"`{hashlib.sha256(path.read_bytes()).hexdigest()}`" if scene.source and path.is_file() else "none"


def _version() -> str:
    """As installed; of a source tree that is not, the one that its project file states."""
    try:
        return metadata.version("sdfbridge")
    except metadata.PackageNotFoundError:
        project = Path(__file__).parents[3] / "pyproject.toml"
        stated = tomllib.loads(project.read_text(encoding="utf-8")) if project.is_file() else {}
        return str(stated.get("project", {}).get("version", "(version unknown)"))

"""The exported README.md: provenance of the model and how to use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from bridge.export.provenance import derivation
from bridge.mjcf.document import Built
from bridge.mjcf.xml.options import Options
from loaders.safety.markdown import code
from loaders.safety.text import printable
from loaders.scene import Scene


def readme_text(name: str, scene: Scene, built: Built, options: Options, parts: Sequence[str] = ()) -> str:
    """Return the text of README.md: how to use the model, and how it was made.

    Args:
        name: Name of the model's file, without suffix.
        scene: The exported scene.
        built: The document.
        options: The options of the export.
        parts: The files that the model's file includes.
    """
    lines = [
        f"# {name}",
        "",
        f"`{name}.xml` is the model alone; `scene.xml` adds a camera, and a floor and a light if the model has none.",
        *_parts_paragraph(name, parts),
        "",
        "```sh",
        "python -m mujoco.viewer --mjcf=scene.xml",
        "```",
        "",
        *derivation(scene, "export_mjcf", name, _non_default_options(options)),
        "",
        "The frame of a body is the frame of its link, and `qpos` of a hinge or slide is the position of its joint.",
        "[FIDELITY.md](FIDELITY.md) lists what MuJoCo cannot represent, or represents with an error.",
        *_floating_paragraph(built),
        "",
        *_joint_table(built),
    ]
    return printable("\n".join(lines).rstrip() + "\n", lines=True)


def _parts_paragraph(name: str, parts: Sequence[str]) -> list[str]:
    """Return the sentence that names the files of a world in several files."""
    files = ", ".join(code(file) for file in parts)
    return ["", f"`{name}.xml` includes {files}, one file for each model of several links."] if parts else []


def _non_default_options(options: Options) -> dict[str, str]:
    defaults = Options()
    return {
        key: getattr(options, key)
        for key in (field.name for field in fields(options))
        if key != "strict" and getattr(options, key) != getattr(defaults, key)
    }


def _floating_paragraph(built: Built) -> list[str]:
    """Return the warning that a robot falls because nothing fixes it to the world."""
    moving = [child for e in built.root.walk() if e.tag == "worldbody" for child in e.children if child.tag == "body"]
    robots = [body for body in moving if {"freejoint", "body"} <= {child.tag for child in body.children}]
    names = ", ".join(code(body.attributes["name"]) for body in robots)
    warning = (
        f"The source does not fix {names} to the world, so it falls; a fixed joint to the world, or the option "
        '`base="fixed"`, would hold it.'
    )
    return ["", warning] if robots else []


_QPOS_SIZES = {"free": 7, "ball": 4}
"""Length of a position in ``qpos``, where it is not 1."""


def _joint_table(built: Built) -> list[str]:
    """Return a table of the joints with their indices in ``qpos``."""
    rows = []
    start = 0
    for element in built.root.walk():
        if element.tag not in {"joint", "freejoint"} or "name" not in element.attributes:
            continue
        joint_type = "free" if element.tag == "freejoint" else element.attributes.get("type", "hinge")
        size = _QPOS_SIZES.get(joint_type, 1)
        indices = f"{start}" if size == 1 else f"{start} to {start + size - 1}"
        rows.append(f"| {code(element.attributes['name'], cell=True)} | {joint_type} | {indices} |")
        start += size
    return ["## Joints", "", "| joint | type | qpos |", "|---|---|---|", *rows] if rows else []

"""Material scripts of Ogre, Gazebo's first renderer: colours and the first texture of a ``<script>``.

Of Gazebo's own script, which comes with Gazebo and not with models, the plain colours are known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from loaders.context import Context
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import Material, Rgba
from loaders.node import Node

_MAX_BYTES = 1 << 20
_OWN = "file://media/materials/scripts/"
"""Where Gazebo looks in its own folders."""
_WORD = re.compile(r"//[^\n]*|/\*.*?\*/|[{}\n]|[^\s{}]+", re.DOTALL)
_WHITE = (1.0, 1.0, 1.0, 1.0)

_GAZEBO = {
    "Black": (0.0, 0.0, 0.0),
    "Blue": (0.0, 0.0, 1.0),
    "DarkGrey": (0.175, 0.175, 0.175),
    "FlatBlack": (0.1, 0.1, 0.1),
    "Gold": (0.8, 0.64869, 0.120759),
    "Green": (0.0, 1.0, 0.0),
    "Grey": (0.7, 0.7, 0.7),
    "Orange": (1.0, 0.5088, 0.0468),
    "Purple": (1.0, 0.0, 1.0),
    "Red": (1.0, 0.0, 0.0),
    "RedBright": (0.87, 0.26, 0.07),
    "SkyBlue": (0.0, 0.0, 1.0),
    "Turquoise": (0.0, 1.0, 1.0),
    "White": (1.0, 1.0, 1.0),
    "Yellow": (1.0, 1.0, 0.0),
    "ZincYellow": (0.9725, 0.9529, 0.2078),
}
"""Diffuse colours of ``gazebo.material``, without ``Gazebo/``. Those that glow add ``Glow`` to the name."""


@dataclass(slots=True)
class _Entry:
    """One material of a script: the first statement of each kind, and the material that it starts from."""

    parent: str = ""
    statements: dict[str, list[str]] = field(default_factory=dict)


def script_material(script: Node, name: str, context: Context) -> Material:
    """The look that a ``<script>`` names; only its name, with a note, where it is not found."""
    uris = [uri.text.strip() for uri in script.all("uri")]
    folders = [path for uri in uris if not uri.startswith(_OWN) and (path := _found(uri, script, context)) is not None]
    files = [file for path in folders for file in _script_files(path)]
    entries = {key: entry for file in reversed(files) for key, entry in _read(file).items()}
    if name in entries:
        textures = [*folders, *(file.parent for file in files), *(file.parent.parent / "textures" for file in files)]
        return _material(name, entries, textures, script)
    known = _gazebo_colour(name)
    if known is None:
        script.report(Fate.NOTED, "sdf.unknown-material", "no script at hand has a material {name!r}", name=name)
    return known or Material(name=name)


def _gazebo_colour(name: str) -> Material | None:
    colour = name.removeprefix("Gazebo/")
    rgb = _GAZEBO.get(colour.removesuffix("Glow"))
    if rgb is None or not name.startswith("Gazebo/"):
        return None
    rgba = (*rgb, 1.0)
    return Material(name=name, diffuse=rgba, emissive=rgba if colour.endswith("Glow") else None)


# --- files -----------------------------------------------------------------------------------------------------------


def _found(uri: str, script: Node, context: Context) -> Path | None:
    """What a URI leads to; a script that is not there is told of with the material that is missing."""
    quiet = Node("uri", {}, file=script.file, line=script.line, diagnostics=Diagnostics())
    return context.resources.find(uri, Path(script.file).parent, quiet)


def _script_files(path: Path) -> list[Path]:
    return sorted(path.glob("*.material")) if path.is_dir() else [path]


def _read(file: Path) -> dict[str, _Entry]:
    """The materials of a script file; none if it cannot be read."""
    try:
        return _entries(file, file.stat().st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=64)
def _entries(file: Path, _changed: int) -> dict[str, _Entry]:
    with file.open("rb") as stream:
        text = stream.read(_MAX_BYTES).decode("utf-8", errors="replace")
    entries: dict[str, _Entry] = {}
    for blocks, words in _statements(text):
        header = " ".join(blocks[0]).replace(":", " : ").split() if blocks else []
        if len(header) >= 2 and header[0] == "material":
            parent = header[3] if header[2:3] == [":"] and len(header) > 3 else ""
            entry = entries.setdefault(header[1], _Entry(parent))
            if words:
                entry.statements.setdefault(words[0].lower(), words[1:])
    return entries


def _statements(text: str) -> Iterator[tuple[list[list[str]], list[str]]]:
    """Each line with the headers of the blocks that it is in; an empty one where a block begins."""
    blocks: list[list[str]] = []
    line: list[str] = []
    header: list[str] = []
    for word in _WORD.findall(text + "\n"):
        if word == "{":
            blocks.append(line or header)
            line, header = [], []
            yield blocks, []
        elif word in {"}", "\n"}:
            if line:
                yield blocks, line
                header, line = line, []
            if word == "}" and blocks:
                blocks.pop()
        elif not word.startswith(("//", "/*")):
            line.append(word)


# --- looks -----------------------------------------------------------------------------------------------------------


def _material(name: str, entries: dict[str, _Entry], folders: list[Path], script: Node) -> Material:
    statements = _inherited(name, entries)
    texture = _texture(statements.get("texture", []), folders, script)
    specular = statements.get("specular", [])
    shine = _numbers(specular[-1:]) if len(specular) > 3 else []
    return Material(
        name=name,
        ambient=_colour(statements.get("ambient")),
        diffuse=_colour(statements.get("diffuse")) or (None if texture else _WHITE),
        specular=_colour(specular[:-1] if len(specular) > 3 else specular),
        emissive=_colour(statements.get("emissive")),
        shininess=shine[0] if shine else None,
        texture=texture,
    )


def _inherited(name: str, entries: dict[str, _Entry]) -> dict[str, list[str]]:
    """The statements of a material and of those that it starts from."""
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    while name in entries and name not in seen:
        seen.add(name)
        found = entries[name].statements | found
        name = entries[name].parent
    return found


def _texture(words: list[str], folders: list[Path], script: Node) -> str | None:
    if not words:
        return None
    file = words[0].replace("\\", "/").rpartition("/")[2].strip('"')
    for folder in folders:
        if file and (folder / file).is_file():
            return str(folder / file)
    script.report(
        Fate.NOTED, "sdf.unknown-material", "the texture {words!r} of the material is not found", words=words[0]
    )
    return None


def _colour(words: list[str] | None) -> Rgba | None:
    values = [min(max(value, 0.0), 1.0) for value in _numbers(words or [])]
    if len(values) < 3:
        return None
    red, green, blue, opacity = (*values, 1.0)[:4]
    return red, green, blue, opacity


def _numbers(words: list[str]) -> list[float]:
    """The numbers that words stand for; none if one is no number."""
    try:
        values = [float(word) for word in words]
    except ValueError:
        return []
    return values if all(abs(value) < float("inf") for value in values) else []

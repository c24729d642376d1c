"""Files beside a mesh: materials, buffers and textures. None is opened that is not near it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from loaders.diagnostics import Fate

Remark = tuple[Fate, str, str]
"""Fate, code and message of what was decided about a file."""


@dataclass(frozen=True, slots=True)
class Textures:
    """Finds the textures that one mesh names, and keeps the names of those that are not there."""

    path: Path
    """The mesh."""
    missing: list[str] = field(default_factory=list)

    def find(self, name: str | None) -> str | None:
        """The file of a texture, or None."""
        found = local_file(name, self.path)
        if name and found is None:
            self.missing.append(name)
        return found

    def remarks(self) -> list[Remark]:
        """What to say of the textures that are not there."""
        names = dict.fromkeys(self.missing)
        return [(Fate.NOTED, "mesh.missing-texture", f"its texture {name!r} is not near it") for name in names]


def local_file(name: str | None, path: Path) -> str | None:
    """The file that a mesh names, if it is there: beside the mesh, or at most one folder up.

    Gazebo's models also keep what their meshes name in ``materials/textures`` beside the folder of the meshes.
    """
    if not name:
        return None
    written = Path(unquote(name.removeprefix("file://")).replace("\\", "/"))
    textures = path.parent.parent / "materials" / "textures"
    for found in (path.parent / written, textures / written.name):
        try:
            if found.is_file() and found.resolve().is_relative_to(path.parent.resolve().parent):
                return str(found)
        except (OSError, ValueError):
            return None
    return None

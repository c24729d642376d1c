"""Files that belong to a mesh: materials, buffers and textures. Only files close to the mesh are opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import unquote

from loaders.diagnostics import Fate
from loaders.files import is_file
from loaders.search.folders import begins_model


class Remark(NamedTuple):
    """A finding about a mesh file: fate, code, message template and its arguments."""

    fate: Fate
    code: str
    template: str
    arguments: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Textures:
    """Search for the textures of one mesh, with a list of those that are missing."""

    path: Path
    """File of the mesh."""
    missing: list[str] = field(default_factory=list)
    """Names of the textures that were not found."""

    def find(self, name: str | None) -> str | None:
        """Return the file of a texture, or None."""
        file = local_file(name, self.path)
        if name and file is None:
            self.missing.append(name)
        return file

    def remarks(self) -> list[Remark]:
        """Return one remark for each missing texture."""
        names = dict.fromkeys(self.missing)
        message = "cannot find texture {texture!r} in the folders of the mesh"
        return [Remark(Fate.NOTED, "mesh.missing-texture", message, {"texture": name}) for name in names]


def local_file(name: str | None, path: Path) -> str | None:
    """Return the file that a mesh refers to, or None; it must lie beside the mesh or at most one folder up.

    Gazebo models also keep such files in ``materials/textures`` beside the folder of the meshes. In a folder that holds
    a model or a package, the files of a mesh must lie in that folder.

    Args:
        name: Name of the file as the mesh has it.
        path: File of the mesh.
    """
    for file in candidates(name, path) if name else ():
        try:
            if is_file(file) and is_within_reach(file, path):
                return str(file)
        except (OSError, ValueError):
            return None
    return None


def is_within_reach(file: Path, path: Path) -> bool:
    """Return whether a file lies where a mesh may name it.

    Args:
        file: The file.
        path: File of the mesh.

    Raises:
        OSError: if links of the path form a cycle.
        ValueError: if the path has a null character.
    """
    return file.resolve().is_relative_to(_reach(path.parent.resolve()))


def _reach(folder: Path) -> Path:
    """Return the folder in which the files of a mesh must lie: one above the mesh, unless a model begins in its own."""
    return folder if begins_model(folder) else folder.parent


def candidates(name: str, path: Path) -> tuple[Path, Path]:
    """Return the places where a file that a mesh refers to is looked for, in order.

    Args:
        name: Name of the file as the mesh has it.
        path: File of the mesh.
    """
    written = Path(unquote(name.removeprefix("file://")).replace("\\", "/"))
    return path.parent / written, path.parent.parent / "materials" / "textures" / written.name

"""Files that belong to a mesh: materials, buffers and textures. Only files close to the mesh are opened.

`places_in_reach` says where they may lie. Whoever opens one, or keeps what it knows of one, gets its path from there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import unquote

from loaders.diagnostics import Fate
from loaders.files import direct_path, is_file, is_inside, real_path
from loaders.search.folders import begins_model

COMPANIONS = frozenset({".mtl", ".bin"})
"""Suffixes of material libraries and of buffers, in lower case."""
_PICTURES = frozenset(
    {
        *(".bmp", ".dds", ".exr", ".gif", ".hdr", ".jpe", ".jpeg", ".jpg", ".jp2", ".ktx", ".ktx2", ".pbm", ".pcx"),
        *(".pgm", ".png", ".pnm", ".ppm", ".psd", ".svg", ".tga", ".tif", ".tiff", ".webp"),
    }
)
"""Suffixes of pictures, in lower case; those that cannot be decoded are named when one is drawn."""
_SUFFIXES = COMPANIONS | _PICTURES


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
    a model or a package, or one right below the home folder, the files of a mesh must lie in that folder.

    Args:
        name: Name of the file as the mesh has it.
        path: File of the mesh.
    """
    places = places_in_reach((name,) if name else (), path)
    return next((str(place) for place in places if is_file(place)), None)


def places_in_reach(names: Iterable[str], path: Path) -> Iterator[Path]:
    """Yield the places where the files that a mesh refers to may lie, in order, whether there are files or not.

    A place whose real path lies elsewhere, or that has the suffix of no such file, is left out.

    Args:
        names: Names of the files as the mesh has them.
        path: File of the mesh.
    """
    reach = _reach(path.parent)
    for name in names:
        for place in _candidates(name, path):
            is_fitting = place.suffix.lower() in _SUFFIXES and "\0" not in str(place)
            if is_fitting and is_inside(real_path(place), (reach,)):
                yield Path(direct_path(str(place)))


def names_out_of_reach(names: Iterable[str], path: Path) -> list[str]:
    """Return the names that lead from the folder of a mesh to where its files may not lie.

    Args:
        names: Names of the files as the mesh has them.
        path: File of the mesh.
    """
    reach = _reach(path.parent)
    return [name for name in names if not is_inside(real_path(_candidates(name, path)[0]), (reach,))]


def _reach(folder: Path) -> str:
    """Return the real path of the folder in which the files of a mesh must lie.

    It is the one above that of the mesh, or that of the mesh if a model begins there or the one above holds the home
    folder.

    Args:
        folder: Folder of the mesh.
    """
    own = real_path(folder)
    above = os.path.dirname(own)
    holds_home = is_inside(real_path(os.path.expanduser("~")), (above,))
    return own if holds_home or begins_model(Path(own)) else above


def _candidates(name: str, path: Path) -> tuple[Path, Path]:
    """Return the places where a file that a mesh refers to is looked for, in order."""
    written = Path(unquote(name.removeprefix("file://")).replace("\\", "/"))
    return path.parent / written, path.parent.parent / "materials" / "textures" / written.name

"""Writers of the public interface, to be interrupted: each export of a small model with a mesh,
over an earlier one.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

from bridge.output import MANIFEST
from loaders.scene import Scene

Files = dict[str, bytes]
OLD_MASS, NEW_MASS = 1, 2
_SHAPE = "<geometry><mesh><uri>{file}.obj</uri></mesh></geometry>"
_MODEL = (
    "<sdf version='1.11'><model name='m'><link name='a'><inertial><mass>{mass}</mass></inertial>"
    f"<visual name='v'>{_SHAPE}</visual><collision "
    f"name='c'>{_SHAPE}</collision></link></model></sdf>"
)
_TETRAHEDRON = "v 0 0 0\nv {mass} 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


@cache
def source(mass: int) -> Path:
    """Return the file of a model with a mesh, which no other mass has.

    Args:
        mass: The mass of its link [kg].
    """
    place, file = Path(tempfile.mkdtemp(prefix="writers-")), f"part{mass}"
    (place / f"{file}.obj").write_text(_TETRAHEDRON.format(mass=mass), encoding="utf-8")
    (place / "m.sdf").write_text(_MODEL.format(mass=mass, file=file), encoding="utf-8")
    return place / "m.sdf"


@cache
def scene(mass: int) -> Scene:
    """Return the model of a file of `source`.

    Args:
        mass: The mass of its link [kg].
    """
    import bridge
    import loaders

    found = loaders.load(source(mass), quiet=True)
    bridge.to_mjcf(found, quiet=True)  # the modules are imported and the mesh is in the cache now
    return found


def _export(name: str, folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Export the model whose files these are."""
    import bridge

    mass = OLD_MASS if files == made(name, OLD_MASS) else NEW_MASS
    getattr(bridge, name)(scene(mass), folder, force=force, quiet=True)


def _convert(name: str, folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Convert the model whose files these are to one document beside the place of a folder."""
    mass = OLD_MASS if files == made(name, OLD_MASS) else NEW_MASS
    _convert_file(source(mass), f"{folder}{DOCUMENTS[name]}", *(["--force"] if force else []))


def _convert_file(*words: object) -> None:
    from bridge.cli import main

    with contextlib.redirect_stdout(io.StringIO()):
        status = main(["convert", *map(str, words), "-q"])
    if status:
        raise OSError(f"convert ended with status {status}")


@cache
def _made(name: str, mass: int) -> tuple[tuple[str, bytes], ...]:
    import bridge

    with tempfile.TemporaryDirectory(prefix="writers-") as place:
        folder = Path(place) if name in DOCUMENTS else Path(place, "out")
        if name in DOCUMENTS:
            scene(mass)  # the modules are imported and the mesh is in the cache now
            _convert_file(source(mass), folder / f"out{DOCUMENTS[name]}")
        else:
            getattr(bridge, name)(scene(mass), folder, quiet=True)
        paths = (
            path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != MANIFEST
        )
        return tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths)


def made(name: str, mass: int) -> Files:
    """Return the files of an export that nothing interrupts; those of a document are beside each
    other.

    Args:
        name: A key of `WRITERS`.
        mass: The mass of the model [kg].
    """
    return dict(_made(name, mass))


DOCUMENTS = {f"convert to {suffix}": suffix for suffix in (".sdf", ".urdf", ".xml", ".dmd.yaml")}
"""Suffix of the document, by the name of a conversion to one document with its files beside it."""
WRITERS: dict[str, Callable[..., None]] = {
    name: partial(_export, name)
    for name in ("export_mjcf", "export_sdf", "export_urdf", "export_directives")
} | {name: partial(_convert, name) for name in DOCUMENTS}
"""Functions that write given files, by the name of the export in `bridge` or of the conversion."""

"""A folder in the shape of MuJoCo Menagerie: the model, a scene around it, its assets, its papers."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from bridge.lowering.inputs import Source
from bridge.mjcf.document import Built, build
from bridge.mjcf.postprocess.submodels import cut, owners
from bridge.mjcf.xml.context import Choices, Names, requested
from bridge.mjcf.xml.element import write
from loaders.diagnostics import Diagnostic
from loaders.scene import Scene

from .fidelity_report import fidelity
from .readme import MARK, derivation, generator
from .scene_xml import stage
from .spec import require_xml_depth


@dataclass(frozen=True, slots=True, kw_only=True)
class MjcfExport:
    """What was written."""

    path: Path
    """The model's file."""
    files: tuple[str, ...]
    """Every file, by its path in the folder."""
    diagnostics: tuple[Diagnostic, ...]
    """What MJCF does not carry or carries with an error, and what lowering decided."""


def export_mjcf(source: Source, out_dir: str | os.PathLike[str], **options: Unpack[Choices]) -> MjcfExport:
    """Write a model as a folder: ``<name>.xml``, ``scene.xml``, ``assets/``, ``README.md``, ``FIDELITY.md``.

    The folder appears whole or not at all. An earlier export in its place is replaced; anything else is not touched.

    Args:
        source: As for `bridge.to_mjcf`.
        out_dir: The folder to write.
        options: As for `bridge.to_mjcf`.

    Raises:
        LoadError: if the file is wrong.
        ExportError: if MuJoCo cannot hold the model, with every reason.
        FileExistsError: if the folder holds files that no export wrote.
    """
    name, files, diagnostics = _contents(source, options)
    folder = Path(out_dir)
    _refuse_strangers(folder, files)
    _replace(folder, files)
    return MjcfExport(path=folder / f"{name}.xml", files=tuple(sorted(files)), diagnostics=diagnostics)


def stale_files(source: Source, out_dir: str | os.PathLike[str], **options: Unpack[Choices]) -> tuple[str, ...]:
    """The files of an export that are missing, differ from what `export_mjcf` would write, or are there in excess.

    Args:
        source: As for `bridge.to_mjcf`.
        out_dir: The folder to compare with.
        options: As for `bridge.to_mjcf`.

    Raises:
        LoadError: as `export_mjcf`.
        ExportError: as `export_mjcf`.
    """
    _, files, _ = _contents(source, options)
    folder = Path(out_dir)
    there = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    stale = {file for file, data in files.items() if file not in there or there[file].read_bytes() != data}
    return tuple(sorted(stale | (there.keys() - files.keys())))


def _contents(source: Source, choices: Choices) -> tuple[str, dict[str, bytes], tuple[Diagnostic, ...]]:
    """Name of the model, contents of each file, and the ledger."""
    mechanism, options = requested(source, choices)
    built = build(mechanism, options)
    require_xml_depth(built.root)
    scene = mechanism.scene
    name = _file_name(scene.name)
    models = _models(name, scene, built)
    parts = [file for file in models if file != f"{name}.xml"]
    texts = models | {
        "scene.xml": write(stage(name, mechanism, built)),
        "README.md": derivation(name, scene, built, options, parts),
        "FIDELITY.md": fidelity(scene, built.diagnostics),
    }
    files = {file: text.encode() for file, text in texts.items()}
    files |= {f"assets/{file}": data for file, data in built.assets.items()}
    return name, files, built.diagnostics


def _models(name: str, scene: Scene, built: Built) -> dict[str, str]:
    """The file of the model; of a world, one more for each model of several links."""
    names = Names()
    for taken in (name, "scene"):
        names.claim("file", taken.lower())
    files = {model: f"{names.claim('file', _file_name(model))}.xml" for model in owners(built.root)}
    world, parts = cut(built.root, files)
    texts = {f"{name}.xml": write(world, [generator(scene)])}
    note = f"{name}.xml includes it; options, classes, and what several models share stand there."
    return texts | {files[model]: write(part, [generator(scene), note]) for model, part in parts.items()}


def _file_name(name: str) -> str:
    """A model's name as that of a file, without the ending of its source, and never that of the scene."""
    plain = re.sub(r"[^\w.-]+", "_", re.sub(r"\.(urdf|sdf)$", "", name), flags=re.ASCII).strip("._") or "model"
    return f"{plain}_model" if plain.lower() == "scene" else plain


# --- writing ---------------------------------------------------------------------------------------------------------


def _refuse_strangers(folder: Path, files: Iterable[str]) -> None:
    """Refuse to replace a folder that holds anything but an export."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FileExistsError(f"{folder} is a file, not a folder")
    ours = {file.partition("/")[0] for file in files} | {"assets"}
    strangers = sorted(path.name for path in folder.iterdir() if path.name not in ours and not _written_here(path))
    if strangers:
        raise FileExistsError(f"{folder} holds {', '.join(strangers)}, which is no part of this export; move it away")


def _written_here(path: Path) -> bool:
    """Whether an earlier export wrote this MJCF file, whose model may have gone since."""
    if path.suffix != ".xml" or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline().startswith(MARK.encode())


def _replace(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write beside the folder, then take its place; what was there stays until the new one is complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        fresh, old = Path(scratch) / "new", Path(scratch) / "old"
        for file, data in files.items():
            path = fresh / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if folder.exists():
            folder.rename(old)
        try:
            fresh.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise

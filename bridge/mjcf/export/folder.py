"""An export as a folder in the form of MuJoCo Menagerie: the model, a scene around it, its assets and its README."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from bridge.lowering.inputs import Source, source_name
from bridge.mjcf.document import Built, build
from bridge.mjcf.postprocess.submodels import file_owners, split_document
from bridge.mjcf.xml.element import write
from bridge.mjcf.xml.names import Names
from bridge.mjcf.xml.options import MjcfOptions, mechanism_and_options
from loaders.diagnostics import Diagnostic, LossSummary
from loaders.scene import Scene

from .fidelity_report import fidelity_text
from .readme import MARK, origin_comment, readme_text
from .scene_xml import scene_element
from .spec import require_xml_depth


@dataclass(frozen=True, slots=True, kw_only=True)
class MjcfExport:
    """The result of `export_mjcf`.

    Attributes:
        path: The file of the model.
        files: Every file, by its path in the folder.
        diagnostics: The findings of lowering and export; those of the reader are in ``Scene.diagnostics``.
    """

    path: Path
    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    def __str__(self) -> str:
        """Return where the model is, how to view it, and how to write the actuators that were left out."""
        lines = [str(self.path), f"view it: python -m mujoco.viewer --mjcf={self.path.parent / 'scene.xml'}"]
        omitted = [entry for entry in self.diagnostics if entry.code == "mjcf.no-actuators"]
        return "\n".join([*lines, *(f"{entry.message}; {entry.hint}" for entry in omitted)])


def export_mjcf(source: Source, out_dir: str | os.PathLike[str], **options: Unpack[MjcfOptions]) -> MjcfExport:
    """Write a model as a folder: ``<name>.xml``, ``scene.xml``, ``assets/``, ``README.md``, ``FIDELITY.md``.

    The folder appears complete or not at all. It replaces an earlier export; a folder of other files is not changed.

    Args:
        source: See `bridge.to_mjcf`.
        out_dir: The folder to write.
        options: See `bridge.to_mjcf`.

    Returns:
        The file of the model, the files written, and the findings.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model, with every reason.
        FileExistsError: if the folder contains files that are not part of an export.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.

    Example:
        >>> import tempfile, bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = bridge.export_mjcf(loaders.load_string(urdf, format="urdf"), f"{folder}/arm")
        ...     print(result.path.name, result.files)
        arm.xml ('FIDELITY.md', 'README.md', 'arm.xml', 'scene.xml')
    """
    with LossSummary(source_name(source), quiet=options.get("quiet", False)) as losses:
        name, files, diagnostics = _contents(source, options)
        losses.add(diagnostics)
    folder = Path(out_dir)
    _refuse_foreign_files(folder, files)
    _replace(folder, files)
    return MjcfExport(path=folder / f"{name}.xml", files=tuple(sorted(files)), diagnostics=diagnostics)


def stale_files(source: Source, out_dir: str | os.PathLike[str], **options: Unpack[MjcfOptions]) -> tuple[str, ...]:
    """Return the files of an export that are missing, superfluous, or differ from what `export_mjcf` would write.

    Args:
        source: See `bridge.to_mjcf`.
        out_dir: The folder to compare with.
        options: See `bridge.to_mjcf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model.
        TypeError: if an option is unknown.
    """
    _, files, _ = _contents(source, options)
    folder = Path(out_dir)
    existing = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    stale = {file for file, data in files.items() if file not in existing or existing[file].read_bytes() != data}
    return tuple(sorted(stale | (existing.keys() - files.keys())))


def _contents(source: Source, keywords: MjcfOptions) -> tuple[str, dict[str, bytes], tuple[Diagnostic, ...]]:
    """Return the name of the model, the contents of each file, and the findings."""
    mechanism, options = mechanism_and_options(source, keywords)
    built = build(mechanism, options)
    require_xml_depth(built.root)
    scene = mechanism.scene
    name = _file_name(scene.name)
    models = _model_files(name, scene, built)
    parts = [file for file in models if file != f"{name}.xml"]
    texts = models | {
        "scene.xml": write(scene_element(name, mechanism, built)),
        "README.md": readme_text(name, scene, built, options, parts),
        "FIDELITY.md": fidelity_text(scene, built.diagnostics),
    }
    files = {file: text.encode() for file, text in texts.items()}
    files |= {f"assets/{file}": data for file, data in built.assets.items()}
    return name, files, built.diagnostics


def _model_files(name: str, scene: Scene, built: Built) -> dict[str, str]:
    """Return the main file, and one for each model of several links in a world."""
    names = Names()
    for taken in (name, "scene"):
        names.claim("file", taken.lower())
    files = {model: f"{names.claim('file', _file_name(model))}.xml" for model in file_owners(built.root)}
    main, parts = split_document(built.root, files)
    texts = {f"{name}.xml": write(main, [origin_comment(scene)])}
    note = f"{name}.xml includes this file and has the options, the classes, and what several models share."
    return texts | {files[model]: write(part, [origin_comment(scene), note]) for model, part in parts.items()}


def _file_name(name: str) -> str:
    """Return the name of a file for a model, without the suffix of its source; never ``scene``."""
    plain = re.sub(r"[^\w.-]+", "_", re.sub(r"\.(urdf|sdf)$", "", name), flags=re.ASCII).strip("._") or "model"
    return f"{plain}_model" if plain.lower() == "scene" else plain


# --- writing ---------------------------------------------------------------------------------------------------------


def _refuse_foreign_files(folder: Path, files: Iterable[str]) -> None:
    """Refuse to replace a folder that contains anything but an export.

    Raises:
        FileExistsError: if the folder contains other files, or is a file.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FileExistsError(f"{folder} is a file, not a folder")
    expected = {file.partition("/")[0] for file in files} | {"assets"}
    foreign = sorted(path.name for path in folder.iterdir() if path.name not in expected and not _is_exported(path))
    if foreign:
        raise FileExistsError(f"{folder} contains files that are not part of an export: {', '.join(foreign)}")


def _is_exported(path: Path) -> bool:
    """Return whether an earlier export wrote this MJCF file, perhaps for a model that is no longer in the source."""
    if path.suffix != ".xml" or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline().startswith(MARK.encode())


def _replace(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files beside the folder, then rename; the old folder remains until the new one is complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        new, old = Path(scratch) / "new", Path(scratch) / "old"
        for file, data in files.items():
            path = new / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise

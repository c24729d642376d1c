"""An export as a folder: the document, its assets, a README and a report of what is not exact."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Unpack

from bridge.export.documents.contents import Contents, Format, document_contents, finished, single_document
from bridge.export.result import Export, stale
from bridge.lowering.inputs import Source
from loaders.diagnostics import Diagnostic
from loaders.scene_queries.scoped_names import root_model

from .build import Built, build
from .model_config import model_config
from .options import SdfOptions

_FORMAT = Format("SDFormat", ".sdf", "export_sdf", "sdfout.read-back")


@dataclass(frozen=True, slots=True, kw_only=True)
class SdfExport(Export):
    """The result of `export_sdf`."""


def export_sdf(
    source: Source,
    out_dir: str | os.PathLike[str],
    *,
    force: bool = False,
    check: bool = True,
    **options: Unpack[SdfOptions],
) -> SdfExport:
    """Write a model or a world as a folder: ``<name>.sdf``, ``assets/``, ``README.md``, ``FIDELITY.md``.

    The folder appears complete or not at all, and replaces an earlier export whose files are as they were written; see
    `bridge.export_mjcf`.

    Args:
        source: See `bridge.to_sdf`.
        out_dir: The folder to write. A symbolic link stands for the folder that it leads to.
        force: Whether to overwrite files that were edited or that no export wrote, if they have the name of a new one.
        check: Whether to read the files back and compare them with the model before the folder is touched.
        options: See `bridge.to_sdf`.

    Returns:
        The file of the model, the files written, and the findings.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if the written file, read back, is not the model; with ``strict``, if anything is lost.
        OutputFolderError: if the folder holds files that were edited or that no export wrote; a `FileExistsError`.
        OSError: if the file system refuses; the old content is in place then.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value, or the folder is named as a file.

    Example:
        >>> import tempfile, bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = bridge.export_sdf(loaders.load_string(urdf, format="urdf"), f"{folder}/arm")
        ...     print(result.path.name, result.files)
        arm.sdf ('FIDELITY.md', 'README.md', 'arm.sdf')
    """
    contents = finished(source, options, lambda: _contents(build(source, options)), check=check)
    return contents.written(SdfExport, out_dir, force=force)


def stale_files(source: Source, out_dir: str | os.PathLike[str], **options: Unpack[SdfOptions]) -> tuple[str, ...]:
    """Return the files of an export that are missing, superfluous, or differ from what `export_sdf` would write.

    Args:
        source: See `bridge.to_sdf`.
        out_dir: The folder to compare with.
        options: See `bridge.to_sdf`.

    Raises:
        LoadError: if the file is invalid.
        TypeError: if an option is unknown.
    """
    return stale(_contents(build(source, options)).files, out_dir)


def single_file(
    source: Source, *, assets: str, check: bool = True, **options: Unpack[SdfOptions]
) -> tuple[str, dict[str, bytes], tuple[Diagnostic, ...]]:
    """Return a document that stands alone, the assets in a folder beside it, and the findings.

    Args:
        source: See `bridge.to_sdf`.
        assets: Name of the folder of the assets.
        check: Whether to read the files back and compare them with the model.
        options: See `bridge.to_sdf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if the written file, read back, is not the model; with ``strict``, if anything is lost.
        TypeError: if an option is unknown.
    """
    return single_document(source, options, lambda: build(source, options, assets), _FORMAT, assets, check=check)


def _contents(built: Built) -> Contents:
    kind = "world" if root_model(built.form.scene) is None else "model"
    version = built.root.get("version", "")
    readers = f"is a {kind} in SDFormat {version}. Drake, Gazebo and sdfbridge read it."
    notes = ("Links, joints, frames and their poses are those of the source.",)
    contents = document_contents(built, _FORMAT, readers, notes)
    if built.options.model_config:
        contents.files["model.config"] = model_config(built.form.scene.name, contents.main, version).encode()
    return contents

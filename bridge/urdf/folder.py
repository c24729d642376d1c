"""An export as a folder: the document, its assets, a README and a report of what is not exact."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from bridge.export.documents.contents import (
    Contents,
    Format,
    changed_options,
    document_contents,
    finished,
    single_document,
)
from bridge.export.documents.package import package_xml
from bridge.export.result import Export, stale
from bridge.export.sources import scene_of
from bridge.lowering.inputs import Source
from loaders.diagnostics import Diagnostic

from .assembly import urdf_assembly
from .build import Built, build
from .normal.tree import has_several_roots
from .options import Options, UrdfOptions
from .srdf import srdf_text

_FORMAT = Format("URDF", ".urdf", "export_urdf", "urdfout.read-back")


@dataclass(frozen=True, slots=True, kw_only=True)
class UrdfExport(Export):
    """The result of `export_urdf`."""


def export_urdf(
    source: Source,
    out_dir: str | os.PathLike[str],
    *,
    force: bool = False,
    check: bool = True,
    **options: Unpack[UrdfOptions],
) -> UrdfExport:
    """Write a model as a folder: ``<name>.urdf``, ``assets/``, ``README.md``, ``FIDELITY.md``.

    A scene of several kinematic trees becomes a URDF for each, and ``<name>.dmd.yaml``, which places them.

    The folder appears complete or not at all, and replaces an earlier export whose files are as they were written; see
    `bridge.export_mjcf`.

    Args:
        source: See `bridge.to_urdf`.
        out_dir: The folder to write. A symbolic link stands for the folder that it leads to.
        force: Whether to overwrite files that were edited or that no export wrote, if they have the name of a new one.
        check: Whether to read the files back and compare them with the model before the folder is touched.
        options: See `bridge.to_urdf`.

    Returns:
        The file of the model, the files written, and the findings.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if URDF cannot represent the model, or the written file, read back, is not the model; with
            ``strict``, if anything is lost.
        OutputFolderError: if the folder holds files that were edited or that no export wrote; a `FileExistsError`.
        OSError: if the file system refuses; the old content is in place then.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value, or the folder is named as a file.

    Example:
        >>> import tempfile, bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = bridge.export_urdf(loaders.load_string(urdf, format="urdf"), f"{folder}/arm")
        ...     print(result.path.name, result.files)
        arm.urdf ('FIDELITY.md', 'README.md', 'arm.urdf')
    """
    contents = finished(source, options, lambda: _contents(source, options), check=check)
    return contents.written(UrdfExport, out_dir, force=force)


def stale_files(source: Source, out_dir: str | os.PathLike[str], **options: Unpack[UrdfOptions]) -> tuple[str, ...]:
    """Return the files of an export that are missing, superfluous, or differ from what `export_urdf` would write.

    Args:
        source: See `bridge.to_urdf`.
        out_dir: The folder to compare with.
        options: See `bridge.to_urdf`.

    Raises:
        LoadError: if the file is invalid.
        TypeError: if an option is unknown.
    """
    return stale(_contents(source, options).files, out_dir)


def single_file(
    source: Source, *, assets: str, check: bool = True, **options: Unpack[UrdfOptions]
) -> tuple[str, dict[str, bytes], tuple[Diagnostic, ...]]:
    """Return a document that stands alone, the assets in a folder beside it, and the findings.

    Args:
        source: See `bridge.to_urdf`.
        assets: Name of the folder of the assets.
        check: Whether to read the files back and compare them with the model.
        options: See `bridge.to_urdf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if URDF cannot represent the model, or the written file, read back, is not the model; with
            ``strict``, if anything is lost.
        TypeError: if an option is unknown.
        ValueError: if the meshes are to be those of a package.
    """
    if options.get("meshes") == "package":
        raise ValueError("a package is a folder; expected meshes='relative' for one file")
    return single_document(source, options, lambda: build(source, options, assets), _FORMAT, assets, check=check)


def _contents(source: Source, keywords: UrdfOptions) -> Contents:
    """Return the files of one robot; if the scene has several trees, one robot for each and directives."""
    options, load_options = Options.split(keywords)
    scene = scene_of(source, load_options)
    if has_several_roots(scene):
        return urdf_assembly(scene, dict(keywords), _FORMAT.function, changed_options(options))
    of_export = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    return _of_robot(build(scene, of_export))


def _of_robot(built: Built) -> Contents:
    readers = "is a robot in URDF. ROS, Drake, Gazebo, MuJoCo, PyBullet and sdfbridge read it."
    notes = ("Links and joints are those of the source. Frames of links are at their joints, where URDF requires it.",)
    contents = document_contents(built, _FORMAT, readers, notes)
    if built.options.write_srdf:
        contents.files[str(Path(contents.main).with_suffix(".srdf"))] = srdf_text(
            built.scene, built.form.scene, built.form.names
        ).encode()
    if built.options.meshes == "package":
        name = Path(contents.main).stem
        contents.files["package.xml"] = package_xml(name).encode()
        contents = dataclasses.replace(contents, package_map={name: "."})
    return contents

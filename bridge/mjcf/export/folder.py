"""An export as a folder in the form of MuJoCo Menagerie: the model, a scene around it, its assets and its README."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from bridge.export.fidelity_report import fidelity_text
from bridge.export.file_names import check_folder_name, file_name
from bridge.export.names import Names
from bridge.export.provenance import origin_comment
from bridge.export.result import Export, stale
from bridge.lowering.inputs import Source, loss_summary
from bridge.mjcf.document import Built, build
from bridge.mjcf.postprocess.submodels import file_owners, split_document
from bridge.mjcf.xml.element import write
from bridge.mjcf.xml.options import MjcfOptions, mechanism_and_options
from bridge.output import write_folder
from loaders.diagnostics import Diagnostic
from loaders.scene import Scene

from .compile_check import SCENE, compiled
from .readme import readme_text
from .scene_xml import scene_element
from .spec import require_xml_depth


@dataclass(frozen=True, slots=True, kw_only=True)
class MjcfExport(Export):
    """The result of `export_mjcf`.

    Attributes:
        model: The ``mujoco.MjModel`` of ``scene.xml``; None if the export was not checked.
        initial_key: The index of the key of the initial position; None if that is ``qpos0``.
    """

    model: Any = field(default=None, repr=False, compare=False)
    initial_key: int | None = None

    def __str__(self) -> str:
        """Return where the model is, how to view it, and how to write the actuators that were left out."""
        lines = [str(self.path), f"view it: python -m mujoco.viewer --mjcf={self.path.parent / 'scene.xml'}"]
        omitted = [entry for entry in self.diagnostics if entry.code == "mjcf.no-actuators"]
        return "\n".join([*lines, *(f"{entry.message}; {entry.hint}" for entry in omitted)])


class ExportedFiles(NamedTuple):
    """The files of an export that are not written yet.

    Attributes:
        name: Name of the model's file, without suffix.
        files: Content of each file, by its path in the folder.
        scene: The scene that they come from.
        built: The document that they come from.
        model: The ``mujoco.MjModel`` of ``scene.xml``; None if it was not compiled.
    """

    name: str
    files: dict[str, bytes]
    scene: Scene
    built: Built
    model: Any = None


def export_mjcf(
    source: Source,
    out_dir: str | os.PathLike[str],
    *,
    force: bool = False,
    check: bool = True,
    **options: Unpack[MjcfOptions],
) -> MjcfExport:
    """Write a model as a folder: ``<name>.xml``, ``scene.xml``, ``assets/``, ``README.md``, ``FIDELITY.md``.

    The folder appears complete or not at all, whatever interrupts the export. It replaces an earlier export whose files
    are as they were written; a manifest in the folder lists them. All other files are left alone.

    Args:
        source: See `bridge.to_mjcf`.
        out_dir: The folder to write. A symbolic link is followed to its folder.
        force: Whether to overwrite files that were edited or that no export wrote, if they have the name of a new one.
            Other files that no export wrote stay in the folder.
        check: Whether to compile the files with MuJoCo before the folder is touched.
        options: See `bridge.to_mjcf`.

    Returns:
        The file of the model, the files written, and the findings.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model, with every reason; or if MuJoCo refuses to compile it.
        OutputFolderError: if the folder holds files that were edited or that no export wrote; a `FileExistsError`.
        OSError: if the file system refuses; the old content is in place then.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value, or the folder is named as a file, such as ``arm.xml``.

    Example:
        >>> import tempfile, bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = bridge.export_mjcf(loaders.load_string(urdf, format="urdf"), f"{folder}/arm")
        ...     print(result.path.name, result.files)
        arm.xml ('FIDELITY.md', 'README.md', 'arm.xml', 'scene.xml')
    """
    check_folder_name(out_dir)
    export = exported_files(source, check=check, **options)
    write_folder(out_dir, export.files, force=force)
    return MjcfExport(
        path=Path(out_dir) / f"{export.name}.xml",
        files=tuple(sorted(export.files)),
        diagnostics=export.built.diagnostics,
        model=export.model,
        initial_key=export.built.initial_key,
    )


def exported_files(source: Source, *, check: bool = True, **options: Unpack[MjcfOptions]) -> ExportedFiles:
    """Return the files that `export_mjcf` writes.

    Args:
        source: See `bridge.to_mjcf`.
        check: Whether to compile the files with MuJoCo.
        options: See `bridge.to_mjcf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model, with every reason; or if MuJoCo refuses to compile it.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.
    """
    with loss_summary(source, options) as losses:
        export = _contents(source, options)
        if check:
            export = export._replace(model=compiled(export.files, export.scene, export.built))
        losses.add(export.built.diagnostics)
    return export


def single_file(
    source: Source, *, assets: str, check: bool = True, **options: Unpack[MjcfOptions]
) -> tuple[str, dict[str, bytes], tuple[Diagnostic, ...]]:
    """Return a document that stands alone, the assets in a folder beside it, and the findings.

    Args:
        source: See `bridge.to_mjcf`.
        assets: Name of the folder of the assets.
        check: Whether to compile the document with MuJoCo.
        options: See `bridge.to_mjcf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model, with every reason; or if MuJoCo refuses to compile it.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.
    """
    with loss_summary(source, options) as losses:
        mechanism, keywords = mechanism_and_options(source, options)
        built = build(mechanism, keywords)
        require_xml_depth(built.root)
        for compiler in (child for child in built.root.children if child.tag == "compiler"):
            compiler.set(assetdir=assets if built.assets else None)
        text = write(built.root, [origin_comment(mechanism.scene, alone=True)])
        if check:
            files = {SCENE: text.encode()} | {f"{assets}/{file}": data for file, data in built.assets.items()}
            compiled(files, mechanism.scene, built)
        losses.add(built.diagnostics)
    return text, built.assets, built.diagnostics


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
    return stale(_contents(source, options).files, out_dir)


def _contents(source: Source, keywords: MjcfOptions) -> ExportedFiles:
    """Return the name of the model, the content of each file, and what they come from."""
    mechanism, options = mechanism_and_options(source, keywords)
    built = build(mechanism, options)
    require_xml_depth(built.root)
    scene = mechanism.scene
    name = file_name(scene.name)
    models = _model_files(name, scene, built)
    parts = [file for file in models if file != f"{name}.xml"]
    texts = models | {
        SCENE: write(scene_element(name, mechanism, built)),
        "README.md": readme_text(name, scene, built, options, parts),
        "FIDELITY.md": fidelity_text(scene, built.diagnostics),
    }
    files = {file: text.encode(errors="backslashreplace") for file, text in texts.items()}
    files |= {f"assets/{file}": data for file, data in built.assets.items()}
    return ExportedFiles(name, files, scene, built)


def _model_files(name: str, scene: Scene, built: Built) -> dict[str, str]:
    """Return the main file, and one for each model of several links in a world."""
    names = Names()
    for taken in (name, "scene"):
        names.claim("file", taken.lower())
    files = {model: f"{names.claim('file', file_name(model))}.xml" for model in file_owners(built.root)}
    main, parts = split_document(built.root, files)
    texts = {f"{name}.xml": write(main, [origin_comment(scene)])}
    note = f"{name}.xml includes this file and has the options, the classes, and what several models share."
    return texts | {files[model]: write(part, [origin_comment(scene), note]) for model, part in parts.items()}

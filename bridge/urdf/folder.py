"""An export as a folder: the document, its assets, a README and a report of what is not exact."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Unpack

from bridge.export.fidelity_report import fidelity_text
from bridge.export.file_names import file_name
from bridge.export.provenance import derivation, origin_comment
from bridge.export.read_back import read_back, require_equal
from bridge.export.result import Export, stale
from bridge.export.xml_text import write
from bridge.lowering.inputs import Source, source_name
from bridge.output import write_folder
from loaders.diagnostics import Diagnostic
from loaders.loss_summary import LossSummary

from .build import Built, build
from .options import Options, UrdfOptions

_FORM = "URDF document"


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
        ValueError: if an option has an unknown value.

    Example:
        >>> import tempfile, bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = bridge.export_urdf(loaders.load_string(urdf, format="urdf"), f"{folder}/arm")
        ...     print(result.path.name, result.files)
        arm.urdf ('FIDELITY.md', 'README.md', 'arm.urdf')
    """
    with LossSummary(source_name(source), quiet=options.get("quiet", False)) as losses:
        built = build(source, options)
        main, files = _contents(built)
        if check:
            require_equal(read_back(files, main, built.form.scene, "urdfout.read-back"))
        losses.add(built.diagnostics)
    write_folder(out_dir, files, force=force)
    return UrdfExport(path=Path(out_dir) / main, files=tuple(sorted(files)), diagnostics=built.diagnostics)


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
    return stale(_contents(build(source, options))[1], out_dir)


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
    """
    built = build(source, options, assets)
    text = write(built.root)
    if check:
        files = {"main.urdf": text.encode()} | {f"{assets}/{file}": data for file, data in built.assets.items()}
        require_equal(read_back(files, "main.urdf", built.form.scene, "urdfout.read-back"))
    return text, built.assets, built.diagnostics


def _contents(built: Built) -> tuple[str, dict[str, bytes]]:
    """Return the name of the model's file, and the content of each file."""
    name = file_name(built.scene.name)
    main = f"{name}.urdf"
    texts = {
        main: write(built.root, [origin_comment(built.scene)]),
        "README.md": _readme(name, main, built),
        "FIDELITY.md": fidelity_text(built.scene, built.diagnostics, _FORM),
    }
    files = {file: text.encode() for file, text in texts.items()}
    return main, files | {f"assets/{file}": data for file, data in built.assets.items()}


def _readme(name: str, main: str, built: Built) -> str:
    lines = [
        f"# {name}",
        "",
        f"`{main}` is a robot in URDF. ROS, Drake, Gazebo, MuJoCo, PyBullet and sdfbridge read it.",
        "",
        *derivation(built.scene, "export_urdf", name, _changed(built.options)),
        "",
        "Links and joints are those of the source. Frames of links are at their joints, where URDF requires it.",
        "[FIDELITY.md](FIDELITY.md) lists what URDF cannot represent, or represents with an error.",
    ]
    if built.form.names:
        rows = [f"| `{old}` | `{new}` |" for old, new in built.form.names.items()]
        lines += ["", "## Names", "", "| source | URDF |", "|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _changed(options: Options) -> Mapping[str, Any]:
    """Return the options that differ from their defaults."""
    default = Options()
    values = {field.name: getattr(options, field.name) for field in fields(options) if field.name != "strict"}
    return {key: value for key, value in values.items() if value != getattr(default, key)}

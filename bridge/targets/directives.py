"""to_directives and export_directives."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Unpack

from bridge.choices import Fit, Shapes
from bridge.lowering.transform import Source, SourceOptions, split_options
from bridge.targets.assembly import AssemblyFiles, PartDocument, assembly_files, models_of
from bridge.targets.elements import with_filter_groups
from bridge.targets.folder import (
    DocumentFormat,
    DocumentText,
    Export,
    ExportFiles,
    export_folder,
    finished,
    scene_of,
    unused_word,
    with_contact_options,
)
from bridge.targets.options import DirectivesExportOptions, Models, Repair, changed_options
from bridge.targets.report import Report, origin_comment
from bridge.targets.sdf import codes
from bridge.targets.sdf.document import build
from bridge.targets.urdf.document import urdf_assembly
from loaders.scene import Scene


class DirectivesOptions(SourceOptions, total=False):
    """Keywords of `bridge.export_directives`, which documents them; each may be omitted."""

    inertia: Repair
    shapes: Shapes
    fit: Fit
    models: Models


_SDF = DocumentFormat("SDFormat", ".sdf", "export_directives", codes.READ_BACK)


class Directives(DocumentText):
    """Drake's directives: a string, with the other files of their package in ``assets``, by their
    paths in it.
    """


def to_directives(source: Source, **options: Unpack[DirectivesOptions]) -> Directives:
    """Return a scene as Drake's directives, with a document for each model.

    The directives name their files as ``package://NAME/FILE``, where ``NAME`` is that of the scene.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        options: See `bridge.export_directives`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if a model cannot be written; with ``strict``, if anything is lost.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.

    Example:
        >>> import bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> directives = bridge.to_directives(loaders.load_string(urdf, format="urdf"))
        >>> print(directives.splitlines()[-1].strip(), *directives.assets)
        file: package://arm/arm.sdf package.xml arm.sdf
    """
    done = finished(folder_files, source, options)
    text = done.files[done.main].decode()
    return Directives.of(text, _of_package(done), done.diagnostics, done.names)


def export_directives(
    source: Source,
    out_dir: str | os.PathLike[str],
    *,
    force: bool = False,
    check: bool = True,
    **options: Unpack[DirectivesOptions],
) -> Export:
    """Write a scene as a folder: ``<name>.dmd.yaml``, a file for each model, assets, ``README.md``,
    ``FIDELITY.md``.

    The folder is a package, to which the directives refer; it appears complete or not at all, and
    replaces an earlier export whose files are as they were written; see `bridge.export_mjcf`.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        out_dir: The folder to write. A symbolic link stands for the folder that it leads to.
        force: Whether to overwrite files that were edited or that no export wrote, if they have the
            name of a new one.
        check: Whether to read the files back and compare them with the scene before the folder is
            touched.
        options: Options of the export, whose first value is the default; and if ``source`` is a
            path, options of `loaders.load` (``paths``, ``package_map``, ``quiet`` and others).

            models: The format of the models: ``sdf``, one for each outermost model of the scene; or
                ``urdf``, one for each kinematic tree.
            inertia: The treatment of an inertia that no rigid body can have: ``keep`` writes it as
                it is, ``repair`` writes the nearest possible one.
            shapes: The collision shape of the meshes of each link, by name or pattern of links; see
                `bridge.to_mjcf`.
            fit: Whether a fitted shape contains the mesh (``contain``), or is the closest to it
                (``closest``).
            exclude: The pairs of links that do not collide: ``as_is`` is the source's choice;
                ``sampled`` adds the links that are adjacent, that overlap initially, and that touch
                always or never at random positions, as MoveIt's setup assistant does.
            exclude_samples: Number of random positions of ``sampled``.
            exclude_seed: Seed of the random positions.
            strict: Whether anything lost or approximated is an error.

    Returns:
        The directives, the files written, and the findings.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if a model cannot be written, or the written files, read back, are not the
            scene; with ``strict``, if anything is lost.
        OutputFolderError: if the folder holds files that were edited or that no export wrote; a
        `FileExistsError`.
        OSError: if the file system refuses; the old content is in place then.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value, or the folder is named as a file.

    Example:
        >>> import tempfile, bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     scene = loaders.load_string(urdf, format="urdf")
        ...     result = bridge.export_directives(scene, f"{folder}/arm")
        ...     print(result.path.name, result.files)
        arm.dmd.yaml ('FIDELITY.md', 'README.md', 'arm.dmd.yaml', 'arm.sdf', 'package.xml')
    """
    return export_folder(folder_files, source, out_dir, options, force=force, check=check)


def single_files(source: Source, options: DirectivesOptions, assets: str) -> ExportFiles:
    """Return directives that stand alone, with the other files of a package in a folder beside
    them.

    Args:
        source: See `bridge.to_directives`.
        options: See `bridge.to_directives`.
        assets: Folder of the files. The package is named after its first part, where its
            ``package.xml`` belongs.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if a model cannot be written; with ``strict``, if anything is lost.
        TypeError: if an option is unknown.
    """
    mark = unused_word()
    done = folder_files(source, options, mark)
    text = done.files[done.main].decode()
    text = text.replace(origin_comment(done.scene), origin_comment(done.scene, alone=True), 1)
    files = {done.main: text.encode()}
    files |= {f"{assets}/{name}": data for name, data in _of_package(done).items()}
    package = assets.partition("/")[0]
    named = {
        name: data.replace(f"package://{mark}/".encode(), f"package://{assets}/".encode()).replace(
            mark.encode(), package.encode()
        )
        for name, data in files.items()
    }
    return replace(done, files=named, check=lambda _: done.check(done.files))


def _of_package(done: ExportFiles) -> dict[str, bytes]:
    """Return the files without the directives and the texts for people."""
    texts = {done.main, "README.md", "FIDELITY.md"}
    return {name: data for name, data in done.files.items() if name not in texts}


def folder_files(source: Source, keywords: DirectivesOptions, package: str = "") -> AssemblyFiles:
    """Return the files that `export_directives` writes.

    Args:
        source: See `bridge.export_directives`.
        keywords: See `bridge.export_directives`.
        package: Name of the package; by default that of the scene.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if a model cannot be written; with ``strict``, if anything is lost.
        TypeError: if an option is unknown.
    """
    options, load_options = split_options(DirectivesExportOptions, keywords)
    report = Report("directives")
    scene, _ = with_contact_options(scene_of(source, load_options), source, options, report)
    changed = changed_options(options)
    of_part = {"inertia": options.inertia, "strict": options.strict}
    if options.models == "urdf":
        return urdf_assembly(scene, of_part, "export_directives", changed, package, report)

    def build_part(part: Scene, assets: str) -> PartDocument:
        return PartDocument(build(part, of_part | {"world": "never"}, assets), None, frozenset())

    scene = with_filter_groups(scene)
    return assembly_files(
        scene,
        models_of(scene),
        build_part,
        _SDF,
        changed,
        package=package,
        strict=options.strict,
        known=report.entries,
    )

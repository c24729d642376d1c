"""The targets that files are written for: one declaration each, and the registry of all.

Commands, batches, shell completion and checks of options read the registry. A package adds a target
of its own by the entry point `ENTRY_POINTS`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from loaders.deferred import Deferred
from loaders.limits import raised_as

from .options import (
    DirectivesExportOptions,
    ExportOptions,
    MjcfExportOptions,
    SdfExportOptions,
    UrdfExportOptions,
)

if TYPE_CHECKING:
    import os
    from importlib.metadata import EntryPoint

    from bridge.lowering.transform import Source
    from loaders.diagnostics import Diagnostic

    from .folder import Export, ExportFiles

_EXPORT_FOLDER = Deferred("bridge.targets.folder:export_folder")
_FINISHED = Deferred("bridge.targets.folder:finished")
_NAMED_BY_CONTENT = Deferred("bridge.targets.folder:named_by_content")
_STALE = Deferred("bridge.targets.folder:stale")

_LOG = logging.getLogger(__name__)

ENTRY_POINTS = "sdfbridge.targets"
"""Group of the entry points; each one names a `Target`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A format that scenes are written in.

    Attributes:
        name: Its name, as ``--to`` takes it.
        title: Name of the format, for people.
        options: Its options: a frozen dataclass.
        folder_files: ``folder_files(source, keywords)`` returns the files of a folder, a
            `bridge.targets.folder.ExportFiles`. The source is a path, a scene or a mechanism, and
            the keywords are the options and those of `loaders.load`.
        single_files: ``single_files(source, keywords, assets)`` returns one document and the files
            in the folder ``assets`` beside it; None if the target writes folders only.
        suffixes: Suffixes of the names of documents, the usual one first; none without
            ``single_files``.
        beside: End of the name of the folder beside one document.
        check: What an export does before it touches the folder, for people.
    """

    name: str
    title: str
    options: type[ExportOptions]
    folder_files: Callable[[Source, Any], ExportFiles]
    single_files: Callable[[Source, Any, str], ExportFiles] | None = None
    suffixes: tuple[str, ...] = ()
    beside: str = "assets"
    check: str = "read back and compared with the model: equal"

    @property
    def is_yaml(self) -> bool:
        """Return whether its documents are YAML, not XML."""
        return self.suffixes[:1] != () and self.suffixes[0].endswith((".yaml", ".yml"))

    def export(
        self,
        source: Source,
        out_dir: str | os.PathLike[str],
        *,
        force: bool = False,
        check: bool = True,
        **keywords: Any,
    ) -> Export:
        """Write a folder and return the result; see `bridge.targets.folder.export_folder`.

        Args:
            source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
            out_dir: The folder to write.
            force: Whether to overwrite files that were edited or that no export wrote.
            check: Whether to check the files before the folder is touched.
            keywords: The options of the export.
        """
        result: Export = _EXPORT_FOLDER(
            self.folder_files, source, out_dir, keywords, force=force, check=check
        )
        return result

    def stale_files(
        self, source: Source, out_dir: str | os.PathLike[str], **keywords: Any
    ) -> tuple[str, ...]:
        """Return the files of a folder that are missing, superfluous, or differ from what `export`
        would write.

        Args:
            source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
            out_dir: The folder to compare with.
            keywords: The options of the export.

        Raises:
            LoadError: if the file is invalid.
            ExportError: if the target cannot represent the model.
            TypeError: if an option is unknown.
        """
        files: tuple[str, ...] = _STALE(self.folder_files(source, keywords).files, out_dir)
        return files

    def single_file(
        self, source: Source, *, assets: str, check: bool = True, **keywords: Any
    ) -> tuple[str, dict[str, bytes], tuple[Diagnostic, ...]]:
        """Return one document as text, the contents of the files beside it by their paths in the
        folder ``assets``, and the findings. The check is made of these texts and contents.

        Args:
            source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
            assets: The folder. The files lie in a folder in there that is named after their
                content.
            check: Whether to check the files.
            keywords: The options of the export.

        Raises:
            LoadError: if the file is invalid.
            ExportError: if the target cannot represent the model, or the files are not the model.
            TypeError: if an option is unknown.
            ValueError: if the target writes folders only.
        """
        single_files = self.single_files
        if single_files is None:
            raise ValueError(f"the target {self.name} writes folders only")

        def files_of(source: Source, keywords: dict[str, Any]) -> ExportFiles:
            make = partial(single_files, source, keywords)
            named: ExportFiles = _NAMED_BY_CONTENT(make, assets)
            return named

        done: ExportFiles = _FINISHED(files_of, source, keywords, check=check)
        files = {name.removeprefix(f"{assets}/"): data for name, data in done.files.items()}
        return files.pop(done.main).decode(), files, done.diagnostics


MJCF = Target(
    name="mjcf",
    title="MJCF",
    options=MjcfExportOptions,
    folder_files=Deferred("bridge.targets.mjcf.folder:folder_files"),
    single_files=Deferred("bridge.targets.mjcf.folder:single_files"),
    suffixes=(".xml", ".mjcf"),
    check="compiled with MuJoCo",
)
_SDF = Target(
    name="sdf",
    title="SDFormat",
    options=SdfExportOptions,
    folder_files=Deferred("bridge.targets.sdf.document:folder_files"),
    single_files=Deferred("bridge.targets.sdf.document:single_files"),
    suffixes=(".sdf", ".world"),
)
_URDF = Target(
    name="urdf",
    title="URDF",
    options=UrdfExportOptions,
    folder_files=Deferred("bridge.targets.urdf.document:folder_files"),
    single_files=Deferred("bridge.targets.urdf.document:single_files"),
    suffixes=(".urdf",),
)
_DIRECTIVES = Target(
    name="directives",
    title="directives",
    options=DirectivesExportOptions,
    folder_files=Deferred("bridge.targets.directives:folder_files"),
    single_files=Deferred("bridge.targets.directives:single_files"),
    suffixes=(".dmd.yaml", ".dmd.yml"),
    beside="models",
)
BUILT_IN = {target.name: target for target in (MJCF, _SDF, _URDF, _DIRECTIVES)}
"""The targets of this package by name, the default first."""


def targets() -> dict[str, Target]:
    """Return all targets by name: those of this package, then those that other packages register.

    A registered target that cannot be imported, or that is no `Target`, is left out with a warning
    in the log.
    """
    from importlib.metadata import entry_points  # takes long to import

    found = dict(BUILT_IN)
    for point in entry_points(group=ENTRY_POINTS):
        target = None if point.name in found else _registered(point)
        if target is not None:
            found[point.name] = target
    return found


class _TargetError(Exception):
    """A registered target cannot be used."""


def _registered(point: EntryPoint) -> Target | None:
    try:
        with raised_as(_TargetError, f"the target {point.value} cannot be imported"):
            found = point.load()
            if not isinstance(found, Target) or found.name != point.name:
                raise _TargetError(
                    f"the target {point.value} is not a Target of the name {point.name!r}"
                )
    except _TargetError as error:
        _LOG.warning("%s; it is left out", error)
        return None
    return found

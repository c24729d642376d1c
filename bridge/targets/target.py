"""The targets that files are written for: one declaration each, and the registry of all.

Commands, batches, shell completion and checks of options read the registry. A package adds a target
of its own by the entry point `ENTRY_POINTS`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
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
    from importlib.metadata import EntryPoint

_LOG = logging.getLogger(__name__)

ENTRY_POINTS = "sdfbridge.targets"
"""Group of the entry points; each one names a `Target`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A format that scenes are written in.

    All functions take a source, as `bridge.export_mjcf` does, and the options as keywords.

    Attributes:
        name: Its name, as ``--to`` takes it.
        title: Name of the format, for people.
        options: Its options: a frozen dataclass.
        export: Writes a folder: ``export(source, out_dir, *, force, **options)`` returns a
            `bridge.targets.folder.Export`.
        stale_files: ``stale_files(source, out_dir, **options)`` returns the files of a folder that
            differ from what ``export`` would write.
        single_file: ``single_file(source, *, assets, **options)`` returns one document as text, the
            contents of the files beside it by their paths in the folder ``assets``, and the
            findings; None if the target writes folders only.
        suffixes: Suffixes of the names of documents, the usual one first; none without
            ``single_file``.
        beside: End of the name of the folder beside one document.
        check: What an export does before it touches the folder, for people.
    """

    name: str
    title: str
    options: type[ExportOptions]
    export: Callable[..., Any]
    stale_files: Callable[..., tuple[str, ...]]
    single_file: Callable[..., tuple[str, dict[str, bytes], tuple[Any, ...]]] | None = None
    suffixes: tuple[str, ...] = ()
    beside: str = "assets"
    check: str = "read back and compared with the model: equal"

    @property
    def is_yaml(self) -> bool:
        """Return whether its documents are YAML, not XML."""
        return self.suffixes[:1] != () and self.suffixes[0].endswith((".yaml", ".yml"))


MJCF = Target(
    name="mjcf",
    title="MJCF",
    options=MjcfExportOptions,
    export=Deferred("bridge.targets.mjcf:export_mjcf"),
    stale_files=Deferred("bridge.targets.mjcf:stale_files"),
    single_file=Deferred("bridge.targets.mjcf.folder:single_file"),
    suffixes=(".xml", ".mjcf"),
    check="compiled with MuJoCo",
)
_SDF = Target(
    name="sdf",
    title="SDFormat",
    options=SdfExportOptions,
    export=Deferred("bridge.targets.sdf:export_sdf"),
    stale_files=Deferred("bridge.targets.sdf.document:stale_files"),
    single_file=Deferred("bridge.targets.sdf.document:single_file"),
    suffixes=(".sdf", ".world"),
)
_URDF = Target(
    name="urdf",
    title="URDF",
    options=UrdfExportOptions,
    export=Deferred("bridge.targets.urdf:export_urdf"),
    stale_files=Deferred("bridge.targets.urdf.document:stale_files"),
    single_file=Deferred("bridge.targets.urdf.document:single_file"),
    suffixes=(".urdf",),
)
_DIRECTIVES = Target(
    name="directives",
    title="directives",
    options=DirectivesExportOptions,
    export=Deferred("bridge.targets.directives:export_directives"),
    stale_files=Deferred("bridge.targets.directives.folder:stale_files"),
    single_file=Deferred("bridge.targets.directives.folder:single_file"),
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

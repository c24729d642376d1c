"""Sources and options, as public functions take them; a source is a path, a scene, or a
mechanism.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, TypeVar, Unpack, cast

import loaders
from bridge.choices import AS_STATED, Base, Exclude, Exclusion, Overlaps
from bridge.geometry.collision_shapes import KEEP, ShapeChoice, with_shapes
from bridge.mechanism import Mechanism
from bridge.mechanism.pairs import OverlapInMotion
from loaders import LoadOptions
from loaders.diagnostics import Diagnostics, LossSummary
from loaders.scene import Scene
from loaders.text import check_option_names, check_whole_number

from .inertia import with_minimum_inertia, with_repaired_inertia
from .lower import lower
from .sampling import overlaps_at_random
from .transform import relowered, with_chosen_base, with_exclusions, with_overlaps

_Options = TypeVar("_Options")
Source = str | os.PathLike[str] | Scene | Mechanism


class SourceOptions(LoadOptions, total=False):
    """Keywords of all exports beside those of `loaders.load`."""

    exclude: Exclude
    exclude_samples: int
    exclude_seed: int


def source_name(source: Source) -> str:
    """Return the name of a source for messages: a path as it was given, or the name of the
    scene.
    """
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    scene = source.scene if isinstance(source, Mechanism) else source
    return str(getattr(scene, "name", "")) or "model"


def loss_summary(source: Source, options: LoadOptions) -> LossSummary:
    """Return the context of a public call that reads a source, with the options of the caller."""
    return LossSummary.of(source_name(source), options)


def mechanism_of(
    source: Source,
    *,
    base: Base = "as_is",
    overlaps: Overlaps = "exclude",
    exclusion: Exclusion = AS_STATED,
    repair_inertia: bool = False,
    shapes: ShapeChoice = KEEP,
    target: str = "",
    **load_options: Unpack[LoadOptions],
) -> Mechanism:
    """Return the mechanism of a source, with the base that the caller chose and the minimum inertia
    that engines then need.

    Args:
        source: A path, a scene, or a mechanism.
        base: Whether free links are welded to the world, or links that are welded to it are free;
            see `bridge.lowering.transform.with_chosen_base`.
        overlaps: Whether links that overlap initially collide, where the source does not state
            which links do; see `bridge.lowering.transform.with_overlaps`.
        exclusion: Whether random positions exclude pairs of links from contact; see
            `bridge.lowering.transform.with_exclusions`.
        repair_inertia: Whether inertias that no rigid body can have are replaced by the nearest
            physical ones.
        shapes: What collision meshes become.
        target: The engine that the findings about them are about.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: if the file has errors.
        ExportError: if the scene cannot be lowered.
        TypeError: if the source is neither a path, a scene nor a mechanism, or for an unknown
        option.
        ValueError: if ``base``, ``overlaps`` or ``exclusion`` has an unknown value, or no link
            matches a pattern of ``shapes``.
    """
    check_option_names(load_options, LoadOptions)
    if isinstance(source, str | os.PathLike):
        source = loaders.load(source, **load_options)
    if not isinstance(source, Scene | Mechanism):
        raise TypeError(f"expected a path, a Scene or a Mechanism, not {type(source).__name__}")
    mechanism = _with_shapes(source, shapes, target)
    repaired = _repaired(mechanism) if repair_inertia else mechanism
    chosen = with_overlaps(with_chosen_base(repaired, base), overlaps)
    return with_exclusions(with_minimum_inertia(chosen), exclusion)


def overlaps_in_motion(
    source: Source,
    *,
    samples: int = 1_000,
    seed: int = 0,
    policy: str | None = None,
    **load_options: Unpack[LoadOptions],
) -> tuple[OverlapInMotion, ...]:
    """Return the pairs of links that may collide and overlap at some of a number of random
    positions, the deepest first.

    Each joint is anywhere within its limits, joints that follow others do so, and free links stay.
    Links that are welded together are left out. A mesh counts as the convex shapes that collide for
    it.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        samples: Number of random positions.
        seed: Seed of the random positions.
        policy: Rule for pairs that no collision filter names; None is that of the source.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: if the file has errors.
        ExportError: if the scene cannot be lowered.
        LimitError: if there are more pairs than the call that is running may have.
        ValueError: for an unknown policy, or a number that cannot be.

    Example:
        >>> import bridge
        >>> bridge.overlaps_in_motion("assets/double_pendulum.urdf", samples=10)
        ()
    """
    check_whole_number("samples", samples, 1)
    check_whole_number("seed", seed)
    return overlaps_at_random(mechanism_of(source, **load_options), samples, seed, policy)


def _with_shapes(source: Scene | Mechanism, shapes: ShapeChoice, target: str) -> Mechanism:
    """Return the mechanism of a source with the chosen shapes in place of collision meshes."""
    if not shapes.shapes:
        return lower(source) if isinstance(source, Scene) else source
    diagnostics = Diagnostics()
    scene = source.scene if isinstance(source, Mechanism) else source
    scene = with_shapes(scene, shapes, target, diagnostics)
    mechanism = lower(scene) if isinstance(source, Scene) else relowered(source, scene)
    return dataclasses.replace(mechanism, diagnostics=(*mechanism.diagnostics, *diagnostics))


def split_options(
    kind: type[_Options], keywords: Mapping[str, Any]
) -> tuple[_Options, LoadOptions]:
    """Separate the options of an export from those of `loaders.load`; ``strict`` is an option of
    both. None stands for the default.

    Args:
        kind: Dataclass of the options of the export, which checks them.
        keywords: The keywords of the caller.

    Raises:
        TypeError: if an option is unknown; the message suggests the closest one.
        ValueError: if an option has an unknown value.
    """
    names = {field.name for field in dataclasses.fields(cast(Any, kind))}
    check_option_names(keywords, LoadOptions, names)
    given = {name: value for name, value in keywords.items() if value is not None}
    of_export = {name: value for name, value in given.items() if name in names}
    of_load = {name: value for name, value in given.items() if name not in names - {"strict"}}
    return kind(**of_export), cast(LoadOptions, of_load)


def _repaired(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism of the repaired scene; the mechanism itself if there is nothing to
    repair.
    """
    diagnostics = Diagnostics()
    scene = with_repaired_inertia(mechanism.scene, diagnostics)
    if scene is mechanism.scene:
        return mechanism
    repaired = relowered(mechanism, scene)
    return dataclasses.replace(repaired, diagnostics=(*repaired.diagnostics, *diagnostics))

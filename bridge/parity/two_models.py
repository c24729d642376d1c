"""compare of two models in one engine."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Literal, Protocol, Unpack, overload

import numpy as np

from bridge.choices import Base, Exclude, Overlaps
from bridge.diff.files import FileComparison, Model, compare_files
from bridge.diff.mechanics import MechanicalError, pairs_in_one
from bridge.lowering.transform import Source, mechanism_of
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from loaders import LoadOptions, Search
from loaders.collision_pairs import renamed_pairs
from loaders.finish.transform import moved_frames
from loaders.scene import Scene

from .comparison import Comparison
from .comparison import compare as compare_engines
from .engine import Engine, Factory, NotReportedError, factory_of, open_engine
from .states import random_states
from .verdict import Level


class _Compare(Protocol):
    @overload
    def __call__(
        self, source: Model, engines: os.PathLike[str] | Scene, **load_options: Unpack[LoadOptions]
    ) -> FileComparison: ...

    @overload
    def __call__(
        self,
        source: Source,
        engines: str | Sequence[str | Factory] | None = None,
        *,
        levels: str | Sequence[Level | str] = ...,
        seed: int = ...,
        configurations: int = ...,
        positions: Mapping[str, Position] | None = ...,
        base: Base = ...,
        inertia: Literal["keep", "repair"] = ...,
        overlaps: Overlaps = ...,
        exclude: Exclude = ...,
        exclude_samples: int = ...,
        exclude_seed: int = ...,
        progress: Callable[[str], None] = ...,
        **load_options: Unpack[LoadOptions],
    ) -> Comparison: ...


@functools.wraps(compare_engines)
def _compare(source: Any, engines: Any = None, **options: Any) -> Any:
    if isinstance(engines, os.PathLike | Scene) or (
        isinstance(engines, str) and Path(engines).suffix
    ):
        return compare_files(source, engines, **options)
    return compare_engines(source, engines, **options)


compare: _Compare = _compare
"""See `bridge.parity.comparison.compare`."""


_STATES = 3


def errors_in_simulators(
    a: Scene,
    b: Scene,
    engines: Sequence[str],
    comparison: FileComparison,
    *,
    seed: int = 0,
    search: Search | None = None,
) -> dict[str, MechanicalError]:
    """Return how far two scenes differ in each simulator: poses, masses, mass matrices and
    colliding pairs.

    Args:
        a: Scene A.
        b: Scene B.
        engines: Names of the simulators.
        comparison: The comparison of the scenes, which has the names in B by name in A, and the
            frames of B.
        seed: Seed of the random states.
        search: Where simulators that read the files themselves find what the files refer to.

    Raises:
        EngineMissingError: If a simulator is not installed.
        ExportError: If a simulator cannot represent a scene.
    """
    first, second = mechanism_of(moved_frames(a, comparison.frames)), mechanism_of(b)
    links, joints = (dict(comparison.names.get(kind, {})) for kind in ("link", "joint"))
    in_a = {joint.name for joint in a.joints}
    bases = {old: new for old, new in links.items() if old not in in_a}
    names = _Names(links, bases | joints)
    missing = names.missing(first, second)
    if missing:
        return dict.fromkeys(engines, MechanicalError(missing=missing))
    return {
        engine: _error(engine, (first, second), names, seed, search or {}) for engine in engines
    }


class _Names:
    """Names in B by name in A."""

    def __init__(self, links: Mapping[str, str], joints: Mapping[str, str]) -> None:
        self.links, self._joints = links, joints

    def link(self, name: str) -> str:
        return self.links.get(name, name)

    def joint(self, name: str) -> str:
        return self._joints.get(name, name)

    def missing(self, a: Mechanism, b: Mechanism) -> tuple[str, ...]:
        """Return the links and joints that move of A that B lacks."""
        links, joints = {body.name for body in b.bodies}, {name for name, _ in b.v_order}
        lost = [body.name for body in a.bodies if self.link(body.name) not in links]
        lost += [name for name, _ in a.v_order if self.joint(name) not in joints]
        return tuple(dict.fromkeys(lost))

    def order(self, a: Mechanism, b: Mechanism) -> list[int]:
        """Return the index in B of each degree of freedom of A."""
        index = {dof: i for i, dof in enumerate(b.v_order)}
        return [index[self.joint(name), component] for name, component in a.v_order]


def _error(
    engine: str, mechanisms: tuple[Mechanism, Mechanism], names: _Names, seed: int, search: Search
) -> MechanicalError:
    factory = factory_of(engine)
    with ExitStack() as stack:
        opened: list[Engine] = []
        for mechanism in mechanisms:
            opened.append(open_engine(factory, mechanism, search))
            stack.callback(opened[-1].close)
        refusals = [engine.refusal for engine in opened if engine.refusal]
        if refusals:
            return MechanicalError(refusal=refusals[0])
        try:
            return _errors(opened[0], opened[1], mechanisms, names, seed)
        except NotReportedError as error:
            return MechanicalError(refusal=str(error))


def _errors(
    first: Engine, second: Engine, mechanisms: tuple[Mechanism, Mechanism], names: _Names, seed: int
) -> MechanicalError:
    a, b = mechanisms
    poses, matrices = [0.0], [0.0]
    for q, _ in random_states(a, _STATES, seed):
        first.set_state(q, {})
        second.set_state({names.joint(name): value for name, value in q.items()}, {})
        poses.append(_pose_error(first, second, names))
        with suppress(NotReportedError):
            matrices.append(_matrix_error(first, second, names.order(a, b)))
    return MechanicalError(
        pose=max(poses),
        mass=_mass_error(first, second, names),
        mass_matrix=max(matrices),
        pairs=_pairs(first, second, names),
    )


def _pose_error(a: Engine, b: Engine, names: _Names) -> float:
    other = b.link_poses()
    errors = [0.0]
    for name, X in a.link_poses().items():
        Y = other[names.link(name)]
        errors += [
            float(np.abs(X.p - Y.p).max()) / max(1.0, float(np.abs(X.p).max())),
            float(np.abs(X.R - Y.R).max()),
        ]
    return max(errors)


def _matrix_error(a: Engine, b: Engine, order: Sequence[int]) -> float:
    M, N = a.mass_matrix(), b.mass_matrix()[np.ix_(order, order)]
    return float(np.abs(M - N).max(initial=0.0)) / max(float(np.abs(M).max(initial=0.0)), 1e-12)


def _mass_error(a: Engine, b: Engine, names: _Names) -> float:
    other: Mapping[str, Any] = b.inertias()
    stated = {
        name: inertia.mass for name, inertia in a.inertias().items() if names.link(name) in other
    }
    errors = [
        abs(other[names.link(name)].mass - mass) / max(mass, 1e-12) for name, mass in stated.items()
    ]
    return max(errors, default=0.0)


def _pairs(a: Engine, b: Engine, names: _Names) -> tuple[str, ...]:
    try:
        first = renamed_pairs(a.collidable_pairs(), names.links)
        second = b.collidable_pairs()
    except NotReportedError:
        return ()
    return tuple(pairs_in_one(first, second))

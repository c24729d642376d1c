"""What a comparison asks of a simulator, and which simulators there are.

An engine holds one mechanism and answers by canonical names, in the conventions of
`bridge.mechanism.coordinates` and in the mechanism's ``v_order``. Each adapter owns the conditions under
which its engine is comparable: semi-implicit Euler, explicit damping, no hidden motors.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Protocol

from bridge.bullet.client.stdout_capture import capture_stdout
from bridge.mechanism.coordinates import Position
from loaders.diagnostics import Diagnostic
from loaders.spatial import Array, Pose, SpatialInertia

Freedom = tuple[str, int]
"""A velocity component, as in ``v_order``: joint and component."""

ENTRY_POINTS = "sdfbridge.engines"
"""Group of entry points by which other engines register: a name, and a callable that takes a mechanism."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointParameters:
    """What acts along one velocity component, as an engine holds it; None is what the engine does not report."""

    lower: float = -math.inf
    upper: float = math.inf
    damping: float = 0.0
    friction: float | None = 0.0


class Engine(Protocol):
    """One mechanism in one simulator."""

    @property
    def name(self) -> str:
        """Of the engine."""

    @property
    def version(self) -> str:
        """Of the engine."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The ledger: what the engine could not hold exactly."""

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """Put every joint where ``q`` and ``v`` say."""

    def link_poses(self) -> dict[str, Pose]:
        """``X_WL`` of every link."""

    def jacobians(self) -> dict[str, Array]:
        """Of every link, shape (6, nv): its angular velocity, and that of its origin, in the world."""

    def inertias(self) -> dict[str, SpatialInertia]:
        """Of every link that can move, in its own frame."""

    def joint_parameters(self) -> dict[Freedom, JointParameters]:
        """Of every component that is a single hinge or slide."""

    def couplings(self) -> dict[tuple[Freedom, Freedom], tuple[float, float]]:
        """Multiplier and offset, by follower and leader."""

    def mass_matrix(self) -> Array:
        """At the present position, shape (nv, nv)."""

    def bias_forces(self) -> Array:
        """Coriolis, centrifugal and gravity terms in the present state, shape (nv,)."""

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """The forces that make these accelerations in the present state, both of shape (nv,)."""

    def violations(self) -> dict[str, float]:
        """How far each coupling and each loop is from what it holds [rad or m], by the joint, in the present state."""

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """Pairs of links that may touch; what is said of links that are welded together does not count."""

    def positions(self) -> dict[str, Position]:
        """Of every joint that moves, in the present state."""

    def velocities(self) -> Array:
        """Of the present state, shape (nv,)."""

    def set_step(self, seconds: float) -> None:
        """Choose the time step."""

    def step(self, count: int) -> None:
        """Advance by some steps."""

    def close(self) -> None:
        """Release what the simulator holds."""


Factory = Callable[..., Engine]
"""Opens an engine with a mechanism; its ``__name__`` or ``name`` names it.

One that reads the original file itself has ``reads_file``, and takes a `loaders.Search` as a second argument."""

_OWN = {
    "reference": "bridge.parity.engines.reference_engine:ReferenceEngine",
    "mujoco": "bridge.parity.engines.mujoco_engine:MujocoEngine",
    "pybullet": "bridge.parity.engines.pybullet_engine:PyBulletEngine",
    "drake": "bridge.parity.engines.drake_engine:DrakeEngine",
    "pybullet-urdf": "bridge.parity.engines.native_loaders:PyBulletUrdf",
    "pybullet-sdf": "bridge.parity.engines.native_loaders:PyBulletSdf",
    "mujoco-urdf": "bridge.parity.engines.native_loaders:MujocoUrdf",
}


_MODULES = {"drake": "pydrake", "pybullet-urdf": "pybullet", "pybullet-sdf": "pybullet", "mujoco-urdf": "mujoco"}
"""What an engine needs, where it has another name."""


class EngineMissingError(RuntimeError):
    """An engine is not installed."""


class NotReportedError(Exception):
    """An engine does not tell a quantity; the message says why. Any method of `Engine` that answers may raise it."""


def reads_file(factory: Factory) -> bool:
    """Whether an engine reads the original file itself: it then stands still, and takes part in L0 and L1 alone."""
    return bool(getattr(factory, "reads_file", False))


def engine_names() -> tuple[str, ...]:
    """Every engine that is known here, installed or not."""
    return (*_OWN, *(point.name for point in metadata.entry_points(group=ENTRY_POINTS) if point.name not in _OWN))


def factory_of(name: str) -> Factory:
    """The factory of an engine.

    Raises:
        ValueError: for an engine that nobody knows.
        EngineMissingError: if it is known but not installed.
    """
    if name in _OWN:
        module, _, attribute = _OWN[name].partition(":")
        _require(name)
        factory: Factory = getattr(importlib.import_module(module), attribute)
        return factory
    for point in metadata.entry_points(group=ENTRY_POINTS, name=name):
        loaded: Factory = point.load()
        return loaded
    raise ValueError(f"there is no engine {name!r}; there are: {', '.join(engine_names())}")


def _require(name: str) -> None:
    if name == "reference":
        return
    try:
        with capture_stdout([]):  # PyBullet greets on import
            importlib.import_module(_MODULES.get(name, name))
    except ImportError as error:
        package = name.partition("-")[0]
        raise EngineMissingError(f"{package} is not installed; try: pip install {package}") from error

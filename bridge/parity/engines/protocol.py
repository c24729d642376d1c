"""The interface that a comparison needs of a simulator, and the simulators that are known.

An engine has one mechanism and returns values by scoped names, in the conventions of `bridge.mechanism.coordinates` and
in the mechanism's ``v_order``. Each adapter sets the options that make its engine comparable: semi-implicit Euler,
explicit damping, no default motors.
"""

from __future__ import annotations

import importlib
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Protocol

from bridge.bullet.client.stdout_capture import capture_stdout
from bridge.installed_packages import is_installed
from bridge.mechanism.coordinates import Position
from loaders.diagnostics import Diagnostic
from loaders.spatial import Array, Pose, SpatialInertia

Dof = tuple[str, int]
"""A velocity component as in ``v_order``: the joint and the number of the component."""

ENTRY_POINTS = "sdfbridge.engines"
"""Group of entry points by which other packages register engines: a name, and a callable that takes a mechanism."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointParameters:
    """The parameters of one velocity component in an engine.

    Attributes:
        lower: Lower limit [rad or m].
        upper: Upper limit [rad or m].
        damping: Viscous damping [N m s/rad or N s/m].
        friction: Dry friction [N m or N]; None if the engine does not report it.
    """

    lower: float = -math.inf
    upper: float = math.inf
    damping: float = 0.0
    friction: float | None = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings with which an engine starts a simulation.

    Attributes:
        gravity: Gravity in the world [m/s^2], shape (3,).
        time_step: Time step [s].
        initial_poses: Pose of each link before anything moves.
        efforts: Effort limit of each component of a hinge or slide [N m or N].
    """

    gravity: Array
    time_step: float
    initial_poses: Mapping[str, Pose]
    efforts: Mapping[Dof, float]


class Engine(Protocol):
    """One mechanism in one simulator.

    Any query may raise `NotReportedError`.
    """

    @property
    def name(self) -> str:
        """The name of the engine."""

    @property
    def version(self) -> str:
        """The version of the simulator; empty if it has none."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The fidelity report: what the engine cannot represent exactly."""

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """Set positions and velocities by joint."""

    def link_poses(self) -> dict[str, Pose]:
        """Return ``X_WL`` of every link."""

    def jacobians(self) -> dict[str, Array]:
        """Return the Jacobian of every link, shape (6, nv): angular, then linear velocity in the world."""

    def inertias(self) -> dict[str, SpatialInertia]:
        """Return the inertia of every link that can move, in the frame of the link."""

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        """Return the parameters of every component of a hinge or slide."""

    def couplings(self) -> dict[tuple[Dof, Dof], tuple[float, float]]:
        """Return multiplier and offset of every coupling, by follower and leader."""

    def mass_matrix(self) -> Array:
        """Return the mass matrix at the current position, shape (nv, nv)."""

    def bias_forces(self) -> Array:
        """Return the Coriolis, centrifugal and gravity terms in the current state, shape (nv,)."""

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """Return the forces that cause the accelerations in the current state, both of shape (nv,)."""

    def violations(self) -> dict[str, float]:
        """Return by how much the current position violates each coupling and loop [rad or m], by name."""

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """Return the pairs of links that can collide; pairs of links that are welded together are ignored."""

    def positions(self) -> dict[str, Position]:
        """Return the current position of every joint that can move."""

    def velocities(self) -> Array:
        """Return the current velocities, shape (nv,)."""

    def set_step(self, seconds: float) -> None:
        """Set the time step."""

    def step(self, count: int) -> None:
        """Advance the simulation by a number of steps."""

    def close(self) -> None:
        """Release the resources of the simulator."""


Factory = Callable[..., Engine]
"""A callable that opens an engine with a mechanism; its ``name`` or ``__name__`` is the name of the engine.

An engine that reads the original file itself has a true attribute ``reads_file`` and takes a `loaders.Search` as a
second argument."""

_ENGINES = {
    "reference": "bridge.parity.engines.reference_engine:ReferenceEngine",
    "mujoco": "bridge.parity.engines.mujoco_engine:MujocoEngine",
    "pybullet": "bridge.parity.engines.pybullet_engine:PyBulletEngine",
    "drake": "bridge.parity.engines.drake_engine:DrakeEngine",
    "dart": "bridge.parity.engines.dart.dart_engine:DartEngine",
    "pybullet-urdf": "bridge.parity.engines.native_loaders:PyBulletUrdf",
    "pybullet-sdf": "bridge.parity.engines.native_loaders:PyBulletSdf",
    "mujoco-urdf": "bridge.parity.engines.native_loaders:MujocoUrdf",
    "mujoco-native": "bridge.parity.engines.mujoco_native:MujocoNative",
}
"""The class of each engine of this package."""


_MODULES = {
    "drake": "pydrake",
    "dart": "dartpy",
    "pybullet-urdf": "pybullet",
    "pybullet-sdf": "pybullet",
    "mujoco-urdf": "mujoco",
    "mujoco-native": "mujoco",
}
"""The module that an engine needs, if its name differs from that of the engine."""


_INSTALL = {
    "drake": "pip install drake",
    "dart": "pip install 'sdfbridge[dart]'",
    "mujoco": "pip install mujoco",
}
"""The command that installs an engine."""
INSTALL_PYBULLET = "try: pip install pybullet, or pybullet-arm64 for Python 3.12 and later and for Apple silicon"

_LOG = logging.getLogger("sdfbridge")


class EngineMissingError(RuntimeError):
    """An engine is not installed."""


class DivergedError(ArithmeticError):
    """The motion in an engine has left the finite numbers."""


class NotReportedError(Exception):
    """An engine does not report a quantity; the message states why."""


def reads_file(factory: Factory) -> bool:
    """Return whether an engine reads the original file itself; it is then no part of the motion of mechanisms."""
    return bool(getattr(factory, "reads_file", False))


def is_witness_of_motion(factory: Factory) -> bool:
    """Return whether an engine reads the original file itself and moves; it is then a reference for other motions."""
    return reads_file(factory) and bool(getattr(factory, "is_witness_of_motion", False))


def engine_names() -> tuple[str, ...]:
    """Return the names of all known engines, whether installed or not."""
    registered = (point.name for point in metadata.entry_points(group=ENTRY_POINTS))
    return (*_ENGINES, *(name for name in registered if name not in _ENGINES))


def default_engines() -> tuple[str, ...]:
    """Return MuJoCo and PyBullet; MuJoCo alone where PyBullet is not installed, which is logged once."""
    if is_installed("pybullet"):
        return ("mujoco", "pybullet")
    _log_missing_pybullet()
    return ("mujoco",)


@cache
def _log_missing_pybullet() -> None:
    _LOG.warning("PyBullet is not installed, so MuJoCo is compared with the reference only; %s", INSTALL_PYBULLET)


def factory_of(name: str) -> Factory:
    """Return the factory of an engine.

    Raises:
        ValueError: If there is no engine of this name.
        EngineMissingError: If the engine is not installed.
    """
    if name in _ENGINES:
        module, _, attribute = _ENGINES[name].partition(":")
        _require_installed(name)
        factory: Factory = getattr(importlib.import_module(module), attribute)
        return factory
    for point in metadata.entry_points(group=ENTRY_POINTS, name=name):
        loaded: Factory = point.load()
        return loaded
    raise ValueError(f"unknown engine {name!r}; expected one of: {', '.join(engine_names())}")


def _require_installed(name: str) -> None:
    if name == "reference":
        return
    try:
        with capture_stdout([]):  # PyBullet prints a line when it is imported
            importlib.import_module(_MODULES.get(name, name))
    except ImportError as error:
        package = name.partition("-")[0]
        advice = INSTALL_PYBULLET if package == "pybullet" else f"try: {_INSTALL[package]}"
        raise EngineMissingError(f"{package} is not installed; {advice}") from error

"""The adapter of DART, its process and its losses.

DART runs in a separate process, because it can crash; see `worker`. It takes steps of the
semi-implicit Euler method. For comparisons in numbers, dampers and springs act explicitly, as in
the other engines; as exported, DART simulates them itself.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import IO, Any, Self

import numpy as np

from bridge.codes import (
    DART_CONSTRAINT,
    DART_COUPLING,
    DART_FORCE_ELEMENT,
    DART_FORCE_ELEMENT_BALL_SPRING,
    DART_FRICTION_RULE,
    DART_ONE_WAY_COUPLING,
    DART_ROTOR_INERTIA,
    DART_SHAPE,
)
from bridge.installed_packages import version_of
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import Position
from bridge.parity.engine import (
    BaseEngine,
    Dof,
    JointParameters,
    NotReportedError,
    Settings,
    Surfaces,
)
from bridge.targets.elements import frictions_of
from loaders.diagnostics import NOWHERE, Code, Diagnostic, Where, finding_of
from loaders.engine_settings import Grip, friction_rule, worst_of
from loaders.inertia import SpatialInertia
from loaders.model import BallConstraint, CouplingLaw, WeldConstraint
from loaders.pose import Array, Pose

from .skeleton import follows, is_supported
from .worker import CLOSE, OPEN

_TARGET = "dart"


def losses(mechanism: Mechanism) -> tuple[Diagnostic, ...]:
    """Return what DART does not represent of a mechanism."""
    return (
        *_rotors(mechanism),
        *_couplings(mechanism),
        *_constraints(mechanism),
        *_forces(mechanism),
        *_springs(mechanism),
        *_shapes(mechanism),
        *_friction(mechanism),
    )


def _rotors(mechanism: Mechanism) -> Iterator[Diagnostic]:
    for body in mechanism.bodies:
        if any(body.reflected_inertia) and body.source is not None:
            yield _lost(
                DART_ROTOR_INERTIA,
                body.source.where,
                str(body.joint),
                joint=str(body.joint),
                inertia=max(body.reflected_inertia),
            )


def _couplings(mechanism: Mechanism) -> Iterator[Diagnostic]:
    order = mechanism.v_order
    for coupling in mechanism.couplings:
        if follows(mechanism, coupling) is None:
            names = order[coupling.follower][0], order[coupling.leader][0]
            yield _lost(DART_COUPLING, coupling.where, *names, follower=names[0], leader=names[1])
        else:
            names = order[coupling.follower][0], order[coupling.leader][0]
            yield _lost(
                DART_ONE_WAY_COUPLING, coupling.where, *names, follower=names[0], leader=names[1]
            )


def _constraints(mechanism: Mechanism) -> Iterator[Diagnostic]:
    for constraint in mechanism.scene.constraints:
        if not isinstance(constraint, BallConstraint | WeldConstraint):
            yield _lost(DART_CONSTRAINT, constraint.where, kind=type(constraint).__name__)
    for tendon in mechanism.scene.tendons:
        yield _lost(DART_CONSTRAINT, tendon.where, kind="Tendon")


def _forces(mechanism: Mechanism) -> Iterator[Diagnostic]:
    for force in (*mechanism.scene.forces, *mechanism.fluid_forces):
        yield _lost(DART_FORCE_ELEMENT, force.where, kind=type(force).__name__)


def _springs(mechanism: Mechanism) -> Iterator[Diagnostic]:
    """Yield the springs of ball joints and free bodies."""
    for body in mechanism.bodies:
        for primitive in body.primitives:
            rotates = primitive.kind in {PrimitiveKind.BALL, PrimitiveKind.FREE}
            if (
                rotates
                and primitive.limits is not None
                and primitive.limits.spring_stiffness
                and body.source
            ):
                yield _lost(
                    DART_FORCE_ELEMENT_BALL_SPRING,
                    body.source.where,
                    str(body.joint),
                    joint=str(body.joint),
                )


def _shapes(mechanism: Mechanism) -> Iterator[Diagnostic]:
    for body in mechanism.bodies:
        for collision in body.link.collisions:
            if not is_supported(collision):
                yield _lost(
                    DART_SHAPE,
                    collision.where,
                    body.name,
                    kind=type(collision.geometry).__name__,
                    collision=collision.name,
                    link=body.name,
                )


def _friction(mechanism: Mechanism) -> Iterator[Diagnostic]:
    """Yield the pair of links that may touch whose friction differs most from the source's."""
    rule = friction_rule(mechanism.scene)
    if rule.combined is min:
        return
    links = {link.name: link for link in mechanism.scene.links}
    pairs = (sorted(pair) for pair in mechanism.collidable_pairs())
    worst = worst_of(frictions_of(((links[a], links[b]) for a, b in pairs), rule, min))
    if worst is not None:
        yield _lost(
            DART_FRICTION_RULE,
            NOWHERE,
            worst.link_A,
            worst.link_B,
            link_a=worst.link_A,
            link_b=worst.link_B,
            found=worst.found,
            wanted=worst.wanted,
            rule_name=rule.words,
            difference=worst.difference,
        )


def _lost(code: Code, where: Where, *subjects: str, **arguments: str | float) -> Diagnostic:
    return finding_of(code, where, target=_TARGET, hint="", subjects=subjects, **arguments)


REPLY_TIMEOUT = 120.0
"""Time that the process may take for one reply [s]."""


class DartError(Exception):
    """DART refused a request, crashed, or took too long; the message states which."""


class DartProcess:
    """A process with any number of engines; after a crash, the next engine gets a new one."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "bridge.parity.engines.dart.worker"]
        self._worker = subprocess.Popen(  # noqa: S603 - a module of this package, run by this Python
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._numbers = count()
        self._lock = threading.Lock()
        atexit.register(self.stop)

    @property
    def is_running(self) -> bool:
        """True while the process is alive."""
        return self._worker.poll() is None

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._worker.pid

    def open(self, mechanism: Any, *, as_exported: bool) -> int:
        """Open an engine and return its number.

        Args:
            mechanism: The mechanism.
            as_exported: Whether DART itself simulates passive forces.

        Raises:
            DartError: If DART fails.
        """
        number = next(self._numbers)
        self.ask(number, OPEN, mechanism, as_exported)
        return number

    def close(self, number: int) -> None:
        """Close an engine; nothing happens if the process has ended.

        Args:
            number: The number of the engine.
        """
        if self.is_running:
            self.ask(number, CLOSE)

    def ask(self, number: int, method: str, *arguments: Any) -> Any:
        """Return the answer of an engine.

        Args:
            number: The number of the engine.
            method: The name of the method.
            arguments: Its arguments.

        Raises:
            DartError: If DART refuses the request, crashes, or takes too long.
        """
        with self._lock:
            timer = threading.Timer(REPLY_TIMEOUT, self._worker.kill)
            timer.start()
            try:
                succeeded, answer = self._exchange((number, method, arguments))
            except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
                self.stop()
                raise DartError(f"DART crashed, or took more than {REPLY_TIMEOUT:g} s") from error
            finally:
                timer.cancel()
        if not succeeded:
            raise DartError(f"DART failed: {answer}")
        return answer

    def _exchange(self, request: Any) -> Any:
        requests, replies = self._streams()
        pickle.dump(request, requests)
        requests.flush()
        return pickle.load(replies)  # noqa: S301 - written by `worker`

    def _streams(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._worker.stdin is None or self._worker.stdout is None or self._worker.stdin.closed:
            raise BrokenPipeError
        return self._worker.stdin, self._worker.stdout

    def stop(self) -> None:
        """End the process and wait for its end."""
        atexit.unregister(self.stop)
        self._worker.kill()
        self._worker.wait()
        for stream in (self._worker.stdin, self._worker.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue  # an unsent request of a process that has ended


def dart_process() -> DartProcess:
    """Return the running process of this process; a new one if there is none or it has crashed."""
    process = _process_of(os.getpid())
    if not process.is_running:
        process.stop()
        _process_of.cache_clear()
        process = _process_of(os.getpid())
    return process


@lru_cache(maxsize=1)
def _process_of(_pid: int) -> DartProcess:
    """Return the process that a process started; a fork starts its own."""
    return DartProcess()


class DartEngine(BaseEngine):
    """A mechanism in DART.

    If DART crashes, all queries that follow raise `NotReportedError`.
    """

    name = "dart"

    def __init__(self, mechanism: Mechanism, *, as_exported: bool = False) -> None:
        """Build the skeleton.

        Args:
            mechanism: The mechanism.
            as_exported: Whether DART itself simulates dampers and springs.
        """
        super().__init__(mechanism)
        self.version = version_of("dartpy") or "unknown"
        self.diagnostics = losses(mechanism)
        self._process = dart_process()
        try:
            self._number = self._process.open(mechanism, as_exported=as_exported)
        except DartError as error:
            self.refusal = str(error)

    @classmethod
    def as_exported(cls, mechanism: Mechanism) -> Self:
        """Open a mechanism in which DART itself simulates dampers and springs."""
        return cls(mechanism, as_exported=True)

    def _ask(self, method: str, *arguments: Any) -> Any:
        if self.refusal:
            raise NotReportedError(self.refusal)
        try:
            return self._process.ask(self._number, method, *arguments)
        except DartError as error:
            self.refusal = str(error)
            raise NotReportedError(self.refusal) from error

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`; after a crash nothing happens, and the queries state it."""
        with suppress(NotReportedError):
            self._ask("set_state", dict(q), dict(v))

    def link_poses(self) -> dict[str, Pose]:
        poses: dict[str, Pose] = self._ask("link_poses")
        return poses

    def jacobians(self) -> dict[str, Array]:
        jacobians: dict[str, Array] = self._ask("jacobians")
        return jacobians

    def inertias(self) -> dict[str, SpatialInertia]:
        inertias: dict[str, SpatialInertia] = self._ask("inertias")
        return inertias

    def joint_parameters(self) -> dict[Dof, JointParameters]:
        parameters: dict[Dof, JointParameters] = self._ask("joint_parameters")
        return parameters

    def settings(self) -> Settings:
        """See `Engine.settings`; those of DART's world."""
        settings: Settings = self._ask("settings")
        return settings

    def couplings(self) -> dict[tuple[Dof, Dof], CouplingLaw]:
        couplings: dict[tuple[Dof, Dof], CouplingLaw] = self._ask("couplings")
        return couplings

    def mass_matrix(self) -> Array:
        return np.asarray(self._ask("mass_matrix"))

    def bias_forces(self) -> Array:
        return np.asarray(self._ask("bias_forces"))

    def inverse_dynamics(self, accelerations: Array) -> Array:
        return np.asarray(self._ask("inverse_dynamics", accelerations))

    def violations(self) -> dict[str, float]:
        violations: dict[str, float] = self._ask("violations")
        return violations

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        pairs: frozenset[frozenset[str]] = self._ask("collidable_pairs")
        return pairs

    def surfaces(self) -> Surfaces:
        """See `Engine.surfaces`; those of DART's skeleton."""
        surfaces: Surfaces = self._ask("surfaces")
        return surfaces

    def combined_friction(self, one: Grip, other: Grip) -> float:
        return min(one.mu, other.mu)

    def positions(self) -> dict[str, Position]:
        positions: dict[str, Position] = self._ask("positions")
        return positions

    def velocities(self) -> Array:
        return np.asarray(self._ask("velocities"))

    def set_step(self, seconds: float) -> None:
        """See `Engine.set_step`; after a crash nothing happens."""
        with suppress(NotReportedError):
            self._ask("set_step", seconds)

    def step(self, count: int) -> None:
        self._ask("step", count)

    def close(self) -> None:
        if not self.refusal:
            with suppress(DartError):
                self._process.close(self._number)

"""MuJoCo's models in simulators that compute many states at once: MJX and MuJoCo Warp.

The export is compiled by MuJoCo and put on a device. The numbers that the device holds are written
back into the compiled model, and those that it computes into the data of a state, so that every
reading of `MujocoEngine` shows them. No kinematics and no dynamics of MuJoCo itself take part.

MJX is MuJoCo in JAX, here in double precision. JAX computes in single precision by default. Each
call here runs in a context with double precision, which is that of the thread, so that the defaults
of a program that uses JAX stay as they are.

MuJoCo Warp computes in single precision. It compiles its kernels when they are first used and keeps
them in a folder of its own; what it logs meanwhile is not shown.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cache
from typing import Any, NoReturn

import numpy as np

from bridge import codes
from bridge.installed_packages import version_of
from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engine import (
    ActuatorKind,
    ActuatorTrial,
    DivergedError,
    NotReportedError,
    Settings,
    Statements,
    Surfaces,
)
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.states import State
from bridge.targets.mjcf.keyframe import qpos
from loaders.diagnostics import Where, finding_of
from loaders.pose import Array

Computed = Mapping[str, Array]
"""Results of a device for some states: fields of ``MjData`` by name, the states along the first
axis; the mass matrix ``M`` is dense."""
FIELDS = (
    "xpos", "xmat", "subtree_com", "cdof", "site_xpos", "site_xmat", "qfrc_bias", "qfrc_gravcomp",
    "sensordata",
)  # fmt: skip
"""The fields that a device computes beside the mass matrix."""
_VECTORS, _NUMBERS = ("gravity", "wind", "magnetic"), ("density", "viscosity")
_FLAGS = ("integrator", "disableflags", "enableflags")
"""Options that act on smooth motion; the time step goes to the device before each motion."""


class AcceleratedEngine(MujocoEngine, ABC):
    """A mechanism in a simulator that runs compiled models of MuJoCo on a device.

    It takes part in smooth motion: what its solver of constraints and contacts does is not
    compared.

    Attributes:
        title: The name of the simulator for people.
    """

    title = ""
    solves_constraints = False

    def __init__(self, mechanism: Mechanism, *, as_exported: bool = False) -> None:
        """Compile the export of a mechanism, and put it on the device.

        Args:
            mechanism: The mechanism.
            as_exported: Whether to keep the integrator and the damping of the export.
        """
        self._device_model: Any = None
        self._lacks_shapes = False
        self._batch: dict[bytes, tuple[Computed, int]] = {}
        self._current: tuple[bytes, Computed, int] | None = None
        super().__init__(mechanism, as_exported=as_exported)
        self._forces = np.zeros(self.model.nv)
        self._driven_by_effort: Mapping[str, tuple[int, float]] = {}
        reason = self._shapes_refusal() or self._refusal_of()
        if reason and any(link.collisions for link in mechanism.scene.links):
            finding = finding_of(
                codes.ACCELERATED_SHAPES,
                Where(mechanism.scene.source),
                target=self.name,
                hint="",
                subjects=(),
                engine=self.title,
                reason=reason,
            )
            super().__init__(_without_shapes(mechanism), as_exported=as_exported)
            self.mechanism = mechanism
            self._lacks_shapes = True
            self.diagnostics = (finding, *self.diagnostics)
            reason = self._refusal_of()
        if reason:
            self.refusal = f"{self.title} does not take the model: {reason}"
        self.version = self._version()

    def _shapes_refusal(self) -> str:
        """Return why the device does not get the shapes; empty if it does."""
        return ""

    def _refusal_of(self) -> str:
        """Put the model on the device; return what it lacks, empty if it takes the model."""
        try:
            self._put()
        except NotImplementedError as error:
            return str(error)
        self._read_device()
        self._opened = copy(self.model)
        return ""

    def _read_device(self) -> None:
        """Write the numbers and the options that the device holds into the compiled model."""
        for name, value in self._numbers().items():
            held = getattr(self.model, name, None)
            if isinstance(held, np.ndarray) and held.size == value.size:
                held[...] = np.reshape(value, held.shape)
        options = self._device_model.opt
        for name in (*_VECTORS, *_NUMBERS, *_FLAGS):
            value = np.ravel(_array(getattr(options, name)))
            if name in _VECTORS:
                getattr(self.model.opt, name)[:] = value
            else:
                setattr(self.model.opt, name, value[0].item())

    def running_statements(self) -> tuple[Statements, Statements]:
        """See `Engine.running_statements`; of the numbers that the device holds now."""
        if not self.refusal:
            self._read_device()
        return super().running_statements()

    def settings(self) -> Settings:
        """See `Engine.settings`; those that the device holds now."""
        if not self.refusal:
            self._read_device()
        return super().settings()

    # --- what a simulator answers -----------------------------------------------------------------

    @abstractmethod
    def _version(self) -> str:
        """Return the version of the simulator."""

    @abstractmethod
    def _put(self) -> None:
        """Put the compiled model on the device.

        Raises:
            NotImplementedError: If the simulator lacks something.
        """

    @abstractmethod
    def _numbers(self) -> Mapping[str, Array]:
        """Return the numbers that the device holds by the names of ``MjModel``."""

    @abstractmethod
    def _computed(self, positions: Array, velocities: Array) -> Computed:
        """Return kinematics, mass matrices and bias forces of states, one in each row."""

    @abstractmethod
    def advanced(
        self, positions: Array, velocities: Array, forces: Array, count: int
    ) -> tuple[Array, Array]:
        """Return positions and velocities after a number of steps from states, one in each row, all
        in the coordinates of MuJoCo.

        Args:
            positions: Positions, shape (n, nq).
            velocities: Velocities, shape (n, nv).
            forces: Generalized forces that act during the steps, shape (n, nv).
            count: Number of steps.
        """

    @abstractmethod
    def _measured(self) -> Array:
        """Return all sensors in the current state, also those of accelerations and forces."""

    # --- state ------------------------------------------------------------------------------------

    def prepare(self, states: Sequence[State]) -> None:
        """See `Engine.prepare`; all states are computed at once."""
        if self.refusal or not states:
            return
        self._batch = {}
        positions, velocities = self.coordinates(states)
        computed = self._computed(positions, velocities)
        for k, row in enumerate(zip(positions, velocities, strict=True)):
            self._batch[_key(*row)] = computed, k

    def coordinates(self, states: Sequence[State]) -> tuple[Array, Array]:
        """Return positions and velocities of states in the coordinates of MuJoCo, one in each
        row.
        """
        positions, velocities = [], []
        for q, v in states:
            self._positions = self.mechanism.positions_by_body(q)
            positions.append(self._qpos(q))
            velocities.append(self._velocity_map() @ self.mechanism.velocities(v))
        return np.array(positions), np.array(velocities)

    def addresses(self, joints: Sequence[str]) -> tuple[Array, Array, Array]:
        """Return the columns of joints in positions and in velocities, and the ratios of both to
        the positions and velocities of the mechanism.
        """
        self.joint_states(joints)
        return self._addresses[tuple(joints)]

    def set_state(self, q: Mapping[str, Position], v: Mapping[str, Position]) -> None:
        """See `Engine.set_state`."""
        if not self.refusal:
            super().set_state(q, v)

    def _qpos(self, q: Mapping[str, Position]) -> Array:
        return np.asarray(qpos(self.mechanism, q), dtype=np.float64)

    def _forward(self) -> None:
        self._kinematics(self._data)

    def _kinematics(self, data: Any) -> None:
        """Write what the device computes of a state into its data."""
        key = _key(data.qpos, data.qvel)
        if self._current is None or self._current[0] != key:
            computed, k = self._batch.get(key) or (
                self._computed(np.array([data.qpos]), np.array([data.qvel])),
                0,
            )
            self._current = key, computed, k
        _, computed, k = self._current
        for name in FIELDS:
            field = getattr(data, name)
            field[...] = np.reshape(computed[name][k], field.shape)

    def _of_current_state(self, name: str) -> Array:
        self._kinematics(self._data)
        if self._current is None:
            raise NotReportedError(f"{self.title} has no state")
        numbers: Array = self._current[1][name][self._current[2]]
        return numbers

    def step(self, count: int) -> None:
        """See `Engine.step`.

        Raises:
            DivergedError: If the motion leaves the finite numbers.
        """
        q, v, forces = (np.array([x]) for x in (self._data.qpos, self._data.qvel, self._forces))
        position, velocity = (rows[0] for rows in self.advanced(q, v, forces, count))
        if not (np.isfinite(position).all() and np.isfinite(velocity).all()):
            raise DivergedError(f"the motion in {self.title} diverges")
        self._data.qpos[:], self._data.qvel[:] = position, velocity

    # --- dynamics ---------------------------------------------------------------------------------

    def mass_matrix(self) -> Array:
        """See `Engine.mass_matrix`."""
        M, B = self._of_current_state("M"), self._velocity_map()
        projected: Array = B.T @ M @ B
        return projected

    def bias_forces(self) -> Array:
        """See `Engine.bias_forces`."""
        self._kinematics(self._data)
        return super().bias_forces()

    def inverse_dynamics(self, accelerations: Array) -> Array:
        """See `Engine.inverse_dynamics`; by definition the sum of the inertial and the bias forces
        of the simulator.
        """
        forces: Array = self.mass_matrix() @ accelerations + self.bias_forces()
        return forces

    def sensor_forces(self) -> dict[str, Array]:
        """See `Engine.sensor_forces`."""
        self._data.sensordata[:] = self._measured()
        return super().sensor_forces()

    # --- what is not compared ---------------------------------------------------------------------

    def _refuse_constraints(self) -> NoReturn:
        raise NotReportedError(f"{self.title} is compared in smooth motion only")

    def actuator_efforts(self, trials: Mapping[str, ActuatorTrial]) -> dict[str, Array]:
        """Refuse to answer if there are any trials."""
        if trials:
            self._refuse_constraints()
        return {}

    def start_actuators(self, actuators: ActuatorKind, joints: Iterable[str]) -> None:
        """See `Engine.start_actuators`; efforts act on the joints themselves."""
        if actuators != "motor":
            self._refuse_constraints()
        names = tuple(joints)
        _, columns, ratios = self.addresses(names)
        self._driven_by_effort = dict(zip(names, zip(columns, ratios, strict=True), strict=True))

    def set_controls(self, controls: Mapping[str, float]) -> None:
        """See `Engine.set_controls`."""
        for name, effort in controls.items():
            column, ratio = self._driven_by_effort[name]
            self._forces[column] = effort / ratio

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """See `Engine.collidable_pairs`; by MuJoCo's rules from the numbers on the device."""
        self._require_shapes()
        return super().collidable_pairs()

    def surfaces(self) -> Surfaces:
        """See `Engine.surfaces`; those of the numbers on the device."""
        self._require_shapes()
        return super().surfaces()

    def _require_shapes(self) -> None:
        if self._lacks_shapes:
            raise NotReportedError(f"{self.title} gets the model without shapes")


def _key(position: Array, velocity: Array) -> bytes:
    return np.asarray(position).tobytes() + np.asarray(velocity).tobytes()


def _without_shapes(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism without shapes, and without sensors of MuJoCo, which may name them."""
    elements = tuple(e for e in mechanism.scene.engine_elements if e.section != "sensor")
    links = tuple(dataclasses.replace(link, collisions=()) for link in mechanism.scene.links)
    bare = dataclasses.replace(
        mechanism.scene, links=links, contact_pairs=(), engine_elements=elements
    )
    return relowered(mechanism, bare)


_PADDED = 64
"""Largest number of states at once to which fewer states are filled up, because JAX compiles each
number anew."""

_ON_CPU = {"xla_cpu_use_fusion_emitters": False, "xla_backend_optimization_level": 0}
"""Options of the compiler on a CPU: with fusion, the time of a chain of links doubles with each
link, in compiling and in running (jax 0.10); without optimization, an arm compiles in two thirds of
the time (23 s in place of 32), and a state takes half as long again (0.8 ms in place of 0.5)."""


@cache
def _compiled() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return the functions of a model and data that JAX compiles once for each structure: what
    `AcceleratedEngine._computed`, ``advanced`` and ``_measured`` need.
    """
    import jax
    from mujoco import mjx

    def computed(m: Any, d: Any, position: Any, velocity: Any) -> dict[str, Any]:
        d = d.replace(qpos=position, qvel=velocity)
        for stage in (mjx.kinematics, mjx.com_pos, mjx.camlight, mjx.tendon, mjx.crb):
            d = stage(m, d)
        for stage in (mjx.com_vel, mjx.passive, mjx.rne, mjx.sensor_pos, mjx.sensor_vel):
            d = stage(m, d)
        found = {name: getattr(d, name, None) for name in FIELDS}
        inner = {name: getattr(d._impl, name) for name, value in found.items() if value is None}
        return {**found, **inner, "M": mjx.full_m(m, d)}

    def advanced(m: Any, d: Any, *state: Any) -> tuple[Any, Any]:
        position, velocity, forces, count = state
        d = d.replace(qpos=position, qvel=velocity, qfrc_applied=forces)
        d = jax.lax.fori_loop(0, count, lambda _, state: mjx.step(m, state), d)
        return d.qpos, d.qvel

    def measured(m: Any, d: Any) -> Any:
        # without constraints, `mjx.forward` ends before it computes these sensors
        return mjx.sensor_acc(m, mjx.forward(m, d)).sensordata

    rows = (jax.vmap(computed, (None, None, 0, 0)), jax.vmap(advanced, (None, None, 0, 0, 0, None)))
    options = _ON_CPU if jax.default_backend() == "cpu" else None
    compiled = (jax.jit(f, compiler_options=options) for f in (*rows, measured))
    return next(compiled), next(compiled), next(compiled)


class MjxEngine(AcceleratedEngine):
    """A mechanism in MJX."""

    name = "mjx"
    title = "MJX"

    def _version(self) -> str:
        return version_of("mujoco-mjx") or "unknown"

    def _shapes_refusal(self) -> str:
        collides = (self.model.geom_contype != 0) | (self.model.geom_conaffinity != 0)
        if (collides & (self.model.geom_dataid >= 0)).any():
            return "it would prepare each mesh that collides, which takes minutes"
        return ""

    def _put(self) -> None:
        import jax
        import mujoco
        from mujoco import mjx

        self._jax: Any = jax
        self._size = 1
        model = copy(self.model)
        if not ((model.geom_contype != 0) | (model.geom_conaffinity != 0)).any():
            # without contacts, MJX 3.17 fails to index its elliptic cones
            model.opt.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
        with jax.enable_x64(True):
            self._device_model = mjx.put_model(model, impl="jax")
            self._device_data: Any = mjx.make_data(model, impl="jax")

    def _numbers(self) -> Mapping[str, Array]:
        return _arrays(
            (field.name, getattr(self._device_model, field.name, None))
            for field in self._device_model.fields()
        )

    def _model_with_step(self) -> Any:
        step = self._jax.numpy.asarray(self.model.opt.timestep)
        return self._device_model.tree_replace({"opt.timestep": step})

    def _computed(self, positions: Array, velocities: Array) -> Computed:
        compute, _, _ = _compiled()
        count = len(positions)
        self._size = max(self._size, count) if count <= _PADDED else self._size
        padded = np.resize(positions, (max(count, self._size), positions.shape[1]))
        rates = np.resize(velocities, (len(padded), velocities.shape[1]))
        with self._jax.enable_x64(True):
            found = compute(self._device_model, self._device_data, padded, rates)
            return {name: np.asarray(value)[:count] for name, value in found.items()}

    def _at_current_state(self) -> Any:
        position, velocity = (
            self._jax.numpy.asarray(np.array(x)) for x in (self._data.qpos, self._data.qvel)
        )
        return self._device_data.replace(qpos=position, qvel=velocity)

    def advanced(
        self, positions: Array, velocities: Array, forces: Array, count: int
    ) -> tuple[Array, Array]:
        _, advance, _ = _compiled()
        with self._jax.enable_x64(True):
            state = (np.asarray(each, dtype=np.float64) for each in (positions, velocities, forces))
            ends = advance(self._model_with_step(), self._device_data, *state, count)
            return np.asarray(ends[0]), np.asarray(ends[1])

    def _measured(self) -> Array:
        _, _, measure = _compiled()
        with self._jax.enable_x64(True):
            return np.asarray(measure(self._model_with_step(), self._at_current_state()))


def _arrays(fields: Iterable[tuple[str, Any]]) -> dict[str, Array]:
    """Return the arrays of floating-point numbers among the fields of a model on a device."""
    arrays = ((name, _array(value)) for name, value in fields if hasattr(value, "dtype"))
    return {name: value for name, value in arrays if np.issubdtype(value.dtype, np.floating)}


def _array(value: Any) -> Array:
    """Return an array of a device, or a number, as an array of numpy."""
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


@contextmanager
def quiet() -> Iterator[None]:
    """Let Warp log nothing but warnings for a while."""
    import warp

    level = warp.config.log_level
    warp.config.log_level = max(level, warp.LOG_WARNING)
    try:
        yield
    finally:
        warp.config.log_level = level


class WarpEngine(AcceleratedEngine):
    """A mechanism in MuJoCo Warp."""

    name = "warp"
    title = "MuJoCo Warp"
    unit_roundoff = float(np.finfo(np.float32).eps) / 2.0

    def _version(self) -> str:
        return version_of("mujoco-warp") or "unknown"

    def _put(self) -> None:
        with quiet():
            import mujoco_warp

            self._warp: Any = mujoco_warp
            self._device_model = mujoco_warp.put_model(self.model)
            self._device_data: dict[int, Any] = {}

    def _numbers(self) -> Mapping[str, Array]:
        model = self._device_model
        return _arrays((f.name, getattr(model, f.name)) for f in dataclasses.fields(model))

    def _worlds(self, positions: Array, velocities: Array) -> Any:
        """Return data of one world for each state."""
        count = len(positions)
        if count not in self._device_data:
            self._device_data = {}  # one size at a time, because of its memory
            self._device_data[count] = self._warp.make_data(self.model, nworld=count)
        data = self._device_data[count]
        data.qpos.assign(np.asarray(positions, dtype=np.float32))
        data.qvel.assign(np.asarray(velocities, dtype=np.float32))
        data.time.zero_()
        return data

    def _computed(self, positions: Array, velocities: Array) -> Computed:
        w, m = self._warp, self._device_model
        with quiet():
            d = self._worlds(positions, velocities)
            for stage in (
                w.fwd_kinematics, w.crb, w.com_vel, w.passive, w.rne, w.sensor_pos, w.sensor_vel,
            ):  # fmt: skip
                stage(m, d)
            found = {name: getattr(d, name).numpy().astype(np.float64) for name in FIELDS}
            return {**found, "M": self._dense(d.M.numpy().astype(np.float64))}

    def _dense(self, entries: Array) -> Array:
        """Return mass matrices from the entries of their lower triangles, row by row."""
        m, M = self.model, np.zeros((len(entries), self.model.nv, self.model.nv))
        for row in range(m.nv):
            start = int(m.M_rowadr[row])
            for k in range(start, start + int(m.M_rownnz[row])):
                column = int(m.M_colind[k])
                M[:, row, column] = M[:, column, row] = entries[:, k]
        return M

    def _with_step(self, positions: Array, velocities: Array) -> Any:
        """Return data of states, for the time step of the model."""
        step = np.full(self._device_model.opt.timestep.shape, self.model.opt.timestep)
        self._device_model.opt.timestep.assign(step.astype(np.float32))
        return self._worlds(positions, velocities)

    def advanced(
        self, positions: Array, velocities: Array, forces: Array, count: int
    ) -> tuple[Array, Array]:
        with quiet():
            d = self._with_step(positions, velocities)
            d.qfrc_applied.assign(np.asarray(forces, dtype=np.float32))
            for _ in range(count):
                self._warp.step(self._device_model, d)
            return d.qpos.numpy().astype(np.float64), d.qvel.numpy().astype(np.float64)

    def _measured(self) -> Array:
        with quiet():
            d = self._with_step(np.array([self._data.qpos]), np.array([self._data.qvel]))
            self._warp.forward(self._device_model, d)
            return np.asarray(d.sensordata.numpy()[0], dtype=np.float64)

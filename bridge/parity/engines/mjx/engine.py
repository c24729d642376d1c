"""The adapter of MJX: MuJoCo in JAX, in double precision.

JAX computes in single precision by default. Each call here runs in a context with double precision,
which is that of the thread, so that the defaults of a program that uses JAX stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from typing import Any

import numpy as np

from bridge.installed_packages import version_of
from bridge.parity.engines.mujoco.accelerated import FIELDS, AcceleratedEngine, Computed
from loaders.pose import Array

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

    def _put(self) -> Mapping[str, Array]:
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
            self._device_model: Any = mjx.put_model(model, impl="jax")
            self._device_data: Any = mjx.make_data(model, impl="jax")
        return _numbers(self._device_model)

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


def _numbers(model: Any) -> dict[str, Array]:
    """Return the arrays of floating-point numbers of a model on a device, by name."""
    found = {}
    for field in model.fields():
        value: Any = getattr(model, field.name, None)
        if hasattr(value, "dtype") and np.issubdtype(value.dtype, np.floating):
            found[field.name] = np.asarray(value)
    return found

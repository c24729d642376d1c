"""The adapter of MuJoCo Warp, which computes in single precision, many states at once.

Warp compiles its kernels when they are first used and keeps them in a folder of its own; what it
logs meanwhile is not shown.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from bridge.installed_packages import version_of
from bridge.parity.engines.mujoco.accelerated import FIELDS, AcceleratedEngine, Computed
from loaders.pose import Array


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

    def _put(self) -> Mapping[str, Array]:
        with quiet():
            import mujoco_warp

            self._warp: Any = mujoco_warp
            self._device_model: Any = mujoco_warp.put_model(self.model)
            self._device_data: dict[int, Any] = {}
        model = self._device_model
        fields = ((f.name, getattr(model, f.name)) for f in dataclasses.fields(model))
        arrays = ((name, value.numpy()) for name, value in fields if hasattr(value, "numpy"))
        return {name: x for name, x in arrays if np.issubdtype(x.dtype, np.floating)}

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

"""Engines with a fault: the compiled MuJoCo model, or the body that runs in PyBullet, is changed
after loading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.mechanism import Mechanism
from bridge.parity.engine import Engine, Factory
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine

MujocoChange = Callable[[Any], object]
"""Changes a compiled ``MjModel`` in place."""
PyBulletChange = Callable[[PyBulletEngine], object]
"""Changes the bodies that run in an open engine."""


class _Faulty:
    """A factory of engines that are changed after they are opened, also as they are exported."""

    def __init__(self, engine: Any, change: Callable[[Any], object]) -> None:
        self.name = engine.name
        self.reads_file, self.is_witness_of_motion = engine.reads_file, engine.is_witness_of_motion
        self.solves_constraints, self.is_slow = engine.solves_constraints, engine.is_slow
        self.unit_roundoff = engine.unit_roundoff
        self._engine = engine
        self._change = change

    def __call__(self, mechanism: Mechanism) -> Engine:
        return self._changed(self._engine(mechanism))

    def as_exported(self, mechanism: Mechanism) -> Engine:
        """Open the export as it is, and change it."""
        return self._changed(self._engine.as_exported(mechanism))

    def _changed(self, opened: Any) -> Engine:
        self._change(opened)
        changed: Engine = opened
        return changed


def faulty_mujoco(change: MujocoChange) -> Factory:
    """Return a factory of MuJoCo engines whose compiled model is changed.

    Args:
        change: Changes the model.
    """

    def apply(engine: MujocoEngine) -> None:
        import mujoco

        change(engine.model)
        mujoco.mj_setConst(engine.model, mujoco.MjData(engine.model))

    return _Faulty(MujocoEngine, apply)


def faulty_pybullet(change: PyBulletChange) -> Factory:
    """Return a factory of PyBullet engines whose running bodies are changed.

    Args:
        change: Changes the bodies.
    """
    return _Faulty(PyBulletEngine, change)

"""Simulation of Drake's plant: in continuous time with error control, or in short discrete steps."""

from __future__ import annotations

from typing import Any

from .drake_plant import RAISED, without_log

ACCURACY = 1e-11
"""Accuracy of the integrator in continuous time, relative to the state."""
SUBSTEPS = 8
"""Number of Drake's steps in one step of the engine, for models that Drake simulates in discrete time only."""


class NoMotionError(Exception):
    """Drake cannot simulate the model; the message states why."""


class DrakeMotion:
    """Advances the context of a plant.

    Args:
        plant: Drake's plant.
        context: The context to advance, whose time is zero.
    """

    def __init__(self, plant: Any, context: Any) -> None:
        self._plant = plant
        self._context = context
        self._simulator = None if plant.time_step() > 0.0 else _simulator(plant, context)
        self._time = 0.0

    def advance(self, seconds: float) -> None:
        """Advance by a time [s]; in discrete time, by the next whole number of steps.

        Raises:
            NoMotionError: If Drake cannot simulate the model.
        """
        self._time += seconds
        try:
            with without_log():
                if self._simulator is None:
                    self._take_steps(round(seconds / self._plant.time_step()))
                else:
                    self._simulator.AdvanceTo(self._time)
        except RAISED as error:
            raise NoMotionError(str(error).partition("\n")[0] or type(error).__name__) from error

    def _take_steps(self, count: int) -> None:
        for _ in range(count):
            self._context.SetDiscreteState(self._plant.EvalUniquePeriodicDiscreteUpdate(self._context))


def _simulator(plant: Any, context: Any) -> Any:
    from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig

    simulator = Simulator(plant, context)
    config = SimulatorConfig(integration_scheme="runge_kutta3", max_step_size=1e-2, accuracy=ACCURACY)
    ApplySimulatorConfig(config, simulator)
    return simulator

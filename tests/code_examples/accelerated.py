"""A minimal input for the code of shapes that a device does not take."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bridge
from bridge.parity.engines.mujoco.accelerated import AcceleratedEngine
from loaders import Diagnostic
from tests.code_examples.scenes import touching
from tests.support.code_example import Example


class Refusing(AcceleratedEngine):
    """A device that takes no shapes."""

    name = "device"

    def _version(self) -> str:
        return "1"

    def _put(self):
        if self.model.ngeom:
            raise NotImplementedError("it has no collisions")
        self._device_model = self.model

    def _numbers(self):
        return {}

    def _computed(self, positions, velocities):
        return {}

    def advanced(self, positions, velocities, forces, count):
        raise NotImplementedError

    def _measured(self):
        raise NotImplementedError


def without_shapes(_folder: Path) -> Iterable[Diagnostic]:
    return Refusing(bridge.lower(touching())).diagnostics


EXAMPLES = {"accelerated.shapes": Example(without_shapes, ())}

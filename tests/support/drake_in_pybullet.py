"""Drake's elements in the running PyBullet: the forces and the motion of a loaded scene."""

from __future__ import annotations

import re

import pybullet

import bridge
from loaders.diagnostics import Fate
from tests.support.drake_elements import GRAVITY, stacked


class Loaded:
    """A scene in PyBullet, and its findings by code."""

    def __init__(self, client, scene, q, v, step=1e-3):
        pybullet.setGravity(*GRAVITY, physicsClientId=client)
        pybullet.setTimeStep(step, client)
        self.robot = bridge.load_into_pybullet(scene, physicsClientId=client)
        self.mechanism, self.step, self.q, self.v = self.robot.mechanism, step, q, v
        self.robot.set_positions(q)
        self.robot.set_velocities(v)
        self.diagnostics = {entry.code: entry for entry in self.robot.diagnostics}

    def forces(self):
        """Return the generalized forces of one step other than inertia and gravity."""
        order = self.mechanism.v_order
        self.robot.step()
        a = (stacked(self.robot.velocities(), order) - stacked(self.v, order)) / self.step
        M = self.robot.mechanism_from_pybullet().mass_matrix(self.q)
        return M @ a + self.mechanism.bias_forces(self.q, self.v)

    def steps(self, seconds):
        for _ in range(round(seconds / self.step)):
            self.robot.step()
            yield

    def run(self, seconds):
        for _ in self.steps(seconds):
            pass
        return stacked(self.robot.positions(), self.mechanism.v_order)

    def stated(self, code):
        """Return the error that the finding states."""
        entry = self.diagnostics[f"pybullet.{code}"]
        assert entry.fate is Fate.APPROXIMATED
        return float(re.search(r"within ([\d.e-]+)", entry.message)[1])

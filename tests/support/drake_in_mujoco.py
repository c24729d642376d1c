"""Drake's elements in the running MuJoCo, and the error that the diagnostics state."""

import dataclasses
import re
from contextlib import contextmanager

import mujoco
import numpy as np
import pytest

import bridge
from bridge.mechanism.bodies import primitive_names
from loaders.diagnostics import Fate
from loaders.model import Physics
from tests.support import drake_elements as physics
from tests.support.drake_elements import FORMS, stacked
from tests.support.mujoco_oracle import Running, compiled

BOTH = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


SDF = FORMS["sdf"]


STILL = {"ja": 0.0, "jc": 0.0, "jb": (0.0, 0.0)}


class Loaded:
    """A scene in MuJoCo, with its diagnostics."""

    def __init__(self, scene, step=1e-3, **options):
        scene = dataclasses.replace(scene, physics=Physics(time_step=step))
        self.mechanism, self.step = bridge.lower(scene), step
        mjcf = bridge.to_mjcf(self.mechanism, **options)
        self.diagnostics = {entry.code: entry for entry in mjcf.diagnostics}
        self.running = Running(compiled(mjcf), self.mechanism)
        self.model, self.data = self.running.model, self.running.data

    def set(self, q, v):
        self.running.set(q, stacked(v, self.mechanism.v_order))
        return self

    @contextmanager
    def helped(self):
        """With the callback that adds what MJCF has no element for."""
        mujoco.set_mjcb_passive(bridge.passive_forces(self.mechanism, self.model))
        try:
            yield self
        finally:
            mujoco.set_mjcb_passive(None)

    def passive(self):
        return self.running.S.T @ self.data.qfrc_passive

    def steps(self, seconds):
        for _ in range(round(seconds / self.step)):
            mujoco.mj_step(self.model, self.data)
            yield

    def run(self, seconds):
        for _ in self.steps(seconds):
            pass
        return self.positions()

    def positions(self):
        found = {}
        for body in self.mechanism.bodies:
            for name, p in zip(primitive_names(body), body.primitives, strict=True):
                key = body.v_start + p.dof_index
                found.setdefault(key, self.data.joint(name).qpos[0] / p.ratio)
        return np.array([found[key] for key in sorted(found)])

    def stated(self, code):
        """The error that the diagnostic states."""
        entry = self.diagnostics[f"mjcf.{code}"]
        assert entry.fate is Fate.APPROXIMATED
        return float(re.search(r"within ([\d.e-]+)", entry.message)[1])


ELEMENTS = {"bushing": physics.bushing, "spring": physics.spring}


def gap(poses, p_AP, p_BQ):
    P, Q = (poses[name].p + poses[name].R @ p for name, p in (("a", p_AP), ("b", p_BQ)))
    return np.linalg.norm(P - Q)


def worst_gap(robot, p_AP, p_BQ, distance):
    worst = 0.0
    for _ in robot.steps(2.0):
        mujoco.mj_kinematics(robot.model, robot.data)
        worst = max(worst, abs(gap(robot.running.poses(), p_AP, p_BQ) - distance))
    return worst

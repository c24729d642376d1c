"""A mass on a spring with dry friction: the closed form of its motion until it sticks."""

import dataclasses
import math

import bridge
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, JointType, Physics
from loaders.pose import frozen
from tests.support.scenes import joint, link, scene

STIFFNESS, FRICTION, START = 40.0, 4.8, 1.0
"""Spring [N/m], Coulomb friction [N] and initial position [m] of a mass of 1 kg."""
REST = 0.04
"""Position at which it sticks [m]: each of four half swings shortens the amplitude by 2 * 4.8 / 40
m.
"""
STOP = 4.0 * math.pi / math.sqrt(STIFFNESS)
"""Time at which it sticks [s]."""


def position(t: float) -> float:
    """Return the exact position at a time: in each half swing a cosine about the point displaced by
    the friction.
    """
    half = math.pi / math.sqrt(STIFFNESS)
    swing = min(int(t / half), 4)
    if swing == 4:
        return REST
    side = (-1.0) ** swing
    amplitude = START - 2.0 * swing * FRICTION / STIFFNESS
    shift = FRICTION / STIFFNESS
    return side * (
        shift + (amplitude - shift) * math.cos(math.sqrt(STIFFNESS) * (t - swing * half))
    )


def oscillator(time_step: float) -> bridge.Mechanism:
    """Return the mechanism of the mass on the spring, with a scene of this time step and without
    gravity.
    """
    axis = {"friction": FRICTION, "spring_stiffness": STIFFNESS}
    slide = joint("s", WORLD, "a", JointType.PRISMATIC, xyz=(1, 0, 0), axis=axis)
    mass = link("a", inertia=SpatialInertia.of(1.0))
    model = scene([mass], [slide], gravity=frozen((0.0, 0.0, 0.0)))
    return bridge.lower(dataclasses.replace(model, physics=Physics(time_step=time_step)))

"""Random states, and the mechanism without solver effects."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from operator import attrgetter

import numpy as np

from bridge.lowering.transform import relowered
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import (
    Position,
    all_positions,
    joint_coefficients,
    random_position,
    with_followers,
)
from bridge.mechanism.dynamics import mode_rates
from loaders.model import Actuator, BallConstraint, JointAxis, JointType, WeldConstraint
from loaders.scene import Scene


def exported(mechanism: Mechanism, step: float) -> Mechanism:
    """Return the mechanism as it is exported, without shapes, sensors and lights, and with a time
    step [s].

    Args:
        mechanism: The complete mechanism.
        step: Time step [s].
    """
    scene = mechanism.scene
    links = tuple(
        dataclasses.replace(link, collisions=(), visuals=(), sensors=()) for link in scene.links
    )
    joints = tuple(dataclasses.replace(joint, sensors=()) for joint in scene.joints)
    physics = dataclasses.replace(scene.physics, time_step=step)
    elements = tuple(e for e in scene.engine_elements if e.section != "sensor")
    bare = dataclasses.replace(
        scene,
        links=links,
        joints=joints,
        lights=(),
        engine_elements=elements,
        physics=physics,
        diagnostics=(),
    )
    return relowered(mechanism, bare)


State = tuple[dict[str, Position], dict[str, Position]]
"""Positions and velocities by joint."""

MAX_STEP = 2e-3
"""Time step of a compared motion [s]; stiff dampers or springs need a fraction of it."""


def random_states(mechanism: Mechanism, count: int, seed: int) -> list[State]:
    """Return states with positions within the limits, consistent couplings, and velocities between
    -1 and 1.

    Args:
        mechanism: The mechanism.
        count: Number of states.
        seed: Seed of the random numbers.
    """
    rng = np.random.default_rng(seed)
    return [_random_state(mechanism, rng) for _ in range(count)]


def _random_state(mechanism: Mechanism, rng: np.random.Generator) -> State:
    moving = [body for body in mechanism.bodies if body.primitives]
    q: dict[str, Position] = {str(body.joint): random_position(body, rng) for body in moving}
    v: dict[str, Position] = {
        str(body.joint): tuple(rng.uniform(-1.0, 1.0, body.nv).tolist()) for body in moving
    }
    followers = {mechanism.v_order[c.follower][0] for c in mechanism.couplings}
    leading = {name: value for name, value in q.items() if name not in followers}
    rates = {name: value for name, value in v.items() if name not in followers}
    q |= with_followers(mechanism, leading)
    return q, {**v, **with_followers(mechanism, rates, at=q)}


def at_zero(mechanism: Mechanism) -> dict[str, Position]:
    """Return the positions of all joints at zero, where loops are closed; those of followers of
    couplings as these require.

    Args:
        mechanism: The mechanism.
    """
    followers = {mechanism.v_order[c.follower][0] for c in mechanism.couplings}
    zero = all_positions(mechanism, {})
    return with_followers(mechanism, {n: q for n, q in zero.items() if n not in followers})


PERTURBATION = 1e-10
"""Difference of a perturbed state in every coordinate [rad, m, rad/s, m/s]."""


def perturbed(state: State) -> State:
    """Return a state with `PERTURBATION` added to each coordinate; quaternions are unchanged."""
    q, v = state
    return {name: _shifted(x) for name, x in q.items()}, {
        name: _shifted(x) for name, x in v.items()
    }


def _shifted(value: Position) -> tuple[float, ...]:
    numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    shift = np.full(len(numbers), PERTURBATION)
    if len(numbers) in {4, 7}:
        shift[-4:] = 0.0
    return tuple((numbers + shift).tolist())


# --- motion without contact -----------------------------------------------------------------------


def without_solver_effects(
    mechanism: Mechanism,
    *,
    damped: bool = True,
    rotors: bool = False,
    constrained: bool = False,
    measured: bool = False,
) -> Mechanism:
    """Return the same tree without collision shapes, joint limits, dry friction and forces between
    links.

    Its motion depends only on mass, gravity, dampers and springs, which all engines compute alike.

    Args:
        mechanism: The complete mechanism.
        damped: Whether to keep dampers and springs.
        rotors: Whether to keep the inertia of rotors.
        constrained: Whether to keep couplings and loops.
        measured: Whether to keep sensors.
    """
    scene = mechanism.scene
    loops = set() if constrained else {closure.joint.name for closure in mechanism.closures}
    joints = []
    for joint in scene.joints:
        if joint.name in loops or (joint.type is JointType.GEARBOX and not constrained):
            continue
        axes = [_smooth(axis, joint.type, damped=damped, rotors=rotors) for axis in joint.axes]
        smooth_joint = dataclasses.replace(
            joint, axes=tuple(axes), sensors=joint.sensors if measured else (), engine_settings=()
        )
        joints.append(smooth_joint)
    links = tuple(
        dataclasses.replace(
            link, collisions=(), visuals=(), sensors=link.sensors if measured else ()
        )
        for link in scene.links
    )
    smooth: Scene = dataclasses.replace(
        scene,
        links=links,
        joints=tuple(joints),
        couplings=scene.couplings if constrained else (),
        actuators=tuple(_without_controller(actuator) for actuator in scene.actuators)
        if rotors
        else (),
        constraints=tuple(c for c in scene.constraints if isinstance(c, _HELD))
        if constrained
        else (),
        forces=(),
        fluid_forces=(),
        lights=(),
        diagnostics=(),
        tendons=(),
        contact_pairs=(),
        engine_elements=tuple(
            item for item in scene.engine_elements if constrained and item.section == "equality"
        ),
        physics=dataclasses.replace(scene.physics, parameters=()),
    )
    return relowered(mechanism, smooth)


_HELD = BallConstraint | WeldConstraint
"""Constraints that hold points or frames together."""


def _without_controller(actuator: Actuator) -> Actuator:
    """Return the actuator with its rotor, but without gains."""
    return dataclasses.replace(actuator, p_gain=None, d_gain=None, tendon="", engine_settings=())


def _smooth(axis: JointAxis, kind: JointType, *, damped: bool, rotors: bool) -> JointAxis:
    """Return the axis without limits and dry friction; without what only MuJoCo has in ball and
    floating joints.
    """
    has_damper = damped and kind is not JointType.FLOATING
    has_spring = has_damper and kind is not JointType.BALL
    return dataclasses.replace(
        axis,
        lower=-math.inf,
        upper=math.inf,
        friction=0.0,
        effort=math.inf,
        velocity=math.inf,
        damping=axis.damping if has_damper else 0.0,
        spring_stiffness=axis.spring_stiffness if has_spring else 0.0,
        inertia=axis.inertia if rotors else 0.0,
        limit_stiffness=None,
        limit_dissipation=None,
    )


def time_step(mechanism: Mechanism) -> float | None:
    """Return a time step [s] at which explicit dampers and springs are stable; None if it would be
    too short.
    """
    halvings = max(0, math.ceil(math.log2(max(fastest_rate(mechanism) * MAX_STEP / 0.2, 1e-9))))
    return MAX_STEP / 2**halvings if halvings <= 5 else None


def fastest_rate(mechanism: Mechanism, q: Mapping[str, Position] | None = None) -> float:
    """Return the largest rate of dampers and springs [1/s].

    Explicit integration is stable for time steps below twice its inverse.

    Args:
        mechanism: The mechanism.
        q: Positions by joint; None is the zero position.
    """
    D = joint_coefficients(mechanism.bodies, attrgetter("damping"))
    K = joint_coefficients(mechanism.bodies, attrgetter("spring_stiffness"))
    if not (D.any() or K.any()):
        return 0.0
    mobility = np.asarray(np.linalg.pinv(mechanism.mass_matrix(q)), dtype=np.float64)
    dampers, springs = (float(mode_rates(mobility, each)[-1]) for each in (D, K))
    return max(dampers, math.sqrt(max(springs, 0.0)))

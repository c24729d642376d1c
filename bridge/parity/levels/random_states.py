"""Random states, and the mechanism without what engines settle each by a solver of its own."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from bridge.lowering import lower
from bridge.lowering.regularization import with_minimum_inertia
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import Body, PrimitiveKind
from bridge.mechanism.coordinates import Position, kind_of
from bridge.mechanism.couplings import with_followers
from bridge.parity.engines.dofs import single_freedoms
from loaders.model import Actuator, BallConstraint, JointAxis
from loaders.scene import Scene

State = tuple[dict[str, Position], dict[str, Position]]
"""Positions and velocities by joint."""

_REACH = {PrimitiveKind.HINGE: math.pi, PrimitiveKind.SLIDE: 0.5}
"""How far a joint without limits is moved [rad, m]."""
MAX_STEP = 2e-3
"""The time step of a compared motion [s], or a fraction of it where damping or springs are stiff."""


def random_states(mechanism: Mechanism, count: int, seed: int) -> list[State]:
    """Positions within the limits, what is coupled with its leader, and velocities of about one unit."""
    rng = np.random.default_rng(seed)
    return [_random_state(mechanism, rng) for _ in range(count)]


def _random_state(mechanism: Mechanism, rng: np.random.Generator) -> State:
    moving = [body for body in mechanism.bodies if body.primitives]
    q: dict[str, Position] = {str(body.joint): _position(body, rng) for body in moving}
    v: dict[str, Position] = {str(body.joint): tuple(rng.uniform(-1.0, 1.0, body.nv).tolist()) for body in moving}
    followers = {mechanism.v_order[c.follower][0] for c in mechanism.couplings}
    leading = {name: value for name, value in q.items() if name not in followers}
    rates = {name: value for name, value in v.items() if name not in followers}
    return {**q, **with_followers(mechanism, leading)}, {**v, **with_followers(mechanism, rates, rates=True)}


def _position(body: Body, rng: np.random.Generator) -> tuple[float, ...]:
    kind = kind_of(body)
    if kind is not None:
        w = rng.normal(size=4)
        quaternion = (w / np.linalg.norm(w)).tolist()
        return tuple(quaternion if kind is PrimitiveKind.BALL else [*rng.uniform(-1.0, 1.0, 3).tolist(), *quaternion])
    position = [0.0] * body.nv
    for p in body.primitives:
        lowest, highest = _range(p.limits, _REACH[p.kind])
        position[p.dof_index] = float(rng.uniform(lowest, highest))
    return tuple(position)


APART = 1e-10
"""How far a neighbouring state is from a state, in every number [rad, m, and by the second]."""


def neighbour(state: State) -> State:
    """A state next to another; quaternions stay as they are."""
    q, v = state
    return {name: _shifted(x) for name, x in q.items()}, {name: _shifted(x) for name, x in v.items()}


def _shifted(value: Position) -> tuple[float, ...]:
    numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    shift = np.full(len(numbers), APART)
    if len(numbers) in {4, 7}:
        shift[-4:] = 0.0
    return tuple((numbers + shift).tolist())


def _range(axis: JointAxis | None, reach: float) -> tuple[float, float]:
    """The limits, or the reach about their finite end where one is missing."""
    if axis is None or axis.lower > axis.upper:
        return -reach, reach
    if math.isfinite(axis.lower) and math.isfinite(axis.upper):
        middle, half = (axis.lower + axis.upper) / 2.0, (axis.upper - axis.lower) / 2.0
        half = min(half, 2.0 * reach)
        return middle - half, middle + half
    return max(axis.lower, min(-reach, axis.upper - reach)), min(axis.upper, max(reach, axis.lower + reach))


# --- motion without contact ------------------------------------------------------------------------------------------


def undisturbed(mechanism: Mechanism, *, damped: bool = True, geared: bool = False, held: bool = False) -> Mechanism:
    """The same tree without shapes, stops, dry friction, and forces between links: what moves smoothly.

    All that is left is settled by mass, gravity, dampers and springs, in every engine alike.

    Args:
        mechanism: The whole.
        damped: Whether dampers and springs stay.
        geared: Whether rotors stay.
        held: Whether couplings and loops stay.
    """
    scene = mechanism.scene
    loops = set() if held else {closure.joint.name for closure in mechanism.closures}
    joints = tuple(
        dataclasses.replace(joint, axes=tuple(_loosened(axis, damped) for axis in joint.axes), sensors=())
        for joint in scene.joints
        if joint.name not in loops and (held or joint.type != "gearbox")
    )
    links = tuple(dataclasses.replace(link, collisions=(), visuals=(), sensors=()) for link in scene.links)
    bare: Scene = dataclasses.replace(
        scene, links=links, joints=joints, couplings=scene.couplings if held else (),
        actuators=tuple(_idle(actuator) for actuator in scene.actuators) if geared else (),
        constraints=tuple(c for c in scene.constraints if isinstance(c, BallConstraint)) if held else (),
        forces=(), lights=(), diagnostics=(),
    )  # fmt: skip
    return with_minimum_inertia(lower(bare))


def _idle(actuator: Actuator) -> Actuator:
    """The same rotor, without a controller."""
    return dataclasses.replace(actuator, p_gain=None, d_gain=None)


def _loosened(axis: JointAxis, damped: bool) -> JointAxis:
    return dataclasses.replace(
        axis,
        lower=-math.inf,
        upper=math.inf,
        friction=0.0,
        effort=math.inf,
        velocity=math.inf,
        damping=axis.damping if damped else 0.0,
        spring_stiffness=axis.spring_stiffness if damped else 0.0,
        limit_stiffness=None,
        limit_dissipation=None,
    )


def time_step(mechanism: Mechanism) -> float | None:
    """A step at which explicit dampers and springs are stable with room to spare; None if it would be too short."""
    n = len(mechanism.v_order)
    D, K = np.zeros(n), np.zeros(n)
    for freedom, single in single_freedoms(mechanism).items():
        axis = single.primitive.limits
        if axis is not None:
            k = mechanism.v_order.index(freedom)
            D[k], K[k] = axis.damping, axis.spring_stiffness
    if not (D.any() or K.any()):
        return MAX_STEP
    M_inverse = np.linalg.pinv(mechanism.mass_matrix())
    fastest = max(abs(np.linalg.eigvals(M_inverse @ np.diag(D))))
    fastest = max(fastest, math.sqrt(max(abs(np.linalg.eigvals(M_inverse @ np.diag(K))))))
    halvings = max(0, math.ceil(math.log2(max(float(fastest) * MAX_STEP / 0.2, 1e-9))))
    return MAX_STEP / 2**halvings if halvings <= 5 else None

"""A PyBullet body described with one velocity for each of its axes, also where the mechanism has axes share a velocity.

A screw is a hinge and a slide of one velocity; PyBullet has two joints, and a constraint that holds them together.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from bridge.mechanism.bodies import Body
from bridge.mechanism.coordinates import kind_of
from loaders.spatial import Array

from .state import State


def with_independent_axes(state: State) -> tuple[State, Array]:
    """Return the state with a velocity for each axis, and the map to these velocities from those of the mechanism.

    Args:
        state: State of the body.

    Returns:
        The state, whose mechanism has neither couplings nor closures, and the map, shape (number of axes, nv).
    """
    mechanism = state.articulation.mechanism
    bodies, rows = list[Body](), list[Array]()
    for body in mechanism.bodies:
        start = len(rows)
        unit = np.eye(len(mechanism.v_order))[body.v_start : body.v_start + body.nv]
        if kind_of(body) is not None:
            rows.extend(unit)
            bodies.append(dataclasses.replace(body, v_start=start))
        else:
            rows.extend(primitive.ratio * unit[primitive.dof_index] for primitive in body.primitives)
            bodies.append(_independent(body, start))
    order = tuple(dof for body in bodies for dof in body.dofs)
    free = dataclasses.replace(
        mechanism, bodies=tuple(bodies), v_order=order, closures=(), couplings=(), actuators=(), constraints=(),
        force_elements=(),
    )  # fmt: skip
    segments = tuple(dataclasses.replace(segment, is_primary=True) for segment in state.articulation.segments)
    articulation = dataclasses.replace(state.articulation, mechanism=free, segments=segments)
    return State(state.client, state.body, articulation), np.array(rows).reshape(-1, len(mechanism.v_order))


def _independent(body: Body, v_start: int) -> Body:
    primitives = tuple(dataclasses.replace(p, dof_index=k, ratio=1.0) for k, p in enumerate(body.primitives))
    return dataclasses.replace(body, primitives=primitives, v_start=v_start, reflected_inertia=(0.0,) * len(primitives))

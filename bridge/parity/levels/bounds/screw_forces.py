"""Remove from velocities what the constraint forces of screws change in one step.

Engines hold the hinge and the slide of a screw together by a constraint. If its force is wrong by an unknown amount,
velocities change along one known direction: the response of the model, with hinge and slide independent, to a unit
force between them. What does not lie along these directions is not due to screws.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bridge.lowering.base import relowered
from bridge.mechanism import Mechanism
from bridge.parity.engines.dofs import screw_like_joints
from bridge.parity.levels.random_states import State
from loaders.spatial import Array

from .constraint_bounds import known_positions, screw_ratios, with_unlocked


def without_screw_forces(mechanism: Mechanism, states: Sequence[State]) -> Array:
    """Return, for each state, the matrix that removes from velocities what forces of screws may change.

    Args:
        mechanism: The mechanism.
        states: The states, with the positions of all joints.

    Returns:
        Projections of shape (number of states, nv, nv); identities if there is no screw.
    """
    identity = np.eye(len(mechanism.v_order))
    screws = [joint for joint in mechanism.scene.joints if joint.name in screw_like_joints(mechanism)]
    if not screws:
        return np.broadcast_to(identity, (len(states), *identity.shape))
    free = relowered(mechanism, with_unlocked(mechanism, screws))
    ratios = {joint.name: screw_ratios(mechanism, joint.name) for joint in screws}
    responses = (_responses(mechanism, free, ratios, state) for state in states)
    return np.array([identity - D @ np.linalg.pinv(D) for D in responses])


def _responses(
    mechanism: Mechanism, free: Mechanism, ratios: dict[str, tuple[float, float]], state: State
) -> Array:  # fmt: skip
    """The change of velocities by a unit impulse between hinge and slide of each screw, one column for each.

    The columns after these are the velocities of the screws themselves, for which engines report that of the hinge or
    a mean of hinge and slide.
    """
    q = dict(state[0])
    constraints, index = np.zeros((len(ratios), len(free.v_order))), free.dof_index
    for row, (name, (slide, hinge)) in zip(constraints, ratios.items(), strict=True):
        value = float(np.atleast_1d(q[name])[0])
        q[name], q[f"{name}::slide"] = value * hinge, value * slide
        row[index[f"{name}::slide", 0]], row[index[name, 0]] = hinge, -slide
    responses = np.linalg.solve(free.mass_matrix(known_positions(q, free)), constraints.T)
    own = [[float(name == screw) for screw in ratios] for name, _ in mechanism.v_order]
    columns: Array = np.hstack((responses[[index[dof] for dof in mechanism.v_order]], own))
    return columns

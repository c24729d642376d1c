"""Kinematic loops of a PyBullet body: the joints that are constraints there, and by how much the loops are open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bridge.bullet.simulation.solver_constraints import connection_name
from bridge.bullet.simulation.state import Value
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.mechanism.connections import held_together
from loaders.safety.unknown_names import NameIndex
from loaders.spatial import IDENTITY, Pose


def loop_joints(mechanism: Mechanism) -> dict[str, str]:
    """Return, for each joint that closes a kinematic loop, why PyBullet has no joint of its name.

    Args:
        mechanism: The mechanism of the scene.
    """
    reason = "closes a kinematic loop: PyBullet has a constraint in its place, whose id is in `constraints`"
    return {closure.joint.name: reason for closure in mechanism.closures}


def by_joint(values: Mapping[str, Value], mechanism: Mechanism) -> NameIndex[Value]:
    """Return positions or velocities by joint, in which a name that is missing raises an error with the reason.

    Args:
        values: The values.
        mechanism: The mechanism of the scene.
    """
    return NameIndex("joint", values, loop_joints(mechanism))


def loop_gaps(mechanism: Mechanism, link_pose: Callable[[str], Pose]) -> dict[str, float]:
    """Return the distance of the two frames or points of each connection that closes a kinematic loop [m].

    A joint that closes a loop is a weld, hinge or ball with frames of one origin; see `bridge.lowering.loop_cutting`.
    So do constraints that hold points or frames of two links together, such as ``connect`` and ``weld`` of MJCF, by the
    names of both links, as in `PyBulletBody.constraints`; of several between the same links the largest gap counts.

    Args:
        mechanism: The mechanism of the body.
        link_pose: Function that returns the present pose of a link.
    """

    def gap(body_a: int, X_AP: Pose, body_b: int, X_BQ: Pose) -> float:
        ends = ((body_a, X_AP), (body_b, X_BQ))
        X_WP, X_WQ = ((IDENTITY if i == ROOT else link_pose(mechanism.bodies[i].name)) @ X_LK for i, X_LK in ends)
        return float(np.linalg.norm(X_WQ.p - X_WP.p))

    gaps = {c.joint.name: gap(c.parent, c.joint.X_PJ, c.child, c.joint.X_CJ) for c in mechanism.closures}
    for c in held_together(mechanism.constraints):
        name = connection_name(mechanism, c)
        gaps[name] = max(gaps.get(name, 0.0), gap(c.body_a, c.X_AP, c.body_b, c.X_BQ))
    return gaps

"""Kinematic loops of a PyBullet body: the joints that are constraints there, and by how much the loops are open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bridge.bullet.simulation.state import Value
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
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
    """Return the distance of the two frames of each joint that closes a kinematic loop, by joint [m].

    A loop is closed by a weld, a hinge or a ball, whose frames have one origin: see `bridge.lowering.loop_cutting`.

    Args:
        mechanism: The mechanism of the body.
        link_pose: Function that returns the present pose of a link.
    """
    gaps = {}
    for closure in mechanism.closures:
        joint = closure.joint
        ends = ((closure.parent, joint.X_PJ), (closure.child, joint.X_CJ))
        X_WP, X_WC = ((IDENTITY if i == ROOT else link_pose(mechanism.bodies[i].name)) @ X_LJ for i, X_LJ in ends)
        gaps[joint.name] = float(np.linalg.norm(X_WC.p - X_WP.p))
    return gaps

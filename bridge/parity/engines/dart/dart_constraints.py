"""Couplings, loops and constraints of a mechanism in DART."""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, DofCoupling, PrimitiveKind
from bridge.parity.engines.constraint_violation import constraint_frames
from bridge.parity.engines.dofs import ScalarDof, scalar_dofs
from loaders.model import JointType, WeldConstraint
from loaders.spatial import IDENTITY

from .dart_skeleton import BuiltSkeleton, place_again, pose_of

_HINGE_REACH = 0.1
"""Distance of the two points that hold the axis of a hinge [m]."""


def follows(mechanism: Mechanism, coupling: DofCoupling) -> tuple[ScalarDof, ScalarDof] | None:
    """Return follower and leader of a coupling that DART can hold: two joints with one hinge or slide each; or None.

    Args:
        mechanism: The mechanism.
        coupling: The coupling.
    """
    dofs, order = scalar_dofs(mechanism), mechanism.v_order
    follower, leader = dofs.get(order[coupling.follower]), dofs.get(order[coupling.leader])
    if follower is None or leader is None:
        return None
    single = len(mechanism.bodies[follower.body].primitives) == 1
    return (follower, leader) if single and len(mechanism.bodies[leader.body].primitives) == 1 else None


def add_couplings(dartpy: Any, built: BuiltSkeleton, mechanism: Mechanism) -> None:
    """Let joints follow others, as motors; DART's constraint in both directions makes chains of joints diverge.

    Their properties are new, so that this precedes everything else that sets them.

    Args:
        dartpy: The module.
        built: The skeleton.
        mechanism: The mechanism.
    """
    for coupling in mechanism.couplings:
        pair = follows(mechanism, coupling)
        if pair is not None:
            _couple(dartpy, built, mechanism, coupling, *pair)


def _couple(
    dartpy: Any, built: BuiltSkeleton, mechanism: Mechanism, coupling: DofCoupling, one: ScalarDof, two: ScalarDof
) -> None:
    followers, leaders = (built.bodies[dof.body].joints[0] for dof in (one, two))
    joint = built.skeleton.getJoint(followers[0])
    mimic = dartpy.dynamics.MimicDofProperties()
    mimic.mReferenceJoint = built.skeleton.getJoint(leaders[0])
    mimic.mReferenceDofIndex = leaders[1]
    mimic.mMultiplier = coupling.multiplier * one.primitive.ratio / two.primitive.ratio
    mimic.mOffset = coupling.offset * one.primitive.ratio
    is_hinge = one.primitive.kind is PrimitiveKind.HINGE
    properties = (dartpy.dynamics.RevoluteJointProperties if is_hinge else dartpy.dynamics.PrismaticJointProperties)()
    properties.mMimicDofProps = [mimic]
    place_again(dartpy, joint, properties, mechanism.bodies[one.body])
    joint.setActuatorType(dartpy.dynamics.ActuatorType.MIMIC)


def mimic_of(joint: Any) -> Any:
    """Return the coupling that DART holds of a hinge or slide, with multiplier and offset.

    Args:
        joint: The joint that follows.
    """
    is_hinge = joint.getType() == "RevoluteJoint"
    properties = joint.getRevoluteJointProperties() if is_hinge else joint.getPrismaticJointProperties()
    return properties.mMimicDofProps[0]


def add_loops(dartpy: Any, world: Any, built: BuiltSkeleton, mechanism: Mechanism) -> None:
    """Close the loops and hold the constraints of a mechanism, whose skeleton is where they hold.

    Args:
        dartpy: The module.
        world: The world.
        built: The skeleton.
        mechanism: The mechanism.
    """
    welded = {closure.joint.name for closure in mechanism.closures if closure.joint.type is JointType.FIXED}
    welded |= {
        f"{c.link_A}, {c.link_B}" for c in mechanism.scene.constraints if isinstance(c, WeldConstraint) and c.active
    }
    axes = {
        closure.joint.name: closure.joint.axes[0].xyz
        for closure in mechanism.closures
        if closure.joint.type in {JointType.REVOLUTE, JointType.CONTINUOUS}
    }
    solver = world.getConstraintSolver()
    for name, ((a, X_AP), (b, _)) in constraint_frames(mechanism):
        nodes = [built.skeleton.getBodyNode(built.bodies[i].body) for i in (b, a) if i != ROOT]
        X_WA = IDENTITY if a == ROOT else pose_of(built.skeleton.getBodyNode(built.bodies[a].body).getWorldTransform())
        X_WP = X_WA @ X_AP
        if name in welded:
            solver.addConstraint(dartpy.constraint.WeldJointConstraint(*nodes))
            continue
        reach = [np.zeros(3)] + ([_HINGE_REACH * np.asarray(axes[name])] if name in axes else [])
        for p in reach:
            solver.addConstraint(dartpy.constraint.BallJointConstraint(*nodes, X_WP.p + X_WP.R @ p))

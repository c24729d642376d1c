"""Primitives of each joint type, and couplings of velocities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import assert_never

import numpy as np

from bridge.codes import (
    LOWER_COUPLING_WITHOUT_FREEDOM,
    LOWER_CURVE_OF_SEVERAL_PIECES,
    LOWER_GEARBOX_WITHOUT_HINGES,
)
from bridge.mechanism.bodies import DofCoupling, Primitive, PrimitiveKind
from loaders.diagnostics import Diagnostics
from loaders.model import WORLD, Z_AXIS, Coupling, Joint, JointType
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene


def resolve_couplings(
    scene: Scene, dofs: Mapping[tuple[str, int], int], diagnostics: Diagnostics
) -> tuple[DofCoupling, ...]:
    """Return the couplings of a scene between velocities of its mechanism.

    Args:
        scene: The scene.
        dofs: Index in ``v_order`` of each joint and component.
        diagnostics: Receives a finding for each coupling that cannot be expressed.
    """
    resolved = (
        _resolve(coupling, dofs, diagnostics)
        for coupling in (*scene.couplings, *_gearbox_couplings(scene, diagnostics))
    )
    return tuple(coupling for coupling in resolved if coupling is not None)


def _resolve(
    coupling: Coupling, dofs: Mapping[tuple[str, int], int], diagnostics: Diagnostics
) -> DofCoupling | None:
    follower = dofs.get((coupling.follower, coupling.follower_axis))
    leader = dofs.get((coupling.leader, coupling.leader_axis))
    if follower is None or leader is None:
        immobile = coupling.follower if follower is None else coupling.leader
        diagnostics.add(
            LOWER_COUPLING_WITHOUT_FREEDOM,
            coupling.where,
            subjects=(coupling.follower, coupling.leader),
            follower=coupling.follower,
            leader=coupling.leader,
            immobile=immobile,
        )
        return None
    return DofCoupling(
        follower=follower,
        leader=leader,
        multiplier=coupling.multiplier,
        offset=coupling.offset,
        higher=coupling.higher,
        name=coupling.follower,
        where=coupling.where,
        engine_settings=coupling.engine_settings,
    )


def _gearbox_couplings(scene: Scene, diagnostics: Diagnostics) -> list[Coupling]:
    """Return a coupling for each gearbox, between the hinges from the reference link to its two
    links.

    Source: SDFormat, ``joint/@type``.
    """
    couplings = []
    for gearbox in (joint for joint in scene.joints if joint.type is JointType.GEARBOX):
        coupling = gearbox_coupling(gearbox, scene)
        if coupling is None:
            _report_missing_hinges(gearbox, gearbox.gear_reference or WORLD, diagnostics)
        else:
            couplings.append(coupling)
    return couplings


def gearbox_coupling(gearbox: Joint, scene: Scene) -> Coupling | None:
    """Return the coupling of the hinges from the reference link of a gearbox to its two links; None
    if one is missing.

    Args:
        gearbox: The gearbox.
        scene: The scene, with its hinges.
    """
    reference = gearbox.gear_reference or WORLD
    hinges = {
        joint.child: joint
        for joint in scene.joints
        if joint.parent == reference and joint.type in {JointType.REVOLUTE, JointType.CONTINUOUS}
    }
    leader, follower = hinges.get(gearbox.parent), hinges.get(gearbox.child)
    if leader is None or follower is None:
        return None
    multiplier = (
        -gearbox.gear_ratio * _alignment(gearbox, 0, leader) * _alignment(gearbox, 1, follower)
    )
    return Coupling(
        follower=follower.name, leader=leader.name, multiplier=multiplier, where=gearbox.where
    )


def _report_missing_hinges(gearbox: Joint, reference: str, diagnostics: Diagnostics) -> None:
    diagnostics.add(
        LOWER_GEARBOX_WITHOUT_HINGES,
        gearbox,
        gearbox=gearbox.name,
        reference=reference,
        parent=gearbox.parent,
        child=gearbox.child,
    )


def _alignment(gearbox: Joint, i: int, hinge: Joint) -> float:
    """Return 1 if axis ``i`` of a gearbox points along the axis of the hinge that it measures, -1
    if against it.
    """
    X_LJ = gearbox.X_PJ if hinge.child == gearbox.parent else gearbox.X_CJ
    axis_L = X_LJ.R @ gearbox.axes[min(i, len(gearbox.axes) - 1)].xyz
    return 1.0 if float(axis_L @ (hinge.X_CJ.R @ hinge.axes[0].xyz)) >= 0.0 else -1.0


Composition = tuple[Pose, tuple[Primitive, ...]]
"""``X_JO``, where O is the frame in which the primitives act, and the primitives from the parent
outwards."""


def compose(joint: Joint, diagnostics: Diagnostics) -> Composition:
    """Return the primitives of a joint, with the frame in which they act.

    Args:
        joint: A joint of any type but floating and gearbox.
        diagnostics: Receives a finding if the joint cannot be expressed exactly.

    Raises:
        ValueError: for a floating or gearbox joint.
    """
    match joint.type:
        case JointType.BALL:
            limits = joint.axes[0] if joint.axes else None
            return IDENTITY, (Primitive(kind=PrimitiveKind.BALL, axis=Z_AXIS, limits=limits),)
        case JointType.SCREW:
            return _screw(joint)
        case JointType.CURVILINEAR:
            return _curvilinear(joint, diagnostics)
        case (
            JointType.FIXED
            | JointType.REVOLUTE
            | JointType.CONTINUOUS
            | JointType.PRISMATIC
            | JointType.UNIVERSAL
            | JointType.REVOLUTE2
            | JointType.PLANAR
        ):
            return _series(joint)
        case JointType.GEARBOX | JointType.FLOATING:
            raise ValueError(f"a {joint.type} joint has no primitives")
        case _:
            assert_never(joint.type)


def reverse(primitives: tuple[Primitive, ...]) -> tuple[Primitive, ...]:
    """Return the primitives of a joint whose child carries its parent: in reverse order, with
    negated axes.
    """
    return tuple(
        Primitive(
            kind=p.kind, axis=frozen(-p.axis), dof_index=p.dof_index, ratio=p.ratio, limits=p.limits
        )
        for p in reversed(primitives)
    )


def _series(joint: Joint) -> Composition:
    """Return one primitive along each axis of a joint, in order."""
    axes = zip(joint.type.traits.motions, joint.axes, strict=joint.type is not JointType.FIXED)
    return IDENTITY, tuple(
        Primitive(kind=PrimitiveKind(motion.value), axis=axis.xyz, dof_index=i, limits=axis)
        for i, (motion, axis) in enumerate(axes)
    )


def _screw(joint: Joint) -> Composition:
    """Return a hinge and a slide that share one velocity."""
    (axis,) = joint.axes
    hinge = Primitive(kind=PrimitiveKind.HINGE, axis=axis.xyz, limits=axis)
    slide = Primitive(
        kind=PrimitiveKind.SLIDE, axis=axis.xyz, ratio=joint.pitch / math.tau, limits=axis
    )
    return IDENTITY, (hinge, slide)


def _curvilinear(joint: Joint, diagnostics: Diagnostics) -> Composition:
    """Return a slide for a line; for an arc a hinge about its center, whose angle is the arc length
    over the radius.
    """
    curve = joint.curve
    if curve is None or len(curve.arcs) != 1:
        diagnostics.add(LOWER_CURVE_OF_SEVERAL_PIECES, joint, joint=joint.name)
        return IDENTITY, ()
    (axis,), (arc,) = joint.axes, curve.arcs
    if arc.curvature == 0.0:
        return IDENTITY, (
            Primitive(kind=PrimitiveKind.SLIDE, axis=curve.initial_tangent, limits=axis),
        )
    center = np.cross(curve.plane_normal, curve.initial_tangent) / arc.curvature
    hinge = Primitive(
        kind=PrimitiveKind.HINGE, axis=curve.plane_normal, ratio=arc.curvature, limits=axis
    )
    return Pose.of(p=center), (hinge,)

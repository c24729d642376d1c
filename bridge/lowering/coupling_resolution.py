"""Couplings between velocities: those that the scene states, and those of its gearboxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bridge.mechanism.bodies import DofCoupling
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import WORLD, Coupling, Joint, JointType
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
    resolved = (_resolve(coupling, dofs, diagnostics) for coupling in _stated(scene, diagnostics))
    return tuple(coupling for coupling in resolved if coupling is not None)


def _stated(scene: Scene, diagnostics: Diagnostics) -> Iterable[Coupling]:
    return (*scene.couplings, *_gearbox_couplings(scene, diagnostics))


def _resolve(coupling: Coupling, dofs: Mapping[tuple[str, int], int], diagnostics: Diagnostics) -> DofCoupling | None:
    follower = dofs.get((coupling.follower, coupling.follower_axis))
    leader = dofs.get((coupling.leader, coupling.leader_axis))
    if follower is None or leader is None:
        immobile = coupling.follower if follower is None else coupling.leader
        diagnostics.add(
            Fate.DROPPED,
            "lower.coupling-without-freedom",
            "joint {follower} cannot follow joint {leader}: joint {immobile} has no degree of freedom in the "
            "spanning tree",
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
        name=coupling.follower,
        where=coupling.where,
        mujoco=coupling.mujoco,
    )


def _gearbox_couplings(scene: Scene, diagnostics: Diagnostics) -> list[Coupling]:
    """Return a coupling for each gearbox, between the hinges from the reference link to its two links.

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
    """Return the coupling of the hinges from the reference link of a gearbox to its two links; None if one is missing.

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
    multiplier = -gearbox.gear_ratio * _alignment(gearbox, 0, leader) * _alignment(gearbox, 1, follower)
    return Coupling(follower=follower.name, leader=leader.name, multiplier=multiplier, where=gearbox.where)


def _report_missing_hinges(gearbox: Joint, reference: str, diagnostics: Diagnostics) -> None:
    diagnostics.add(
        Fate.DROPPED,
        "lower.gearbox-without-hinges",
        "gearbox {gearbox} needs a revolute joint from its reference link {reference} to each of {parent} and {child}",
        gearbox.where,
        hint="add the missing revolute joint, or correct gearbox_reference_body",
        subjects=(gearbox.name,),
        gearbox=gearbox.name,
        reference=reference,
        parent=gearbox.parent,
        child=gearbox.child,
    )


def _alignment(gearbox: Joint, i: int, hinge: Joint) -> float:
    """Return 1 if axis ``i`` of a gearbox points along the axis of the hinge that it measures, -1 if against it."""
    X_LJ = gearbox.X_PJ if hinge.child == gearbox.parent else gearbox.X_CJ
    axis_L = X_LJ.R @ gearbox.axes[min(i, len(gearbox.axes) - 1)].xyz
    return 1.0 if float(axis_L @ (hinge.X_CJ.R @ hinge.axes[0].xyz)) >= 0.0 else -1.0

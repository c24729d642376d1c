"""Gearboxes as URDF can represent them: one of two joints mimics the other."""

from __future__ import annotations

import dataclasses

from bridge.export.report import Report
from bridge.lowering.coupling_resolution import gearbox_coupling
from loaders.diagnostics import Fate
from loaders.model import WORLD, Coupling, Joint, JointType
from loaders.scene import Scene


def without_gearboxes(scene: Scene, report: Report) -> Scene:
    """Return the scene with a coupling of the two hinges that each gearbox couples in its place.

    Args:
        scene: The scene.
        report: Receives a finding for each gearbox.
    """
    gearboxes = [joint for joint in scene.joints if joint.type is JointType.GEARBOX]
    if not gearboxes:
        return scene
    couplings = []
    for gearbox in gearboxes:
        coupling = gearbox_coupling(gearbox, scene)
        _report(gearbox, coupling, report)
        couplings += [coupling] if coupling is not None else []
    joints = tuple(joint for joint in scene.joints if joint.type is not JointType.GEARBOX)
    return dataclasses.replace(scene, joints=joints, couplings=(*scene.couplings, *couplings))


def _report(gearbox: Joint, coupling: Coupling | None, report: Report) -> None:
    if coupling is not None:
        report.add(
            Fate.APPROXIMATED,
            "urdfout.gearbox",
            "URDF has no gearboxes; in place of {gearbox} joint {follower} mimics joint {leader} with the ratio "
            "{ratio:g}, and its links {parent} and {child} are no neighbors, which may touch",
            gearbox.where,
            subjects=(gearbox.name, coupling.follower, coupling.leader),
            gearbox=gearbox.name,
            follower=coupling.follower,
            leader=coupling.leader,
            ratio=coupling.multiplier,
            parent=gearbox.parent,
            child=gearbox.child,
        )
        return
    report.add(
        Fate.DROPPED,
        "urdfout.idle-gearbox",
        "URDF has no gearboxes, and no revolute joints connect {reference} to {parent} and to {child}, so that gearbox "
        "{gearbox} couples nothing; left it out",
        gearbox.where,
        hint="add the missing revolute joint, or correct gearbox_reference_body",
        subjects=(gearbox.name,),
        gearbox=gearbox.name,
        reference=gearbox.gear_reference or WORLD,
        parent=gearbox.parent,
        child=gearbox.child,
    )

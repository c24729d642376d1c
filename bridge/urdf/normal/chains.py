"""Chains of hinges and slides in place of joints of several degrees of freedom, for readers that know no others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np

from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import X_AXIS, Y_AXIS, Z_AXIS, Coupling, Joint, JointAxis, JointType, Link
from loaders.scene import Scene
from loaders.spatial import IDENTITY

from .unique_names import free_item_name

_HINGE, _SLIDE = JointType.REVOLUTE, JointType.PRISMATIC
_SKEW = 1e-12
Step = tuple[str, JointType, JointAxis]
"""Suffix of the name, type and axis of one joint of a chain."""


def with_chains(scene: Scene, report: Report, *, plain: bool) -> Scene:
    """Return the scene with chains in place of the joints that the document cannot state.

    A chain has the positions of the joint, in its order, except that of a ball joint: three angles about x, y and z
    take the place of a quaternion.

    Args:
        scene: The scene, whose joints lead away from its root.
        report: Receives the findings.
        plain: Whether joints of Drake's types, and planar ones, become chains too.
    """
    for joint in scene.joints:
        steps = _steps(joint, plain=plain)
        if steps:
            _report(joint, steps, report)
            scene = _replaced(scene, joint, steps)
    return scene


def _steps(joint: Joint, *, plain: bool) -> Sequence[Step]:
    """Return the joints of the chain of a joint; none if it stays."""
    if joint.type is JointType.REVOLUTE2 or (joint.type is JointType.UNIVERSAL and (plain or _is_skew(joint))):
        return [(f"_axis{i}", _HINGE, axis) for i, axis in enumerate(joint.axes, 1)]
    return _CHAINS[joint.type](joint) if plain and joint.type in _CHAINS else ()


def _is_skew(joint: Joint) -> bool:
    return abs(float(joint.axes[0].xyz @ joint.axes[1].xyz)) > _SKEW


def _of_ball(joint: Joint) -> Sequence[Step]:
    said = joint.axes[0] if joint.axes else JointAxis(xyz=X_AXIS)
    axes = (dataclasses.replace(said, xyz=xyz) for xyz in (X_AXIS, Y_AXIS, Z_AXIS))
    return [(f"_{letter}", _HINGE, axis) for letter, axis in zip("xyz", axes, strict=True)]


def _of_planar(joint: Joint) -> Sequence[Step]:
    kinds = (_SLIDE, _SLIDE, _HINGE)
    return [(f"_axis{i}", kind, axis) for i, (kind, axis) in enumerate(zip(kinds, joint.axes, strict=True), 1)]


def _of_screw(joint: Joint) -> Sequence[Step]:
    (axis,) = joint.axes
    return [("", _HINGE, axis), ("_slide", _SLIDE, JointAxis(xyz=axis.xyz))]


_CHAINS: dict[JointType, Callable[[Joint], Sequence[Step]]] = {
    JointType.BALL: _of_ball,
    JointType.PLANAR: _of_planar,
    JointType.SCREW: _of_screw,
}


def _replaced(scene: Scene, joint: Joint, steps: Sequence[Step]) -> Scene:
    """Return the scene with a chain in place of a joint, and the couplings of its axes on the joints of the chain."""
    chain: list[Joint] = []
    links: list[Link] = []
    others = dataclasses.replace(scene, joints=tuple(other for other in scene.joints if other is not joint))
    child = next(link for link in scene.links if link.name == joint.child)
    for i, (suffix, kind, axis) in enumerate(steps):
        is_last = i == len(steps) - 1
        name = free_item_name(others, f"{joint.name}{suffix}") if suffix else joint.name
        end = joint.child if is_last else free_item_name(others, f"{joint.name}_link{i + 1}")
        if not is_last:
            links.append(Link(name=end, model=child.model, X_WL=child.X_WL @ joint.X_CJ, where=joint.where))
        chain.append(
            Joint(
                name=name,
                type=kind,
                parent=chain[-1].child if chain else joint.parent,
                child=end,
                X_PJ=IDENTITY if chain else joint.X_PJ,
                X_CJ=joint.X_CJ if is_last else IDENTITY,
                axes=(dataclasses.replace(axis, xyz=np.array(axis.xyz)),),
                sensors=joint.sensors if is_last else (),
                provide_feedback=joint.provide_feedback,
                where=joint.where,
            )
        )
    return _with_chain(scene, joint, chain, links)


def _with_chain(scene: Scene, joint: Joint, chain: Sequence[Joint], links: Sequence[Link]) -> Scene:
    couplings = [_coupling(coupling, joint, chain) for coupling in scene.couplings]
    if joint.type is JointType.SCREW:
        pitch = joint.pitch / (2.0 * math.pi)
        couplings.append(Coupling(follower=chain[1].name, leader=chain[0].name, multiplier=pitch, where=joint.where))
    joints: list[Joint] = []
    for other in scene.joints:
        joints.extend(chain if other is joint else (other,))
    return dataclasses.replace(scene, joints=tuple(joints), links=(*scene.links, *links), couplings=tuple(couplings))


def _coupling(coupling: Coupling, joint: Joint, chain: Sequence[Joint]) -> Coupling:
    """Return a coupling with the joint of the chain in place of an axis of the joint."""
    changed: dict[str, str | int] = {}
    for end, axis in (("follower", "follower_axis"), ("leader", "leader_axis")):
        if getattr(coupling, end) == joint.name and getattr(coupling, axis) < len(chain):
            changed |= {end: chain[getattr(coupling, axis)].name, axis: 0}
    return dataclasses.replace(coupling, **changed) if changed else coupling  # type: ignore[arg-type]


def _report(joint: Joint, steps: Sequence[Step], report: Report) -> None:
    report.add(
        Fate.APPROXIMATED,
        "urdfout.chain",
        "joint {joint} of type {type} becomes a chain of {count} joints with one axis and links without mass between "
        "them, which simulators without such links refuse",
        joint.where,
        hint="" if joint.type is JointType.REVOLUTE2 else 'use joints="all" with Drake\'s extensions',
        subjects=(joint.name,),
        joint=joint.name,
        type=joint.type.value,
        count=len(steps),
    )

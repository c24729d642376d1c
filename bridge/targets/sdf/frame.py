"""Links and frames for ends that SDFormat cannot fix to the world."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from bridge.targets.elements import MASSLESS
from bridge.targets.numbers import angle_values, is_ill_conditioned
from bridge.targets.report import Report
from bridge.targets.sdf import codes
from loaders import scoped_names
from loaders.finish.transform import REFERENCES
from loaders.model import TRAITS, WORLD, Bushing, Frame, Joint, JointType, Link, by_name
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, UnusedNames

DRAKE_JOINTS = frozenset(
    joint_type for joint_type, traits in TRAITS.items() if traits.sdf_tag == "drake:joint"
)
"""Types that only Drake's ``<drake:joint>`` says."""
_GROUPED = ("constraints", "forces", "filter_groups")


def free_name(scene: Scene, preferred: str) -> str:
    """Return a name that no link, joint, frame or model of a scene has."""
    return scoped_names.free_name(preferred, _names(scene))


def _names(scene: Scene) -> set[str]:
    """Return the names of links, joints, frames and models, which share one name space."""
    listed = (scene.links, scene.joints, scene.frames, scene.models)
    return {item.name for items in listed for item in items}


def with_world_link(scene: Scene, report: Report) -> tuple[Scene, str]:
    """Return the scene with a link named ``world``, which a URDF may have, as a link fixed to the
    world; and its name.

    Args:
        scene: The scene.
        report: Receives the finding.
    """
    link = by_name(scene.links).get(WORLD)
    if link is None:
        return scene, ""
    name = free_name(scene, "world_link")
    report.add(codes.WORLD_LINK, link.where, subjects=(WORLD,), name=name)
    moved = dataclasses.replace(link, name=name, inertia=link.inertia or MASSLESS)
    models = list(scene.models)
    for i, model in enumerate(models):
        if model.canonical_link == WORLD:
            models[i] = dataclasses.replace(model, canonical_link=name)
    scene = dataclasses.replace(
        scene,
        links=tuple(moved if other is link else other for other in scene.links),
        models=tuple(models),
        joints=(*scene.joints, _weld(scene, moved)),
    )
    return _with_ends(scene, lambda _: name), name


def with_anchors(scene: Scene, report: Report) -> Scene:
    """Return the scene with a massless link, fixed to the world, at each end of a Drake element
    that is the world.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    if WORLD not in _ends(scene):
        return scene
    anchors: dict[str, Link] = {}
    models = {link.name: link.model for link in scene.links}

    def anchor_of(other: str) -> str:
        model = models.get(other, scene.models[0].name if scene.models else "")
        if model not in anchors:
            prefix = other.rpartition(SEPARATOR)[0]
            name = free_name(
                scene, f"{prefix}{SEPARATOR}world_anchor" if prefix else "world_anchor"
            )
            anchors[model] = Link(name=name, model=model, X_WL=IDENTITY, inertia=MASSLESS)
        return anchors[model].name

    scene = _with_ends(scene, anchor_of)
    for link in anchors.values():
        report.add(codes.ANCHOR, subjects=(link.name,), link=link.name)
        scene = dataclasses.replace(
            scene, links=(*scene.links, link), joints=(*scene.joints, _weld(scene, link))
        )
    return scene


def _weld(scene: Scene, link: Link) -> Joint:
    return Joint(
        name=free_name(scene, f"{link.name}_joint"),
        type=JointType.FIXED,
        parent=WORLD,
        child=link.name,
        X_PJ=link.X_WL,
        X_CJ=IDENTITY,
    )


def _ends(scene: Scene) -> set[str]:
    """Return the links that Drake's elements connect."""
    joints = (
        end
        for joint in scene.joints
        if joint.type in DRAKE_JOINTS
        for end in (joint.parent, joint.child)
    )
    fields = ("link_A", "link_B", "link_C")
    others = (
        getattr(item, key, "")
        for items in (scene.constraints, scene.forces)
        for item in items
        for key in fields
    )
    return {*joints, *others}


def _with_ends(scene: Scene, replacement: Callable[[str], str]) -> Scene:
    """Return the scene with another link for each end of a Drake element that is the world.

    Args:
        scene: The scene.
        replacement: Returns the link that stands for the world, for the link at the other end.
    """
    changed: dict[str, Any] = {
        key: tuple(
            _with_item_ends(item, REFERENCES[key], replacement) for item in getattr(scene, key)
        )
        for key in _GROUPED
    }
    ends = {"parent": "link", "child": "link"}
    changed["joints"] = tuple(
        _with_item_ends(joint, ends, replacement) if joint.type in DRAKE_JOINTS else joint
        for joint in scene.joints
    )
    return dataclasses.replace(scene, **changed)


def _with_item_ends(item: Any, fields: Any, replacement: Callable[[str], str]) -> Any:
    values = {
        key: getattr(item, key)
        for key, kind in fields.items()
        if kind == "link" and hasattr(item, key)
    }
    single = [value for value in values.values() if isinstance(value, str)]
    other = next((name for name in single if name != WORLD), "")
    changed: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, tuple) and WORLD in value:
            changed[key] = tuple(replacement(other) if name == WORLD else name for name in value)
        elif value == WORLD:
            changed[key] = replacement(other)
    return dataclasses.replace(item, **changed) if changed else item


_CLOSE = 1e-12
_DECIMALS = 11


def with_short_poses(scene: Scene) -> Scene:
    """Return a scene with Drake's joints with poses of links that have 11 decimals; other scenes as
    they are.

    A reader computes the pose of the child of such a joint from the two frames, whose poses have 13
    decimals in the document. The pose that it finds then rounds to the same 11 decimals, so that
    writing it again changes nothing.
    """
    if not any(joint.type in DRAKE_JOINTS for joint in scene.joints):
        return scene
    origins = {model.name: model.X_WM for model in scene.models}
    poses = {
        link.name: _shortened(link.X_WL, origins.get(link.model, IDENTITY)) for link in scene.links
    }
    joints = []
    for joint in scene.joints:
        X_WJ = poses.get(joint.child, IDENTITY) @ joint.X_CJ
        joints.append(
            dataclasses.replace(joint, X_PJ=poses.get(joint.parent, IDENTITY).inverse() @ X_WJ)
        )
    links = tuple(dataclasses.replace(link, X_WL=poses[link.name]) for link in scene.links)
    return dataclasses.replace(scene, links=links, joints=tuple(joints))


def _shortened(X_WL: Pose, X_WM: Pose) -> Pose:
    X_ML = X_WM.inverse() @ X_WL
    if is_ill_conditioned(X_ML.R):
        return X_WL
    angles = [round(angle, _DECIMALS) for angle in angle_values(X_ML.R)]
    return X_WM @ Pose.from_xyz_rpy([round(float(x), _DECIMALS) for x in X_ML.p], angles)


def with_drake_frames(scene: Scene) -> Scene:
    """Return the scene with a frame at each end of each such element, unless the link itself or a
    frame is there.
    """
    frames = list(scene.frames)
    unused = UnusedNames(_names(scene))
    for name, link, X_LF in _frame_ends(scene):
        if frame_at(frames, link, X_LF) is not None:
            continue
        frames.append(Frame(name=unused.claim(name), link=link, X_LF=X_LF))
    return (
        dataclasses.replace(scene, frames=tuple(frames))
        if len(frames) > len(scene.frames)
        else scene
    )


def frame_at(frames: list[Frame], link: str, X_LF: Pose) -> str | None:
    """Return the name of the link, or of the first frame on it, at a pose; None if there is none.

    Args:
        frames: The frames.
        link: The link.
        X_LF: The pose in the link.
    """
    if X_LF.is_close(IDENTITY, _CLOSE):
        return link
    return next(
        (
            frame.name
            for frame in frames
            if frame.link == link and frame.X_LF.is_close(X_LF, _CLOSE)
        ),
        None,
    )


def child_frame(joint: Joint) -> Pose:
    """Return the pose, in the child link, of the frame that ``<drake:joint>`` names as child."""
    return joint.X_CJ if joint.curve is None else joint.X_CJ @ joint.curve.X_JS


def _frame_ends(scene: Scene) -> Iterator[tuple[str, str, Pose]]:
    """Yield preferred name, link and pose of the frame at each end."""
    for joint in scene.joints:
        if joint.type in DRAKE_JOINTS and joint.type is not JointType.FIXED:
            yield f"{joint.name}_parent_frame", joint.parent, joint.X_PJ
            yield f"{joint.name}_child_frame", joint.child, child_frame(joint)
    bushings = (force for force in scene.forces if isinstance(force, Bushing))
    for i, bushing in enumerate(bushings):
        prefix = bushing.link_A.rpartition(SEPARATOR)[0]
        stem = f"{prefix}{SEPARATOR}bushing_{i}" if prefix else f"bushing_{i}"
        yield f"{stem}_A", bushing.link_A, bushing.X_LA
        yield f"{stem}_C", bushing.link_C, bushing.X_LC

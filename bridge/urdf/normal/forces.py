"""Constraints, force elements and filter groups: a link that stands for the world, and frames of bushings."""

from __future__ import annotations

import dataclasses
from typing import Any

from bridge.export.report import Report, kind_words
from loaders.diagnostics import Fate
from loaders.model import WORLD, Bushing, FilterGroup, Frame, Joint, JointType, Link, TendonConstraint, WeldConstraint
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Pose

from .unique_names import free_item_name

_CLOSE = 1e-12
_ENDS = ("link_A", "link_B", "link_C")


def without_unknown_items(scene: Scene, report: Report) -> Scene:
    """Return the scene without welds of links, and without constraints of joints that were left out.

    Args:
        scene: The scene.
        report: Receives the findings.
    """
    joints = {joint.name for joint in scene.joints if len(joint.axes) == 1}
    kept = []
    for item in scene.constraints:
        if isinstance(item, WeldConstraint) or not set(getattr(item, "joints", ())) <= joints:
            subjects = item.joints if isinstance(item, TendonConstraint) else (item.link_A, item.link_B)
            report.add(
                Fate.DROPPED,
                "urdfout.constraint",
                "the document cannot state a {kind} of {items}; left it out",
                item.where,
                subjects=subjects,
                kind=kind_words(type(item)),
                items=subjects,
            )
        else:
            kept.append(item)
    groups = tuple(group for group in scene.filter_groups if group.links)
    names = {group.name for group in groups}
    rules = tuple(rule for rule in scene.filter_rules if {rule.a, rule.b} <= names)
    return dataclasses.replace(scene, constraints=tuple(kept), filter_groups=groups, filter_rules=rules)


def with_anchor(scene: Scene, report: Report) -> Scene:
    """Return the scene with a massless link, fixed to the world, where a constraint or group refers to the world.

    Args:
        scene: The scene.
        report: Receives the finding.
    """
    items = (*scene.constraints, *scene.forces)
    ends = {getattr(item, key, "") for item in items for key in _ENDS}
    ends |= {name for group in scene.filter_groups for name in group.links}
    if WORLD not in ends or any(link.name == WORLD for link in scene.links):
        return scene
    name = free_item_name(scene, "world_anchor")
    link = Link(name=name, model=scene.models[0].name if scene.models else "", X_WL=IDENTITY)
    return dataclasses.replace(
        scene,
        links=(*scene.links, link),
        joints=(*scene.joints, _weld(scene, name, report)),
        constraints=tuple(_replaced(item, name) for item in scene.constraints),
        forces=tuple(_replaced(item, name) for item in scene.forces),
        filter_groups=tuple(_group(group, name) for group in scene.filter_groups),
    )


def with_ground(scene: Scene, report: Report) -> tuple[Scene, dict[str, str]]:
    """Return the scene with the shapes of the world on a link that filter groups can name, and the name of this.

    Args:
        scene: The scene.
        report: Receives the finding.
    """
    is_member = any(WORLD in group.links for group in scene.filter_groups)
    if not is_member or not any(link.name == WORLD for link in scene.links):
        return scene, {}
    name = free_item_name(scene, "ground")
    scene = dataclasses.replace(
        scene,
        links=tuple(dataclasses.replace(k, name=name) if k.name == WORLD else k for k in scene.links),
        joints=(*scene.joints, _weld(scene, name, report)),
        filter_groups=tuple(_group(group, name) for group in scene.filter_groups),
    )
    return scene, {WORLD: name}


def _weld(scene: Scene, name: str, report: Report) -> Joint:
    """Return the fixed joint of a link that stands for the world, which is reported."""
    report.add(
        Fate.NOTED,
        "urdfout.anchor",
        "Drake's elements connect links only; link {link}, fixed to the world, stands for the world",
        subjects=(name,),
        link=name,
    )
    return Joint(
        name=free_item_name(scene, f"{name}_joint"),
        type=JointType.FIXED,
        parent=WORLD,
        child=name,
        X_PJ=IDENTITY,
        X_CJ=IDENTITY,
    )


def _replaced(item: Any, name: str) -> Any:
    changed = {key: name for key in _ENDS if getattr(item, key, "") == WORLD}
    return dataclasses.replace(item, **changed) if changed else item


def _group(group: FilterGroup, name: str) -> FilterGroup:
    return dataclasses.replace(group, links=tuple(name if link == WORLD else link for link in group.links))


def with_bushing_frames(scene: Scene) -> Scene:
    """Return the scene with a named frame at each end of a bushing, unless the link itself or a frame is there."""
    for number, bushing in enumerate(item for item in scene.forces if isinstance(item, Bushing)):
        for link, X_LF, end in ((bushing.link_A, bushing.X_LA, "A"), (bushing.link_C, bushing.X_LC, "C")):
            if frame_at(scene, link, X_LF) is None:
                frame = Frame(name=free_item_name(scene, f"bushing_{number}_{end}"), link=link, X_LF=X_LF)
                scene = dataclasses.replace(scene, frames=(*scene.frames, frame))
    return scene


def frame_at(scene: Scene, link: str, X_LF: Pose) -> str | None:
    """Return the name of the link, or of a frame on it, at a pose; None if there is none.

    Args:
        scene: The scene.
        link: The link.
        X_LF: The pose in the link.
    """
    if X_LF.is_close(IDENTITY, _CLOSE):
        return link
    return next((f.name for f in scene.frames if f.link == link and f.X_LF.is_close(X_LF, _CLOSE)), None)

"""Links for what SDFormat cannot fix to the world itself: a link that is the world, and ends of Drake's elements."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from bridge.diff.renaming import REFERENCES
from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import WORLD, Joint, JointType, Link, by_name
from loaders.scene import Scene
from loaders.scene_queries import scoped_names
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import IDENTITY, SpatialInertia

MASSLESS = SpatialInertia.of(0.0)
"""Inertia of a link that has none."""
DRAKE_JOINTS = frozenset({JointType.PLANAR, JointType.CURVILINEAR})
"""Types that only Drake's ``<drake:joint>`` says."""
_GROUPED = ("constraints", "forces", "filter_groups")


def free_name(scene: Scene, preferred: str) -> str:
    """Return a name that no link, joint or frame of a scene has."""
    taken = {item.name for items in (scene.links, scene.joints, scene.frames, scene.models) for item in items}
    return scoped_names.free_name(preferred, taken)


def with_world_link(scene: Scene, report: Report) -> tuple[Scene, str]:
    """Return the scene with a link named ``world``, which a URDF may have, as a link fixed to the world; and its name.

    Args:
        scene: The scene.
        report: Receives the finding.
    """
    link = by_name(scene.links).get(WORLD)
    if link is None:
        return scene, ""
    name = free_name(scene, "world_link")
    report.add(
        Fate.NOTED,
        "sdfout.world-link",
        "SDFormat reserves the name world; link world becomes {name}, fixed to the world",
        link.where,
        subjects=(WORLD,),
        name=name,
    )
    moved = dataclasses.replace(link, name=name, inertia=link.inertia or MASSLESS)
    scene = dataclasses.replace(
        scene,
        links=tuple(moved if other is link else other for other in scene.links),
        models=tuple(
            dataclasses.replace(model, canonical_link=name) if model.canonical_link == WORLD else model
            for model in scene.models
        ),
        joints=(*scene.joints, _weld(scene, moved)),
    )
    return _with_ends(scene, lambda _: name), name


def with_anchors(scene: Scene, report: Report) -> Scene:
    """Return the scene with a massless link, fixed to the world, at each end of a Drake element that is the world.

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
            name = free_name(scene, f"{prefix}{SEPARATOR}world_anchor" if prefix else "world_anchor")
            anchors[model] = Link(name=name, model=model, X_WL=IDENTITY, inertia=MASSLESS)
        return anchors[model].name

    scene = _with_ends(scene, anchor_of)
    for link in anchors.values():
        report.add(
            Fate.NOTED,
            "sdfout.anchor",
            "Drake's elements connect links only; link {link}, fixed to the world, stands for the world",
            subjects=(link.name,),
            link=link.name,
        )
        scene = dataclasses.replace(scene, links=(*scene.links, link), joints=(*scene.joints, _weld(scene, link)))
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
    joints = (end for joint in scene.joints if joint.type in DRAKE_JOINTS for end in (joint.parent, joint.child))
    fields = ("link_A", "link_B", "link_C")
    others = (getattr(item, key, "") for items in (scene.constraints, scene.forces) for item in items for key in fields)
    return {*joints, *others}


def _with_ends(scene: Scene, replacement: Callable[[str], str]) -> Scene:
    """Return the scene with another link for each end of a Drake element that is the world.

    Args:
        scene: The scene.
        replacement: Returns the link that stands for the world, for the link at the other end.
    """
    changed: dict[str, Any] = {
        key: tuple(_with_item_ends(item, REFERENCES[key], replacement) for item in getattr(scene, key))
        for key in _GROUPED
    }
    ends = {"parent": "link", "child": "link"}
    changed["joints"] = tuple(
        _with_item_ends(joint, ends, replacement) if joint.type in DRAKE_JOINTS else joint for joint in scene.joints
    )
    return dataclasses.replace(scene, **changed)


def _with_item_ends(item: Any, fields: Any, replacement: Callable[[str], str]) -> Any:
    values = {key: getattr(item, key) for key, kind in fields.items() if kind == "link" and hasattr(item, key)}
    single = [value for value in values.values() if isinstance(value, str)]
    other = next((name for name in single if name != WORLD), "")
    changed: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, tuple) and WORLD in value:
            changed[key] = tuple(replacement(other) if name == WORLD else name for name in value)
        elif value == WORLD:
            changed[key] = replacement(other)
    return dataclasses.replace(item, **changed) if changed else item

"""Names that are legal and unique in a document."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from bridge.targets.report import Report
from bridge.targets.urdf import codes
from bridge.targets.xml import changed_names, xml_compatible
from loaders.finish.transform import renamed
from loaders.model import WORLD, Joint, Link
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, free_name, unused_name

_SPACE = re.compile(r"[\t\r\n]")


def free_item_name(scene: Scene, preferred: str) -> str:
    """Return a name that no link, joint or frame of a scene has."""
    taken = {item.name for items in (scene.links, scene.joints, scene.frames) for item in items}
    return free_name(preferred, taken)


def plain_name(name: str, alternative: str) -> str:
    """Return a name without scopes and control characters; the alternative if nothing is left."""
    return _SPACE.sub("_", xml_compatible(name)).strip().replace(SEPARATOR, "_") or alternative


def named(scene: Scene, report: Report) -> tuple[Scene, dict[str, str]]:
    """Return the scene with legal, unique names, and the new names by old one, where they differ.

    Args:
        scene: The scene, with one model.
        report: Receives the finding.
    """
    names = _names(scene)
    changed = changed_names(names, ("link", "joint", "frame"))
    differing = {old: new for kind in names.values() for old, new in kind.items() if old != new}
    if differing:
        report.add(codes.NAME, subjects=tuple(differing), names=tuple(differing.items()))
    return renamed(scene, names), changed


def _names(scene: Scene) -> dict[str, dict[str, str]]:
    """Return the new name of each item by its old one, for each kind."""
    names: dict[str, dict[str, str]] = defaultdict(dict)
    taken: dict[str, set[str]] = defaultdict(set)
    attempts: _Attempts = defaultdict(dict)
    referred = {link.name for link in scene.links if has_gazebo(link)}
    referred |= {joint.name for joint in scene.joints if has_gazebo(joint)}
    listed: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("link", scene.links),
        ("joint", scene.joints),
        ("frame", scene.frames),
    )
    others_listed: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("group", scene.filter_groups),
        ("actuator", scene.actuators),
        ("model", scene.models),
    )
    for kind, items in listed:
        for item in items:
            others = taken["link"] if kind == "frame" or item.name in referred else set()
            reserved = {WORLD} if item.name != WORLD or kind != "link" else set()
            name = _claimed(item.name, kind, (taken[kind], others, reserved), attempts)
            names[kind][item.name] = name
            taken[kind].add(name)
    for kind, items in others_listed:
        for item in items:
            names[kind][item.name] = _claimed(
                item.name, kind, (taken[kind], set(), set()), attempts
            )
            taken[kind].add(names[kind][item.name])
    return names


_Attempts = dict[tuple[str, bool, bool], dict[str, int]]
"""Numbers of attempts, as in `unused_name`, keyed by kind and reserved sets."""


def _claimed(
    name: str, kind: str, in_use: tuple[set[str], set[str], set[str]], attempts: _Attempts
) -> str:
    """Return an unused name.

    Args:
        name: Name of the item.
        kind: Kind of the item.
        in_use: Names of the same kind, those of other kinds, and those that no item may have.
        attempts: Numbers of attempts, which are updated.
    """
    taken, others, reserved = in_use
    base = plain_name(name, kind)
    if base in others or base in reserved:
        base = f"{base}_{kind}"
    return unused_name(
        base,
        lambda name: name in taken or name in others or name in reserved,
        attempts=attempts[kind, bool(others), bool(reserved)],
    )


def has_gazebo(item: Link | Joint) -> bool:
    """Return whether a ``<gazebo>`` element refers to a link or joint, by its name alone."""
    if isinstance(item, Joint):
        stated = any(
            axis.spring_stiffness
            or axis.spring_reference
            or axis.limit_stiffness is not None
            or axis.limit_dissipation is not None
            for axis in item.axes
        )
        return stated or bool(item.sensors) or item.provide_feedback
    flags = not item.gravity or item.kinematic or item.enable_wind or item.self_collide is not None
    return flags or bool(item.sensors) or any(item.velocity_decay) or bool(item.collisions)

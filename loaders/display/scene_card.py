"""The card of a scene in a notebook."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath

from loaders.model import Joint, JointAxis, SceneData
from loaders.notebook import card, details, findings_table, summary_of, table
from loaders.spatial import Pose

from .picture import picture


def scene_card(scene: SceneData, kind: str, *facts: str, poses: Mapping[str, Pose] | None = None) -> str:
    """Return the card of a scene: picture, counts, joints and diagnostics.

    Args:
        scene: The scene.
        kind: The noun of the title.
        facts: Further lines.
        poses: Pose of each link in the world; None for those of the scene.
    """
    parts = []
    if scene.joints:
        heads = ("joint", "type", "parent", "child", "range")
        parts.append(details(f"{_count(len(scene.joints), 'joint')}", table(heads, map(_joint_row, scene.joints))))
    if scene.diagnostics:
        parts.append(details(summary_of(scene.diagnostics), findings_table(scene.diagnostics)))
    lines = (PurePath(scene.source).name, _contents(scene), *facts)
    return card(f"{kind} {scene.name}", lines, *parts, png=picture(scene, poses))


def _contents(scene: SceneData) -> str:
    types = Counter(joint.type.value for joint in scene.joints)
    mass = sum(link.inertia.mass for link in scene.links if link.inertia is not None)
    stated = [
        _count(len(scene.models), "model"),
        _count(len(scene.links), "link"),
        *(f"{count} {name}" for name, count in types.most_common()),
        f"{mass:.4g} kg",
    ]
    return ", ".join(stated)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _joint_row(joint: Joint) -> tuple[str, ...]:
    return joint.name, joint.type.value, joint.parent, joint.child, ", ".join(map(_range, joint.axes))


def _range(axis: JointAxis) -> str:
    is_limited = axis.lower > -math.inf or axis.upper < math.inf
    return f"{axis.lower:.4g} to {axis.upper:.4g}" if is_limited else "any"

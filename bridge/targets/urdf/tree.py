"""The kinematic tree: one root, joints that lead away from it, and names that are legal and unique
in a document.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from bridge.targets.elements import with_exchanged_links
from bridge.targets.report import Report
from bridge.targets.urdf import codes
from bridge.targets.xml import changed_names
from loaders.collision_pairs import connected_components, static_links
from loaders.diagnostics import Diagnostic, ExportError, finding_of
from loaders.finish.transform import renamed
from loaders.model import WORLD, BallConstraint, Joint, JointType, Link, Model
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, free_name, unused_name
from loaders.text import xml_compatible


class Tree(NamedTuple):
    """A scene whose joints form a tree."""

    scene: Scene
    root: str | None
    """The free root; None if the world is the root, or there is no link."""


def with_static_links_welded(scene: Scene, report: Report) -> Scene:
    """Return the scene with fixed joints in place of static models.

    Args:
        scene: The scene.
        report: Receives the finding.
    """
    static = static_links(scene) - {WORLD}
    if not any(model.static for model in scene.models):
        return scene
    names = tuple(link.name for link in scene.links if link.name in static)
    report.add(codes.STATIC, subjects=names, links=names)
    models = tuple(dataclasses.replace(model, static=False) for model in scene.models)
    kept = tuple(
        joint for joint in scene.joints if joint.child not in static and joint.parent not in static
    )
    kept += tuple(_fixed(joint) for joint in scene.joints if joint not in kept)
    order = {joint.name: i for i, joint in enumerate(scene.joints)}
    joints = tuple(sorted(kept, key=lambda joint: order[joint.name]))
    scene = dataclasses.replace(scene, models=models, joints=joints)
    for link in scene.links:
        held = connected_components(scene, _any)[0]
        if link.name in static and link.name not in held:
            name = free_item_name(scene, f"{link.name}_weld")
            weld = Joint(
                name=name,
                type=JointType.FIXED,
                parent=WORLD,
                child=link.name,
                X_PJ=link.X_WL,
                X_CJ=IDENTITY,
            )
            scene = dataclasses.replace(scene, joints=(*scene.joints, weld))
    return scene


def _any(_: Joint) -> bool:
    return True


def _is_tree_joint(joint: Joint) -> bool:
    """Return whether a joint holds its links together; a gearbox couples two other joints."""
    return joint.type is not JointType.GEARBOX


def _fixed(joint: Joint) -> Joint:
    return dataclasses.replace(
        joint, type=JointType.FIXED, axes=(), curve=None, pitch=1.0, gear_reference=None
    )


def rooted(scene: Scene, report: Report, *, ball_constraints: bool) -> Tree:
    """Return the scene with joints that lead from one root to each link once.

    Args:
        scene: The scene.
        report: Receives the joints that are turned around or left out.
        ball_constraints: Whether the document may state a ball constraint.

    Raises:
        ExportError: if the links have several roots.
    """
    roots = _roots(scene)
    if len(roots) > 1:
        raise ExportError((_several(roots),))
    root = roots[0] if roots else WORLD
    tree, closing = _spanning(scene, root)
    upward = _upward(tree, root)
    turned = {joint.name: _turned(joint, report) for joint in tree if joint.name in upward}
    constraints = scene.constraints
    for joint in closing:
        is_ball = ball_constraints and joint.type is JointType.BALL
        if is_ball:
            constraints += (_ball(joint),)
        _report_loop(joint, report, is_ball=is_ball)
    names = {joint.name for joint in tree}
    joints = tuple(turned.get(joint.name, joint) for joint in scene.joints if joint.name in names)
    return Tree(
        dataclasses.replace(scene, joints=joints, constraints=constraints),
        None if root == WORLD else root,
    )


def has_several_roots(scene: Scene) -> bool:
    """Return whether a scene has several kinematic trees; all that the world holds is one."""
    return len(_roots(scene)) > 1


def _roots(scene: Scene) -> list[str]:
    """Return the link at which each tree of connected links begins: a canonical one, if possible,
    that is no child.
    """
    held, *free = connected_components(scene, _is_tree_joint)
    order = {link.name: i for i, link in enumerate(scene.links)}
    children = {joint.child for joint in scene.joints}
    canonical = {model.canonical_link for model in scene.models}
    roots = [WORLD] if len(held) > 1 else []
    for component in free:
        names = sorted(component, key=order.__getitem__)
        candidates = [name for name in names if name not in children] or names
        roots.append(next((name for name in candidates if name in canonical), candidates[0]))
    return roots


def _several(roots: list[str]) -> Diagnostic:
    return finding_of(
        codes.SEVERAL_ROOTS, target="urdf", subjects=roots, count=len(roots), roots=tuple(roots)
    )


def _spanning(scene: Scene, root: str) -> tuple[list[Joint], list[Joint]]:
    """Return the joints of the tree, and those that close loops."""
    incident: dict[str, list[Joint]] = defaultdict(list)
    for joint in scene.joints:
        incident[joint.parent].append(joint)
        incident[joint.child].append(joint)
    reached, seen = {root}, set()
    tree: list[Joint] = []
    closing: list[Joint] = []
    pending = [root]
    for here in pending:  # the list grows during the loop
        for joint in sorted(incident[here], key=lambda joint: joint.parent != here):
            if joint.name in seen:
                continue
            seen.add(joint.name)
            there = joint.child if joint.parent == here else joint.parent
            (closing if there in reached else tree).append(joint)
            if there not in reached:
                reached.add(there)
                pending.append(there)
    return tree, closing


def _upward(tree: list[Joint], root: str) -> set[str]:
    """Return the joints whose child is nearer to the root than their parent."""
    reached, upward = {root}, set()
    for joint in tree:  # in the order in which they are reached
        if joint.parent not in reached:
            upward.add(joint.name)
        reached |= {joint.parent, joint.child}
    return upward


def _turned(joint: Joint, report: Report) -> Joint:
    if joint.type is JointType.CURVILINEAR:
        raise ExportError(
            (unrepresentable(joint, "its child is nearer to the root than its parent"),)
        )
    exact = len(joint.axes) <= 1 and joint.type not in (JointType.BALL, JointType.FLOATING)
    report.add(
        codes.REVERSED_JOINT if exact else codes.REVERSED_JOINT_MOTION, joint, joint=joint.name
    )
    return with_exchanged_links(joint)


def unrepresentable(joint: Joint, reason: str) -> Diagnostic:
    """Return the finding that a joint cannot be written.

    Args:
        joint: The joint.
        reason: The reason, a clause.
    """
    return finding_of(
        codes.JOINT_TYPE,
        joint,
        target="urdf",
        joint=joint.name,
        type=joint.type.value,
        reason=reason,
    )


def _ball(joint: Joint) -> BallConstraint:
    return BallConstraint(
        link_A=joint.parent, link_B=joint.child, p_AP=joint.X_PJ.p, p_BQ=joint.X_CJ.p
    )


def _report_loop(joint: Joint, report: Report, *, is_ball: bool) -> None:
    report.add(
        codes.LOOP_OF_BALL if is_ball else codes.LOOP,
        joint.where,
        subjects=(joint.name, joint.parent, joint.child),
        joint=joint.name,
        outcome="a ball constraint closes it" if is_ball else "it is left out",
    )


def merged(tree: Tree, report: Report) -> Scene:
    """Return the scene with one model, and with poses that follow from the joints.

    Args:
        tree: The tree.
        report: Receives the findings.
    """
    scene, root = tree
    poses = _poses(scene, root)
    unnamed = Model(name=scene.name or "model", X_WM=IDENTITY, canonical_link=None)
    first = scene.models[0] if scene.models else unnamed
    _report_merged(scene, root, poses, report)
    flags = {model.name: model.self_collide for model in scene.models}
    children = {joint.child for joint in scene.joints if joint.parent != WORLD}
    canonical = next(
        (link.name for link in scene.links if link.name not in {WORLD, *children}), None
    )
    links = []
    for link in scene.links:
        self_collide = link.self_collide
        if flags.get(link.model, first.self_collide) != first.self_collide:
            self_collide = bool(self_collide or flags[link.model])
        moved = dataclasses.replace(
            link, model=first.name, X_WL=poses[link.name], virtual=False, self_collide=self_collide
        )
        links.append(moved)
    X_WM = IDENTITY if root is None else poses[root]
    model = dataclasses.replace(first, X_WM=X_WM, canonical_link=canonical)
    return dataclasses.replace(scene, models=(model,), links=tuple(links))


def _report_merged(
    scene: Scene, root: str | None, poses: Mapping[str, Pose], report: Report
) -> None:
    if root is not None and not poses[root].is_close(IDENTITY, 1e-13):
        report.add(codes.ROOT_POSE, subjects=(root,), link=root)
    if len(scene.models) > 1:
        names = tuple(model.name for model in scene.models)
        colliding = {link.model for link in scene.links if link.collisions}
        report.add(
            codes.MERGED_MODELS if len(colliding) > 1 else codes.MERGED_MODELS_NOTED,
            subjects=names,
            models=names,
        )


def _poses(scene: Scene, root: str | None) -> dict[str, Pose]:
    """Return the pose of each link in the world."""
    poses = {WORLD: IDENTITY} | {link.name: link.X_WL for link in scene.links if link.name == root}
    children: dict[str, list[Joint]] = defaultdict(list)
    for joint in scene.joints:
        children[joint.parent].append(joint)
    pending = [WORLD if root is None else root]
    for here in pending:
        for joint in children[here]:
            poses[joint.child] = poses[here] @ joint.X_PJ @ joint.X_CJ.inverse()
            pending.append(joint.child)
    return poses


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

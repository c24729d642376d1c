"""The parts of a scene: its outermost models, or its kinematic trees, each as a separate scene."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from bridge.diff.renaming import renamed
from bridge.export.pose_format import position_values
from loaders.model import WORLD, Joint, JointType, Model
from loaders.scene import Scene
from loaders.scene_queries.connectivity import connected_components, static_links
from loaders.scene_queries.scoped_names import SEPARATOR, free_name, outermost_scope, root_model
from loaders.spatial import IDENTITY, Pose

_ENDS = ("link_A", "link_B", "link_C")
_GROUND = "ground"
"""Name of the model, and of its link, that has the shapes of the world."""


class Part(NamedTuple):
    """One model of an assembly."""

    name: str
    """Name of the model in the assembly."""
    scene: Scene
    """The model, as a scene whose names carry no scope of it."""
    links: Mapping[str, str]
    """Names of its links in its scene by name in the source."""
    joints: Mapping[str, str]
    """Names of its joints in its scene by name in the source."""
    groups: frozenset[str]
    """Names, in the source, of the filter groups in its scene."""


def models_of(scene: Scene) -> tuple[Part, ...]:
    """Return a part for each outermost model of a scene.

    Args:
        scene: The scene.
    """
    root = root_model(scene)
    outermost = sorted((model.name for model in scene.models), key=len)
    groups: dict[str, list[str]] = defaultdict(list)
    for link in scene.links:
        if link.name != WORLD:
            around = (name for name in outermost if link.name.startswith(f"{name}{SEPARATOR}"))
            groups[root.name if root else next(around, outermost_scope(link.name))].append(link.name)
    parts = [_part(scene, name, "" if root else f"{name}{SEPARATOR}", links) for name, links in groups.items()]
    parts = [part._replace(scene=_without_noise(part.scene, part.scene.models[0].X_WM)) for part in parts]
    return (*parts, *_of_world(scene, {part.name for part in parts}))


def _of_world(scene: Scene, taken: Set[str]) -> tuple[Part, ...]:
    """Return a static model for what is fixed to the world without being a link."""
    ground = next((link for link in scene.links if link.name == WORLD), None)
    if ground is None:
        return ()
    name = next(name for name in (f"{_GROUND}{suffix}" for suffix in ("", *range(2, 1000))) if name not in taken)
    model = Model(name=name, X_WM=IDENTITY, canonical_link=_GROUND, static=True)
    link = dataclasses.replace(ground, name=_GROUND, model=name, inertia=None, sensors=())
    part = Scene(name=name, source=scene.source, models=(model,), links=(link,))
    return (Part(name, part, {WORLD: _GROUND}, {}, frozenset()),)


def namespaces(parts: Iterable[Part]) -> tuple[str, ...]:
    """Return the scopes around the names of parts, outer ones first, which are no parts themselves."""
    names = [part.name for part in parts]
    scopes: dict[str, None] = {}
    for name in names:
        words = name.split(SEPARATOR)
        scopes |= dict.fromkeys(SEPARATOR.join(words[:i]) for i in range(1, len(words)))
    return tuple(scope for scope in scopes if scope not in names)


def trees_of(scene: Scene) -> tuple[Part, ...]:
    """Return a part for each kinematic tree of a scene; all that the world holds in one model is one.

    Args:
        scene: The scene.
    """
    loose = dataclasses.replace(scene, models=tuple(dataclasses.replace(model, static=False) for model in scene.models))
    is_model = root_model(scene) is not None
    anchored = static_links(scene)
    for joint in scene.joints:
        if WORLD in (joint.parent, joint.child):
            anchored |= {joint.parent, joint.child}
    trees: dict[tuple[bool, str], list[str]] = defaultdict(list)
    for component in connected_components(loose, _holds):
        names = [name for name in component if name != WORLD]
        if names and anchored & set(names):
            trees[True, "" if is_model else outermost_scope(names[0])].extend(names)
        elif names:
            trees[False, names[0]].extend(names)
    parts = _named_trees(scene, trees.values())
    return (*parts, *_of_world(scene, {part.name for part in parts}))


def _holds(joint: Joint) -> bool:
    """Return whether a joint makes one tree of its links, which a gearbox does not."""
    return WORLD not in (joint.parent, joint.child) and joint.type is not JointType.GEARBOX


def _named_trees(scene: Scene, trees: Iterable[list[str]]) -> tuple[Part, ...]:
    """Return a part for each tree, named after its model if it has one of its own, else after its first root link."""
    ordered = _in_scene_order(scene, trees)
    root = root_model(scene)
    children = {joint.child for joint in scene.joints if joint.parent != WORLD}
    X_WL = {link.name: link.X_WL for link in scene.links}
    taken: set[str] = set()
    parts = []
    for tree in ordered:
        scope = _common_scope(tree) if root is None else ""
        top = next((name for name in tree if name not in children), tree[0])
        preferred = root.name if root is not None and len(ordered) == 1 else top
        if scope and scope not in taken:
            preferred = scope
        name = free_name(preferred.replace(SEPARATOR, "_"), taken)
        taken.add(name)
        part = _part(scene, name, f"{scope}{SEPARATOR}" if scope else "", tree)
        parts.append(part._replace(scene=_without_noise(part.scene, X_WL[top])))
    return tuple(parts)


def _in_scene_order(scene: Scene, trees: Iterable[list[str]]) -> list[list[str]]:
    """Return the links of each tree, and the trees by their first link, in the order of the scene."""
    order = {link.name: i for i, link in enumerate(scene.links) if link.name != WORLD}
    known = (sorted((name for name in tree if name in order), key=order.__getitem__) for tree in trees)
    return sorted(filter(None, known), key=lambda tree: order[tree[0]])


def _common_scope(links: Iterable[str]) -> str:
    """Return the outermost scope of links that are all in it; an empty text if they are not in one scope."""
    scopes = {outermost_scope(name) if SEPARATOR in name else "" for name in links}
    return scopes.pop() if len(scopes) == 1 else ""


# --- scenes ----------------------------------------------------------------------------------------------------------


def _part(scene: Scene, name: str, prefix: str, links: Iterable[str]) -> Part:
    """Return the items that concern some links alone, as a scene.

    Args:
        scene: The whole scene.
        name: Name of the part.
        prefix: Prefix that its names lose.
        links: Names of its links.
    """
    own = frozenset(links)
    held = own | {WORLD}
    joints = tuple(j for j in scene.joints if {j.parent, j.child} <= held and {j.parent, j.child} & own)
    names = frozenset(joint.name for joint in joints)
    groups = _groups(scene, own)
    part = Scene(
        name=name,
        source=scene.source,
        models=_models(scene, name, own),
        links=tuple(link for link in scene.links if link.name in own),
        joints=tuple(dataclasses.replace(joint, default_position=()) for joint in joints),
        frames=tuple(frame for frame in scene.frames if frame.link in own),
        lights=tuple(light for light in scene.lights if light.link in own),
        couplings=tuple(c for c in scene.couplings if {c.follower, c.leader} <= names),
        actuators=tuple(a for a in scene.actuators if a.joint in names),
        constraints=tuple(c for c in scene.constraints if _concerns(c, held, own, names)),
        forces=tuple(f for f in scene.forces if _concerns(f, held, own, names)),
        fluid_forces=tuple(force for force in scene.fluid_forces if force.link in own),
        filter_groups=tuple(group for group in scene.filter_groups if group.name in groups),
        filter_rules=tuple(rule for rule in scene.filter_rules if {rule.a, rule.b} <= groups),
    )
    local = _local(prefix)
    kinds = {
        "link": {key: local(key) for key in own},
        "joint": {key: local(key) for key in names},
        "frame": {frame.name: local(frame.name) for frame in part.frames},
        "light": {light.name: local(light.name) for light in part.lights},
        "group": {key: local(key) for key in groups},
        "actuator": {actuator.name: local(actuator.name) for actuator in part.actuators},
        "model": {model.name: local(model.name) for model in part.models},
    }
    return Part(name, renamed(part, kinds), kinds["link"], kinds["joint"], groups)


def _without_noise(part: Scene, X_WR: Pose) -> Scene:
    """Return a free part that starts at decimals that its document and the directives both state.

    Args:
        part: The part.
        X_WR: The pose that its document states.
    """
    held = any(model.static for model in part.models) or any(WORLD in (j.parent, j.child) for j in part.joints)
    shift = np.subtract(position_values(X_WR.p), X_WR.p)
    if held or not shift.any():
        return part
    X = Pose.of(p=tuple(shift))
    models = tuple(dataclasses.replace(model, X_WM=X @ model.X_WM) for model in part.models)
    return dataclasses.replace(
        part, models=models, links=tuple(dataclasses.replace(link, X_WL=X @ link.X_WL) for link in part.links)
    )


def _local(prefix: str) -> Callable[[str], str]:
    return lambda name: name.removeprefix(prefix) if name != prefix.removesuffix(SEPARATOR) else name


def _models(scene: Scene, name: str, own: Set[str]) -> tuple[Model, ...]:
    """Return the models of the links of a part and those around them; one of the part's name if there is none."""
    used = {f"{link.model}{SEPARATOR}" for link in scene.links if link.name in own}
    models = []
    for model in scene.models:
        if model.name == name or any(scope.startswith(f"{model.name}{SEPARATOR}") for scope in used):
            is_complete = model.canonical_link in own
            models.append(model if is_complete else dataclasses.replace(model, canonical_link=None))
    return tuple(models) or (Model(name=name, X_WM=scene.links[0].X_WL, canonical_link=None),)


def _concerns(item: Any, held: Set[str], own: Set[str], joints: Set[str]) -> bool:
    """Return whether a constraint or force element has ends on links of the part, and at the world, only."""
    if hasattr(item, "joints"):
        return set(item.joints) <= joints
    ends = {getattr(item, key) for key in _ENDS if hasattr(item, key)}
    return ends <= held and bool(ends & own)


def _groups(scene: Scene, own: Set[str]) -> frozenset[str]:
    """Return the filter groups of links of the part only, which no rule relates to others."""
    by_name = {group.name: group for group in scene.filter_groups}
    kept = {group.name for group in scene.filter_groups if set(group.links) <= own}
    while True:
        inside = {name for name in kept if set(by_name[name].groups) <= kept}
        for rule in scene.filter_rules:
            if not {rule.a, rule.b} <= inside:
                inside -= {rule.a, rule.b}
        containing = {name for group in scene.filter_groups if group.name not in inside for name in group.groups}
        inside -= containing
        if inside == kept:
            return frozenset(name for name in kept if by_name[name].links or by_name[name].groups)
        kept = inside

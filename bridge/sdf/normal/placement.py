"""The scope of each item, and legal names that are unique in it."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bridge.diff.renaming import renamed
from bridge.export.names import changed_names
from bridge.export.report import Report
from loaders.diagnostics import Fate
from loaders.model import WORLD, Coupling, FilterGroup, FilterRule, JointType, Model, by_name
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import local_name

from .scopes import Scope, Scopes, common, set_prefixes

_WITHOUT_AXIS = frozenset({JointType.PLANAR, JointType.CURVILINEAR, JointType.BALL, JointType.FIXED})
"""Types of joints that cannot take part in a coupling."""


class Placed(NamedTuple):
    """A scene whose names are those in the document."""

    scene: Scene
    root: Scope
    names: dict[str, str]
    """Names in the document by name in the source, where they differ."""


def placed(scene: Scene, scopes: Scopes, report: Report) -> Placed:
    """Return a scene with its items in scopes, under legal names.

    Args:
        scene: The scene.
        scopes: Its scopes.
        report: Receives the findings.
    """
    set_prefixes(scopes.root)
    places = _Places(scene, scopes)
    scene = _without_unreachable(scene, places, report)
    names: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for model, scope in scopes.by_model.items():
        if scope.model is not None:
            names["model"][model] = scope.model.name
    for kind, items, place in (
        ("link", scene.links, places.of_link),
        ("joint", scene.joints, places.of_joint),
        ("frame", scene.frames, places.of_frame),
    ):
        for item in items:
            scope = place(item.name)
            names[kind][item.name] = scope.prefix + scope.claim(_local(item.name, scope), kind)
    names["group"] = _group_names(scene, places)
    names["light"] = _light_names(scene, names["link"])
    scene = renamed(scene, names)
    models = _models(scopes.root, scene)
    changed = changed_names(names, ("link", "joint", "frame", "light"))
    return Placed(dataclasses.replace(scene, models=models), scopes.root, changed)


def _models(root: Scope, scene: Scene) -> tuple[Model, ...]:
    """Return the models in the order of scopes; one without canonical link has its first, or that of a nested model."""
    stated = {model.name: model.canonical_link for model in scene.models}
    first: dict[str, str] = {}
    for link in scene.links:
        first.setdefault(link.model, link.name)
    canonical: dict[int, str | None] = {}
    scopes = [scope for scope in root.walk() if scope.model is not None]
    for scope in reversed(scopes):
        name = scope.model.name if scope.model is not None else ""
        nested = (canonical[id(child)] for child in scope.children)
        default = first.get(name) or next((link for link in nested if link is not None), None)
        canonical[id(scope)] = stated.get(name) or default
    return tuple(
        dataclasses.replace(scope.model, canonical_link=canonical[id(scope)])
        for scope in scopes
        if scope.model is not None
    )


def _local(name: str, scope: Scope) -> str:
    return name[len(scope.source) :] if scope.source and name.startswith(scope.source) else name


class _Places:
    """The scope of each item of a scene, by name."""

    def __init__(self, scene: Scene, scopes: Scopes) -> None:
        self.root = scopes.root
        self._scopes = scopes
        self._links = {link.name: scopes.by_model.get(link.model, scopes.root) for link in scene.links}
        self._joints = by_name(scene.joints)
        self._leaders = {coupling.follower: coupling.leader for coupling in scene.couplings}
        self._frames = by_name(scene.frames)
        self._placed_joints: dict[str, Scope] = {}

    def of_link(self, name: str) -> Scope:
        """Return the scope of a link: that of its model."""
        return self._links.get(name, self.root)

    def of_joint(self, name: str) -> Scope:
        """Return the innermost scope around a joint, its links and the joint that it follows."""
        if name not in self._placed_joints:
            joint = self._joints[name]
            ends = [
                self.of_link(end) for end in (joint.parent, joint.child, joint.gear_reference or WORLD) if end != WORLD
            ]
            leader = self._joints.get(self._leaders.get(name, ""))
            if leader is not None:
                ends += [self._scopes.of_name(leader.name), self.of_link(leader.child)]
            self._placed_joints[name] = common([self._scopes.of_name(name), *ends])
        return self._placed_joints[name]

    def of_frame(self, name: str) -> Scope:
        """Return the innermost scope around a frame and its link; the world for one that is fixed to it."""
        link = self._frames[name].link
        return self.root if link == WORLD else common([self._scopes.of_name(name), self.of_link(link)])

    def of_links(self, names: Iterable[str], name: str | None = None) -> Scope:
        """Return the innermost scope around some links and, if given, a name."""
        scopes = [self.of_link(link) for link in names if link != WORLD]
        return common([*scopes, *([] if name is None else [self._scopes.of_name(name)])] or [self.root])

    def of_item(self, item: Any) -> Scope:
        """Return the innermost scope around the links or joints of a constraint, force element or filter group."""
        if isinstance(item, FilterGroup):
            return self.of_links(item.links, item.name)
        if hasattr(item, "joints"):
            return common([self.of_joint(joint) for joint in item.joints if joint in self._joints] or [self.root])
        ends = [getattr(item, key) for key in ("link_A", "link_B", "link_C") if hasattr(item, key)]
        return self.of_links(ends)


# --- what has no scope -----------------------------------------------------------------------------------------------


def _without_unreachable(scene: Scene, places: _Places, report: Report) -> Scene:
    """Return the scene without the Drake elements that only the world contains, since they are children of models."""

    def is_in_model(item: Any) -> bool:
        if places.of_item(item).model is not None:
            return True
        _report_out_of_scope(item, report)
        return False

    groups = {group.name for group in scene.filter_groups if group.links or group.groups}
    listed = tuple(group for group in scene.filter_groups if group.name in groups and is_in_model(group))
    known = {group.name: places.of_item(group) for group in listed}
    rules = tuple(
        r for r in scene.filter_rules if {r.a, r.b} <= known.keys() and common([known[r.a], known[r.b]]).model
    )
    kept = set(map(id, rules))  # of thousands of rules, which a search in the tuple would take a square time for
    for rule in scene.filter_rules:
        if id(rule) not in kept and {rule.a, rule.b} <= groups:
            _report_rule(rule, report)
    return dataclasses.replace(
        scene,
        constraints=tuple(filter(is_in_model, scene.constraints)),
        forces=tuple(filter(is_in_model, scene.forces)),
        filter_groups=listed,
        filter_rules=rules,
        couplings=tuple(c for c in scene.couplings if _is_representable(c, scene, report)),
    )


def _report_out_of_scope(item: Any, report: Report) -> None:
    subjects = (item.name,) if isinstance(item, FilterGroup) else getattr(item, "joints", None) or (item.link_A,)
    report.add(
        Fate.DROPPED,
        "sdfout.out-of-scope",
        "a {kind} between several models of a world has no place in SDFormat; left out that of {items}",
        item.where,
        hint="nest the models in one model",
        subjects=subjects,
        items=subjects,
        kind="filter group" if isinstance(item, FilterGroup) else type(item).__name__,
    )


def _report_rule(rule: FilterRule, report: Report) -> None:
    report.add(
        Fate.DROPPED,
        "sdfout.filter-rule",
        "the links of filter groups {a} and {b} may collide, because no model contains both",
        rule.where,
        subjects=(rule.a, rule.b),
        a=rule.a,
        b=rule.b,
    )


def _is_representable(coupling: Coupling, scene: Scene, report: Report) -> bool:
    joints = by_name(scene.joints)
    follower, leader = joints.get(coupling.follower), joints.get(coupling.leader)
    ends = ((follower, coupling.follower_axis), (leader, coupling.leader_axis))
    representable = all(
        joint is not None
        and joint.type.value not in {"planar", "curvilinear", "ball", "fixed"}
        and axis < len(joint.axes)
        for joint, axis in ends
    )
    if not representable:
        report.add(
            Fate.DROPPED,
            "sdfout.coupling",
            "SDFormat cannot couple joint {follower} to joint {leader}, for one of them has no <axis>",
            coupling.where,
            subjects=(coupling.follower, coupling.leader),
            follower=coupling.follower,
            leader=coupling.leader,
        )
    return representable


# --- names -----------------------------------------------------------------------------------------------------------


def _group_names(scene: Scene, places: _Places) -> dict[str, str]:
    """Return the names of filter groups, each in a scope around it from which all groups of its rules can be named.

    Drake demands that no two children of a model have the same name, whatever they are.
    """
    scopes = {group.name: places.of_item(group) for group in scene.filter_groups}
    pairs = [(rule.a, rule.b) for rule in scene.filter_rules]
    pairs += [(group.name, other) for group in scene.filter_groups for other in group.groups if other in scopes]
    for _ in range(len(scopes)):
        before = dict(scopes)
        for a, b in pairs:
            scopes[a] = common([scopes[a], scopes[b]])
        if before == scopes:
            break
    return {
        name: scope.prefix + scope.claim(_local(name, scope).replace("::", "__"), "group")
        for name, scope in scopes.items()
    }


def _light_names(scene: Scene, links: Mapping[str, str]) -> dict[str, str]:
    """Return the names of lights: those on a link are named after it, those of the world have no scope."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for light in scene.lights:
        owner = "" if light.link == WORLD else links.get(light.link, light.link)
        local = (local_name(light.name) if owner else light.name.replace("::", "__")) or "light"
        name = f"{owner}::{local}" if owner else local
        while name in taken:
            name += "_"
        taken.add(name)
        names[light.name] = name
    return names

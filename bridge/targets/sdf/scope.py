"""Scopes of a document, legal names in each, and links and frames for ends that SDFormat cannot fix
to the world.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bridge.targets.elements import ENDS, MASSLESS, child_frame, frame_at
from bridge.targets.numbers import angle_values, is_ill_conditioned
from bridge.targets.report import Report
from bridge.targets.sdf import codes
from bridge.targets.xml import changed_names
from loaders import scoped_names
from loaders.finish.transform import REFERENCES, renamed
from loaders.model import (
    TRAITS,
    WORLD,
    Bushing,
    Coupling,
    FilterGroup,
    Frame,
    Joint,
    JointType,
    Link,
    Model,
    by_name,
)
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, UnusedNames, local_name, root_model, underscores_behind

_RESERVED = re.compile(r"__.*__|world", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")


@dataclass(slots=True, eq=False)
class DocumentScope:
    """The world, or a model."""

    source: str
    """Prefix of names of the source in this scope: empty or ``a::b::``."""
    model: Model | None
    """The model; None for the world."""
    parent: DocumentScope | None
    local: str = ""
    """Name of the model in its parent."""
    prefix: str = ""
    """Prefix of the names in this scope in a scene that is read from the document."""
    children: list[DocumentScope] = field(default_factory=list)
    names: UnusedNames = field(default_factory=UnusedNames)
    """Names in use in this scope."""

    def claim(self, preferred: str, kind: str) -> str:
        """Reserve and return a name that is legal and free in this scope.

        Args:
            preferred: The name to use if it is legal and free.
            kind: Kind of the item, which an illegal name gets as a suffix.
        """
        name = _CONTROL.sub("_", preferred.strip()).replace(SEPARATOR, "__") or kind
        if _RESERVED.fullmatch(name) or name in self.names.taken:
            name = f"{name.strip('_') or kind}_{kind}"
        return self.names.claim(name)

    def ancestors(self) -> list[DocumentScope]:
        """Return this scope and those around it, innermost first."""
        scopes, scope = [], self
        while True:
            scopes.append(scope)
            if scope.parent is None:
                return scopes
            scope = scope.parent

    def walk(self) -> Iterator[DocumentScope]:
        """Yield this scope and those in it, outer ones first."""
        pending = [self]
        while pending:
            scope = pending.pop()
            yield scope
            pending.extend(reversed(scope.children))


class Scopes(NamedTuple):
    """The scopes of a scene."""

    root: DocumentScope
    """The world, or the only outermost model."""
    top: DocumentScope
    """The scope whose names have no prefix in the source: the world, or the only outermost
    model."""
    by_model: dict[str, DocumentScope]
    """Scope of each model, by its name in the source."""
    added: tuple[str, ...]
    """Scopes that the names of the source imply but that have no model in it."""
    by_source: dict[str, DocumentScope]
    """Scope of each prefix of names of the source."""

    def of_name(self, name: str) -> DocumentScope:
        """Return the innermost scope whose prefix a name of the source has."""
        return innermost(self.by_source, name)


def by_prefix(root: DocumentScope) -> dict[str, DocumentScope]:
    """Return the scopes in and below the outermost one, keyed by the prefix of names in the
    document.
    """
    return {scope.prefix: scope for scope in reversed(list(root.walk()))}


def innermost(scopes: Mapping[str, DocumentScope], name: str) -> DocumentScope:
    """Return the innermost scope whose prefix a name has.

    Args:
        scopes: The scopes, keyed by prefix: empty, or with a separator at its end.
        name: The name.
    """
    end = name.rfind(SEPARATOR)
    while end >= 0:
        scope = scopes.get(name[: end + len(SEPARATOR)])
        if scope is not None:
            return scope
        end = name.rfind(SEPARATOR, 0, end + 1)
    return scopes[""]


def common(scopes: Sequence[DocumentScope]) -> DocumentScope:
    """Return the innermost scope that contains all of some scopes, at least one."""
    shared = scopes[0].ancestors()
    for scope in scopes[1:]:
        chain = {id(ancestor) for ancestor in scope.ancestors()}
        shared = [ancestor for ancestor in shared if id(ancestor) in chain]
    return shared[0]


def scopes_of(scene: Scene, *, as_world: bool) -> Scopes:
    """Return the scopes of a scene, outer models before inner ones.

    Args:
        scene: The scene.
        as_world: Whether the document is a world even if the scene is one model.
    """
    outermost = root_model(scene)
    root = DocumentScope(
        source="", model=None if as_world else outermost, parent=None, local=scene.name
    )
    paths: dict[str, DocumentScope] = {}
    by_model: dict[str, DocumentScope] = {}
    if outermost is not None:
        top = root if not as_world else _child(root, "", outermost, outermost.name)
        by_model[outermost.name] = paths[""] = top
    else:
        paths[""] = root
    added: list[str] = []
    for model in sorted(scene.models, key=lambda model: model.name.count(SEPARATOR)):
        if outermost is not None and model.name == outermost.name:
            continue
        path = model.name
        if outermost is not None and path == f"{outermost.name}{SEPARATOR}{outermost.name}":
            path = outermost.name  # a nested model with the name of the outermost one
        by_model[model.name] = paths[path] = _nested(path, model, paths, added)
    order = {
        id(by_model[model.name]): i
        for i, model in enumerate(scene.models)
        if model.name in by_model
    }
    for scope in root.walk():
        scope.children.sort(key=lambda child: order.get(id(child), -1))
    by_source = {scope.source: scope for scope in reversed(list(root.walk()))} | {"": paths[""]}
    return Scopes(root, paths[""], by_model, tuple(added), by_source)


def _nested(
    path: str, model: Model, paths: dict[str, DocumentScope], added: list[str]
) -> DocumentScope:
    """Return a new scope for a model, in scopes that are added where its name implies them."""
    parts = path.split(SEPARATOR)
    parent = paths[""]
    for i in range(1, len(parts)):
        outer = SEPARATOR.join(parts[:i])
        if outer not in paths:
            empty = Model(
                name=outer,
                X_WM=IDENTITY if parent.model is None else parent.model.X_WM,
                canonical_link=None,
            )
            paths[outer] = _child(parent, outer + SEPARATOR, empty, parts[i - 1])
            added.append(outer)
        parent = paths[outer]
    return _child(parent, path + SEPARATOR, model, parts[-1])


def _child(parent: DocumentScope, source: str, model: Model, local: str) -> DocumentScope:
    scope = DocumentScope(source=source, model=model, parent=parent, local=local)
    parent.children.append(scope)
    return scope


def set_prefixes(root: DocumentScope) -> None:
    """Claim the names of all models, and set the prefix and the model's name of each scope
    accordingly.
    """
    for scope in root.walk():
        if scope.parent is None:
            plain = _CONTROL.sub("_", scope.local.strip()).replace(SEPARATOR, "__") or "model"
            if _RESERVED.fullmatch(plain):
                plain = f"{plain.strip('_') or 'model'}_model"
            scope.local = plain
            scope.prefix = ""
            if scope.model is not None:
                scope.model = dataclasses.replace(scope.model, name=scope.local)
            continue
        scope.local = scope.parent.claim(scope.local, "model")
        scope.prefix = f"{scope.parent.prefix}{scope.local}{SEPARATOR}"
        if scope.model is not None:
            scope.model = dataclasses.replace(scope.model, name=_model_name(scope, root))


def _model_name(scope: DocumentScope, root: DocumentScope) -> str:
    name = scope.prefix.removesuffix(SEPARATOR)
    clash = root.model is not None and name == root.local
    return f"{root.local}{SEPARATOR}{name}" if clash else name


class SdfForm(NamedTuple):
    """The normal form of a scene, which a document states: its scopes, and the names in it."""

    scene: Scene
    root: DocumentScope
    names: dict[str, str]
    """Names in the document by name in the source, where they differ."""


def placed(scene: Scene, scopes: Scopes, report: Report) -> SdfForm:
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
    return SdfForm(dataclasses.replace(scene, models=models), scopes.root, changed)


def _models(root: DocumentScope, scene: Scene) -> tuple[Model, ...]:
    """Return the models in the order of scopes; one without canonical link has its first, or that
    of a nested model.
    """
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


def _local(name: str, scope: DocumentScope) -> str:
    return name[len(scope.source) :] if scope.source and name.startswith(scope.source) else name


class _Places:
    """The scope of each item of a scene, by name."""

    def __init__(self, scene: Scene, scopes: Scopes) -> None:
        self.root = scopes.root
        self._scopes = scopes
        self._links = {
            link.name: scopes.by_model.get(link.model, scopes.root) for link in scene.links
        }
        self._joints = by_name(scene.joints)
        self._leaders = {coupling.follower: coupling.leader for coupling in scene.couplings}
        self._frames = by_name(scene.frames)
        self._placed_joints: dict[str, DocumentScope] = {}

    def of_link(self, name: str) -> DocumentScope:
        """Return the scope of a link: that of its model."""
        return self._links.get(name, self.root)

    def of_joint(self, name: str) -> DocumentScope:
        """Return the innermost scope around a joint, its links and the joint that it follows."""
        if name not in self._placed_joints:
            joint = self._joints[name]
            ends = [
                self.of_link(end)
                for end in (joint.parent, joint.child, joint.gear_reference or WORLD)
                if end != WORLD
            ]
            leader = self._joints.get(self._leaders.get(name, ""))
            if leader is not None:
                ends += [self._scopes.of_name(leader.name), self.of_link(leader.child)]
            self._placed_joints[name] = common([self._scopes.of_name(name), *ends])
        return self._placed_joints[name]

    def of_frame(self, name: str) -> DocumentScope:
        """Return the innermost scope around a frame and its link; the world for one that is fixed
        to it.
        """
        link = self._frames[name].link
        if link == WORLD:
            return self.root
        return common([self._scopes.of_name(name), self.of_link(link)])

    def of_links(self, names: Iterable[str], name: str | None = None) -> DocumentScope:
        """Return the innermost scope around some links and, if given, a name."""
        scopes = [self.of_link(link) for link in names if link != WORLD]
        if name is not None:
            scopes.append(self._scopes.of_name(name))
        return common(scopes or [self.root])

    def of_item(self, item: Any) -> DocumentScope:
        """Return the innermost scope around the links or joints of a constraint, force element or
        filter group.
        """
        if isinstance(item, FilterGroup):
            return self.of_links(item.links, item.name)
        if hasattr(item, "joints"):
            return common(
                [self.of_joint(joint) for joint in item.joints if joint in self._joints]
                or [self.root]
            )
        ends = [getattr(item, key) for key in ENDS if hasattr(item, key)]
        return self.of_links(ends)


# --- what has no scope ----------------------------------------------------------------------------


def _without_unreachable(scene: Scene, places: _Places, report: Report) -> Scene:
    """Return the scene without the Drake elements that only the world contains, since they are
    children of models.
    """

    def is_in_model(item: Any) -> bool:
        if places.of_item(item).model is not None:
            return True
        subjects = (
            (item.name,)
            if isinstance(item, FilterGroup)
            else getattr(item, "joints", None) or (item.link_A,)
        )
        report.add(
            codes.OUT_OF_SCOPE,
            item.where,
            subjects=subjects,
            items=subjects,
            kind="filter group" if isinstance(item, FilterGroup) else type(item).__name__,
        )
        return False

    groups = {group.name for group in scene.filter_groups if group.links or group.groups}
    listed = tuple(
        group for group in scene.filter_groups if group.name in groups and is_in_model(group)
    )
    known = {group.name: places.of_item(group) for group in listed}
    rules = tuple(
        r
        for r in scene.filter_rules
        if {r.a, r.b} <= known.keys() and common([known[r.a], known[r.b]]).model
    )
    # of thousands of rules, a search in the tuple would take a time that grows with the square
    kept = set(map(id, rules))
    for rule in scene.filter_rules:
        if id(rule) not in kept and {rule.a, rule.b} <= groups:
            report.add(codes.FILTER_RULE, rule.where, subjects=(rule.a, rule.b), a=rule.a, b=rule.b)
    return dataclasses.replace(
        scene,
        constraints=tuple(filter(is_in_model, scene.constraints)),
        forces=tuple(filter(is_in_model, scene.forces)),
        filter_groups=listed,
        filter_rules=rules,
        couplings=tuple(c for c in scene.couplings if _is_representable(c, scene, report)),
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
            codes.COUPLING,
            coupling.where,
            subjects=(coupling.follower, coupling.leader),
            follower=coupling.follower,
            leader=coupling.leader,
        )
    return representable


# --- names ----------------------------------------------------------------------------------------


def _group_names(scene: Scene, places: _Places) -> dict[str, str]:
    """Return the names of filter groups, each in a scope around it from which all groups of its
    rules can be named.

    Drake demands that no two children of a model have the same name, whatever they are.
    """
    scopes = {group.name: places.of_item(group) for group in scene.filter_groups}
    pairs = [(rule.a, rule.b) for rule in scene.filter_rules]
    for group in scene.filter_groups:
        pairs += [(group.name, other) for other in group.groups if other in scopes]
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
    """Return the names of lights: those on a link are named after it, those of the world have no
    scope.
    """
    names: dict[str, str] = {}
    unused = UnusedNames(form=underscores_behind)
    for light in scene.lights:
        owner = "" if light.link == WORLD else links.get(light.link, light.link)
        local = (local_name(light.name) if owner else light.name.replace("::", "__")) or "light"
        names[light.name] = unused.claim(f"{owner}::{local}" if owner else local)
    return names


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
    ends: set[str] = set()
    for joint in scene.joints:
        if joint.type in DRAKE_JOINTS:
            ends |= {joint.parent, joint.child}
    for item in (*scene.constraints, *scene.forces):
        ends |= {getattr(item, key, "") for key in ENDS}
    return ends


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

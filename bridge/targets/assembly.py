"""A scene as one file for each part, and the directives that assemble them."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from bridge.codes import (
    DMDOUT_FRICTION_RULE,
    DMDOUT_JOINED_LINKS,
    DMDOUT_NAME,
    DMDOUT_OUT_OF_SCOPE,
    DMDOUT_READ_BACK,
    DMDOUT_SPLIT_MODEL,
    DMDOUT_WORLD_SETTINGS,
    DMDOUT_WORLD_SETTINGS_GRAVITY,
    DMDOUT_WORLD_SETTINGS_OF_CONTACT,
    DMDOUT_WORLD_SETTINGS_OF_MOTION,
    DMDOUT_WORLD_SETTINGS_OF_SOLVER,
)
from bridge.targets.elements import ENDS
from bridge.targets.numbers import angle_values, position_values
from bridge.targets.report import LostSettings, report_lost_settings
from loaders.code import Code
from loaders.collision_pairs import connected_components, static_links
from loaders.deferred import cached_property
from loaders.diagnostics import Diagnostic, ExportError
from loaders.finish.transform import renamed
from loaders.model import WORLD, Actuator, Coupling, Joint, JointType, Link, Model
from loaders.pose import IDENTITY, Pose, quaternion_to_matrix, roll_pitch_yaw
from loaders.scene import Scene
from loaders.scoped_names import (
    SEPARATOR,
    UnusedNames,
    free_name,
    outermost_scope,
    root_model,
    scopes_around,
    underscores_behind,
    unused_name,
)
from loaders.text import numbers, printable

from .elements import report_friction, report_pairs_kept_apart
from .folder import AnyBuilt, DocumentFormat, ExportFiles, package_xml
from .report import (
    Report,
    derivation,
    fidelity_text,
    origin_comment,
    read_back,
    read_back_mechanics,
    require_equal,
)
from .xml import Names, file_name, write

_GROUND = "ground"
"""Name of the model, and of its link, that has the shapes of the world."""


class ModelPart(NamedTuple):
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


def models_of(scene: Scene) -> tuple[ModelPart, ...]:
    """Return a part for each outermost model of a scene."""
    root = root_model(scene)
    known = {model.name for model in scene.models}
    groups: dict[str, list[str]] = defaultdict(list)
    for link in scene.links:
        if link.name != WORLD:
            scope, around = outermost_scope(link.name), scopes_around(link.name)
            outermost = next(
                (name for name in around if name in known and name != link.name), scope
            )
            groups[root.name if root else outermost].append(link.name)
    shares = _shares(scene, groups.values())
    parts = [
        _part(scene, share, name, "" if root else f"{name}{SEPARATOR}", links)
        for (name, links), share in zip(groups.items(), shares, strict=True)
    ]
    parts = [
        part._replace(scene=_without_noise(part.scene, part.scene.models[0].X_WM)) for part in parts
    ]
    return (*parts, *_of_world(scene, {part.name for part in parts}))


def _of_world(scene: Scene, taken: Set[str]) -> tuple[ModelPart, ...]:
    """Return a static model for what is fixed to the world without being a link."""
    ground = next((link for link in scene.links if link.name == WORLD), None)
    if ground is None:
        return ()
    name = free_name(_GROUND, taken)
    model = Model(name=name, X_WM=IDENTITY, canonical_link=_GROUND, static=True)
    link = dataclasses.replace(ground, name=_GROUND, model=name, inertia=None, sensors=())
    part = Scene(name=name, source=scene.source, models=(model,), links=(link,))
    return (ModelPart(name, part, {WORLD: _GROUND}, {}, frozenset()),)


def namespaces(parts: Iterable[ModelPart]) -> tuple[str, ...]:
    """Return the scopes around the names of parts, outer ones first, which are no parts
    themselves.
    """
    names = [part.name for part in parts]
    scopes: dict[str, None] = {}
    for name in names:
        words = name.split(SEPARATOR)
        scopes |= dict.fromkeys(SEPARATOR.join(words[:i]) for i in range(1, len(words)))
    return tuple(scope for scope in scopes if scope not in names)


def trees_of(scene: Scene) -> tuple[ModelPart, ...]:
    """Return a part for each kinematic tree of a scene; all that the world holds in one model is
    one.
    """
    loose = dataclasses.replace(
        scene, models=tuple(dataclasses.replace(model, static=False) for model in scene.models)
    )
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


def _named_trees(scene: Scene, trees: Iterable[list[str]]) -> tuple[ModelPart, ...]:
    """Return a part for each tree, named after its model if it has one of its own, else after its
    first root link.
    """
    ordered = _in_scene_order(scene, trees)
    root = root_model(scene)
    children = {joint.child for joint in scene.joints if joint.parent != WORLD}
    X_WL = {link.name: link.X_WL for link in scene.links}
    unused = UnusedNames()
    parts = []
    for tree, share in zip(ordered, _shares(scene, ordered), strict=True):
        scope = _common_scope(tree) if root is None else ""
        top = next((name for name in tree if name not in children), tree[0])
        preferred = root.name if root is not None and len(ordered) == 1 else top
        if scope and scope not in unused.taken:
            preferred = scope
        name = unused.claim(preferred.replace(SEPARATOR, "_"))
        part = _part(scene, share, name, f"{scope}{SEPARATOR}" if scope else "", tree)
        parts.append(part._replace(scene=_without_noise(part.scene, X_WL[top])))
    return tuple(parts)


def _in_scene_order(scene: Scene, trees: Iterable[list[str]]) -> list[list[str]]:
    """Return the links of each tree, and the trees by their first link, in the order of the
    scene.
    """
    order = {link.name: i for i, link in enumerate(scene.links) if link.name != WORLD}
    known = ([name for name in tree if name in order] for tree in trees)
    sorted_trees = [sorted(names, key=order.__getitem__) for names in known if names]
    return sorted(sorted_trees, key=lambda tree: order[tree[0]])


def _common_scope(links: Iterable[str]) -> str:
    """Return the outermost scope of links that are all in it; an empty text if they are not in one
    scope.
    """
    scopes = {outermost_scope(name) if SEPARATOR in name else "" for name in links}
    return scopes.pop() if len(scopes) == 1 else ""


# --- scenes ---------------------------------------------------------------------------------------


def _ends_of(item: Any, joints: Mapping[str, Iterable[str]]) -> Iterable[str]:
    """Return the links that an item concerns.

    Args:
        item: An item of a scene.
        joints: The links of each joint.
    """
    match item:
        case Link():
            return (item.name,)
        case Joint():
            return joints[item.name]
        case Coupling():
            return joints.get(item.follower, ())
        case Actuator():
            return joints.get(item.joint, ())
    named = getattr(item, "joints", ())
    of_joints = [link for joint in named for link in joints.get(joint, ())]
    return of_joints + [getattr(item, key) for key in ("link", *ENDS) if hasattr(item, key)]


_SHARED = (
    "links", "joints", "frames", "lights", "fluid_forces", "couplings", "actuators", "constraints",
    "forces",
)  # fmt: skip
"""Kinds of items that concern links."""


def _shares(scene: Scene, parts: Iterable[Iterable[str]]) -> list[Scene]:
    """Return for each part the scene without items that concern other parts only, so that all
    parts are made in linear time.
    """
    parts = list(parts)
    owner = {link: i for i, links in enumerate(parts) for link in links}
    joints = {joint.name: (joint.parent, joint.child) for joint in scene.joints}
    shares: list[dict[str, list[Any]]] = [defaultdict(list) for _ in parts]
    for kind in _SHARED:
        for item in getattr(scene, kind):
            for i in {owner[link] for link in _ends_of(item, joints) if link in owner}:
                shares[i][kind].append(item)
    around = _parts_around(scene, [share["links"] for share in shares])
    for model in scene.models:
        for i in around.get(model.name, ()):
            shares[i]["models"].append(model)
    scenes: list[Scene] = []
    for share in shares:
        items: dict[str, Any] = {kind: tuple(share[kind]) for kind in (*_SHARED, "models")}
        scenes.append(dataclasses.replace(scene, **items))
    return scenes


def _parts_around(scene: Scene, parts: Iterable[Iterable[Link]]) -> dict[str, list[int]]:
    """Return the parts, by their place, that have links in a model, by its name."""
    root = root_model(scene)
    around: dict[str, list[int]] = defaultdict(list)
    for i, links in enumerate(parts):
        names = {scope for link in links for scope in scopes_around(link.model)}
        names |= {scope for link in links for scope in scopes_around(link.name)}
        for name in names if root is None else names | {root.name}:
            around[name].append(i)
    return around


def _part(scene: Scene, share: Scene, name: str, prefix: str, links: Iterable[str]) -> ModelPart:
    """Return the items that concern some links alone, as a scene.

    Args:
        scene: The whole scene.
        share: The scene without items that concern other parts only.
        name: Name of the part.
        prefix: Prefix that its names lose.
        links: Names of its links.
    """
    own = frozenset(links)
    held = own | {WORLD}
    joints = tuple(
        j for j in share.joints if {j.parent, j.child} <= held and {j.parent, j.child} & own
    )
    names = frozenset(joint.name for joint in joints)
    groups = _groups(scene, own)
    part = Scene(
        name=name,
        source=scene.source,
        models=_models(share, name, own, scene.links[0].X_WL),
        links=tuple(link for link in share.links if link.name in own),
        joints=tuple(dataclasses.replace(joint, default_position=()) for joint in joints),
        frames=tuple(frame for frame in share.frames if frame.link in own),
        lights=tuple(light for light in share.lights if light.link in own),
        couplings=tuple(c for c in share.couplings if {c.follower, c.leader} <= names),
        actuators=tuple(a for a in share.actuators if a.joint in names),
        constraints=tuple(c for c in share.constraints if _concerns(c, held, own, names)),
        forces=tuple(f for f in share.forces if _concerns(f, held, own, names)),
        fluid_forces=tuple(force for force in share.fluid_forces if force.link in own),
        filter_groups=tuple(group for group in scene.filter_groups if group.name in groups),
        filter_rules=tuple(rule for rule in scene.filter_rules if {rule.a, rule.b} <= groups),
    )
    local = _local(prefix)
    kinds = {
        "link": {link.name: local(link.name) for link in part.links},
        "joint": {joint.name: local(joint.name) for joint in joints},
        "frame": {frame.name: local(frame.name) for frame in part.frames},
        "light": {light.name: local(light.name) for light in part.lights},
        "group": {group.name: local(group.name) for group in part.filter_groups},
        "actuator": {actuator.name: local(actuator.name) for actuator in part.actuators},
        "model": {model.name: local(model.name) for model in part.models},
    }
    return ModelPart(name, renamed(part, kinds), kinds["link"], kinds["joint"], groups)


def _without_noise(part: Scene, X_WR: Pose) -> Scene:
    """Return a free part that starts at decimals that its document and the directives both state.

    Args:
        part: The part.
        X_WR: The pose that its document states.
    """
    held = any(model.static for model in part.models) or any(
        WORLD in (j.parent, j.child) for j in part.joints
    )
    shift = np.subtract(position_values(X_WR.p), X_WR.p)
    if held or not shift.any():
        return part
    X = Pose.of(p=tuple(shift))
    models = tuple(dataclasses.replace(model, X_WM=X @ model.X_WM) for model in part.models)
    return dataclasses.replace(
        part,
        models=models,
        links=tuple(dataclasses.replace(link, X_WL=X @ link.X_WL) for link in part.links),
    )


def _local(prefix: str) -> Callable[[str], str]:
    return lambda name: (
        name.removeprefix(prefix) if name != prefix.removesuffix(SEPARATOR) else name
    )


def _models(scene: Scene, name: str, own: Set[str], X_WM: Pose) -> tuple[Model, ...]:
    """Return the models of the links of a part and those around them; one of the part's name, at
    a pose, if there is none.
    """
    used = {name}
    for scope in {link.model for link in scene.links if link.name in own}:
        used |= set(scopes_around(scope))
    models = []
    for model in scene.models:
        if model.name in used:
            is_complete = model.canonical_link in own
            models.append(model if is_complete else dataclasses.replace(model, canonical_link=None))
    return tuple(models) or (Model(name=name, X_WM=X_WM, canonical_link=None),)


def _concerns(item: Any, held: Set[str], own: Set[str], joints: Set[str]) -> bool:
    """Return whether a constraint or force element has ends on links of the part, and at the world,
    only.
    """
    if hasattr(item, "joints"):
        return set(item.joints) <= joints
    ends = {getattr(item, key) for key in ENDS if hasattr(item, key)}
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
        outside = [group for group in scene.filter_groups if group.name not in inside]
        inside -= {name for group in outside for name in group.groups}
        if inside == kept:
            return frozenset(name for name in kept if by_name[name].links or by_name[name].groups)
        kept = inside


_PLAIN = re.compile(r"[A-Za-z_][\w./-]*(::?[\w./-]+)*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})
Lines = list[str]


def word(text: str) -> str:
    """Return a name as a scalar of YAML, in quotes if it could be read as something else."""
    plain = _PLAIN.fullmatch(text) and ": " not in text and text.lower() not in _WORDS
    return text if plain else printable(json.dumps(text, ensure_ascii=False))


def values(sequence: Iterable[float]) -> str:
    """Return numbers as a sequence of YAML, in which a number with an exponent has a point."""
    words = (re.sub(r"^(-?\d+)e", r"\1.0e", text) for text in numbers(sequence).split())
    return f"[{', '.join(words)}]"


def pose_lines(X: Pose, indent: str, base: str | None = None) -> Lines:
    """Return the lines of a transform.

    Args:
        X: The pose.
        indent: The spaces before each line.
        base: The frame that the pose refers to, if it must be named.
    """
    lines = [] if base is None else [f"{indent}base_frame: {word(base)}"]
    lines.append(f"{indent}translation: {values(position_values(X.p))}")
    angles = [math.degrees(angle) for angle in angle_values(X.R)]
    if any(angles):
        lines.append(f"{indent}rotation: !Rpy {{ deg: {values(angles)} }}")
    return lines


def add_model(
    name: str, uri: str, positions: dict[str, Sequence[float]], free_pose: tuple[str, Pose] | None
) -> Lines:
    """Return the directive that adds a model.

    Args:
        name: Its name.
        uri: URI of its file.
        positions: Initial positions of its joints.
        free_pose: Name of its free root and the pose of this, if the file does not state it.
    """
    lines = ["- add_model:", f"    name: {word(name)}", f"    file: {word(uri)}"]
    if positions:
        lines.append("    default_joint_positions:")
        lines += [f"      {word(joint)}: {values(q)}" for joint, q in positions.items()]
    if free_pose is not None:
        lines += [
            "    default_free_body_pose:",
            f"      {word(free_pose[0])}:",
            *pose_lines(free_pose[1], " " * 8),
        ]
    return lines


def add_instance(name: str) -> Lines:
    """Return the directive that adds a namespace."""
    return ["- add_model_instance:", f"    name: {word(name)}"]


def add_frame(name: str, base: str, X_PF: Pose) -> Lines:
    """Return the directive that adds a frame.

    Args:
        name: Its name.
        base: The frame that its pose refers to.
        X_PF: Its pose in that frame.
    """
    return [
        "- add_frame:",
        f"    name: {word(name)}",
        "    X_PF:",
        *pose_lines(X_PF, " " * 6, base),
    ]


def add_weld(parent: str, child: str, X_PC: Pose) -> Lines:
    """Return the directive that welds a link to another.

    Args:
        parent: The parent link.
        child: The child link.
        X_PC: The pose of the child in the parent.
    """
    ends = [f"    parent: {word(parent)}", f"    child: {word(child)}"]
    return ["- add_weld:", *ends, "    X_PC:", *pose_lines(X_PC, " " * 6)]


def add_group(
    name: str, members: Iterable[str], groups: Iterable[str], ignored: Iterable[str]
) -> Lines:
    """Return the directive that adds a collision filter group.

    Args:
        name: Its name.
        members: Its links.
        groups: The groups whose links are members too.
        ignored: The groups with whose links its links do not collide.
    """
    lines = ["- add_collision_filter_group:", f"    name: {word(name)}"]
    lists = (
        ("members", members),
        ("member_groups", groups),
        ("ignored_collision_filter_groups", ignored),
    )
    for key, names in lists:
        listed = [f"    - {word(item)}" for item in names]
        lines += [f"    {key}:", *listed] if listed else []
    return lines


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPart:
    """A part with its document."""

    part: ModelPart
    uri: str
    """URI of its file."""
    names: Mapping[str, str]
    """Names in the document by name in the scene of the part, where they differ."""
    free_pose: tuple[str, Pose] | None = None
    """Name of its free root and the pose of this, if the document cannot state it."""

    def link(self, name: str) -> str:
        """Return the name of a link in the assembly, given that in the source."""
        local = self.part.links[name]
        return f"{self.part.name}{SEPARATOR}{self.names.get(local, local)}"

    def joint(self, name: str) -> str:
        """Return the name of a joint in its document, given that in the source."""
        local = self.part.joints[name]
        return self.names.get(f"joint {local}", self.names.get(local, local))


class Assembly:
    """A scene as directives."""

    def __init__(self, scene: Scene, placed: Sequence[PlacedPart], report: Report) -> None:
        self._scene, self._placed, self._report = scene, placed, report
        self._of_link = {name: item for item in placed for name in item.part.links}
        self._of_joint = {name: item for item in placed for name in item.part.joints}
        self.is_complete = True
        """Whether no joint or element between models was left out."""
        self.names = self._names()
        """Names in the assembly by name in the source, where they differ."""

    def text(self, comment: str) -> str:
        """Return the text of the directives.

        Args:
            comment: The comment at the top.
        """
        lines: Lines = [f"# {comment}", "directives:"]
        for scope in namespaces(item.part for item in self._placed):
            lines += ["", *add_instance(scope)]
        for item in self._placed:
            positions = dict(self._positions(item.part.joints))
            lines += ["", *add_model(item.part.name, item.uri, positions, item.free_pose)]
        for joint in self._scene.joints:
            if joint.name not in self._of_joint:
                lines += self._weld(joint)
        for frame in self._scene.frames:
            if frame.link == WORLD:
                name = self.names.get(f"frame {frame.name}", frame.name)
                lines += ["", *add_frame(name, WORLD, frame.X_LF)]
        for group in self._group_lines():
            lines += ["", *group]
        self._report_rest()
        # without the brackets, YAML reads no value, which Drake refuses
        empty = f"{lines[0]}\n{lines[1]} []\n"
        return "\n".join(lines) + "\n" if len(lines) > 2 else empty

    def _name(self, link: str) -> str:
        return link if link == WORLD else self._of_link[link].link(link)

    def _names(self) -> dict[str, str]:
        links = {name: item.link(name) for item in self._placed for name in item.part.links}
        changed = {old: new for old, new in links.items() if old != new}
        for name, item in self._of_joint.items():
            new = f"{item.part.name}{SEPARATOR}{item.joint(name)}"
            if new != links.get(name, name):
                changed[f"joint {name}" if name in links else name] = new
        frames = {frame.name for frame in self._scene.frames}
        if WORLD in frames:  # a name that Drake reserves
            taken = frames | {item.part.name for item in self._placed}
            changed[f"frame {WORLD}"] = unused_name(
                f"{WORLD}_frame", taken.__contains__, underscores_behind
            )
        return changed

    def _positions(self, joints: Iterable[str]) -> Iterable[tuple[str, Sequence[float]]]:
        """Yield the initial positions of joints as Drake has them: a ball joint has roll, pitch and
        yaw.

        Joints of static models do not move, and are fixed joints in URDF.
        """
        placed = (self._placed_joints[name] for name in joints if name in self._placed_joints)
        for _, joint in sorted(placed, key=itemgetter(0)):
            q: Sequence[float] = joint.default_position
            if joint.type is JointType.BALL:
                q = roll_pitch_yaw(quaternion_to_matrix(q))
            yield self._of_joint[joint.name].joint(joint.name), q

    @cached_property
    def _placed_joints(self) -> dict[str, tuple[int, Joint]]:
        """The joints that move and have an initial position, with their place, by name."""
        held = static_links(self._scene) - {WORLD}
        return {
            joint.name: (i, joint)
            for i, joint in enumerate(self._scene.joints)
            if joint.default_position
            and joint.type is not JointType.FLOATING
            and not {joint.parent, joint.child} & held
        }

    def _weld(self, joint: Joint) -> Lines:
        """Return the weld of two parts; nothing, with a finding, for a joint of another type."""
        if joint.type is not JointType.FIXED or joint.child == WORLD:
            self._lose(joint.name, "joint", (joint.parent, joint.child))
            return []
        X_PC = joint.X_PJ @ joint.X_CJ.inverse()
        return ["", *add_weld(self._name(joint.parent), self._name(joint.child), X_PC)]

    def _group_lines(self) -> Iterable[Lines]:
        stated = {name for item in self._placed for name in item.part.groups}
        members: dict[str, list[str]] = {}
        for group in self._scene.filter_groups:
            placed = [link for link in group.links if link in self._of_link]
            members[group.name] = [self._of_link[link].link(link) for link in placed]
        empty = {
            group.name
            for group in self._scene.filter_groups
            if not members[group.name] and not group.groups
        }
        ignored_by: dict[str, list[str]] = defaultdict(list)
        for rule in self._scene.filter_rules:
            if rule.b not in empty:
                ignored_by[rule.a].append(rule.b)
        for group in self._scene.filter_groups:
            if group.name in stated or group.name in empty:
                continue
            ignored = ignored_by.get(group.name, ())
            yield add_group(
                _plain(group.name),
                members[group.name],
                map(_plain, group.groups),
                map(_plain, ignored),
            )

    # --- what cannot be said ----------------------------------------------------------------------

    def _report_rest(self) -> None:
        """Report the items that no part has, and the settings of the whole scene."""
        scene, parts = self._scene, [item.part.scene for item in self._placed]
        for kind in ("couplings", "actuators", "constraints", "forces", "fluid_forces"):
            count = sum(len(getattr(part, kind)) for part in parts)
            if count < len(getattr(scene, kind)):
                self._lose(scene.name, f"{len(getattr(scene, kind)) - count} of the {kind}", ())
        self._report_split()
        report_pairs_kept_apart(self._scene, self._report, DMDOUT_JOINED_LINKS)
        part_of = {link.name: i for i, part in enumerate(parts) for link in part.links}
        report_friction(
            self._scene,
            self._report,
            DMDOUT_FRICTION_RULE,
            kept=("harmonic",),
            target="harmonic",
            part_of=part_of,
        )
        self._report_settings()

    def _report_settings(self) -> None:
        """Report the settings of the scene that differ from those of directives; gravity that it
        assumes is a note.
        """
        scene = self._scene
        world = dataclasses.replace(
            _DEFAULT, source=scene.source, physics=scene.physics, wind=scene.wind
        )
        report_lost_settings(world, _LOST_SETTINGS, self._report.add)
        lost = [
            key
            for key in ("physics", "spherical_coordinates", "keyframes", "tendons", "contact_pairs")
            if getattr(scene, key) != getattr(_DEFAULT, key)
        ]
        arrays = ("wind", "magnetic_field")
        lost += [
            key for key in arrays if not np.array_equal(getattr(scene, key), getattr(_DEFAULT, key))
        ]
        if any(light.link == WORLD for light in scene.lights):
            lost.append("lights")
        if not np.array_equal(scene.gravity, _DRAKE_GRAVITY):
            lost.append("gravity")
        is_assumed = np.array_equal(scene.gravity, _DEFAULT.gravity)
        if lost:
            self._report.add(
                DMDOUT_WORLD_SETTINGS_GRAVITY
                if lost == ["gravity"] and is_assumed
                else DMDOUT_WORLD_SETTINGS,
                subjects=(scene.name,),
                settings=tuple(name.replace("_", " ") for name in lost),
            )

    def _report_split(self) -> None:
        """Report the models with collisions in several parts."""
        colliding: dict[str, set[str]] = defaultdict(set)
        for link in self._scene.links:
            if link.collisions and link.name != WORLD:
                colliding[link.model].add(self._of_link[link.name].part.name)
        for model, parts in colliding.items():
            if len(parts) > 1:
                self._report.add(
                    DMDOUT_SPLIT_MODEL,
                    subjects=tuple(sorted(parts)),
                    model=model,
                    parts=tuple(sorted(parts)),
                )

    def _lose(self, name: str, kind: str, ends: Sequence[str]) -> None:
        self.is_complete = False
        self._report.add(DMDOUT_OUT_OF_SCOPE, subjects=(name, *ends), kind=kind, item=name)


def _plain(name: str) -> str:
    return name.replace(SEPARATOR, "_")


_DEFAULT = Scene(name="")
_LOST_SETTINGS = LostSettings(
    DMDOUT_WORLD_SETTINGS_OF_MOTION,
    DMDOUT_WORLD_SETTINGS_OF_CONTACT,
    DMDOUT_WORLD_SETTINGS_OF_SOLVER,
)
_DRAKE_GRAVITY = (0.0, 0.0, -9.81)
"""Gravity of every scene that Drake reads from directives [m/s^2]."""


class PartDocument(NamedTuple):
    """The document of a part."""

    built: AnyBuilt
    free_pose: tuple[str, Pose] | None
    """Name of its free root and the pose of this, if the document cannot state it."""
    solved: frozenset[Code]
    """Codes of findings that do not hold in an assembly."""


BuildPart = Callable[[Scene, str], PartDocument]
"""Return the document of a scene, whose assets go to a folder with this URI."""


AsSource = Callable[[Scene, Sequence[PlacedPart], Sequence[AnyBuilt]], Scene]
"""Return a scene that was read with the frames of links where the source has them."""


def _unchanged(found: Scene, _placed: Sequence[PlacedPart], _built: Sequence[AnyBuilt]) -> Scene:
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyFiles(ExportFiles):
    """The files of an assembly that are not written yet."""

    scene: Scene
    """The exported scene."""
    as_source: Callable[[Scene], Scene]
    """Returns what was read, with the frames of links where the scene has them."""


def assembly_files(  # noqa: PLR0913 - the parts of one export
    scene: Scene,
    parts: Sequence[ModelPart],
    build: BuildPart,
    form: DocumentFormat,
    options: Mapping[str, object],
    *,
    as_source: AsSource = _unchanged,
    package: str = "",
    strict: bool = False,
    known: Iterable[Diagnostic] = (),
) -> AssemblyFiles:
    """Return the files of a scene as one document for each part, assembled by Drake's directives.

    The check reads each part back and compares it, and then compares the mechanics of the whole.

    Args:
        scene: The scene.
        parts: Its parts.
        build: Returns the document of a part.
        form: The format of the documents.
        options: The options that differ from their defaults, for the README.
        as_source: Returns a scene that was read with the frames of links where the source has them.
        package: Name of the package; by default that of the scene.
        strict: Whether anything lost or approximated is an error.
        known: The findings about the scene.

    Raises:
        ExportError: with ``strict``, if anything is lost or approximated.
    """
    package, claimed = package or file_name(scene.name), Names()
    package_map = {package: "."}
    report = Report("directives")
    report.entries.extend(known)
    placed: list[PlacedPart] = []
    documents: list[PartDocument] = []
    files_of_parts: dict[str, dict[str, bytes]] = {}
    for part in parts:
        name = claimed.claim("mesh", file_name(part.name))
        document = build(part.scene, f"package://{package}/assets/{name}")
        built, main = document.built, f"{name}{form.suffix}"
        assets = {f"assets/{name}/{file}": data for file, data in built.assets.items()}
        files_of_parts[main] = {main: write(built.root).encode()} | assets
        report.entries.extend(
            entry for entry in built.diagnostics if not entry.is_one_of(document.solved)
        )
        documents.append(document)
        placed.append(
            PlacedPart(
                part=part,
                uri=f"package://{package}/{main}",
                names=built.form.names,
                free_pose=document.free_pose,
            )
        )
    assembly = Assembly(scene, placed, report)
    _report_names(assembly.names, report)
    main = f"{package}.dmd.yaml"
    files = {
        main: assembly.text(origin_comment(scene)).encode(),
        "package.xml": package_xml(package).encode(),
    }
    for files_of_part in files_of_parts.values():
        files |= files_of_part
    files["README.md"] = _readme(scene, main, files_of_parts, form, options).encode()
    files["FIDELITY.md"] = fidelity_text(scene, tuple(report.entries), "directives").encode()
    report.entries.raise_for(ExportError, strict=strict)
    built_parts = [document.built for document in documents]

    def in_frames_of_source(found: Scene) -> Scene:
        return as_source(found, placed, built_parts)

    def check(written: Mapping[str, bytes]) -> None:
        for (part_main, part_files), built in zip(files_of_parts.items(), built_parts, strict=True):
            own = {name: written[name] for name in part_files}
            require_equal(
                read_back(own, part_main, built.form.scene, form.code, package_map=package_map)
            )
        if assembly.is_complete:
            require_equal(
                read_back_mechanics(
                    written,
                    main,
                    _without_losses(scene, placed, built_parts),
                    assembly.names,
                    DMDOUT_READ_BACK,
                    package_map=package_map,
                    as_source=in_frames_of_source,
                )
            )

    return AssemblyFiles(
        main=main,
        files=files,
        diagnostics=tuple(report.entries),
        names=assembly.names,
        check=check,
        scene=scene,
        as_source=in_frames_of_source,
    )


def _without_losses(scene: Scene, placed: Iterable[PlacedPart], built: Iterable[AnyBuilt]) -> Scene:
    """Return the scene without tendons and the reflected inertia that documents lack: the findings
    say so.
    """
    lossy: set[str] = set()
    for item, document in zip(placed, built, strict=True):
        without_inertia: set[str] = set()
        for entry in document.diagnostics:
            lost = entry.arguments.get("kind"), entry.arguments.get("field")
            if lost == ("joint axis", "inertia"):
                without_inertia.update(entry.subjects)
        lossy |= {name for name, local in item.part.joints.items() if local in without_inertia}
    joints = []
    for joint in scene.joints:
        if joint.name in lossy:
            axes = tuple(dataclasses.replace(axis, inertia=0.0) for axis in joint.axes)
            joint = dataclasses.replace(joint, axes=axes)  # noqa: PLW2901 - a copy replaces it
        joints.append(joint)
    return dataclasses.replace(scene, tendons=(), joints=tuple(joints))


def _report_names(names: Mapping[str, str], report: Report) -> None:
    if names:
        report.add(
            DMDOUT_NAME,
            subjects=tuple(name.removeprefix("joint ") for name in names),
            names=tuple(names.items()),
        )


def _readme(
    scene: Scene,
    main: str,
    models: Iterable[str],
    form: DocumentFormat,
    options: Mapping[str, object],
) -> str:
    name = file_name(scene.name)
    lines = [
        f"# {name}",
        "",
        f"`{main}` assembles the models {', '.join(f'`{model}`' for model in models)} in "
        f"{form.title}. Drake and sdfbridge read it.",
        "",
        "```python",
        f"parser.package_map().Add({json.dumps(name)}, FOLDER)  # the folder of this file",
        f'parser.AddModels(f"{{FOLDER}}/{main}")',
        "```",
        "",
        *derivation(scene, form.function, name, options),
        "",
        "[FIDELITY.md](FIDELITY.md) lists what the files cannot represent, or represent with an "
        "error.",
    ]
    return printable("\n".join(lines) + "\n", lines=True)

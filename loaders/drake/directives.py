"""Execution of model directives into a scene, and default positions of joints and free bodies."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, assert_never

import numpy as np

from loaders.collision_pairs import connected_components, is_connection, static_links
from loaders.context import MAX_INCLUDE_DEPTH, Context, Failure, element_count
from loaders.diagnostics import Code, Fate
from loaders.drake import codes
from loaders.drake.yaml_nodes import expect, fields, numbers, parse, read_transform, word, words
from loaders.files.read_file import real_path
from loaders.finish.transform import attach_joints, merge, place
from loaders.model import (
    WORLD,
    Curve,
    FilterGroup,
    FilterRule,
    Frame,
    Joint,
    JointType,
    Motion,
    by_name,
)
from loaders.node import Node
from loaders.pose import (
    IDENTITY,
    Pose,
    frozen,
    matrix_to_quaternion,
    quaternion_to_matrix,
    rotation_about,
)
from loaders.scene import Scene
from loaders.scoped_names import MODEL_FRAME, SEPARATOR, local_name, renaming, root_model
from loaders.text import closest, suggestion
from loaders.xml import read_bytes

GRAVITY = frozen((0.0, 0.0, -9.81))
"""Gravity of Drake [m/s^2], shape (3,), in W."""


@dataclass(frozen=True, slots=True)
class Step:
    """One directive of one file."""

    node: Node
    """The directive."""
    prefix: str
    """Namespace of the directive with a separator at its end, such as ``a::b::``, or empty."""
    context: Context
    """The context of its file."""

    def full(self, name: str) -> str:
        """Return the scoped name of an item in the namespace of the directive; the world is in
        none.
        """
        return name if name == WORLD else self.prefix + name


@dataclass(frozen=True, slots=True)
class LoadedModelFile:
    """A model file, read once for all models made of it."""

    scene: Scene | None
    """The scene of the file; None if it could not be read."""
    findings: range
    """Indices of the diagnostics that were recorded while the file was read."""
    instances: list[str] = field(default_factory=list)
    """Scoped names of the models made of it."""


@dataclass(slots=True)
class SceneBuilder:
    """The scene under construction."""

    context: Context
    """The context of the load."""
    scenes: list[Scene] = field(default_factory=list)
    """The scenes of the models, in order."""
    models: set[str] = field(default_factory=set)
    """Scoped names of all models: of the files, of models nested in them, and of instances without
    a file."""
    frames: dict[str, tuple[str, Pose]] = field(default_factory=lambda: {WORLD: (WORLD, IDENTITY)})
    """Link L and ``X_LF`` of every frame F, keyed by scoped name."""
    local: dict[str, list[str]] = field(default_factory=dict)
    """Scoped names of frames, keyed by local name."""
    added: list[Frame] = field(default_factory=list)
    """Frames that the directives add."""
    joints: list[Joint] = field(default_factory=list)
    """Welds that the directives add."""
    joint_names: set[str] = field(default_factory=set)
    """Scoped names of all joints."""
    joined: set[frozenset[str]] = field(default_factory=set)
    """Pairs of links that a joint connects; a floating joint does not."""
    free_poses: list[FreePose] = field(default_factory=list)
    """Initial poses of free bodies."""
    groups: list[FilterGroup] = field(default_factory=list)
    """Filter groups that the directives add."""
    rules: list[FilterRule] = field(default_factory=list)
    """Filter rules that the directives add."""
    files: dict[Path, LoadedModelFile] = field(default_factory=dict)
    """The model files, keyed by real path."""
    missing: set[str] = field(default_factory=set)
    """Scoped names of the models and frames that could not be added."""

    def add_joints(self, *joints: Joint) -> None:
        """Add the names and links of joints to those that no weld may repeat."""
        self.joint_names.update(joint.name for joint in joints)
        self.joined.update(
            frozenset((joint.parent, joint.child)) for joint in joints if is_connection(joint)
        )

    def add_frame(self, name: str, link: str, X_LF: Pose) -> None:
        """Add a frame F that directives may refer to.

        Args:
            name: Scoped name.
            link: Name of the link L to which it is fixed.
            X_LF: Pose of F in L.
        """
        self.frames[name] = (link, X_LF)
        self.local.setdefault(local_name(name), []).append(name)

    def find(self, name: str, node: Node) -> str | None:
        """Return the scoped name of a frame, or None with a diagnostic; an unambiguous local name
        is sufficient.

        Args:
            name: The name in the directive.
            node: The element that has the name.
        """
        matches = self.matches(name)
        if len(matches) == 1:
            return matches[0]
        if self.follows(name):
            return None
        if not matches:
            hint = suggestion(name, self.frames)
            node.report(codes.DIRECTIVES_UNKNOWN_FRAME, hint=hint, frame=name)
            return None
        candidates = tuple(matches)
        node.report(
            codes.DIRECTIVES_UNKNOWN_FRAME_AMBIGUOUS,
            subjects=candidates,
            frame=name,
            candidates=candidates,
        )
        return None

    def follows(self, name: str) -> bool:
        """Return whether a name is unknown only because its model or frame could not be added,
        which is reported.

        Lenient loading reports each directive that it leaves out.

        Args:
            name: The scoped name.
        """
        scopes = accumulate(name.split(SEPARATOR), lambda scope, part: f"{scope}{SEPARATOR}{part}")
        return not self.context.diagnostics.lenient and any(
            scope in self.missing for scope in scopes
        )

    def matches(self, name: str) -> list[str]:
        """Return the scoped names of the frames that a name in a directive may refer to."""
        if name in self.frames:
            return [name]
        return self.local.get(name, []) if SEPARATOR not in name else []

    def scene(self, name: str) -> Scene:
        """Return the scene, with every link at its pose."""
        empty = Scene(
            name=name, gravity=GRAVITY, collision_policy="drake", friction_rule="harmonic"
        )
        scene = dataclasses.replace(merge(empty, *self.scenes), gravity=GRAVITY)
        scene = place_free_bodies(attach_joints(scene, self.joints), self.free_poses)
        return dataclasses.replace(
            scene,
            frames=scene.frames + tuple(self.added),
            filter_groups=scene.filter_groups + tuple(self.groups),
            filter_rules=scene.filter_rules + tuple(self.rules),
        )


_NAME_KEYS = {
    "add_model": ("name",),
    "add_model_instance": ("name",),
    "add_frame": ("name",),
    "add_weld": ("parent", "child"),
    "add_collision_filter_group": ("name",),
    "add_directives": ("model_namespace",),
}
"""The fields of each directive that name what it is about."""
_NAMES_FRAMES = {"add_frame", "add_weld"}
"""Directives whose names may lack their scope if they are unambiguous."""


class Subjects:
    """The subjects of the findings of one file of directives."""

    def __init__(self, builder: SceneBuilder) -> None:
        self._builder = builder
        self._diagnostics = builder.context.diagnostics
        self._findings: list[tuple[range, tuple[str, ...]]] = []

    @contextmanager
    def of(self, step: Step) -> Iterator[None]:
        """Regard the findings recorded inside the context as findings about a directive."""
        start = len(self._diagnostics)
        yield
        self._findings.append((range(start, len(self._diagnostics)), self._names(step)))

    def _names(self, step: Step) -> tuple[str, ...]:
        children = (step.node.peek(key) for key in _NAME_KEYS[step.node.tag])
        names = [
            step.full(child.text.strip())
            for child in children
            if child is not None and child.text.strip()
        ]
        if step.node.tag not in _NAMES_FRAMES:
            return tuple(names)
        matches = ((name, self._builder.matches(name)) for name in names)
        return tuple(found[0] if len(found) == 1 else name for name, found in matches)

    def assign(self) -> None:
        """Rename the subjects of the findings of model files; set those of the findings that have
        none.
        """
        for file in self._builder.files.values():
            scopes = [(name, name + SEPARATOR) for name in file.instances]
            self._diagnostics.rename_subjects(file.findings, renaming(file.scene, scopes))
        for findings, names in self._findings:
            self._diagnostics.add_missing_subjects(findings, names)


_POSE = ("base_frame", "translation", "rotation")


def build(root: Node, context: Context) -> Scene:
    """Return the scene of the directives of a file and of the files that it includes.

    Args:
        root: The document.
        context: The context of the load.
    """
    builder = SceneBuilder(context)
    subjects = Subjects(builder)
    pending = [iter(_steps(root, "", context))]
    while pending:
        step = next(pending[-1], None)
        if step is None:
            pending.pop()
        elif len(pending) > MAX_INCLUDE_DEPTH:
            step.node.report(codes.DIRECTIVES_INCLUDE_CYCLE_TOO_DEEP)
            pending.pop()
        else:
            with subjects.of(step):
                if step.node.tag == "add_directives":
                    pending.append(iter(_included(step, builder)))
                else:
                    _DIRECTIVES[step.node.tag](step, builder)
    subjects.assign()
    return builder.scene(Path(root.file).name.removesuffix(".yaml").removesuffix(".dmd"))


# --- files ----------------------------------------------------------------------------------------


def _steps(root: Node, prefix: str, context: Context) -> list[Step]:
    """Return the directives of one file."""
    if not fields(root, ("directives",)):
        return []
    items = root.children[0]
    steps = []
    known = (*_DIRECTIVES, "add_directives")
    for item in items.children if expect(items, "sequence") else ():
        if not expect(item, "mapping"):
            continue
        if len(item.children) != 1:
            item.report(codes.DIRECTIVES_ONE_KEY, known=known)
        elif item.children[0].tag not in known:
            name = item.children[0].tag
            hint = suggestion(name, known)
            item.report(codes.DIRECTIVES_UNKNOWN_DIRECTIVE, hint=hint, directive=name, known=known)
        else:
            steps.append(Step(item.children[0], prefix, context))
    return steps


def _included(step: Step, builder: SceneBuilder) -> list[Step]:
    node = step.node
    if not fields(node, ("file",), ("model_namespace",)):
        return []
    namespace = word(node, "model_namespace")
    prefix = step.prefix
    if namespace:
        _check_scope(step.full(namespace), node, builder)
        prefix = step.full(namespace) + SEPARATOR
    path = _find_file(step)
    if path is None:
        return []
    real = Path(real_path(path))
    if real in step.context.including:
        node.report(codes.DIRECTIVES_INCLUDE_CYCLE, file=path.name)
        return []
    data = read_bytes(path, builder.context.diagnostics)
    root = None if data is None else parse(data, str(path), builder.context.diagnostics)
    return [] if root is None else _steps(root, prefix, step.context.inside(real))


def _find_file(step: Step) -> Path | None:
    uri = word(step.node, "file")
    child = step.node.peek("file")
    if child is None or not uri:
        return None
    if "://" not in uri and not Path(uri).is_absolute():
        child.report(codes.DIRECTIVES_RELATIVE_FILE, uri=uri)
    found = step.context.resources.search(uri, Path(child.file).parent, child)
    if not isinstance(found, Failure):
        return found
    code = found.at_include(codes.DIRECTIVES_UNKNOWN_FILE)
    leniency = codes.DIRECTIVES_UNKNOWN_FILE.leniency
    child.report(code, hint=found.hint, leniency=leniency, **found.arguments)
    return None


# --- directives -----------------------------------------------------------------------------------


def _add_model(step: Step, builder: SceneBuilder) -> None:
    node = step.node
    if not fields(node, ("file", "name"), ("default_joint_positions", "default_free_body_pose")):
        return
    name = step.full(word(node, "name"))
    if not _is_new(name, node, builder):
        return
    path = _find_file(step)
    scene = None if path is None else _read_model(path, name, step, builder)
    root = None if scene is None else root_model(scene)
    if scene is None or root is None:
        builder.missing.add(name)
        return
    builder.context.diagnostics.spend("elements", element_count(scene))
    placed = read_positions(node, name, place(scene, name, root.X_WM))
    repeated = [model.name for model in placed.models if not _is_new(model.name, node, builder)]
    if repeated:
        builder.missing.add(name)
        return
    builder.models.update(model.name for model in placed.models)
    builder.scenes.append(placed)
    builder.add_joints(*placed.joints)
    _add_frames_of(placed, builder)
    _read_free_poses(step, name, placed, builder)


def _read_model(path: Path, name: str, step: Step, builder: SceneBuilder) -> Scene | None:
    real = Path(real_path(path))
    if path.suffix.lower() in {".yaml", ".yml"}:
        step.node.report(codes.DIRECTIVES_NOT_ONE_MODEL, file=path.name)
        return None
    if real not in builder.files:
        start = len(builder.context.diagnostics)
        scene = step.context.read_file(path, step.context)
        builder.files[real] = LoadedModelFile(scene, range(start, len(builder.context.diagnostics)))
    builder.files[real].instances.append(name)
    scene = builder.files[real].scene
    if scene is not None and root_model(scene) is None:
        step.node.report(codes.DIRECTIVES_NOT_ONE_MODEL_INSIDE, file=path.name)
        return None
    return scene


def _add_frames_of(scene: Scene, builder: SceneBuilder) -> None:
    links = by_name(scene.links)
    for link in scene.links:
        if link.name != WORLD:
            builder.add_frame(link.name, link.name, IDENTITY)
    for frame in scene.frames:
        builder.add_frame(frame.name, frame.link, frame.X_LF)
    for model in scene.models:
        X_WL = links[model.canonical_link].X_WL if model.canonical_link else IDENTITY
        name = model.name + SEPARATOR + MODEL_FRAME
        builder.add_frame(name, model.canonical_link or WORLD, X_WL.inverse() @ model.X_WM)


def _read_free_poses(step: Step, model: str, scene: Scene, builder: SceneBuilder) -> None:
    poses = step.node.peek("default_free_body_pose")
    for node in poses.children if poses is not None and expect(poses, "mapping") else ():
        names = [link.name for link in scene.links] if not node.tag else []
        if not node.tag and len(names) != 1:
            node.report(
                codes.DIRECTIVES_UNKNOWN_FRAME_OF_MODEL,
                subjects=(model,),
                model=model,
                count=len(names),
            )
            continue
        name = names[0] if names else builder.find(f"{model}{SEPARATOR}{node.tag}", node)
        if name is None or not fields(node, (), _POSE):
            continue
        base = builder.find(step.full(word(node, "base_frame", WORLD)), node)
        if base is not None:
            (link_B, X_BF), (link_C, X_LC) = builder.frames[base], builder.frames[name]
            is_joint = base != WORLD or name != link_C
            X_BC = X_BF @ read_transform(node)
            builder.free_poses.append(FreePose(link_C, X_LC, link_B, X_BC, is_joint, node))


def _add_instance(step: Step, builder: SceneBuilder) -> None:
    if fields(step.node, ("name",)):
        name = step.full(word(step.node, "name"))
        if _is_new(name, step.node, builder):
            builder.models.add(name)


def _is_new(model: str, node: Node, builder: SceneBuilder) -> bool:
    """Return whether no model has this scoped name; report one that does."""
    is_new = model not in builder.models and model not in builder.missing
    if not is_new:
        node.report(codes.DIRECTIVES_DUPLICATE_MODEL, subjects=(model,), model=model)
    return is_new


def _check_scope(name: str, node: Node, builder: SceneBuilder) -> None:
    """Report a scope in which there is no model."""
    if name in builder.models or builder.follows(name):
        return
    node.report(codes.DIRECTIVES_UNKNOWN_NAMESPACE, namespace=name)


def _add_frame(step: Step, builder: SceneBuilder) -> None:
    if not fields(step.node, ("name", "X_PF")):
        return
    pose = step.node.peek("X_PF")
    if pose is None or not fields(pose, ("base_frame",), _POSE):
        return
    name = word(step.node, "name")
    base = builder.find(step.full(word(pose, "base_frame")), pose)
    if base is None:
        builder.missing.add(step.full(name))
        return
    link, X_LB = builder.frames[base]
    scope = base.rpartition(SEPARATOR)[0]
    inside = scope + SEPARATOR + name if scope else name  # a frame on the world is in no namespace
    full = step.full(name) if SEPARATOR in name else inside
    X_LF = X_LB @ read_transform(pose)
    if SEPARATOR in name:
        _check_scope(full.rpartition(SEPARATOR)[0], step.node, builder)
    if full in builder.frames:
        step.node.report(codes.DIRECTIVES_DUPLICATE_FRAME, subjects=(full,), frame=full)
        return
    builder.add_frame(full, link, X_LF)
    builder.added.append(Frame(name=full, link=link, X_LF=X_LF, where=step.node.where))


def _add_weld(step: Step, builder: SceneBuilder) -> None:
    node = step.node
    if not fields(node, ("parent", "child"), ("X_PC",)):
        return
    parent, child = (builder.find(step.full(word(node, key)), node) for key in ("parent", "child"))
    pose = node.peek("X_PC")
    if parent is None or child is None or (pose is not None and not fields(pose, (), _POSE[1:])):
        return
    if child == WORLD:
        node.report(codes.DIRECTIVES_WELD_WORLD)
        return
    if builder.frames[parent][0] == builder.frames[child][0]:
        node.report(codes.SAME_BODY_OF_WELD, subjects=(parent, child), parent=parent, child=child)
        return
    weld = _weld(child, parent, IDENTITY if pose is None else read_transform(pose), node, builder)
    if weld.name in builder.joint_names or frozenset((weld.parent, weld.child)) in builder.joined:
        node.report(
            codes.DIRECTIVES_DUPLICATE_WELD,
            subjects=(weld.parent, weld.child),
            parent=parent,
            child=child,
            joint=weld.name,
        )
        return
    builder.joints.append(weld)
    builder.add_joints(weld)


def _weld(child: str, parent: str, X_PC: Pose, node: Node, builder: SceneBuilder) -> Joint:
    """Return the joint that welds frame C to frame P, with the name that Drake gives it."""
    (link_P, X_LP), (link_C, X_LC) = builder.frames[parent], builder.frames[child]
    scope, _, name = child.rpartition(SEPARATOR)
    name = f"{local_name(parent)}_welds_to_{name}"
    return Joint(
        name=f"{scope}{SEPARATOR}{name}" if scope else name,
        type=JointType.FIXED,
        parent=link_P,
        child=link_C,
        X_PJ=X_LP @ X_PC,
        X_CJ=X_LC,
        where=node.where,
    )


def _add_group(step: Step, builder: SceneBuilder) -> None:
    node = step.node
    lists = ("members", "member_groups", "ignored_collision_filter_groups")
    if not fields(node, ("name",), (*lists, "model_namespace")):
        return
    prefix = step.prefix or _namespace_of_group(node, builder)
    if step.prefix and node.has("model_namespace"):
        scope = step.prefix.removesuffix(SEPARATOR)
        node.report(codes.DIRECTIVES_IGNORED_NAMESPACE, scope=scope)
    name = prefix + word(node, "name")
    if SEPARATOR in word(node, "name"):
        node.report(codes.SCOPED_GROUP, name=word(node, "name"))
    links = []
    for member, item in words(node, lists[0]):
        link, _ = builder.frames.get(prefix + member, ("", IDENTITY))
        if link != WORLD and link and link == prefix + member:
            links.append(link)
        elif not builder.follows(prefix + member):
            item.report(codes.UNKNOWN_MEMBER, link=prefix + member)
    member_groups = tuple(prefix + group for group, _ in words(node, lists[1]))
    if not links and not member_groups and not node.has(lists[0]):
        node.report(codes.EMPTY_GROUP, group=name)
    builder.groups.append(
        FilterGroup(
            name=name, links=tuple(dict.fromkeys(links)), groups=member_groups, where=node.where
        )
    )
    ignored = words(node, lists[2])
    builder.rules.extend(
        FilterRule(a=name, b=prefix + group, where=item.where) for group, item in ignored
    )


def _namespace_of_group(node: Node, builder: SceneBuilder) -> str:
    """Return the namespace that a filter group states, with a separator at its end, or nothing."""
    namespace = word(node, "model_namespace")
    if not namespace:
        return ""
    _check_scope(namespace, node, builder)
    return namespace + SEPARATOR


_DIRECTIVES: dict[str, Callable[[Step, SceneBuilder], None]] = {
    "add_model": _add_model,
    "add_model_instance": _add_instance,
    "add_frame": _add_frame,
    "add_weld": _add_weld,
    "add_collision_filter_group": _add_group,
}


def read(data: bytes, file: str, context: Context) -> Scene | None:
    """Read a file of directives with all models that it adds.

    The scene is a world: every name carries the scope of its model. Gravity is that of Drake, 9.81
    m/s^2 downward. Findings go to ``context.diagnostics``; after an error the returned scene is
    incomplete and must not be used.

    Source: the documentation of ``drake/multibody/parsing``, "Model Directives", as of pydrake
    1.51.

    Args:
        data: Contents of the file.
        file: Name of the file for diagnostics.
        context: The context of the load.
    """
    root = parse(data, file, context.diagnostics)
    return None if root is None else build(root, context)


def bases_of(scene: Scene, number: Mapping[str, int]) -> dict[int, str]:
    """Return the link that carries the others in each component: the first that no joint carries,
    or the first one.

    Args:
        scene: The scene.
        number: The number of the component of each link.
    """
    carried = {joint.child for joint in scene.joints if is_connection(joint)}
    names = [link.name for link in scene.links]
    bases: dict[int, str] = {}
    for name in (*(name for name in names if name not in carried), *names):
        bases.setdefault(number[name], name)
    return bases


def initial_link_poses(scene: Scene, bases: Sequence[str]) -> dict[str, Pose]:
    """Return ``X_WL`` of every link and of the world with all joints at their initial positions.

    Args:
        scene: The scene; joints without an initial position are at zero, and couplings do not
            count, as in Drake.
        bases: The links that stay where they are at zero, one of each component of the scene but
            that of the world.
    """
    X_WL = {WORLD: IDENTITY, **{link.name: link.X_WL for link in scene.links}}
    if not any(any(joint.default_position) for joint in scene.joints):
        return X_WL
    incident: dict[str, list[Joint]] = {name: [] for name in X_WL}
    for joint in filter(is_connection, scene.joints):
        incident[joint.parent].append(joint)
        incident[joint.child].append(joint)
    pending = [WORLD, *sorted(static_links(scene) - {WORLD}), *bases]
    seen = set(pending)
    for here in pending:  # the list grows during the loop
        for joint in incident[here]:
            is_reversed = joint.child == here
            there = joint.parent if is_reversed else joint.child
            if there not in seen:
                seen.add(there)
                X_PC = joint.X_PJ @ displacement(joint) @ joint.X_CJ.inverse()
                X_WL[there] = X_WL[here] @ (X_PC.inverse() if is_reversed else X_PC)
                pending.append(there)
    return X_WL


def displacement(joint: Joint) -> Pose:
    """Return the pose of the child joint frame in the parent joint frame at the initial position of
    a joint.
    """
    q = joint.default_position
    if not any(q):
        return IDENTITY
    match joint.type:
        case JointType.BALL:
            return Pose.of(quaternion_to_matrix(q))
        case JointType.SCREW:
            (axis,) = joint.axes
            return Pose.of(rotation_about(axis.xyz, q[0]), q[0] * joint.pitch / math.tau * axis.xyz)
        case JointType.CURVILINEAR:
            return IDENTITY if joint.curve is None else _along_curve(joint.curve, q[0])
        case (
            JointType.REVOLUTE
            | JointType.CONTINUOUS
            | JointType.PRISMATIC
            | JointType.UNIVERSAL
            | JointType.REVOLUTE2
            | JointType.PLANAR
        ):
            return _in_series(joint)
        case JointType.FIXED | JointType.GEARBOX | JointType.FLOATING:
            return IDENTITY
        case _:
            assert_never(joint.type)


def _in_series(joint: Joint) -> Pose:
    """Return the pose at the initial position of a joint with a hinge or slide for each axis."""
    X = IDENTITY
    motions = zip(joint.type.traits.motions, joint.axes, joint.default_position, strict=False)
    for motion, axis, value in motions:
        X = X @ (
            Pose.of(rotation_about(axis.xyz, value))
            if motion is Motion.HINGE
            else Pose.of(p=value * axis.xyz)
        )
    return X


def _along_curve(curve: Curve, position: float) -> Pose:
    """Return the pose at a position [m] along a curve, which turns about the normal of its plane.

    A periodic curve goes on at its start; the first and last piece of another one go on beyond its
    ends.
    """
    length = sum(arc.length for arc in curve.arcs)
    rest = position % length if curve.periodic and length > 0.0 else position
    X = IDENTITY
    for i, arc in enumerate(curve.arcs):
        is_last = i == len(curve.arcs) - 1
        s = rest if is_last else min(rest, arc.length)
        X = X @ _along_arc(curve, arc.curvature, s)
        rest -= s
        if rest <= 0.0:
            break
    return X


def _along_arc(curve: Curve, curvature: float, s: float) -> Pose:
    """Return the pose at an arc length from the start of an arc, in the frame of its start."""
    if curvature == 0.0:
        return Pose.of(p=s * curve.initial_tangent)
    R = rotation_about(curve.plane_normal, s * curvature)
    center = np.cross(curve.plane_normal, curve.initial_tangent) / curvature
    return Pose.of(R, center - R @ center)


def read_positions(add_model: Node, model: str, scene: Scene) -> Scene:
    """Return the scene of a model with the initial positions in the directive.

    Args:
        add_model: The directive.
        model: Scoped name of the model.
        scene: The scene of the model.
    """
    node = add_model.peek("default_joint_positions")
    if node is None or not expect(node, "mapping"):
        return scene
    joints = by_name(scene.joints)
    for child in node.children:
        name = f"{model}{SEPARATOR}{child.tag}"
        joint = joints.get(name)
        if joint is None:
            close = closest(name, joints)
            hint = f"did you mean {close.removeprefix(model + SEPARATOR)}?" if close else ""
            child.report(
                codes.DIRECTIVES_UNKNOWN_JOINT,
                hint=hint,
                subjects=(model,),
                joint=child.tag,
                model=model,
            )
        else:
            joints[name] = _with_default_position(joint, child)
    return dataclasses.replace(scene, joints=tuple(joints.values()))


def _with_default_position(joint: Joint, node: Node) -> Joint:
    values = numbers(node)
    size = joint.type.traits.position_count
    if joint.type is JointType.BALL:
        size = 3  # Drake uses roll, pitch and yaw
    elif joint.type is JointType.FLOATING:
        size = 0  # Drake has a free body and no joint
    if len(values) != size:
        node.report(
            codes.DIRECTIVES_POSITION_COUNT,
            subjects=(joint.name,),
            type=joint.type.value,
            joint=joint.name,
            size=size,
            count=len(values),
        )
        return joint
    if joint.type is JointType.BALL:
        values = matrix_to_quaternion(Pose.from_xyz_rpy((0.0, 0.0, 0.0), values).R)
    return dataclasses.replace(joint, default_position=values)


class FreePose(NamedTuple):
    """The initial pose of a body that is to be free: of its frame C, measured from a frame F on
    another link.
    """

    child: str
    """The link of C."""
    X_LC: Pose
    """Pose of C in its link."""
    base: str
    """The link of F, or `WORLD`."""
    X_BC: Pose
    """Pose of C, measured from the link of F."""
    is_joint: bool
    """Whether Drake makes a joint of it: unless C is the frame of the link and F the frame of the
    world."""
    node: Node
    """The element with the pose."""


def place_free_bodies(scene: Scene, poses: Sequence[FreePose]) -> Scene:
    """Return the scene with free bodies, and what they carry, at their initial poses; report poses
    that have no effect.

    Args:
        scene: The scene with all its joints.
        poses: The poses, in order.
    """
    if not poses:
        return scene
    components = connected_components(scene, is_connection)
    number = {name: i for i, names in enumerate(components) for name in names}
    bases = bases_of(scene, number)
    used = _used(poses, number, bases)
    X_WL = initial_link_poses(scene, [link for i, link in bases.items() if i])
    X_VW = _motions(used, number, X_WL)
    at_zero = {link.name: link.X_WL for link in scene.links}
    return _moved(
        scene, {pose.child: X_VW[i] @ at_zero[pose.child] for i, pose in used.items() if i in X_VW}
    )


def _used(
    poses: Sequence[FreePose], number: Mapping[str, int], bases: Mapping[int, str]
) -> dict[int, FreePose]:
    """Return the pose that each component has, keyed by its number; joints precede poses of bodies,
    as in Drake.
    """
    used: dict[int, FreePose] = {}
    for pose in sorted(poses, key=lambda pose: not pose.is_joint):
        i = number[pose.child]
        if i == 0:
            _report(pose, codes.DIRECTIVES_UNUSED_POSE)
        elif i in used:
            _report(pose, codes.DIRECTIVES_UNUSED_POSE_SECOND)
        elif number[pose.base] == i:
            _report(pose, codes.DIRECTIVES_UNUSED_POSE_CYCLE)
        elif not pose.is_joint and pose.child != bases[i]:
            _report(pose, codes.DIRECTIVES_UNUSED_POSE_CARRIED, bases[i])
        else:
            used[i] = pose
    return used


def _report(pose: FreePose, code: Code, base: str = "") -> None:
    """Report a pose without effect; where Drake makes a joint of it, it refuses the loop."""
    pose.node.report(
        code.variant(fate=Fate.INVALID) if pose.is_joint else code,
        subjects=(pose.child,),
        link=pose.child,
        base=base,
    )


def _motions(
    used: Mapping[int, FreePose], number: Mapping[str, int], X_WL: Mapping[str, Pose]
) -> dict[int, Pose]:
    """Return the motion ``X_VW`` of each component with a pose, after that of what it is measured
    from.
    """
    X_VW: dict[int, Pose] = {}
    for start in used:
        chain: dict[int, None] = {}
        below = start
        while below in used and below not in X_VW and below not in chain:
            chain[below] = None
            below = number[used[below].base]
        if below in chain:
            _report(used[start], codes.DIRECTIVES_UNUSED_POSE_CYCLE)
            continue
        for i in reversed(chain):
            pose = used[i]
            X_WF = X_VW.get(number[pose.base], IDENTITY) @ X_WL[pose.base]
            X_VW[i] = X_WF @ pose.X_BC @ pose.X_LC.inverse() @ X_WL[pose.child].inverse()
    return X_VW


def _moved(scene: Scene, X_WL: Mapping[str, Pose]) -> Scene:
    """Return the scene with links at poses, and what is connected to them moved along."""
    temporary = [
        Joint(name="", type=JointType.FIXED, parent=WORLD, child=link, X_PJ=pose, X_CJ=IDENTITY)
        for link, pose in X_WL.items()
    ]
    moved = attach_joints(scene, temporary)
    return replace(moved, joints=moved.joints[: len(scene.joints)])

"""What each directive does, in order, and the scene that comes out."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from loaders.context import MAX_INCLUDE_DEPTH, Context
from loaders.diagnostics import Fate
from loaders.model import WORLD, FilterGroup, FilterRule, Frame, Joint, JointType, by_name
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import attach_joints, merge, place
from loaders.scene_queries.scoped_names import SEPARATOR, local_name, root_model
from loaders.spatial import IDENTITY, Pose, frozen
from loaders.xml import read_bytes

from .default_positions import read_positions
from .transforms import read_transform
from .yaml_nodes import expect, fields, parse, word, words

GRAVITY = frozen((0.0, 0.0, -9.81))

_MAX_NAMES_TO_COMPARE = 500
_POSE = ("base_frame", "translation", "rotation")


def build(root: Node, context: Context) -> Scene:
    """Carry out the directives of a file and of those that it names, in order."""
    work = _Work(context)
    pending = [iter(_steps(root, "", context))]
    while pending:
        step = next(pending[-1], None)
        if step is None:
            pending.pop()
        elif len(pending) > MAX_INCLUDE_DEPTH:
            step.node.invalid("directives.include-cycle", "the files of directives name each other without end")
            pending.pop()
        elif step.node.tag == "add_directives":
            pending.append(iter(_included(step, work)))
        else:
            _DIRECTIVES[step.node.tag](step, work)
    return work.scene(Path(root.file).name.partition(".")[0])


@dataclass(frozen=True, slots=True)
class _Step:
    """One directive, and the namespace that it stands in: empty or ``a::b::``."""

    node: Node
    prefix: str
    context: Context

    def full(self, name: str) -> str:
        """A name as the scene has it; the world is the same everywhere."""
        return name if name == WORLD else self.prefix + name


@dataclass(slots=True)
class _Work:
    """What has been added so far."""

    context: Context
    scenes: list[Scene] = field(default_factory=list)
    instances: set[str] = field(default_factory=set)
    models: dict[str, Scene] = field(default_factory=dict)
    frames: dict[str, tuple[str, Pose]] = field(default_factory=lambda: {WORLD: (WORLD, IDENTITY)})
    """Link L and ``X_LF`` of everything that can be named."""
    local: dict[str, list[str]] = field(default_factory=dict)
    """Full names by their last part."""
    added: list[Frame] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    placements: list[Joint] = field(default_factory=list)
    """Where free bodies start: welds for the moment of placing them."""
    groups: list[FilterGroup] = field(default_factory=list)
    rules: list[FilterRule] = field(default_factory=list)
    files: dict[Path, Scene | None] = field(default_factory=dict)

    def name_frame(self, name: str, link: str, X_LF: Pose) -> None:
        """Make a frame known."""
        self.frames[name] = (link, X_LF)
        self.local.setdefault(local_name(name), []).append(name)

    def find(self, name: str, node: Node) -> str | None:
        """The full name of a frame; a name without scope may be that of any model if there is only one."""
        if name in self.frames:
            return name
        found = self.local.get(name, []) if SEPARATOR not in name else []
        if len(found) == 1:
            return found[0]
        problem = f"{name!r} may be any of {', '.join(found)}" if found else f"there is no frame or link {name!r}"
        few = len(self.frames) <= _MAX_NAMES_TO_COMPARE
        close = difflib.get_close_matches(name, self.frames, n=1) if few else []
        node.invalid(
            "directives.unknown-frame", problem, hint=f"did you mean {close[0]}?" if close and not found else ""
        )
        return None

    def scene(self, name: str) -> Scene:
        """All of it, with every link in its place."""
        shell = Scene(name=name, gravity=GRAVITY)
        whole = dataclasses.replace(merge(shell, *self.scenes), gravity=GRAVITY)
        whole = attach_joints(whole, [*self.joints, *self.placements])
        temporary = {id(joint) for joint in self.placements}
        return dataclasses.replace(
            whole,
            joints=tuple(joint for joint in whole.joints if id(joint) not in temporary),
            frames=whole.frames + tuple(self.added),
            filter_groups=whole.filter_groups + tuple(self.groups),
            filter_rules=whole.filter_rules + tuple(self.rules),
        )


# --- files -----------------------------------------------------------------------------------------------------------


def _steps(root: Node, prefix: str, context: Context) -> list[_Step]:
    """The directives of one file."""
    if not fields(root, ("directives",)):
        return []
    listing = root.children[0]
    steps = []
    for item in listing.children if expect(listing, "sequence") else ():
        known = ", ".join((*_DIRECTIVES, "add_directives"))
        if not expect(item, "mapping"):
            continue
        if len(item.children) != 1:
            item.invalid("directives.one-key", "a directive is exactly one of {known}", known=known)
        elif item.children[0].tag not in (*_DIRECTIVES, "add_directives"):
            item.invalid(
                "directives.unknown-directive", "{tag!r} is none of {known}", tag=item.children[0].tag, known=known
            )
        else:
            steps.append(_Step(item.children[0], prefix, context))
    return steps


def _included(step: _Step, work: _Work) -> list[_Step]:
    node = step.node
    if not fields(node, ("file",), ("model_namespace",)):
        return []
    namespace = word(node, "model_namespace")
    prefix = step.prefix
    if namespace:
        if step.full(namespace) not in {*work.instances, *work.models}:
            node.invalid(
                "directives.unknown-namespace",
                "the namespace {full!r} does not exist",
                hint="add it by add_model_instance before",
                full=step.full(namespace),
            )
        prefix = step.full(namespace) + SEPARATOR
    path = _find_file(step)
    if path is None:
        return []
    real = path.resolve()
    if real in step.context.including:
        node.invalid("directives.include-cycle", "{path} includes itself", path=path.name)
        return []
    data = read_bytes(path, work.context.diagnostics)
    root = None if data is None else parse(data, str(path), work.context.diagnostics)
    return [] if root is None else _steps(root, prefix, step.context.inside(real))


def _find_file(step: _Step) -> Path | None:
    uri = word(step.node, "file")
    child = step.node.peek("file")
    if child is None or not uri:
        return None
    if "://" not in uri and not Path(uri).is_absolute():
        child.report(
            Fate.ASSUMED,
            "directives.relative-file",
            "{uri!r} is taken from the folder of this file; Drake itself refuses a relative name",
            hint="write package://",
            uri=uri,
        )
    path = step.context.resources.find(uri, Path(child.file).parent, child)
    if path is None:
        child.invalid("directives.unknown-file", "the file {uri!r} is not found", uri=uri)
    return path


# --- directives ------------------------------------------------------------------------------------------------------


def _add_model(step: _Step, work: _Work) -> None:
    node = step.node
    if not fields(node, ("file", "name"), ("default_joint_positions", "default_free_body_pose")):
        return
    name = step.full(word(node, "name"))
    if name in {*work.models, *work.instances}:
        node.invalid("directives.duplicate-model", "a second model is called {name}", name=name)
        return
    path = _find_file(step)
    scene = None if path is None else _read_model(path, step, work)
    root = None if scene is None else root_model(scene)
    if scene is None or root is None:
        return
    there = read_positions(node, name, place(scene, name, root.X_WM))
    work.models[name] = there
    work.scenes.append(there)
    _name_parts(there, work)
    _read_free_poses(step, name, there, work)


def _read_model(path: Path, step: _Step, work: _Work) -> Scene | None:
    real = path.resolve()
    if path.suffix.lower() in {".yaml", ".yml"}:
        step.node.invalid(
            "directives.not-one-model", "{path} holds directives", hint="use add_directives", path=path.name
        )
        return None
    if real not in work.files:
        work.files[real] = step.context.read_file(path, step.context)
    scene = work.files[real]
    if scene is not None and root_model(scene) is None:
        step.node.invalid("directives.not-one-model", "{path} does not hold exactly one model", path=path.name)
        return None
    return scene


def _name_parts(scene: Scene, work: _Work) -> None:
    links = by_name(scene.links)
    for link in scene.links:
        if link.name != WORLD:
            work.name_frame(link.name, link.name, IDENTITY)
    for frame in scene.frames:
        work.name_frame(frame.name, frame.link, frame.X_LF)
    for model in scene.models:
        X_WL = links[model.canonical_link].X_WL if model.canonical_link else IDENTITY
        name = model.name + SEPARATOR + "__model__"
        work.name_frame(name, model.canonical_link or WORLD, X_WL.inverse() @ model.X_WM)


def _read_free_poses(step: _Step, model: str, scene: Scene, work: _Work) -> None:
    poses = step.node.peek("default_free_body_pose")
    for node in poses.children if poses is not None and expect(poses, "mapping") else ():
        names = [link.name for link in scene.links] if not node.tag else []
        if not node.tag and len(names) != 1:
            node.invalid(
                "directives.unknown-frame",
                "the model {model} has {count} bodies; name the one that is free",
                model=model,
                count=len(names),
            )
            continue
        name = names[0] if names else work.find(f"{model}{SEPARATOR}{node.tag}", node)
        if name is None or not fields(node, (), _POSE):
            continue
        base = work.find(step.full(word(node, "base_frame", WORLD)), node)
        if base is not None:
            work.placements.append(_weld(name, base, read_transform(node), node, work))


def _add_instance(step: _Step, work: _Work) -> None:
    if fields(step.node, ("name",)):
        name = step.full(word(step.node, "name"))
        if name in {*work.models, *work.instances}:
            step.node.invalid("directives.duplicate-model", "a second model is called {name}", name=name)
        work.instances.add(name)


def _add_frame(step: _Step, work: _Work) -> None:
    if not fields(step.node, ("name", "X_PF")):
        return
    pose = step.node.peek("X_PF")
    if pose is None or not fields(pose, ("base_frame",), _POSE):
        return
    base = work.find(step.full(word(pose, "base_frame")), pose)
    if base is None:
        return
    link, X_LB = work.frames[base]
    name = word(step.node, "name")
    scope = base.rpartition(SEPARATOR)[0]
    full = step.full(name) if SEPARATOR in name or not scope else scope + SEPARATOR + name
    X_LF = X_LB @ read_transform(pose)
    if full in work.frames:
        step.node.invalid("directives.duplicate-frame", "a second frame is called {full}", full=full)
        return
    work.name_frame(full, link, X_LF)
    work.added.append(Frame(name=full, link=link, X_LF=X_LF, where=step.node.where))


def _add_weld(step: _Step, work: _Work) -> None:
    node = step.node
    if not fields(node, ("parent", "child"), ("X_PC",)):
        return
    parent, child = (work.find(step.full(word(node, key)), node) for key in ("parent", "child"))
    pose = node.peek("X_PC")
    if parent is None or child is None or (pose is not None and not fields(pose, (), _POSE[1:])):
        return
    if child == WORLD:
        node.invalid(
            "directives.weld-world", "the world cannot be the child of a weld", hint="exchange parent and child"
        )
        return
    if work.frames[parent][0] == work.frames[child][0]:
        node.invalid("drake.same-body", "{parent} and {child} are on one link", parent=parent, child=child)
        return
    X_PC = IDENTITY if pose is None else read_transform(pose)
    work.joints.append(_weld(child, parent, X_PC, node, work))


def _weld(child: str, parent: str, X_PC: Pose, node: Node, work: _Work) -> Joint:
    """The joint that welds frame C to frame P, named as Drake names it."""
    (link_P, X_LP), (link_C, X_LC) = work.frames[parent], work.frames[child]
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


def _add_group(step: _Step, work: _Work) -> None:
    node = step.node
    lists = ("members", "member_groups", "ignored_collision_filter_groups")
    if not fields(node, ("name",), (*lists, "model_namespace")):
        return
    namespace = word(node, "model_namespace")
    prefix = f"{step.prefix}{namespace}{SEPARATOR}" if namespace else step.prefix
    name = prefix + word(node, "name")
    if SEPARATOR in word(node, "name"):
        node.invalid(
            "drake.scoped-group", "the name of a filter group, {word!r}, must have no scope", word=word(node, "name")
        )
    links = []
    for member, item in words(node, lists[0]):
        link, _ = work.frames.get(prefix + member, ("", IDENTITY))
        if link and link == prefix + member:
            links.append(link)
        else:
            item.invalid("drake.unknown-member", "the member {value!r} is no link", value=prefix + member)
    inner = tuple(prefix + group for group, _ in words(node, lists[1]))
    if not links and not inner and not node.has(lists[0]):
        node.invalid("drake.empty-group", "the filter group {name} has no members", name=name)
    work.groups.append(FilterGroup(name=name, links=tuple(dict.fromkeys(links)), groups=inner, where=node.where))
    ignored = words(node, lists[2])
    work.rules.extend(FilterRule(a=name, b=prefix + group, where=item.where) for group, item in ignored)


_DIRECTIVES: dict[str, Callable[[_Step, _Work], None]] = {
    "add_model": _add_model,
    "add_model_instance": _add_instance,
    "add_frame": _add_frame,
    "add_weld": _add_weld,
    "add_collision_filter_group": _add_group,
}

"""Execution of directives, in order, into a scene."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from loaders.context import MAX_INCLUDE_DEPTH, Context, element_count
from loaders.diagnostics import Fate
from loaders.model import WORLD, FilterGroup, FilterRule, Frame, Joint, JointType, by_name
from loaders.node import Node
from loaders.safety.suggestions import suggestion
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import place
from loaders.scene_queries.scoped_names import SEPARATOR, local_name, root_model
from loaders.search.failures import Failure
from loaders.spatial import IDENTITY, Pose
from loaders.xml import read_bytes

from .default_positions import read_positions
from .finding_subjects import Subjects
from .free_poses import FreePose
from .scene_builder import ModelFile, SceneBuilder, Step
from .transforms import read_transform
from .yaml_nodes import expect, fields, parse, word, words

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
            step.node.invalid(
                "directives.include-cycle", "the files of directives include each other, or are nested too deep"
            )
            pending.pop()
        else:
            with subjects.of(step):
                if step.node.tag == "add_directives":
                    pending.append(iter(_included(step, builder)))
                else:
                    _DIRECTIVES[step.node.tag](step, builder)
    subjects.assign()
    return builder.scene(Path(root.file).name.removesuffix(".yaml").removesuffix(".dmd"))


# --- files -----------------------------------------------------------------------------------------------------------


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
            item.invalid("directives.one-key", "a directive must have exactly one key, one of: {known}", known=known)
        elif item.children[0].tag not in known:
            message, name = "unknown directive {directive!r}; expected one of: {known}", item.children[0].tag
            hint = suggestion(name, known)
            item.invalid("directives.unknown-directive", message, hint=hint, directive=name, known=known)
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
    real = path.resolve()
    if real in step.context.including:
        node.invalid("directives.include-cycle", "{file} includes itself", file=path.name)
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
        child.report(
            Fate.ASSUMED,
            "directives.relative-file",
            "the relative path {uri!r} refers to the folder of this file; Drake refuses relative paths",
            hint="write package://",
            uri=uri,
        )
    found = step.context.resources.search(uri, Path(child.file).parent, child)
    if not isinstance(found, Failure):
        return found
    code = "directives.unknown-file" if found.fate is Fate.DROPPED else found.code
    child.invalid(code, found.template, hint=found.hint, leniency="the directive is left out", **found.arguments)
    return None


# --- directives ------------------------------------------------------------------------------------------------------


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
    real = path.resolve()
    if path.suffix.lower() in {".yaml", ".yml"}:
        message = "{file} is a file of directives"
        step.node.invalid("directives.not-one-model", message, hint="use add_directives", file=path.name)
        return None
    if real not in builder.files:
        start = len(builder.context.diagnostics)
        scene = step.context.read_file(path, step.context)
        builder.files[real] = ModelFile(scene, range(start, len(builder.context.diagnostics)))
    builder.files[real].instances.append(name)
    scene = builder.files[real].scene
    if scene is not None and root_model(scene) is None:
        step.node.invalid("directives.not-one-model", "{file} must contain exactly one model", file=path.name)
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
        name = model.name + SEPARATOR + "__model__"
        builder.add_frame(name, model.canonical_link or WORLD, X_WL.inverse() @ model.X_WM)


def _read_free_poses(step: Step, model: str, scene: Scene, builder: SceneBuilder) -> None:
    poses = step.node.peek("default_free_body_pose")
    for node in poses.children if poses is not None and expect(poses, "mapping") else ():
        names = [link.name for link in scene.links] if not node.tag else []
        if not node.tag and len(names) != 1:
            node.invalid(
                "directives.unknown-frame",
                "model {model} has {count} bodies; the pose requires the name of one",
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
        node.invalid("directives.duplicate-model", "duplicate model name {model}", subjects=(model,), model=model)
    return is_new


def _check_scope(name: str, node: Node, builder: SceneBuilder) -> None:
    """Report a scope in which there is no model."""
    if name in builder.models or builder.follows(name):
        return
    message, hint = "unknown namespace {namespace!r}", "add it with add_model_instance first"
    node.invalid("directives.unknown-namespace", message, hint=hint, namespace=name)


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
        step.node.invalid("directives.duplicate-frame", "duplicate frame name {frame}", subjects=(full,), frame=full)
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
        message = "the world cannot be the child of a weld"
        node.invalid("directives.weld-world", message, hint="exchange parent and child")
        return
    if builder.frames[parent][0] == builder.frames[child][0]:
        message = "{parent} and {child} are on the same link"
        node.invalid("drake.same-body", message, subjects=(parent, child), parent=parent, child=child)
        return
    weld = _weld(child, parent, IDENTITY if pose is None else read_transform(pose), node, builder)
    if weld.name in builder.joint_names or frozenset((weld.parent, weld.child)) in builder.joined:
        message = "{parent} and {child} are on links that a joint connects already, or a joint is named {joint}"
        hint = "remove the weld, or weld the child by another frame"
        names = {"parent": parent, "child": child, "joint": weld.name}
        node.invalid("directives.duplicate-weld", message, hint=hint, subjects=(weld.parent, weld.child), **names)
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
        message = "ignored model_namespace, as Drake ignores it in a file that is added with the namespace {scope}"
        hint = "remove it, and write members and groups with their scope in that namespace"
        scope = step.prefix.removesuffix(SEPARATOR)
        node.report(Fate.DROPPED, "directives.ignored-namespace", message, hint=hint, scope=scope)
    name = prefix + word(node, "name")
    if SEPARATOR in word(node, "name"):
        message = "the filter group name {name!r} must not contain ::"
        node.invalid("drake.scoped-group", message, name=word(node, "name"))
    links = []
    for member, item in words(node, lists[0]):
        link, _ = builder.frames.get(prefix + member, ("", IDENTITY))
        if link != WORLD and link and link == prefix + member:
            links.append(link)
        elif not builder.follows(prefix + member):
            item.invalid("drake.unknown-member", "unknown member {link!r}: there is no such link", link=prefix + member)
    member_groups = tuple(prefix + group for group, _ in words(node, lists[1]))
    if not links and not member_groups and not node.has(lists[0]):
        node.invalid("drake.empty-group", "filter group {group} has no members", group=name)
    builder.groups.append(
        FilterGroup(name=name, links=tuple(dict.fromkeys(links)), groups=member_groups, where=node.where)
    )
    ignored = words(node, lists[2])
    builder.rules.extend(FilterRule(a=name, b=prefix + group, where=item.where) for group, item in ignored)


def _namespace_of_group(node: Node, builder: SceneBuilder) -> str:
    """Return the namespace that a filter group states, with a separator at its end, or nothing."""
    namespace = word(node, "model_namespace")
    if namespace:
        _check_scope(namespace, node, builder)
    return namespace and namespace + SEPARATOR


_DIRECTIVES: dict[str, Callable[[Step, SceneBuilder], None]] = {
    "add_model": _add_model,
    "add_model_instance": _add_instance,
    "add_frame": _add_frame,
    "add_weld": _add_weld,
    "add_collision_filter_group": _add_group,
}

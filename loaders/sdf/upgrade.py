"""Upgrade of versions 1.0 to 1.11 to 1.12.

The names are those of libsdformat's ``.convert`` files. ``at`` selects the elements that a rule
applies to: ``world/model`` is a path from the root, ``//joint/axis`` starts at every ``<joint>``
except inside plugins and elements of other namespaces. Source and target are paths from the
selected element; their last step may be an attribute, as in ``xyz/@expressed_in``.

This differs from libsdformat's ``<unflatten>`` in three points. A prefix ends only at ``::``; the
whole model is unflattened, not only the elements before its first nested model; and a group stays
flat if one of its elements refers to a name outside the group.

Source: the descriptions ``sdf/1.0`` to ``sdf/1.12`` of libsdformat and its ``.convert`` files.
Versions that change nothing have no rules. Three rules are ours, because the ``.convert`` files
lose these values: ``mesh/filename``, ``ode/provide_feedback``, and the elements of 1.0 whose paths
are misspelled in them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from typing import Any

from loaders.node import Node
from loaders.numbers import whole_number
from loaders.scoped_names import MODEL_FRAME, SEPARATOR
from loaders.sdf import codes
from loaders.sdf.material import GAZEBO_SCRIPT
from loaders.xml import MAX_DEPTH


@dataclass(frozen=True, slots=True)
class Move:
    """Move the element or attribute at ``source`` to ``target``, unless the target exists."""

    at: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy the text at ``source`` to each target."""

    at: str
    source: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename an element that has ``attribute`` to ``<tag>``, and make the attribute's value its
    text.
    """

    at: str
    attribute: str
    tag: str


@dataclass(frozen=True, slots=True)
class Add:
    """Add a child ``<tag>`` with this text, unless there is one."""

    at: str
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove the children with this tag."""

    at: str
    tag: str


@dataclass(frozen=True, slots=True)
class Map:
    """Set ``target`` to ``value`` if the child ``flag`` is true."""

    at: str
    flag: str
    target: str
    value: str


@dataclass(frozen=True, slots=True)
class Unflatten:
    """Move the elements of a model that are named ``a::b`` into a nested model ``a``, under the
    name ``b``.
    """

    at: str


Rule = Move | Copy | Rename | Add | Remove | Map | Unflatten


def attributes_to_elements(at: str, names: str) -> tuple[Rule, ...]:
    """Return rules that turn attributes into child elements of the same names.

    Args:
        at: The elements that have the attributes.
        names: The attributes, separated by spaces.
    """
    return tuple(Move(at, "@" + name, name) for name in names.split())


_SCOPE_INDEPENDENT = frozenset({"", MODEL_FRAME, "world"})
"""References that are valid, with the meaning that libsdformat gives them, in a nested model
too."""
_NAMED = frozenset({"frame", "joint", "link", "model"})
_REFERENCE_ELEMENTS = {
    "joint": ("parent", "child", "gearbox_reference_body"),
    "gripper": ("gripper_link", "palm_link"),
}
"""Child elements whose text is a reference, by the tag of their parent."""

Reference = tuple[Node, str]
"""An element, and its attribute that names a frame; an empty attribute means its text."""


def unflatten(model: Node) -> None:
    """Move flattened elements of a model, and of all models in it, into nested models, in place."""
    pending = [model]
    while pending:
        scope = pending.pop()
        for prefix, members in _group_by_prefix(scope).items():
            if not any(
                _leaves_group(reference, prefix)
                for member in members
                for reference in _references(member)
            ):
                _nest(scope, prefix, members)
        pending.extend(child for child in scope.children if child.tag == "model")


def _group_by_prefix(scope: Node) -> dict[str, list[Node]]:
    """Return the flattened elements by the prefix of their names, in document order."""
    groups: dict[str, list[Node]] = {}
    for child in scope.children:
        prefix = _prefix(child)
        if prefix:
            groups.setdefault(prefix, []).append(child)
    return groups


def _prefix(member: Node) -> str:
    """Return the name of the nested model that an element belongs to; empty if it is not flattened.

    A gripper belongs to the model of the links that it names; its own name has no prefix.
    """
    if member.tag in _NAMED:
        names = {member.attributes.get("name", "")}
    elif member.tag == "gripper":
        names = {_read(reference) for reference in _references(member)}
    else:
        return ""
    prefixes = {
        name.partition(SEPARATOR)[0] if 0 < name.count(SEPARATOR) < MAX_DEPTH else ""
        for name in names
    }
    return prefixes.pop() if len(prefixes) == 1 else ""


def _nest(scope: Node, prefix: str, members: list[Node]) -> None:
    """Move the members of a group into a new model at the end of the scope."""
    moved = set(map(id, members))
    scope.children = [child for child in scope.children if id(child) not in moved]
    model = scope.add("model", name=prefix)
    model.line = members[0].line
    members[0].report(codes.UNFLATTENED, prefix=prefix)
    for member in members:
        member.parent = None
        _remove_prefix(member, prefix)
        if member.tag == "frame" and member.attributes["name"] == MODEL_FRAME:
            _apply_model_frame(model, member)
        else:
            model.append(member)


def _remove_prefix(member: Node, prefix: str) -> None:
    """Remove the prefix from the name of an element and from its references."""
    for reference in _references(member):
        _write(reference, _read(reference).removeprefix(prefix + SEPARATOR))
    member.attributes["name"] = member.attributes.get("name", "").removeprefix(prefix + SEPARATOR)


def _apply_model_frame(model: Node, frame: Node) -> None:
    """Take the pose and the canonical link of a nested model from the frame that represented it."""
    for pose in (child for child in list(frame.children) if child.tag == "pose"):
        model.append(pose)
    link = frame.attributes.get("attached_to", "")
    if link:
        model.attributes["canonical_link"] = link


# --- references -----------------------------------------------------------------------------------


def _references(member: Node) -> Iterator[Reference]:
    """Yield every reference in an element to a frame of the model around it."""
    if member.tag == "frame":
        yield member, "attached_to"
    for tag in _REFERENCE_ELEMENTS.get(member.tag, ()):
        yield from ((child, "") for child in member.children if child.tag == tag)
    if not _represents_model(member):
        yield from _frame_attributes(member)


def _frame_attributes(member: Node) -> Iterator[Reference]:
    """Yield the references in the poses and axes of an element."""
    pending = [member]
    while pending:
        node = pending.pop()
        if node.tag == "pose":
            yield node, "relative_to"
        elif node.tag == "xyz":
            yield node, "expressed_in"
        pending.extend(child for child in node.children if _is_in_same_scope(child, member))


def _represents_model(member: Node) -> bool:
    """Return whether an element is the frame ``a::__model__``.

    Its pose becomes that of the nested model, so the references in it keep their scope.
    """
    name = member.attributes.get("name", "")
    return (
        member.tag == "frame"
        and name.endswith(SEPARATOR + MODEL_FRAME)
        and name.count(SEPARATOR) == 1
    )


def _is_in_same_scope(child: Node, member: Node) -> bool:
    """Return whether references in a descendant are looked up in the same scope as those of the
    member.
    """
    return (
        child.tag != "plugin"
        and ":" not in child.tag
        and (member.tag != "model" or child.tag == "pose")
    )


def _read(reference: Reference) -> str:
    node, attribute = reference
    return (node.attributes.get(attribute, "") if attribute else node.text).strip()


def _write(reference: Reference, text: str) -> None:
    node, attribute = reference
    if not attribute:
        node.text = text
    elif attribute in node.attributes:
        node.attributes[attribute] = text


def _leaves_group(reference: Reference, prefix: str) -> bool:
    name = _read(reference)
    return name not in _SCOPE_INDEPENDENT and not name.startswith(prefix + SEPARATOR)


Version = tuple[int, int]
"""Major and minor version number."""

NEWEST: Version = (1, 12)
"""The version that older files are upgraded to."""

"""The script of Gazebo's own materials, which files of version 1.0 name without a URI."""

_ATTRIBUTES_1_0 = {
    "//animation": "filename scale interpolate_x",
    "//attenuation": "range linear constant quadratic",
    "//axis": "xyz",
    "//axis2": "xyz",
    "//bounce": "restitution_coefficient threshold",
    "//box": "size",
    "//clip": "near far",
    "//collision": "laser_retro",
    "//constraints": "cfm erp contact_max_correcting_vel contact_surface_layer",
    "//cylinder": "radius length",
    "//depth_camera": "output",
    "//dynamics": "damping friction",
    "//fog": "type start end density",
    "//grasp_check": "detach_steps attach_steps min_contact_count",
    "//heightmap": "filename size",
    "//horizontal": "samples resolution min_angle max_angle",
    "//image": "width height format filename scale threshold granularity",
    "//inertia": "ixx ixy ixz iyy iyz izz",
    "//inertial": "mass density",
    "//light": "cast_shadows",
    "//limit": "lower upper effort velocity cfm erp",
    "//link": "gravity self_collide kinematic",
    "//mesh": "filename scale",
    "//model": "static",
    "//ode": "mu mu2 fdir1 slip1 slip2 soft_cfm soft_erp kp kd max_vel min_depth",
    "//physics": "update_rate",
    "//plane": "normal",
    "//range": "min max resolution",
    "//save": "path",
    "//script": "loop delay_start auto_start",
    "//sensor": "always_on update_rate visualize",
    "//skin": "filename scale",
    "//solver": "type dt iters precon_iters sor",
    "//sphere": "radius",
    "//spot": "inner_angle outer_angle falloff",
    "//state": "time",
    "//suspension": "cfm erp",
    "//link/velocity_decay": "linear angular",
    "//vertical": "samples resolution min_angle max_angle",
    "//visual": "cast_shadows laser_retro transparency",
    "//waypoint": "time pose",
}
_TO_1_2: tuple[Rule, ...] = (
    Move("//link", "damping", "velocity_decay"),
    *(rule for at, names in _ATTRIBUTES_1_0.items() for rule in attributes_to_elements(at, names)),
    Move("//heightmap", "@origin", "pos"),
    Move("//fog", "@rgba", "color"),
    Move("//material", "@script", "script/name"),
    Add("//material/script", "uri", GAZEBO_SCRIPT),
    Move("//contact/collision", "@name", "."),
    *(
        Rename("//" + tag, "rgba", tag)
        for tag in ("ambient", "diffuse", "specular", "emissive", "background")
    ),
    *(Rename("//" + tag, "enabled", tag) for tag in ("shadows", "grid")),
    *(Rename("//" + tag, "link", tag) for tag in ("parent", "child")),
    *(Rename("//" + tag, "xyz", tag) for tag in ("gravity", "direction")),
    Rename("//horizontal_fov", "angle", "horizontal_fov"),
    Rename("//origin", "pose", "pose"),
)
_TO_1_4: tuple[Rule, ...] = (
    *(Move("//" + tag, "filename", "uri") for tag in ("mesh", "image", "heightmap")),
    Move("world/physics", "update_rate", "real_time_update_rate"),
    Move("world/physics", "ode/solver/dt", "max_step_size"),
    Move("world/physics", "bullet/dt", "max_step_size"),
)
_TO_1_5: tuple[Rule, ...] = (
    *(
        Add(f"{model}/joint/{axis}", "use_parent_model_frame", "true")
        for model in ("model", "world/model")
        for axis in ("axis", "axis2")
    ),
    Move("world/actor", "@static", "static"),
)
_NOISES = {"rate": "angular_velocity", "accel": "linear_acceleration"}


def _noise_copies() -> Iterator[Rule]:
    """Yield the copies of the noise of an IMU to each axis of each quantity."""
    for kind, quantity in _NOISES.items():
        axes = [f"{quantity}/{axis}/noise" for axis in "xyz"]
        yield Copy("//sensor/imu", "noise/type", tuple(f"{axis}/@type" for axis in axes))
        for key in ("mean", "stddev", "bias_mean", "bias_stddev"):
            targets = tuple(f"{axis}/{key}" for axis in axes)
            yield Copy("//sensor/imu", f"noise/{kind}/{key}", targets)


_TO_1_6: tuple[Rule, ...] = (
    Move("world", "physics/gravity", "gravity"),
    Move("world", "physics/magnetic_field", "magnetic_field"),
    *_noise_copies(),
    Remove("//sensor/imu", "noise"),
)
_TO_1_7: tuple[Rule, ...] = (
    Move("//pose", "@frame", "@relative_to"),
    *(
        rule
        for axis in ("//joint/axis", "//joint/axis2")
        for rule in (
            Map(axis, "use_parent_model_frame", "xyz/@expressed_in", MODEL_FRAME),
            Remove(axis, "use_parent_model_frame"),
        )
    ),
    Move("//joint/physics", "ode/provide_feedback", "provide_feedback"),
)
_TO_1_8: tuple[Rule, ...] = (Unflatten("world/model"),)

UPGRADES: tuple[tuple[Version, tuple[Rule, ...]], ...] = (
    ((1, 2), _TO_1_2),
    ((1, 4), _TO_1_4),
    ((1, 5), _TO_1_5),
    ((1, 6), _TO_1_6),
    ((1, 7), _TO_1_7),
    ((1, 8), _TO_1_8),
)
"""Pairs of a version with changes and the rules that convert a file of the version before."""

KNOWN_VERSIONS: frozenset[str] = frozenset({"1.0"} | {f"1.{minor}" for minor in range(2, 13)})
"""All released versions; there is no version 1.1."""


Index = Mapping[str, list[Node]]
"""The elements of a file by their tags."""

_TRUE = frozenset({"true", "1"})


def upgrade(root: Node) -> Version:
    """Upgrade the tree of one file from its own version to 1.12, in place.

    An unknown version is reported and, as in libsdformat, read as the newest; a missing one is an
    error.

    Returns:
        The version that the file was written in.
    """
    root.tag = "sdf"
    text = root.attributes.get("version", "").strip()
    major, _, minor = text.partition(".")
    numeric = major.isascii() and major.isdecimal() and minor.isascii() and minor.isdecimal()
    version = (whole_number(major), whole_number(minor)) if numeric else NEWEST
    if text not in KNOWN_VERSIONS:
        if text:
            root.report(codes.UNKNOWN_VERSION, version=text)
        else:
            root.report(codes.NO_VERSION, tag=root.tag)
        return version
    for target, rules in UPGRADES:
        if version < target:
            _apply_all(rules, root)
    return version


# --- selecting elements ---------------------------------------------------------------------------


def is_foreign(node: Node) -> bool:
    """Return whether the content of an element is outside SDFormat: in a plugin or another
    namespace.
    """
    return node.tag == "plugin" or ":" in node.tag


def _index_by_tag(root: Node, tags: Set[str]) -> Index:
    """Return the elements with these tags, except those below foreign ones."""
    index: defaultdict[str, list[Node]] = defaultdict(list)
    pending = [root]
    while pending:
        node = pending.pop()
        if node.tag in tags:
            index[node.tag].append(node)
        if node.children and not is_foreign(node):
            pending.extend(node.children)
    return index


def _select(at: str, root: Node, index: Index) -> list[Node]:
    """Return the elements that a rule applies to."""
    first, steps = _steps(at)
    nodes = index.get(first, []) if first else [root]
    for step in steps:
        nodes = [child for node in nodes for child in node.children if child.tag == step]
    return nodes


@cache
def _steps(at: str) -> tuple[str, list[str]]:
    """Return the tag, anywhere in the file, at which the path of a rule begins, empty for the root,
    and the rest.
    """
    steps = at.removeprefix("//").split("/")
    return (steps[0], steps[1:]) if at.startswith("//") else ("", steps)


def _follow_path(node: Node, steps: list[str]) -> Node | None:
    target: Node | None = node
    for step in steps:
        target = None if target is None else target.peek(step)
    return target


def _make_path(node: Node, steps: list[str]) -> Node:
    """Return the element at the end of a path; add missing elements."""
    for step in steps:
        node = node.peek(step) or node.add(step)
    return node


# --- applying rules -------------------------------------------------------------------------------


def _apply_all(rules: tuple[Rule, ...], root: Node) -> None:
    tags = {_steps(rule.at)[0] for rule in rules} - {""}
    index = _index_by_tag(root, tags) if tags else {}
    for rule in rules:
        apply = _APPLY[type(rule)]
        for node in _select(rule.at, root, index):
            apply(node, rule)


def _set_text(node: Node, path: str, text: str) -> None:
    *steps, last = path.split("/")
    parent = _make_path(node, steps)
    if last.startswith("@"):
        parent.attributes[last[1:]] = text
    else:
        _make_path(parent, [last]).text = text


def _move(node: Node, rule: Move) -> None:
    *steps, last = rule.source.split("/")
    parent = _follow_path(node, steps)
    if parent is None or not parent.has(last) or node.has(rule.target):
        return
    if last.startswith("@"):
        text = parent.attributes.pop(last[1:])
        if rule.target == ".":
            node.text = text
        else:
            _set_text(node, rule.target, text)
        return
    moved = parent.peek(last)
    if moved is not None:
        moved.tag = rule.target
        if parent is not node:
            node.append(moved)


def _copy(node: Node, rule: Copy) -> None:
    source = _follow_path(node, rule.source.split("/"))
    if source is not None:
        for target in rule.targets:
            _set_text(node, target, source.text)


def _rename(node: Node, rule: Rename) -> None:
    if rule.attribute in node.attributes:
        node.text = node.attributes.pop(rule.attribute)
        node.tag = rule.tag


def _add(node: Node, rule: Add) -> None:
    if not node.has(rule.tag):
        node.add(rule.tag, rule.text)


def _remove(node: Node, rule: Remove) -> None:
    node.children = [child for child in node.children if child.tag != rule.tag]


def _map(node: Node, rule: Map) -> None:
    flag = node.peek(rule.flag)
    if flag is not None and flag.text.strip().lower() in _TRUE:
        _set_text(node, rule.target, rule.value)


def _unflatten(node: Node, _: Unflatten) -> None:
    unflatten(node)


_APPLY: Mapping[type, Callable[[Node, Any], None]] = {
    Move: _move,
    Copy: _copy,
    Rename: _rename,
    Add: _add,
    Remove: _remove,
    Map: _map,
    Unflatten: _unflatten,
}

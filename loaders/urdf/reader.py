"""The URDF reader: from a document to a scene, along the kinematic tree of its valid joints."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loaders import codes as loaders_codes
from loaders.context import Context
from loaders.deferred import Deferred
from loaders.diagnostics import Diagnostics, Where
from loaders.drake import codes as drake_codes
from loaders.drake.constraint import ELEMENTS, read_model
from loaders.drake.dialect import URDF
from loaders.drake.joint import canonicalize_urdf
from loaders.drake.link import states_friction
from loaders.engine_settings import MUJOCO
from loaders.finish.transform import merge, place
from loaders.gazebo.items import AddedItems, merged, with_followers, with_forces_and_sensors
from loaders.model import (
    WORLD,
    Coupling,
    EngineElement,
    Frame,
    Joint,
    JointType,
    Link,
    Model,
    by_name,
)
from loaders.node import Node, mark_read
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.scoped_names import UnusedNames, underscores_behind
from loaders.text import closest
from loaders.urdf import codes
from loaders.urdf.gazebo import GazeboExtensions
from loaders.urdf.geometry import Materials, Robot, check_version, read_link, read_origin
from loaders.urdf.joint import TYPES, read_joint, read_mimic
from loaders.urdf.transmission import read_drives

_read_mujoco_inputs: Callable[..., tuple[EngineElement, ...]] = Deferred(
    "loaders.urdf.mujoco:read_mujoco_inputs"
)
_read_plugins: Callable[..., None] = Deferred("loaders.gazebo.plugins:read_plugins")
_with_mesh_folders: Callable[..., Context] = Deferred("loaders.urdf.mujoco:with_mesh_folders")
_with_mujoco_element: Callable[..., Scene] = Deferred("loaders.urdf.mujoco:with_mujoco_element")
_with_sdf_elements: Callable[..., Scene] = Deferred("loaders.sdf.reader:with_elements")
_TAGS = ("frame", "gazebo", *ELEMENTS)
_ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class RobotNames:
    """Resolution of the names in a robot; see `loaders.drake.dialect.NameResolver`."""

    model: str
    """Name of the robot."""
    prefix: str
    """Scope of the robot with a separator at its end; empty, as a URDF has one model."""
    links: frozenset[str]
    """Names of the links."""
    frames: Mapping[str, Frame]
    """Frames, keyed by name."""
    joints: Mapping[str, Joint]
    """Joints, keyed by name."""

    def link(self, name: str) -> str | None:
        """Return the name of a link, or None if there is no such link."""
        return name if name in self.links else None

    def frame(self, name: str) -> tuple[str, Pose] | None:
        """Return the link to which a frame F is fixed, and ``X_LF``; None if there is no such
        frame.
        """
        frame = self.frames.get(name)
        if frame is not None:
            return frame.link, frame.X_LF
        return (name, IDENTITY) if name in self.links else None

    def joint(self, name: str) -> Joint | None:
        """Return the joint of this name, or None."""
        return self.joints.get(name)


def with_extensions(scene: Scene, root: Node) -> Scene:
    """Return the scene with the frames, constraints, force elements and filter groups of the robot.

    Args:
        scene: The scene so far.
        root: The ``<robot>``.
    """
    if root.lacks(_TAGS):
        return scene
    links = frozenset(link.name for link in scene.links)
    frames = tuple(_read_frame(node, links) for node in root.all("frame"))
    names = RobotNames(scene.name, "", links, by_name(frames), by_name(scene.joints))
    part = read_model(root, names, URDF)
    extras = AddedItems(scene)
    for node in root.all("gazebo"):
        if node.peek("plugin") is not None:
            _read_plugins(node, names, extras, codes.PLUGIN_NAMED)
    return dataclasses.replace(
        with_forces_and_sensors(merge(scene, part), extras),
        frames=scene.frames + frames,
        couplings=with_followers(scene.couplings, extras),
        actuators=merged(scene.actuators, extras),
    )


def _read_frame(node: Node, links: frozenset[str]) -> Frame:
    """Read Drake's ``<frame name link xyz rpy>``."""
    link = node.word("@link")
    if link and link != WORLD and link not in links:
        node.report(drake_codes.UNKNOWN_LINK_OF_FRAME, link=link)
        link = WORLD
    X_LF = Pose.from_xyz_rpy(node.numbers("@xyz", 3, _ZERO), node.numbers("@rpy", 3, _ZERO))
    return Frame(name=node.word("@name"), link=link or WORLD, X_LF=X_LF, where=node.where)


_SRDF = (
    "group", "group_state", "virtual_joint", "disable_collisions", "disable_default_collisions",
)  # fmt: skip
"""Elements that make a file without links an SRDF."""


def read(root: Node, context: Context) -> Scene | None:
    """Read a document with the root element ``<robot>``.

    The scene has one model, named after the robot, with the links in document order and every root
    link at the origin of the world, or at the ``<origin>`` of the robot, as in libsdformat.
    Findings go to ``context.diagnostics``; after an error the returned scene is incomplete and must
    not be used.

    Source: http://wiki.ros.org/urdf/XML and the schema of urdfdom; ``docs/urdf.md`` lists
    differences between readers.

    Args:
        root: The root element.
        context: The context of the load.
    """
    check_version(root)
    tags = {element.tag for element in root.children}
    if MUJOCO in tags:
        context = _with_mesh_folders(root, context)
    name = _read_name(root)
    canonicalize_urdf(root)
    link_nodes, repeated_links = _by_name(root.all("link"))
    if not link_nodes:
        _report_empty(root)
    joint_nodes, repeated_joints = _by_name(root.all("joint"))
    where = root.where
    stated = StatedJoints.read(joint_nodes, repeated_joints)
    joints = stated.connected(link_nodes, context.diagnostics)
    extensions = GazeboExtensions(
        root, (*link_nodes, *(joint.name for joint in joints)), context, left_out=joint_nodes
    )
    poses = link_poses(link_nodes, joints, context.diagnostics)
    robot = Robot(name, where, Materials.of(root, context), context)
    links = [
        extensions.link(read_link(node, poses[link], robot)) for link, node in link_nodes.items()
    ]
    for node in repeated_links:  # for what is wrong with them
        read_link(node, IDENTITY, robot)
    joints = [extensions.joint(joint) for joint in joints]
    known = {joint.name: joint for joint in joints}
    couplings = stated.couplings(known, lenient=context.diagnostics.lenient)
    model = Model(
        name=name, X_WM=IDENTITY, canonical_link=root_link(link_nodes, joints), where=where
    )
    model = extensions.model(model)
    held = [] if model.static else held_roots(link_nodes, links, joints)
    drives = read_drives(
        root,
        known if context.diagnostics.lenient else stated.by_name | known,
        (coupling.follower for coupling in couplings),
    )
    joints = [_at_position(joint, drives.positions) for joint in joints]
    scene = Scene(
        name=name,
        models=(model,),
        links=tuple(link for link in links if _is_body(link)),
        joints=(*joints, *held),
        couplings=(*couplings, *drives.couplings),
        actuators=drives.actuators,
        engine_elements=_read_mujoco_inputs(root) if "mujoco_inputs" in tags else (),
    )
    scene = with_extensions(scene, root)
    if scene.filter_groups:  # Drake's extension of URDF
        scene = dataclasses.replace(scene, collision_policy="drake")
    scene = dataclasses.replace(scene, friction_rule=_friction_rule(root))
    if MUJOCO in tags:
        scene = _with_mujoco_element(scene, root)
    X_WM = _pose_of_robot(root)
    embedded = extensions.sdf_elements(scene)
    if embedded:
        scene = _with_sdf_elements(scene, embedded, context)
    root.report_unread()
    return scene if X_WM is IDENTITY else place(scene, "", X_WM)


def _at_position(joint: Joint, positions: Mapping[str, float]) -> Joint:
    """Return a joint at the initial position that the source states, if it has one axis."""
    if joint.name not in positions or len(joint.axes) != 1:
        return joint
    return dataclasses.replace(joint, default_position=(positions[joint.name],))


def _pose_of_robot(root: Node) -> Pose:
    """Return the pose in the ``<origin>`` of a ``<robot>``, which only libsdformat reads."""
    X_WM = read_origin(root)
    x, y, z, qw, *axis = X_WM.to_vector()
    distance, angle = math.hypot(x, y, z), 2.0 * math.atan2(math.hypot(*axis), abs(qw))
    if distance > 0.0 or angle > 0.0:
        root.report(codes.ROBOT_ORIGIN, distance=distance, angle=angle)
    return X_WM


def _friction_rule(root: Node) -> str | None:
    """Return the rule for two coefficients of friction of the engine whose elements state them:
    Drake's, else that of SDFormat for Gazebo's, else PyBullet's.
    """
    links = [node for node in root.children if node.tag == "link"]
    if any(map(states_friction, links)):
        return "harmonic"
    in_gazebo = (node for top in root.children if top.tag == "gazebo" for node in top.walk())
    if any(node.tag in {"mu", "mu1", "mu2"} for node in in_gazebo):
        return "smaller"
    contacts = (link.peek("contact") for link in links)
    is_of_pybullet = any(node is not None and node.has("lateral_friction") for node in contacts)
    return "product" if is_of_pybullet else None


def _is_body(link: Link) -> bool:
    """Return whether a link becomes a link of the scene: the world only if it has shapes or
    sensors.
    """
    return link.name != WORLD or bool(link.collisions or link.visuals or link.sensors)


def _report_empty(root: Node) -> None:
    if not any(map(root.has, _SRDF)):
        root.report(codes.NO_LINKS)
        return
    root.report(codes.SRDF)
    mark_read(root)


def _read_name(root: Node) -> str:
    name = root.word("@name", "")
    if not name:
        name = Path(root.file).name.partition(".")[0] or "robot"
        root.report(codes.MISSING_NAME, name=name)
    return name


def _by_name(nodes: Iterable[Node]) -> tuple[dict[str, Node], list[Node]]:
    """Return the elements keyed by name, and those whose name is taken or missing, which is
    reported.
    """
    elements: dict[str, Node] = {}
    repeated = []
    for node in nodes:
        name = node.word("@name")
        first = elements.setdefault(name, node)
        if first is not node:
            repeated.append(node)
        if first is not node and name:
            node.report(
                codes.DUPLICATE_NAME_INVALID, tag=node.tag, name=name, place=_place(first, node)
            )
    return elements, repeated


def _place(element: Node, other: Node) -> str:
    """Return the place of an element, without the file if that is the file of the other one."""
    where = element.where
    return f"line {where.line}" if where.file == other.where.file else str(where)


def connected(
    joints: Iterable[Joint], links: dict[str, Node], diagnostics: Diagnostics
) -> list[Joint]:
    """Return the joints whose ends are links or the world; report the others.

    Args:
        joints: The joints.
        links: The ``<link>`` elements, keyed by name.
        diagnostics: Record for the findings.
    """
    known = {WORLD, *links}
    valid = []
    for joint in joints:
        parent, child = joint.parent, joint.child
        if parent in known and child in known and parent != child and parent and child:
            valid.append(joint)
            continue
        unknown = [end for end in (joint.parent, joint.child) if end and end not in known]
        for end in unknown:
            close = closest(end, known)
            hint = f"did you mean {close}?" if close else "correct the name, or add the link"
            diagnostics.add(
                codes.UNKNOWN_LINK,
                joint.where,
                hint=hint,
                subjects=filter(None, (joint.name,)),
                joint=_called(joint),
                end=end,
            )
        if joint.parent == joint.child and joint.parent:
            diagnostics.add(
                codes.LOOP,
                joint.where,
                subjects=(joint.name, joint.child),
                joint=joint.name,
                child=joint.child,
            )
    return valid


def root_link(links: Iterable[str], joints: Iterable[Joint]) -> str | None:
    """Return the first link that is not the child of another link."""
    children = {joint.child for joint in joints if joint.parent != WORLD}
    return next((name for name in links if name != WORLD and name not in children), None)


def held_roots(
    links: Mapping[str, Node], read: Iterable[Link], joints: Iterable[Joint]
) -> list[Joint]:
    """Return a virtual joint to the world for each root link whose stated mass is 0.

    Such a link is fixed in PyBullet, whatever else the file says of it, and even if links with mass
    are welded to it. A link without ``<inertial>`` is not.

    Args:
        links: The ``<link>`` elements, keyed by name.
        read: The links of the robot.
        joints: The valid joints.
    """
    joints = list(joints)
    jointed = {joint.child for joint in joints}
    jointed |= {joint.parent for joint in joints if joint.child == WORLD}
    names = UnusedNames((joint.name for joint in joints), underscores_behind)
    return [
        Joint(
            name=names.claim(f"{link.name}_fixed"),
            type=JointType.FIXED,
            parent=WORLD,
            child=link.name,
            X_PJ=link.X_WL,
            X_CJ=IDENTITY,
            virtual=True,
            where=_place_of_mass(links[link.name]),
        )
        for link in read
        if link.name not in jointed and link.inertia is not None and link.inertia.mass == 0.0
    ]


def _place_of_mass(link: Node) -> Where:
    inertial = link.peek("inertial")
    mass = None if inertial is None else inertial.peek("mass")
    return link.where if mass is None else mass.where


def link_poses(
    links: dict[str, Node], joints: list[Joint], diagnostics: Diagnostics
) -> dict[str, Pose]:
    """Return ``X_WL`` of every link at the zero configuration, with each root link at the origin.

    Loops and several root links are reported.

    Args:
        links: The ``<link>`` elements, keyed by name.
        joints: The valid joints.
        diagnostics: Record for the findings.
    """
    parent_joints = _parent_joints(joints)
    roots = [name for name in links if name != WORLD and name not in parent_joints]
    incident: dict[str, list[Joint]] = {name: [] for name in (WORLD, *links)}
    for joint in [
        joint for joint in joints if joint.child == WORLD or parent_joints[joint.child] is joint
    ]:
        incident[joint.parent].append(joint)
        incident[joint.child].append(joint)
    poses = _walk(WORLD, incident, {}, diagnostics)
    floating = [name for name in roots if name not in poses]
    for name in (*floating, *links):
        if name not in poses:
            _walk(name, incident, poses, diagnostics)
    if len(floating) > 1:
        diagnostics.add(
            loaders_codes.URDF_SEVERAL_ROOTS,
            links[floating[1]].where,
            subjects=floating,
            count=len(floating),
            links=tuple(floating),
        )
    return poses


def report_second_parents(
    joints: Iterable[Joint], links: dict[str, Node], diagnostics: Diagnostics
) -> None:
    """Report every joint that gives a link a second parent. The world may be the child of many
    joints.

    Args:
        joints: The joints; their parents may be unknown.
        links: The ``<link>`` elements, keyed by name.
        diagnostics: Record for the findings.
    """
    stated = [
        joint
        for joint in joints
        if joint.child in links and joint.parent and joint.parent != joint.child
    ]
    parents = _parent_joints(stated)
    for joint in stated:
        first = parents[joint.child]
        is_copy = (first.name, first.parent) == (
            joint.name,
            joint.parent,
        )  # which is a duplicate name
        if joint.child != WORLD and not is_copy:
            diagnostics.add(
                codes.TWO_PARENTS,
                joint.where,
                subjects=filter(None, (joint.child, first.name, joint.name)),
                link=joint.child,
                first_parent=first.parent,
                first=_called(first),
                second_parent=joint.parent,
                second=_called(joint),
            )


def _called(joint: Joint) -> str:
    return f"joint {joint.name}" if joint.name else f"the joint of line {joint.where.line}"


def _parent_joints(joints: Iterable[Joint]) -> dict[str, Joint]:
    """Return the first parent joint of every link."""
    parents: dict[str, Joint] = {}
    for joint in joints:
        parents.setdefault(joint.child, joint)
    return parents


def _walk(
    root: str, incident: dict[str, list[Joint]], poses: dict[str, Pose], diagnostics: Diagnostics
) -> dict[str, Pose]:
    """Add the poses of all links connected to ``root``, across joints in both directions; report
    loops.
    """
    poses[root] = IDENTITY
    used: set[str] = set()
    pending = [root]
    while pending:
        here = pending.pop()
        for joint in incident[here]:
            if joint.name in used:
                continue
            used.add(joint.name)
            downwards = joint.parent == here
            there = joint.child if downwards else joint.parent
            if there in poses:
                diagnostics.add(
                    codes.LOOP_CLOSED,
                    joint.where,
                    subjects=(joint.name, joint.parent, joint.child),
                    joint=joint.name,
                    parent=joint.parent,
                    child=joint.child,
                )
                continue
            X_PC = joint.X_PJ if joint.X_CJ is IDENTITY else joint.X_PJ @ joint.X_CJ.inverse()
            poses[there] = poses[here] @ (X_PC if downwards else X_PC.inverse())
            pending.append(there)
    return poses


@dataclass(frozen=True, slots=True)
class StatedJoints:
    """The joints of a robot, valid or not."""

    elements: Mapping[str, Node]
    """Elements by name."""
    by_name: dict[str, Joint]
    """Joints by name."""
    repeated: list[tuple[Node, Joint]]
    """Elements and joints whose name is taken or missing, which is reported; read for their other
    errors."""

    @classmethod
    def read(cls, unique: Mapping[str, Node], repeated: Iterable[Node]) -> StatedJoints:
        """Read the joints.

        Args:
            unique: The elements with a name, by name.
            repeated: The other elements.
        """
        by_name = {name: read_joint(node) for name, node in unique.items()}
        return cls(unique, by_name, [(node, read_joint(node)) for node in repeated])

    def connected(self, links: dict[str, Node], diagnostics: Diagnostics) -> list[Joint]:
        """Return the joints whose ends are links or the world; report the others, and second
        parents of links.

        Args:
            links: The ``<link>`` elements, keyed by name.
            diagnostics: Record for the findings.
        """
        valid = connected(self.by_name.values(), links, diagnostics)
        repeated = [joint for _, joint in self.repeated]
        connected(repeated, links, diagnostics)
        joints = valid if diagnostics.lenient else [*self.by_name.values(), *repeated]
        if len({joint.child for joint in joints}) < len(joints):
            report_second_parents(
                valid if diagnostics.lenient else sorted(joints, key=_line), links, diagnostics
            )
        return valid

    def couplings(self, valid: Mapping[str, Joint], *, lenient: bool) -> list[Coupling]:
        """Return the couplings of the ``<mimic>`` elements of valid joints.

        Lenient loading leaves joints with errors out, also as leaders; otherwise their elements are
        checked as well.

        Args:
            valid: The valid joints, by name.
            lenient: Whether the load is lenient.
        """
        stated = zip(self.elements.values(), self.by_name.values(), strict=True)
        mimicking = [
            (node, joint) for node, joint in (*stated, *self.repeated) if not node.lacks(_MIMIC)
        ]
        if not mimicking:
            return []
        leaders = dict(valid) if lenient else self.by_name | dict(valid)
        unknown_type = {
            name
            for name, node in self.elements.items()
            if node.attributes.get("type", "").strip() not in TYPES
        }
        couplings = []
        for node, joint in mimicking:
            is_left_out = joint.name not in valid and lenient
            if is_left_out or joint.name in unknown_type or _leader(node) in unknown_type:
                for mimic in node.all(
                    "mimic"
                ):  # what is wrong with it follows from an error that is reported
                    mark_read(mimic)
                continue
            coupling = read_mimic(node, valid.get(joint.name, joint), leaders)
            if coupling is not None:
                couplings.append(coupling)
        return couplings


_MIMIC = ("mimic",)


def _line(joint: Joint) -> int:
    return joint.where.line


def _leader(node: Node) -> str:
    mimic = node.peek("mimic")
    return "" if mimic is None else mimic.attributes.get("joint", "").strip()

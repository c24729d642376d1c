"""The reader of a document in URDF."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.drake.canonicalize import canonicalize_urdf
from loaders.ignored_elements import mark_read
from loaders.model import WORLD, Link, Model
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import place
from loaders.spatial import IDENTITY

from .drake_extensions import with_extensions
from .gazebo import GazeboExtensions
from .links import Robot, read_link
from .mesh_folders import with_mesh_folders
from .shapes import Materials, check_version, read_origin
from .stated_joints import StatedJoints
from .transmissions import read_actuators
from .tree import link_poses, root_link

_SRDF = ("group", "group_state", "virtual_joint", "disable_collisions", "disable_default_collisions")
"""Elements by which a file without links is known as an SRDF."""


def read(root: Node, context: Context) -> Scene | None:
    """Read a document with the root element ``<robot>``.

    The scene has one model, named after the robot, with the links in document order and every root link at the origin
    of the world, or at the ``<origin>`` of the robot, as in libsdformat. Findings go to ``context.diagnostics``; after
    an error the returned scene is incomplete and must not be used.

    Source: http://wiki.ros.org/urdf/XML and the schema of urdfdom; ``docs/urdf.md`` lists differences between readers.

    Args:
        root: The root element.
        context: The context of the load.
    """
    check_version(root)
    context = with_mesh_folders(root, context)
    name = _read_name(root)
    canonicalize_urdf(root)
    link_nodes, repeated_links = _by_name(root.all("link"))
    if not link_nodes:
        _report_empty(root)
    joint_nodes, repeated_joints = _by_name(root.all("joint"))
    where = root.where
    stated = StatedJoints.read(joint_nodes, repeated_joints, where)
    joints = stated.connected(link_nodes, context.diagnostics)
    extensions = GazeboExtensions(root, (*link_nodes, *(joint.name for joint in joints)), left_out=joint_nodes)
    poses = link_poses(link_nodes, joints, context.diagnostics)
    robot = Robot(name, where, Materials.of(root, context), context)
    links = [extensions.link(read_link(node, poses[link], robot)) for link, node in link_nodes.items()]
    for node in repeated_links:  # for what is wrong with them
        read_link(node, IDENTITY, robot)
    joints = [extensions.joint(joint) for joint in joints]
    known = {joint.name: joint for joint in joints}
    couplings = stated.couplings(known, lenient=context.diagnostics.lenient)
    model = Model(name=name, X_WM=IDENTITY, canonical_link=root_link(link_nodes, joints), where=where)
    scene = Scene(
        name=name,
        models=(extensions.model(model),),
        links=tuple(link for link in links if _is_body(link)),
        joints=tuple(joints),
        couplings=tuple(couplings),
        actuators=read_actuators(root, known if context.diagnostics.lenient else stated.by_name | known),
    )
    scene = with_extensions(scene, root)
    X_WM = read_origin(root)
    root.report_unread()
    return scene if X_WM is IDENTITY else place(scene, "", X_WM)


def _is_body(link: Link) -> bool:
    """Return whether a link becomes a link of the scene: the world only if it has shapes or sensors."""
    return link.name != WORLD or bool(link.collisions or link.visuals or link.sensors)


def _report_empty(root: Node) -> None:
    if not any(map(root.has, _SRDF)):
        root.report(Fate.ASSUMED, "urdf.no-links", "<robot> requires at least one <link>; the robot is empty")
        return
    root.invalid("urdf.srdf", "the file is an SRDF, which has no links", hint="load its URDF, with srdf=...")
    mark_read(root)


def _read_name(root: Node) -> str:
    name = root.word("@name", "")
    if not name:
        name = Path(root.file).name.partition(".")[0] or "robot"
        root.report(Fate.ASSUMED, "urdf.missing-name", "<robot> requires a name; using {name!r}", name=name)
    return name


def _by_name(nodes: Iterable[Node]) -> tuple[dict[str, Node], list[Node]]:
    """Return the elements keyed by name, and those whose name is taken or missing, which is reported."""
    elements: dict[str, Node] = {}
    repeated = []
    for node in nodes:
        name = node.word("@name")
        first = elements.setdefault(name, node)
        if first is not node:
            repeated.append(node)
        if first is not node and name:
            node.invalid(
                "urdf.duplicate-name",
                "duplicate {tag} name {name}; the first is in {place}",
                hint="rename one of them",
                tag=node.tag,
                name=name,
                place=_place(first, node),
            )
    return elements, repeated


def _place(element: Node, other: Node) -> str:
    """Return the place of an element, without the file if that is the file of the other one."""
    where = element.where
    return f"line {where.line}" if where.file == other.where.file else str(where)

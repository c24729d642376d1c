"""URDF to a `Scene`: the specification, and what Gazebo, PyBullet and ros2_control add to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from loaders.context import Context
from loaders.diagnostics import Fate
from loaders.drake.canonicalize import normalise_urdf
from loaders.model import WORLD, Link, Model
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_operations.transform_scene import place
from loaders.spatial import IDENTITY

from .drake_extensions import with_extensions
from .gazebo import Extensions
from .joints import read_joint, read_mimic
from .links import read_link
from .shapes import Materials, read_origin
from .transmissions import read_actuators
from .tree import connected, link_poses, root_link


def read(root: Node, context: Context) -> Scene | None:
    """Read the document whose root element is ``<robot>``.

    The scene holds one model, named by the robot, with links in document order and every root at the origin of the
    world, or where an ``<origin>`` of the robot itself has it, as in libsdformat. Problems go to
    ``context.diagnostics``; what is returned after an error is harmless, and not to be used.

    Source: http://wiki.ros.org/urdf/XML and the schema of urdfdom; ``docs/urdf.md`` says where readers differ.
    """
    root.skip("@version")
    name = _read_name(root)
    normalise_urdf(root)
    link_nodes = _by_name(root.all("link"))
    if not link_nodes:
        root.report(Fate.ASSUMED, "urdf.no-links", "a robot needs at least one <link>; this one is empty")
    joint_nodes = _by_name(root.all("joint"))
    joints = connected(map(read_joint, joint_nodes.values()), link_nodes, context.diagnostics)
    extensions = Extensions(root, (*link_nodes, *joint_nodes))
    poses = link_poses(link_nodes, joints, context.diagnostics)
    materials = Materials.of(root, context)
    links = [
        extensions.link(read_link(node, name, poses[link], materials, context)) for link, node in link_nodes.items()
    ]
    joints = [extensions.joint(joint) for joint in joints]
    known = {joint.name: joint for joint in joints}
    couplings = (read_mimic(joint_nodes[joint.name], joint, known) for joint in joints)
    model = Model(name=name, X_WM=IDENTITY, canonical_link=root_link(link_nodes, joints), where=root.where)
    scene = Scene(
        name=name,
        models=(extensions.model(model),),
        links=tuple(link for link in links if _is_body(link)),
        joints=tuple(joints),
        couplings=tuple(coupling for coupling in couplings if coupling is not None),
        actuators=read_actuators(root, known),
    )
    scene = place(with_extensions(scene, root), "", read_origin(root))
    root.report_unread()
    return scene


def _is_body(link: Link) -> bool:
    """Whether a link is to be kept: the world only if it has shapes."""
    return link.name != WORLD or bool(link.collisions or link.visuals)


def _read_name(root: Node) -> str:
    name = root.word("@name", "")
    if not name:
        name = Path(root.file).name.partition(".")[0] or "robot"
        root.report(Fate.ASSUMED, "urdf.missing-name", "<robot> needs a name; {name!r} is taken", name=name)
    return name


def _by_name(nodes: Iterable[Node]) -> dict[str, Node]:
    """The elements by their names; a second one of a name is reported and left out."""
    found: dict[str, Node] = {}
    for node in nodes:
        name = node.word("@name")
        first = found.setdefault(name, node)
        if first is not node and name:
            node.invalid(
                "urdf.duplicate-name",
                "a second {tag} is called {name}; the first is at line {line}",
                hint="rename one of them",
                tag=node.tag,
                name=name,
                line=first.line,
            )
    return found

"""The joints that a file states, and the kinematic tree of the valid ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loaders import codes as loaders_codes
from loaders.diagnostics import Diagnostics, Where
from loaders.model import WORLD, Coupling, Joint, JointType, Link
from loaders.node import Node, mark_read
from loaders.pose import IDENTITY, Pose
from loaders.scoped_names import UnusedNames, underscores_behind
from loaders.text import closest
from loaders.urdf import codes

from .joint import TYPES, read_joint, read_mimic


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

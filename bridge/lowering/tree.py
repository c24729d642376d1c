"""The spanning forest, the primitives of each joint type, and the joints at which loops are cut.

A ball joint that only connects its links is closed by a point constraint, such a hinge by two, a
weld by a weld. For every other joint the link at one of its ends is split: the joint stays in the
spanning tree and carries a part of the link, with an equal share of its inertia, which a weld
attaches to the rest. The joint so keeps its position, limits, damping and actuator.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from bridge.codes import (
    LOWER_COUPLING_WITHOUT_FREEDOM,
    LOWER_CURVE_OF_SEVERAL_PIECES,
    LOWER_GEARBOX_WITHOUT_HINGES,
    LOWER_LOOP,
    LOWER_LOOP_OF_SPLIT_LINK,
    LOWER_STATIC_JOINT,
)
from bridge.mechanism.bodies import DofCoupling, Primitive, PrimitiveKind
from loaders.collision_pairs import connected_components, is_weld, static_links
from loaders.diagnostics import Diagnostics
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Z_AXIS,
    Coupling,
    Joint,
    JointAxis,
    JointType,
    Link,
    Motion,
    by_name,
)
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from loaders.scoped_names import UnusedNames, underscores_behind

_PINNED = {1: 4, 2: 3}
"""Rank as a cut joint of the types that so many point constraints can close, if they only connect
their links."""
_WELD_OF_BODIES, _SPLIT, _WELD = 2, 1, 0
"""Ranks as a cut joint: solvers hold a weld between links with mass well; one to a massless link or
the world stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutScene:
    """A scene without kinematic loops, and the constraints that close them."""

    scene: Scene
    """The scene, with the parts of split links, and joints that carry them."""
    tree: tuple[Joint, ...]
    """The joints of the spanning forest."""
    closures: tuple[Joint, ...]
    """Welds, hinges and balls between links of ``scene`` that close the loops, named after the cut
    joints."""


@dataclass(frozen=True, slots=True)
class _SplitLink:
    """A link that is split at a joint."""

    joint: Joint
    """The cut joint."""
    link: str
    """Name of the link that is split, at one end of the joint."""
    bearer: str | None
    """Name of the link, itself or one welded to it, whose inertia is shared; None if none of them
    has mass."""


def cut_loops(scene: Scene, diagnostics: Diagnostics) -> CutScene:
    """Cut every kinematic loop, deterministically and in near-linear time.

    Each loop is cut at the joint that solvers hold best as a constraint, the last in the scene
    among equals.

    Args:
        scene: The scene.
        diagnostics: Receives a finding for each joint that is cut and for each that cannot move.
    """
    edges = [joint for joint in scene.joints if _is_edge(joint)]
    if len(_tree_joints(scene, edges)) == len(edges):  # no loop, in whatever order
        return CutScene(scene=scene, tree=tuple(edges), closures=())
    ranks = _Ranks(scene)
    tree = _tree_joints(scene, sorted(edges, key=ranks.of))
    others = [joint for joint in edges if joint.name not in tree]
    carriers = _InertiaCarriers(scene, tree)
    loops = [joint for joint in others if not carriers.is_redundant(joint)]
    splits = {
        split.joint.name: split
        for joint in loops
        for split in carriers.split(joint, ranks.of(joint))
    }
    _report_redundant(
        scene, [joint for joint in others if carriers.is_redundant(joint)], diagnostics
    )
    for joint in loops:
        _report_loop(joint, splits.get(joint.name), diagnostics)
    return _with_split_links(scene, tree, loops, list(splits.values()))


def _is_edge(joint: Joint) -> bool:
    """Return whether a joint is an edge of the graph: floating constrains nothing, gearbox couples
    two other joints.
    """
    return joint.type.traits.motions != (Motion.FREE,) and joint.type is not JointType.GEARBOX


def _report_loop(joint: Joint, split: _SplitLink | None, diagnostics: Diagnostics) -> None:
    if split is None:
        diagnostics.add(LOWER_LOOP, joint, joint=joint.name)
    else:
        diagnostics.add(
            LOWER_LOOP_OF_SPLIT_LINK,
            joint.where,
            subjects=(joint.name, split.link),
            joint=joint.name,
            link=split.link,
        )


def _report_redundant(scene: Scene, redundant: list[Joint], diagnostics: Diagnostics) -> None:
    static = {WORLD, *static_links(scene)}
    for joint in redundant:
        if not (is_weld(joint) and {joint.parent, joint.child} <= static):
            diagnostics.add(LOWER_STATIC_JOINT, joint, joint=joint.name)


# --- where to cut ---------------------------------------------------------------------------------


class _Ranks:
    """Rank of each joint as a cut joint: loops are cut at joints of high rank."""

    def __init__(self, scene: Scene) -> None:
        self._used = {name for c in scene.couplings for name in (c.follower, c.leader)}
        self._used |= {actuator.joint for actuator in scene.actuators}
        self._used |= {name for c in scene.constraints for name in getattr(c, "joints", ())}
        self._references = {
            joint.gear_reference for joint in scene.joints if joint.type is JointType.GEARBOX
        }
        self._massive = {link.name for link in scene.links if _has_mass(link)}

    def of(self, joint: Joint) -> int:
        connects = self._only_connects(joint)
        if joint.type is JointType.FIXED:
            return (
                _WELD_OF_BODIES
                if connects and {joint.parent, joint.child} <= self._massive
                else _WELD
            )
        return _PINNED.get(joint.type.traits.closing_points, _SPLIT) if connects else _SPLIT

    def _only_connects(self, joint: Joint) -> bool:
        """Return whether no force acts along the joint, nothing measures it, and it starts at
        zero.
        """
        if joint.parent in self._references or joint.name in self._used:
            return False
        if joint.sensors or joint.provide_feedback or any(joint.default_position):
            return False
        return not any(_has_force(axis) for axis in joint.axes)


def _has_force(axis: JointAxis) -> bool:
    limited = axis.lower > -math.inf or axis.upper < math.inf
    return limited or bool(axis.damping or axis.friction or axis.spring_stiffness)


def _tree_joints(scene: Scene, ranked: Iterable[Joint]) -> set[str]:
    """Return the names of the joints of the spanning forest, those of low rank first."""
    sets = _Partition([WORLD, *(link.name for link in scene.links)])
    for name in static_links(scene):
        sets.join(name, WORLD)
    return {joint.name for joint in ranked if sets.join(joint.parent, joint.child)}


class _Partition:
    """Disjoint sets of names (union-find with path compression)."""

    def __init__(self, names: Iterable[str]) -> None:
        self._parent = {name: name for name in names}

    def find(self, name: str) -> str:
        """Return the representative of the set of a name."""
        root = name
        while self._parent[root] != root:
            root = self._parent[root]
        while self._parent[name] != root:
            self._parent[name], name = root, self._parent[name]
        return root

    def join(self, a: str, b: str) -> bool:
        """Join the sets of both names; return False if they are one set already."""
        a, b = self.find(a), self.find(b)
        self._parent[a] = b
        return a != b


# --- split links ----------------------------------------------------------------------------------


def _has_mass(link: Link) -> bool:
    if link.inertia is None or link.inertia.mass <= 0.0:
        return False
    return bool(link.inertia.I_Lcm.diagonal().min() > 0.0)


class _InertiaCarriers:
    """The links whose inertia is shared with the parts of split links."""

    def __init__(self, scene: Scene, tree: set[str]) -> None:
        massive = {link.name for link in scene.links if _has_mass(link)}
        groups = connected_components(scene, lambda joint: is_weld(joint) and joint.name in tree)
        self._group = {name: group for group in groups for name in group}
        self._world_group = self._group[WORLD]
        self._massive_member: dict[int, str | None] = {}
        for group in groups:
            first = next((name for name in group if name in massive), None)
            self._massive_member[id(group)] = first
        self._massive = massive

    def is_redundant(self, joint: Joint) -> bool:
        """Return whether welds hold both ends of the joint together anyway."""
        return self._group[joint.parent] is self._group[joint.child]

    def split(self, joint: Joint, rank: int) -> Iterator[_SplitLink]:
        """Yield the link to split, the child if possible; none if a weld or point constraints close
        the loop.
        """
        if is_weld(joint) or rank > _SPLIT:
            return
        ends = [
            end for end in (joint.child, joint.parent) if self._group[end] is not self._world_group
        ]
        link = next((end for end in ends if self._bearer(end)), ends[0])
        if self._bearer(link) or not joint.type.traits.closing_points:
            yield _SplitLink(joint, link, self._bearer(link))

    def _bearer(self, link: str) -> str | None:
        return link if link in self._massive else self._massive_member[id(self._group[link])]


def _with_split_links(
    scene: Scene, tree: set[str], loops: list[Joint], splits: list[_SplitLink]
) -> CutScene:
    links = by_name(scene.links)
    count = Counter(split.bearer for split in splits)
    shared = {
        name: _share(link, 1 + count[name]) if count[name] else link for name, link in links.items()
    }
    unused = UnusedNames(links, underscores_behind)
    parts: dict[str, Link] = {}
    carrying: dict[str, Joint] = {}
    welds: dict[str, Joint] = {}
    for split in splits:
        name = unused.claim(f"{split.link}_at_{split.joint.name.rpartition('::')[2]}")
        part = _part(split, shared, name)
        parts[part.name] = part
        carrying[split.joint.name], welds[split.joint.name] = _carrying_joint_and_weld(
            split, part.name
        )
    joints = tuple(carrying.get(joint.name, joint) for joint in scene.joints)
    return CutScene(
        scene=dataclasses.replace(scene, links=(*shared.values(), *parts.values()), joints=joints),
        tree=tuple(joint for joint in joints if joint.name in tree or joint.name in carrying),
        closures=tuple(welds.get(joint.name, joint) for joint in loops),
    )


def _share(link: Link, count: int) -> Link:
    """Return the link with one of ``count`` equal shares of its inertia."""
    total = link.inertia
    if total is None:
        return link
    return dataclasses.replace(
        link, inertia=SpatialInertia(total.mass / count, total.p_LLcm, frozen(total.I_Lcm / count))
    )


def _part(split: _SplitLink, shared: dict[str, Link], name: str) -> Link:
    """Return the part of a link that its joint carries: it has inertia, but no shapes and no
    sensors.
    """
    link = shared[split.link]
    inertia, gravity = None, link.gravity
    if split.bearer is not None:
        bearer = shared[split.bearer]
        X_LB = link.X_WL.inverse() @ bearer.X_WL
        inertia, gravity = bearer.inertia, bearer.gravity
        if inertia is not None and split.bearer != split.link:
            inertia = inertia.moved(X_LB)
    X_WL = _pose_at_zero(split, shared)
    return dataclasses.replace(
        link,
        name=name,
        X_WL=X_WL,
        inertia=inertia,
        gravity=gravity,
        collisions=(),
        visuals=(),
        sensors=(),
    )


def _pose_at_zero(split: _SplitLink, links: dict[str, Link]) -> Pose:
    """Return ``X_WL`` of the part at the joint's zero: the link's own, unless the loop is open
    there in the source.
    """
    joint = split.joint
    if split.link == joint.child:
        X_OJ, X_LJ, other = joint.X_PJ, joint.X_CJ, joint.parent
    else:
        X_OJ, X_LJ, other = joint.X_CJ, joint.X_PJ, joint.child
    X_WO = IDENTITY if other == WORLD and WORLD not in links else links[other].X_WL
    return X_WO @ X_OJ @ X_LJ.inverse()


def _carrying_joint_and_weld(split: _SplitLink, part: str) -> tuple[Joint, Joint]:
    """Return the joint with the part in the place of the link, and the weld of both, at the joint's
    frame.
    """
    joint, is_child = split.joint, split.link == split.joint.child
    carrying = (
        dataclasses.replace(joint, child=part)
        if is_child
        else dataclasses.replace(joint, parent=part)
    )
    X_LJ = joint.X_CJ if is_child else joint.X_PJ
    weld = Joint(
        name=joint.name,
        type=JointType.FIXED,
        parent=split.link,
        child=part,
        X_PJ=X_LJ,
        X_CJ=X_LJ,
        where=joint.where,
    )
    return carrying, weld


_Incident = Mapping[str, list[tuple[Joint, str]]]
"""Joints at each link, each with the link at its other end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An edge of the spanning forest: a link and what connects it to its parent."""

    link: str
    """Name of the link."""
    parent: str
    """Name of the parent link, or `WORLD`."""
    joint: Joint | None = None
    """The joint that carries the link; None for a static link and for a free link without a
    floating joint."""
    static: bool = False
    """Whether the link is fixed in the world because its model is static, because it is kinematic,
    or by a virtual joint."""
    reversed: bool = False
    """Whether the joint's child is the parent in the forest."""


def spanning_forest(scene: Scene, tree: Iterable[Joint]) -> tuple[Edge, ...]:
    """Return the edges of the forest, each after the edge of its parent.

    Trees are in the order of their root links in the scene, children in the order of their joints.

    Args:
        scene: The scene.
        tree: The joints of the forest; they form no loop.
    """
    joints = list(tree)
    incident = _incident_joints(scene, joints)
    edges: list[Edge] = []
    seen = {WORLD}
    pending = list(reversed(_root_edges(scene, joints, incident)))
    while pending:
        edge = pending.pop()
        edges.append(edge)
        if edge.link == WORLD:  # a link of the world itself: the links that it carries are roots
            continue
        seen.add(edge.link)
        for joint, other in reversed(incident[edge.link]):
            if other not in seen:
                pending.append(
                    Edge(
                        link=other, parent=edge.link, joint=joint, reversed=joint.child == edge.link
                    )
                )
    return tuple(edges)


def _incident_joints(scene: Scene, joints: Iterable[Joint]) -> _Incident:
    names = [WORLD, *(link.name for link in scene.links)]
    incident: dict[str, list[tuple[Joint, str]]] = {name: [] for name in names}
    for joint in joints:
        incident[joint.parent].append((joint, joint.child))
        incident[joint.child].append((joint, joint.parent))
    return incident


def _root_edges(scene: Scene, joints: list[Joint], incident: _Incident) -> list[Edge]:
    """Return the edges of the links whose parent is the world, in the order of the scene."""
    roots = {name: Edge(link=name, parent=WORLD, static=True) for name in static_links(scene)}
    for joint, link in incident[WORLD]:
        roots.setdefault(link, _edge_of_world(joint, link))
    reached = _reachable(roots, incident)
    for edge in _candidate_roots(scene, joints):
        if edge.link not in reached:
            roots[edge.link] = edge
            reached |= _reachable((edge.link,), incident)
    order = {link.name: i for i, link in enumerate(scene.links)}
    return sorted(roots.values(), key=lambda edge: order[edge.link])


def _edge_of_world(joint: Joint, link: str) -> Edge:
    if joint.virtual and is_weld(joint):
        return Edge(link=link, parent=WORLD, static=True)
    return Edge(link=link, parent=WORLD, joint=joint, reversed=joint.child == WORLD)


def _candidate_roots(scene: Scene, joints: Iterable[Joint]) -> Iterator[Edge]:
    """Yield an edge for each link that could be the root of a tree that the world does not carry,
    best first.

    Kinematic links come first, as they stay where they are; then links with a floating joint, links
    that no joint carries, and all others.
    """
    carried = {joint.child for joint in joints}
    floating = {joint.child: joint for joint in scene.joints if joint.type is JointType.FLOATING}
    kinematic = [link.name for link in scene.links if link.kinematic]
    yield from (Edge(link=name, parent=WORLD, static=True) for name in kinematic)
    names = [link.name for link in scene.links if not link.kinematic]
    uncarried = [name for name in names if name not in carried]
    for name in (*(name for name in floating if name not in carried), *uncarried, *names):
        yield Edge(link=name, parent=WORLD, joint=floating.get(name))


def _reachable(names: Iterable[str], incident: _Incident) -> set[str]:
    """Return the links that are connected to the given ones without passing through the world."""
    reached = set(names)
    pending = list(reached)
    while pending:
        for _, other in incident[pending.pop()]:
            if other not in reached and other != WORLD:
                reached.add(other)
                pending.append(other)
    return reached


def resolve_couplings(
    scene: Scene, dofs: Mapping[tuple[str, int], int], diagnostics: Diagnostics
) -> tuple[DofCoupling, ...]:
    """Return the couplings of a scene between velocities of its mechanism.

    Args:
        scene: The scene.
        dofs: Index in ``v_order`` of each joint and component.
        diagnostics: Receives a finding for each coupling that cannot be expressed.
    """
    resolved = (
        _resolve(coupling, dofs, diagnostics)
        for coupling in (*scene.couplings, *_gearbox_couplings(scene, diagnostics))
    )
    return tuple(coupling for coupling in resolved if coupling is not None)


def _resolve(
    coupling: Coupling, dofs: Mapping[tuple[str, int], int], diagnostics: Diagnostics
) -> DofCoupling | None:
    follower = dofs.get((coupling.follower, coupling.follower_axis))
    leader = dofs.get((coupling.leader, coupling.leader_axis))
    if follower is None or leader is None:
        immobile = coupling.follower if follower is None else coupling.leader
        diagnostics.add(
            LOWER_COUPLING_WITHOUT_FREEDOM,
            coupling.where,
            subjects=(coupling.follower, coupling.leader),
            follower=coupling.follower,
            leader=coupling.leader,
            immobile=immobile,
        )
        return None
    return DofCoupling(
        follower=follower,
        leader=leader,
        multiplier=coupling.multiplier,
        offset=coupling.offset,
        higher=coupling.higher,
        name=coupling.follower,
        where=coupling.where,
        engine_settings=coupling.engine_settings,
    )


def _gearbox_couplings(scene: Scene, diagnostics: Diagnostics) -> list[Coupling]:
    """Return a coupling for each gearbox, between the hinges from the reference link to its two
    links.

    Source: SDFormat, ``joint/@type``.
    """
    couplings = []
    for gearbox in (joint for joint in scene.joints if joint.type is JointType.GEARBOX):
        coupling = gearbox_coupling(gearbox, scene)
        if coupling is None:
            _report_missing_hinges(gearbox, gearbox.gear_reference or WORLD, diagnostics)
        else:
            couplings.append(coupling)
    return couplings


def gearbox_coupling(gearbox: Joint, scene: Scene) -> Coupling | None:
    """Return the coupling of the hinges from the reference link of a gearbox to its two links; None
    if one is missing.

    Args:
        gearbox: The gearbox.
        scene: The scene, with its hinges.
    """
    reference = gearbox.gear_reference or WORLD
    hinges = {
        joint.child: joint
        for joint in scene.joints
        if joint.parent == reference and joint.type in {JointType.REVOLUTE, JointType.CONTINUOUS}
    }
    leader, follower = hinges.get(gearbox.parent), hinges.get(gearbox.child)
    if leader is None or follower is None:
        return None
    multiplier = (
        -gearbox.gear_ratio * _alignment(gearbox, 0, leader) * _alignment(gearbox, 1, follower)
    )
    return Coupling(
        follower=follower.name, leader=leader.name, multiplier=multiplier, where=gearbox.where
    )


def _report_missing_hinges(gearbox: Joint, reference: str, diagnostics: Diagnostics) -> None:
    diagnostics.add(
        LOWER_GEARBOX_WITHOUT_HINGES,
        gearbox,
        gearbox=gearbox.name,
        reference=reference,
        parent=gearbox.parent,
        child=gearbox.child,
    )


def _alignment(gearbox: Joint, i: int, hinge: Joint) -> float:
    """Return 1 if axis ``i`` of a gearbox points along the axis of the hinge that it measures, -1
    if against it.
    """
    X_LJ = gearbox.X_PJ if hinge.child == gearbox.parent else gearbox.X_CJ
    axis_L = X_LJ.R @ gearbox.axes[min(i, len(gearbox.axes) - 1)].xyz
    return 1.0 if float(axis_L @ (hinge.X_CJ.R @ hinge.axes[0].xyz)) >= 0.0 else -1.0


Composition = tuple[Pose, tuple[Primitive, ...]]
"""``X_JO``, where O is the frame in which the primitives act, and the primitives from the parent
outwards."""


def compose(joint: Joint, diagnostics: Diagnostics) -> Composition:
    """Return the primitives of a joint, with the frame in which they act.

    Args:
        joint: A joint of any type but floating and gearbox.
        diagnostics: Receives a finding if the joint cannot be expressed exactly.

    Raises:
        ValueError: for a floating or gearbox joint.
    """
    match joint.type:
        case JointType.BALL:
            limits = joint.axes[0] if joint.axes else None
            return IDENTITY, (Primitive(kind=PrimitiveKind.BALL, axis=Z_AXIS, limits=limits),)
        case JointType.SCREW:
            return _screw(joint)
        case JointType.CURVILINEAR:
            return _curvilinear(joint, diagnostics)
        case (
            JointType.FIXED
            | JointType.REVOLUTE
            | JointType.CONTINUOUS
            | JointType.PRISMATIC
            | JointType.UNIVERSAL
            | JointType.REVOLUTE2
            | JointType.PLANAR
        ):
            return _series(joint)
        case JointType.GEARBOX | JointType.FLOATING:
            raise ValueError(f"a {joint.type} joint has no primitives")
        case _:
            assert_never(joint.type)


def reverse(primitives: tuple[Primitive, ...]) -> tuple[Primitive, ...]:
    """Return the primitives of a joint whose child carries its parent: in reverse order, with
    negated axes.
    """
    return tuple(
        Primitive(
            kind=p.kind, axis=frozen(-p.axis), dof_index=p.dof_index, ratio=p.ratio, limits=p.limits
        )
        for p in reversed(primitives)
    )


def _series(joint: Joint) -> Composition:
    """Return one primitive along each axis of a joint, in order."""
    axes = zip(joint.type.traits.motions, joint.axes, strict=joint.type is not JointType.FIXED)
    return IDENTITY, tuple(
        Primitive(kind=PrimitiveKind(motion.value), axis=axis.xyz, dof_index=i, limits=axis)
        for i, (motion, axis) in enumerate(axes)
    )


def _screw(joint: Joint) -> Composition:
    """Return a hinge and a slide that share one velocity."""
    (axis,) = joint.axes
    hinge = Primitive(kind=PrimitiveKind.HINGE, axis=axis.xyz, limits=axis)
    slide = Primitive(
        kind=PrimitiveKind.SLIDE, axis=axis.xyz, ratio=joint.pitch / math.tau, limits=axis
    )
    return IDENTITY, (hinge, slide)


def _curvilinear(joint: Joint, diagnostics: Diagnostics) -> Composition:
    """Return a slide for a line; for an arc a hinge about its center, whose angle is the arc length
    over the radius.
    """
    curve = joint.curve
    if curve is None or len(curve.arcs) != 1:
        diagnostics.add(LOWER_CURVE_OF_SEVERAL_PIECES, joint, joint=joint.name)
        return IDENTITY, ()
    (axis,), (arc,) = joint.axes, curve.arcs
    if arc.curvature == 0.0:
        return IDENTITY, (
            Primitive(kind=PrimitiveKind.SLIDE, axis=curve.initial_tangent, limits=axis),
        )
    center = np.cross(curve.plane_normal, curve.initial_tangent) / arc.curvature
    hinge = Primitive(
        kind=PrimitiveKind.HINGE, axis=curve.plane_normal, ratio=arc.curvature, limits=axis
    )
    return Pose.of(p=center), (hinge,)

"""Scene to Mechanism: the primitive degrees of freedom that carry each link, and what couples them.

Here is settled, once for every target, what simulators do differently: which joint carries which link, reversed and
composite joints, several roots, kinematic loops, couplings.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, Closure, DofCoupling, Primitive, PrimitiveKind
from loaders.diagnostics import Diagnostics, ExportError, Fate
from loaders.model import WORLD, Z_AXIS, Joint, JointType, by_name
from loaders.model import Coupling as SceneCoupling
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Pose, SpatialInertia, frozen

from .index_resolution import Indices
from .loop_cutting import cut_loops
from .spanning_tree import Edge, spanning_forest

_SIZE = {PrimitiveKind.HINGE: 1, PrimitiveKind.SLIDE: 1, PrimitiveKind.BALL: 3, PrimitiveKind.FREE: 6}
_MASSLESS = SpatialInertia.of(0.0)


def lower(scene: Scene) -> Mechanism:
    """Lower a scene to the mechanism that every target is made from.

    Raises:
        ExportError: if the scene has a joint that no mechanism here can express.
    """
    diagnostics = Diagnostics()
    opening = cut_loops(scene, diagnostics)
    edges = spanning_forest(opening.scene, opening.tree)
    bodies = _bodies(opening.scene, edges, diagnostics)
    index = {body.name: i for i, body in enumerate(bodies)} | {WORLD: ROOT}
    v_order = tuple(dof for body in bodies for dof in body.dofs)
    indices = Indices(bodies=index, dofs={key: i for i, key in enumerate(v_order)})
    couplings = _couplings(scene, v_order, diagnostics)
    _report_kinematic(bodies, diagnostics)
    diagnostics.raise_for(ExportError, strict=False)
    return Mechanism(
        scene=scene,
        bodies=bodies,
        closures=tuple(Closure(joint=j, parent=index[j.parent], child=index[j.child]) for j in opening.closures),
        couplings=couplings,
        v_order=v_order,
        diagnostics=tuple(diagnostics),
        actuators=tuple(map(indices.actuator, scene.actuators)),
        constraints=tuple(map(indices.constraint, scene.constraints)),
        force_elements=tuple(map(indices.force_element, scene.forces)),
    )


# --- bodies ----------------------------------------------------------------------------------------------------------


def _bodies(scene: Scene, edges: tuple[Edge, ...], diagnostics: Diagnostics) -> tuple[Body, ...]:
    links = by_name(scene.links)
    index = {edge.link: i for i, edge in enumerate(edges)} | {WORLD: ROOT}
    rotors = {a.joint: a.gear_ratio**2 * a.rotor_inertia for a in scene.actuators}
    taken = {joint.name for joint in scene.joints if joint.type is not JointType.FLOATING}
    bodies: list[Body] = []
    v_start = 0
    for edge in edges:
        link = links[edge.link]
        name, X_PF, X_BM, primitives = _mounting(edge, link.X_WL, taken, diagnostics)
        size = max((p.dof_index + _SIZE[p.kind] for p in primitives), default=0)
        rotor = rotors.get(name or "", 0.0) if size == 1 else 0.0
        bodies.append(
            Body(
                link=link,
                parent=index[edge.parent],
                X_PF=X_PF,
                X_BM=X_BM,
                joint=name,
                source=edge.joint,
                reversed=edge.reversed,
                primitives=primitives,
                inertia=link.inertia or _MASSLESS,
                reflected_inertia=(rotor,) * size,
                v_start=v_start,
            )
        )
        v_start += size
    return tuple(bodies)


def _report_kinematic(bodies: tuple[Body, ...], diagnostics: Diagnostics) -> None:
    for body in bodies:
        if body.is_kinematic:
            diagnostics.add(
                Fate.NOTED,
                "lower.kinematic",
                "link {body} is kinematic: no force moves it, it stands where it is put",
                body.link.where,
                subjects=(body.name,),
                body=body.name,
            )
        elif body.link.kinematic:
            message = f"link {body.name} is kinematic, but joint {body.joint} carries it, which forces move"
            hint = "take it off the joint, or make the joint fixed"
            diagnostics.add(Fate.DROPPED, "lower.kinematic-in-joint", message, body.link.where, hint=hint)


def _mounting(
    edge: Edge, X_WL: Pose, taken: set[str], diagnostics: Diagnostics
) -> tuple[str | None, Pose, Pose, tuple[Primitive, ...]]:
    """Name of the joint, ``X_PF``, ``X_BM`` and primitives of one edge."""
    joint = edge.joint
    if edge.static:
        return None, X_WL, IDENTITY, ()
    if joint is None or joint.type is JointType.FLOATING:
        return free_name(edge.link, taken), IDENTITY, IDENTITY, FREE
    X_JO, primitives = _PRIMITIVES[joint.type](joint, diagnostics)
    X_PO, X_CO = joint.X_PJ @ X_JO, joint.X_CJ @ X_JO
    if edge.reversed:
        return joint.name, X_CO, X_PO, tuple(_backwards(p) for p in reversed(primitives))
    return joint.name, X_PO, X_CO, primitives


def free_name(link: str, taken: set[str]) -> str:
    """Name, in positions and velocities, of the free motion of a link: its own, underscored until no joint has it."""
    while link in taken:
        link = "_" + link
    return link


def _backwards(primitive: Primitive) -> Primitive:
    return Primitive(
        kind=primitive.kind,
        axis=frozen(-primitive.axis),
        dof_index=primitive.dof_index,
        ratio=primitive.ratio,
        limits=primitive.limits,
    )


# --- the primitives of each type of joint ----------------------------------------------------------------------------
# Each function returns X_JO, the frame that the primitives act in seen from J, and the primitives.

_Composition = tuple[Pose, tuple[Primitive, ...]]


def _welded(_joint: Joint, _diagnostics: Diagnostics) -> _Composition:
    return IDENTITY, ()


def _series(*kinds: PrimitiveKind) -> Callable[[Joint, Diagnostics], _Composition]:
    """One primitive along each axis of the joint, in order."""

    def compose(joint: Joint, _diagnostics: Diagnostics) -> _Composition:
        axes = zip(kinds, joint.axes, strict=True)
        return IDENTITY, tuple(
            Primitive(kind=kind, axis=axis.xyz, dof_index=i, limits=axis) for i, (kind, axis) in enumerate(axes)
        )

    return compose


def _ball(joint: Joint, _diagnostics: Diagnostics) -> _Composition:
    limits = joint.axes[0] if joint.axes else None
    return IDENTITY, (Primitive(kind=PrimitiveKind.BALL, axis=Z_AXIS, limits=limits),)


def _screw(joint: Joint, _diagnostics: Diagnostics) -> _Composition:
    (axis,) = joint.axes
    turn = Primitive(kind=PrimitiveKind.HINGE, axis=axis.xyz, limits=axis)
    advance = Primitive(kind=PrimitiveKind.SLIDE, axis=axis.xyz, ratio=joint.pitch / math.tau, limits=axis)
    return IDENTITY, (turn, advance)


def _curvilinear(joint: Joint, diagnostics: Diagnostics) -> _Composition:
    """A line is a slide; one arc is a hinge about its centre, its angle the arc length over the radius."""
    curve = joint.curve
    if curve is None or len(curve.arcs) != 1:
        message = f"joint {joint.name} follows a curve of several pieces, which no engine has; it is held at its start"
        hint = "use a single line or arc"
        diagnostics.add(Fate.DROPPED, "lower.curve-of-several-pieces", message, joint.where, hint=hint)
        return IDENTITY, ()
    (axis,), (arc,) = joint.axes, curve.arcs
    if arc.curvature == 0.0:
        return IDENTITY, (Primitive(kind=PrimitiveKind.SLIDE, axis=curve.initial_tangent, limits=axis),)
    centre = np.cross(curve.plane_normal, curve.initial_tangent) / arc.curvature
    hinge = Primitive(kind=PrimitiveKind.HINGE, axis=curve.plane_normal, ratio=arc.curvature, limits=axis)
    return Pose.of(p=centre), (hinge,)


_PRIMITIVES: dict[JointType, Callable[[Joint, Diagnostics], _Composition]] = {
    JointType.FIXED: _welded,
    JointType.REVOLUTE: _series(PrimitiveKind.HINGE),
    JointType.CONTINUOUS: _series(PrimitiveKind.HINGE),
    JointType.PRISMATIC: _series(PrimitiveKind.SLIDE),
    JointType.UNIVERSAL: _series(PrimitiveKind.HINGE, PrimitiveKind.HINGE),
    JointType.REVOLUTE2: _series(PrimitiveKind.HINGE, PrimitiveKind.HINGE),
    JointType.PLANAR: _series(PrimitiveKind.SLIDE, PrimitiveKind.SLIDE, PrimitiveKind.HINGE),
    JointType.BALL: _ball,
    JointType.SCREW: _screw,
    JointType.CURVILINEAR: _curvilinear,
}


# --- couplings -------------------------------------------------------------------------------------------------------


def _couplings(scene: Scene, v_order: tuple[tuple[str, int], ...], diagnostics: Diagnostics) -> tuple[DofCoupling, ...]:
    v_index = {key: i for i, key in enumerate(v_order)}
    found = []
    for coupling in (*scene.couplings, *_gearboxes(scene, diagnostics)):
        follower = v_index.get((coupling.follower, coupling.follower_axis))
        leader = v_index.get((coupling.leader, coupling.leader_axis))
        if follower is None or leader is None:
            still = coupling.follower if follower is None else coupling.leader
            diagnostics.add(
                Fate.DROPPED,
                "lower.coupling-without-freedom",
                "{follower} cannot follow {leader}: {still} is no degree of freedom of a tree",
                coupling.where,
                follower=coupling.follower,
                leader=coupling.leader,
                still=still,
            )
            continue
        found.append(
            DofCoupling(
                follower=follower,
                leader=leader,
                multiplier=coupling.multiplier,
                offset=coupling.offset,
                name=coupling.follower,
                where=coupling.where,
            )
        )
    return tuple(found)


def _gearboxes(scene: Scene, diagnostics: Diagnostics) -> list[SceneCoupling]:
    """A gearbox couples the two joints that carry its links on the reference link (SDFormat, ``joint/@type``)."""
    carriers = {
        (joint.parent, joint.child): joint
        for joint in scene.joints
        if joint.type in {JointType.REVOLUTE, JointType.CONTINUOUS}
    }
    found = []
    for gearbox in (joint for joint in scene.joints if joint.type is JointType.GEARBOX):
        leader = carriers.get((gearbox.gear_reference or WORLD, gearbox.parent))
        follower = carriers.get((gearbox.gear_reference or WORLD, gearbox.child))
        if leader is None or follower is None:
            diagnostics.add(
                Fate.DROPPED,
                "lower.gearbox-without-hinges",
                "gearbox {gearbox} needs a hinge from {gear_reference} to each of its links",
                gearbox.where,
                gearbox=gearbox.name,
                gear_reference=gearbox.gear_reference,
            )
            continue
        signs = [_alignment(gearbox, i, carrier) for i, carrier in enumerate((leader, follower))]
        multiplier = -gearbox.gear_ratio * signs[0] * signs[1]
        found.append(
            SceneCoupling(follower=follower.name, leader=leader.name, multiplier=multiplier, where=gearbox.where)
        )
    return found


def _alignment(gearbox: Joint, i: int, carrier: Joint) -> float:
    """Whether axis ``i`` of a gearbox points along (1) or against (-1) the hinge that it measures."""
    X_LJ = gearbox.X_PJ if carrier.child == gearbox.parent else gearbox.X_CJ
    axis_L = X_LJ.R @ gearbox.axes[min(i, len(gearbox.axes) - 1)].xyz
    return 1.0 if float(axis_L @ (carrier.X_CJ.R @ carrier.axes[0].xyz)) >= 0.0 else -1.0

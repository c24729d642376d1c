"""lower: make the mechanism of a scene.

All that simulators treat differently is settled here, once for every target: which joint carries
which link, reversed and composite joints, several roots, kinematic loops, couplings. Names are
resolved to indices.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.codes import (
    LOWER_KINEMATIC,
    LOWER_KINEMATIC_IN_JOINT,
    LOWER_OVERLAP,
    LOWER_OVERLAP_EXCLUDED,
    LOWER_OVERLAP_IN_MOTION,
    LOWER_TENDON_INERTIA,
)
from bridge.geometry.mesh import with_mesh_files
from bridge.geometry.overlap import Overlap
from bridge.lowering.tree import compose, resolve_couplings, reverse
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import (
    FREE,
    ROOT,
    Body,
    BodyConnection,
    Closure,
    MechanismActuator,
    MechanismConstraint,
    Primitive,
    PrimitiveKind,
    TendonConnection,
)
from bridge.mechanism.mechanism import OverlapInMotion
from loaders.collision_pairs import BITMASKED, collisions_with_bitmasks
from loaders.diagnostics import Code, Diagnostics, ExportError
from loaders.engine_settings import Conventions, conventions_of
from loaders.finish.validation import report_contradictions, require_consistent
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Actuator,
    BallConstraint,
    Bushing,
    Constraint,
    DistanceConstraint,
    Joint,
    JointType,
    SpringDamper,
    Tendon,
    TendonConstraint,
    WeldConstraint,
    by_name,
)
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.scoped_names import underscores_in_front, unused_name

from .tree import CutScene, Edge, cut_loops, spanning_forest


def ignored_by_policy(scene: Scene, policy: str) -> dict[str, tuple[str, ...]]:
    """Return the items that state a property that the collision policy ignores, by its name in
    SDFormat.

    Args:
        scene: The scene.
        policy: The collision policy; see `loaders.collision_pairs`.
    """
    self_colliding = tuple(
        item.name for items in (scene.models, scene.links) for item in items if item.self_collide
    )
    masked = () if policy in BITMASKED else tuple(collisions_with_bitmasks(scene))
    conventions = conventions_of(scene.physics)
    is_own_rule = conventions != Conventions() and policy == conventions.policy
    stated = {
        "collide_bitmask": masked,
        "self_collide": () if policy == "sdformat" or is_own_rule else self_colliding,
    }
    return {name: items for name, items in stated.items() if items}


def report_overlaps(mechanism: Mechanism, policy: str, diagnostics: Diagnostics) -> None:
    """Report the links that overlap initially: those that do not collide for that reason, and those
    that push each other apart.

    Args:
        mechanism: The mechanism.
        policy: The collision policy; see `loaders.collision_pairs`.
        diagnostics: Record of the findings.
    """
    left_out = mechanism.assumed_exclusions if policy == "neighbors" else ()
    colliding = mechanism.colliding_overlaps(policy)
    hint = _how_to_exclude(mechanism)
    _report_pairs(LOWER_OVERLAP, colliding, mechanism, diagnostics, hint=hint)
    _report_pairs(LOWER_OVERLAP_EXCLUDED, left_out, mechanism, diagnostics)


def report_overlaps_in_motion(
    mechanism: Mechanism,
    found: Sequence[OverlapInMotion],
    samples: int,
    seed: int,
    diagnostics: Diagnostics,
) -> None:
    """Report the links that overlap at random positions.

    Args:
        mechanism: The mechanism.
        found: The links, the deepest first.
        samples: Number of random positions.
        seed: Seed of the random positions.
        diagnostics: Record of the finding.
    """
    deepest = [entry.deepest for entry in found]
    shares = [f", at {100.0 * entry.share:.2g} % of them" for entry in found]
    values = {"samples": samples, "seed": seed}
    _report_pairs(LOWER_OVERLAP_IN_MOTION, deepest, mechanism, diagnostics, shares, **values)


def _report_pairs(
    code: Code,
    overlaps: Sequence[Overlap],
    mechanism: Mechanism,
    diagnostics: Diagnostics,
    more: Sequence[str] = (),
    **values: Any,
) -> None:
    """Report overlaps as one finding, at the place of the deepest one; ``more`` follows the text of
    each.
    """
    if not overlaps:
        return
    places = {link.name: link.where for link in mechanism.scene.links}
    first = places[overlaps[0].link_A]

    def shown(name: str) -> str:
        place = places[name]
        if not place.line:
            return name
        return f"{name} ({'' if place.file == first.file else place.file + ':'}{place.line})"

    listed = [
        f"{shown(entry.link_A)} and {shown(entry.link_B)} {_depth_text(entry.depth)}{text}"
        for entry, text in zip(overlaps, more or [""] * len(overlaps), strict=True)
    ]
    subjects = dict.fromkeys(name for entry in overlaps for name in (entry.link_A, entry.link_B))
    diagnostics.add(code, first, subjects=subjects, pairs=tuple(listed), **values)


def _depth_text(depth: float) -> str:
    """Return the depth of an overlap [m], or the width of a gap, in words."""
    return f"by {depth:.3g} m" if depth > 0.0 else f"with a gap of {-depth:.3g} m"


def _how_to_exclude(mechanism: Mechanism) -> str:
    """Return what excludes pairs of links in a file of the source's format."""
    if not mechanism.states_its_pairs:
        return "overlaps='exclude' (--overlaps exclude) lets them not collide"
    if mechanism.default_policy == "mujoco":
        return "exclude the pairs with <exclude> in the file"
    if mechanism.default_policy == "neighbors":
        return "list the pairs in the SRDF file (srdf=, --srdf)"
    return "exclude the pairs with <drake:collision_filter_group>, or without <self_collide>"


def pairs_of_rules(mechanism: Mechanism) -> list[tuple[int, int]]:
    """Return the bodies of each filter rule that names two links, as every ``<exclude>`` of MJCF
    does.
    """
    index, scene = mechanism.body_index, mechanism.scene
    links = {group.name: group.links for group in scene.filter_groups}
    rules = [(links[rule.a], links[rule.b]) for rule in scene.filter_rules]
    named = [(*one, *other) for one, other in rules if len(one) == len(other) == 1]
    return [(index[a], index[b]) for a, b in named if a != b and a in index and b in index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Indices:
    """Indices of the bodies and velocities of a mechanism in the making."""

    bodies: Mapping[str, int]
    """Body index of each link; `bridge.mechanism.bodies.ROOT` for the world."""
    dofs: Mapping[tuple[str, int], int]
    """Index in ``v_order`` of each joint and component."""

    def actuator(self, actuator: Actuator) -> MechanismActuator:
        """Return an actuator with the index of the velocity that it drives."""
        return MechanismActuator(actuator=actuator, dof=self.dofs.get((actuator.joint, 0)))

    def constraint(self, element: Constraint) -> MechanismConstraint:
        """Return a constraint with the indices of its bodies or velocities."""
        if isinstance(element, TendonConstraint):
            return TendonConnection(
                element=element, dofs=tuple(self.dofs.get((name, 0)) for name in element.joints)
            )
        if isinstance(element, WeldConstraint):
            return BodyConnection(
                element=element,
                body_a=self.bodies[element.link_A],
                body_b=self.bodies[element.link_B],
                X_AP=element.X_AP,
                X_BQ=element.X_BQ,
            )
        return self.between_points(element)

    def force_element(self, element: SpringDamper | Bushing) -> BodyConnection:
        """Return a force element with the indices of its bodies."""
        if isinstance(element, Bushing):
            return BodyConnection(
                element=element,
                body_a=self.bodies[element.link_A],
                body_b=self.bodies[element.link_C],
                X_AP=element.X_LA,
                X_BQ=element.X_LC,
            )
        return self.between_points(element)

    def between_points(
        self, element: BallConstraint | DistanceConstraint | SpringDamper
    ) -> BodyConnection:
        """Return an element between two points with the indices of its bodies."""
        return BodyConnection(
            element=element,
            body_a=self.bodies[element.link_A],
            body_b=self.bodies[element.link_B],
            X_AP=Pose.of(p=element.p_AP),
            X_BQ=Pose.of(p=element.p_BQ),
        )


_NV = {PrimitiveKind.HINGE: 1, PrimitiveKind.SLIDE: 1, PrimitiveKind.BALL: 3, PrimitiveKind.FREE: 6}
"""Number of velocities of each kind of primitive."""
_MASSLESS = SpatialInertia.of(0.0)


def lower(scene: Scene) -> Mechanism:
    """Return the mechanism of a scene, from which every target is made.

    Raises:
        ExportError: if the scene has a joint that no mechanism can express, names that nothing has,
            or numbers that no model can have.
        TypeError: if it is no scene.

    Example:
        >>> import bridge, loaders
        >>> mechanism = bridge.lower(loaders.load("assets/double_pendulum.urdf"))
        >>> mechanism.v_order
        (('shoulder', 0), ('elbow', 0))
        >>> mechanism.mass_matrix({"elbow": 1.0}).shape
        (2, 2)
    """
    if not isinstance(scene, Scene):
        raise TypeError(
            f"expected a Scene, not {type(scene).__name__}; sdfbridge.load(path) returns one"
        )
    require_consistent(scene)
    diagnostics = Diagnostics()
    report_contradictions(scene, diagnostics)
    scene = with_mesh_files(scene)
    cut = cut_loops(scene, diagnostics)
    bodies = _bodies(cut.scene, spanning_forest(cut.scene, cut.tree), diagnostics)
    v_order = tuple(dof for body in bodies for dof in body.dofs)
    indices = Indices(
        bodies={body.name: i for i, body in enumerate(bodies)} | {WORLD: ROOT},
        dofs={dof: i for i, dof in enumerate(v_order)},
    )
    couplings = resolve_couplings(scene, indices.dofs, diagnostics)
    _report_kinematic(bodies, diagnostics)
    _report_tendon_inertia(scene, bodies, diagnostics)
    diagnostics.raise_for(ExportError, strict=False)
    return Mechanism(
        scene=scene,
        bodies=bodies,
        closures=_closures(cut, indices),
        couplings=couplings,
        v_order=v_order,
        diagnostics=tuple(diagnostics),
        actuators=tuple(map(indices.actuator, scene.actuators)),
        constraints=tuple(map(indices.constraint, scene.constraints)),
        force_elements=tuple(map(indices.force_element, scene.forces)),
        fluid_forces=scene.fluid_forces,
    )


def _closures(cut: CutScene, indices: Indices) -> tuple[Closure, ...]:
    index = indices.bodies
    return tuple(
        Closure(joint=joint, parent=index[joint.parent], child=index[joint.child])
        for joint in cut.closures
    )


def _bodies(scene: Scene, edges: tuple[Edge, ...], diagnostics: Diagnostics) -> tuple[Body, ...]:
    """Return the body of each edge; its reflected inertia is that of the last actuator of its
    joint.
    """
    links = by_name(scene.links)
    index = {edge.link: i for i, edge in enumerate(edges)} | {WORLD: ROOT}
    reflected = {a.joint: a.gear_ratio**2 * a.rotor_inertia for a in scene.actuators}
    joint_names = {joint.name for joint in scene.joints if joint.type is not JointType.FLOATING}
    bodies: list[Body] = []
    v_start = 0
    for edge in edges:
        link = links[edge.link]
        name, X_PF, X_BM, primitives = _attachment(edge, link.X_WL, joint_names, diagnostics)
        nv = max((p.dof_index + _NV[p.kind] for p in primitives), default=0)
        body = Body(
            link=link,
            parent=index[edge.parent],
            X_PF=X_PF,
            X_BM=X_BM,
            joint=name,
            source=edge.joint,
            reversed=edge.reversed,
            primitives=primitives,
            inertia=link.inertia or _MASSLESS,
            reflected_inertia=_reflected_inertia(
                primitives, edge.joint, nv, reflected.get(name or "", 0.0)
            ),
            v_start=v_start,
        )
        bodies.append(body)
        v_start += nv
    return tuple(bodies)


def _reflected_inertia(
    primitives: tuple[Primitive, ...], joint: Joint | None, nv: int, of_actuators: float
) -> tuple[float, ...]:
    """Return the reflected inertia at each velocity: that of the axes, and of the actuators of a
    single one.
    """
    if joint is not None and joint.type is JointType.FLOATING:
        return tuple(axis.inertia for axis in joint.axes for _ in range(3)) or (0.0,) * nv
    values = [of_actuators if nv == 1 else 0.0] * nv
    for dof in range(nv):
        axes = [
            p.limits
            for p in primitives
            if p.dof_index in {dof, 0 if p.kind is PrimitiveKind.BALL else dof}
        ]
        values[dof] += next((axis.inertia for axis in axes if axis is not None), 0.0)
    return tuple(values)


def _attachment(
    edge: Edge, X_WL: Pose, joint_names: set[str], diagnostics: Diagnostics
) -> tuple[str | None, Pose, Pose, tuple[Primitive, ...]]:
    """Return the joint's name, ``X_PF``, ``X_BM`` and the primitives of one edge."""
    joint = edge.joint
    if edge.static:
        return None, X_WL, IDENTITY, ()
    if joint is None or joint.type is JointType.FLOATING:
        return free_joint_name(edge.link, joint_names), IDENTITY, IDENTITY, FREE
    X_JO, primitives = compose(joint, diagnostics)
    X_PO, X_CO = joint.X_PJ @ X_JO, joint.X_CJ @ X_JO
    if edge.reversed:
        return joint.name, X_CO, X_PO, reverse(primitives)
    return joint.name, X_PO, X_CO, primitives


def free_joint_name(link: str, joint_names: set[str]) -> str:
    """Return the name of a free link's joint: the link's, with leading underscores until no other
    joint has it.

    Args:
        link: Name of the link.
        joint_names: Names of all other joints.
    """
    return unused_name(link, joint_names.__contains__, underscores_in_front)


def _report_tendon_inertia(
    scene: Scene, bodies: tuple[Body, ...], diagnostics: Diagnostics
) -> None:
    """Report tendons with an inertia between branches, which MuJoCo neglects and the reference does
    not.
    """
    for tendon in scene.tendons if any(tendon.inertia for tendon in scene.tendons) else ():
        if tendon.inertia and not _is_chain(_moved_bodies(tendon, bodies), bodies):
            diagnostics.add(
                LOWER_TENDON_INERTIA,
                tendon,
                subjects=(tendon.name, *tendon.carriers),
                tendon=tendon.name,
                inertia=tendon.inertia,
            )


def _moved_bodies(tendon: Tendon, bodies: tuple[Body, ...]) -> set[int]:
    """Return the bodies whose joints may change the length of a tendon."""
    joints = {part.joint for part in tendon.parts if part.joint}
    moved = {i for i, body in enumerate(bodies) if body.joint in joints}
    index = {body.name: i for i, body in enumerate(bodies)}
    points = [_chain(index.get(part.link, ROOT), bodies) for part in tendon.parts if not part.joint]
    return moved.union(*(a ^ b for a, b in itertools.pairwise(points)))


def _chain(body: int, bodies: tuple[Body, ...]) -> set[int]:
    """Return a body and its ancestors, without those that do not move against their parents."""
    chain = set()
    while body != ROOT:
        if bodies[body].primitives:
            chain.add(body)
        body = bodies[body].parent
    return chain


def _is_chain(members: set[int], bodies: tuple[Body, ...]) -> bool:
    """Return whether of any two bodies one is an ancestor of the other."""
    return not members or members <= _chain(max(members), bodies)


def _report_kinematic(bodies: tuple[Body, ...], diagnostics: Diagnostics) -> None:
    for body in bodies:
        if body.is_kinematic:
            diagnostics.add(LOWER_KINEMATIC, body.link.where, subjects=(body.name,), link=body.name)
        elif body.link.kinematic:
            diagnostics.add(
                LOWER_KINEMATIC_IN_JOINT,
                body.link.where,
                subjects=(body.name, str(body.joint)),
                link=body.name,
                joint=str(body.joint),
            )

"""The mechanism of a source, as the options of public functions change it: scale, place, base,
overlaps and exclusions. A source is a path, a scene or a mechanism.

A mechanism states what became of its bases in `Mechanism.base`; its scene still has them as the
source states them.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, TypeVar, Unpack, cast, get_args

import loaders
from bridge.choices import AS_STATED, Base, Exclude, Exclusion, Overlaps
from bridge.codes import LOWER_SAMPLED_PAIRS
from bridge.geometry.collision_shapes import KEEP, ShapeChoice, with_shapes
from bridge.geometry.overlap import Overlap
from bridge.lowering.inertia import with_minimum_inertia, with_repaired_inertia
from bridge.lowering.lower import free_joint_name, lower
from bridge.lowering.sampling import overlaps_at_random, sampled_pairs
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import (
    FREE,
    ROOT,
    Body,
    BodyConnection,
    Closure,
    DofCoupling,
    MechanismConstraint,
    Primitive,
    PrimitiveKind,
)
from bridge.mechanism.coordinates import kind_of
from bridge.mechanism.mechanism import OverlapInMotion, SampledPairs, with_bodies
from loaders import LoadOptions
from loaders.diagnostics import NOWHERE, Diagnostics, LossSummary
from loaders.engine_settings import as_switched
from loaders.inertia import SpatialInertia
from loaders.model import (
    WORLD,
    Box,
    Buoyancy,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    DistanceConstraint,
    Ellipsoid,
    Empty,
    FilterGroup,
    FilterRule,
    FluidForce,
    Geometry,
    Heightmap,
    JointAxis,
    Link,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    SpringDamper,
    Visual,
    Wing,
)
from loaders.pose import IDENTITY, Pose, frozen
from loaders.scene import Scene
from loaders.scoped_names import underscores_in_front, unused_name
from loaders.text import check_option_names, check_option_value, check_whole_number


def with_chosen_base(mechanism: Mechanism, base: Base) -> Mechanism:
    """Return the mechanism with its bases as chosen.

    Args:
        mechanism: The mechanism to change.
        base: ``as_is`` returns it unchanged; ``fixed`` and ``free`` are as in `with_base`.

    Raises:
        ValueError: if ``base`` has another value.
    """
    check_option_value("base", base, get_args(Base))
    return mechanism if base == "as_is" else with_base(mechanism, fixed=base == "fixed")


def with_overlaps(mechanism: Mechanism, overlaps: Overlaps) -> Mechanism:
    """Return the mechanism with the links that overlap initially as chosen.

    Args:
        mechanism: The mechanism to change.
        overlaps: ``keep`` lets them collide; ``exclude`` keeps the choice of the mechanism, which
            by default lets them not collide where the source does not state which links do.

    Raises:
        ValueError: if ``overlaps`` has another value.
    """
    check_option_value("overlaps", overlaps, get_args(Overlaps))
    if overlaps in ("exclude", mechanism.overlap_choice):
        return mechanism
    return dataclasses.replace(mechanism, overlap_choice=overlaps)


def with_exclusions(mechanism: Mechanism, exclusion: Exclusion) -> Mechanism:
    """Return the mechanism with the pairs of links that do not collide as chosen.

    Args:
        mechanism: The mechanism to change.
        exclusion: ``as_is`` returns it unchanged; ``sampled`` excludes the links that are adjacent,
            that overlap initially (unless they are kept), and that touch always or never at random
            positions; see `bridge.lowering.sampling`. A mechanism that has been sampled stays as
            it is.

    Raises:
        LimitError: if there are more pairs than the call that is running may have.
        ValueError: if an option has a value that it cannot have.
    """
    check_option_value("exclude", exclusion.exclude, get_args(Exclude))
    check_whole_number("exclude_samples", exclusion.samples, 1)
    check_whole_number("exclude_seed", exclusion.seed)
    if exclusion.exclude == "as_is" or mechanism.sampled is not None:
        return mechanism
    sampled = sampled_pairs(mechanism, exclusion.samples, exclusion.seed)
    diagnostics = Diagnostics(mechanism.diagnostics)
    report_sampled_pairs(sampled, diagnostics)
    return dataclasses.replace(
        mechanism,
        scene=with_excluded_pairs(mechanism.scene, sampled),
        sampled=sampled,
        diagnostics=tuple(diagnostics),
    )


def with_excluded_pairs(scene: Scene, sampled: SampledPairs) -> Scene:
    """Return the scene with filter groups, one for each link, that exclude pairs from contact.

    Args:
        scene: The scene.
        sampled: The pairs.
    """
    taken = {group.name for group in scene.filter_groups}
    links = dict.fromkeys(name for pair in sampled.pairs for name in (pair.link_A, pair.link_B))
    names = {
        link: unused_name(f"{link}_sampled", taken.__contains__, underscores_in_front)
        for link in links
    }
    groups = tuple(FilterGroup(name=name, links=(link,)) for link, name in names.items())
    rules = tuple(FilterRule(a=names[pair.link_A], b=names[pair.link_B]) for pair in sampled.pairs)
    return dataclasses.replace(
        scene,
        filter_groups=(*scene.filter_groups, *groups),
        filter_rules=(*scene.filter_rules, *rules),
    )


def report_sampled_pairs(sampled: SampledPairs, diagnostics: Diagnostics) -> None:
    """Report how many pairs are excluded, and how certain it is that they do not touch.

    Args:
        sampled: The pairs.
        diagnostics: Record of the finding.
    """
    diagnostics.add(
        LOWER_SAMPLED_PAIRS,
        NOWHERE,
        count=len(sampled.pairs),
        adjacent=sampled.count("Adjacent"),
        default=sampled.count("Default"),
        always=sampled.count("Always"),
        never=sampled.count("Never"),
        samples=sampled.samples,
        seed=sampled.seed,
        bound=sampled.bound,
    )


def with_base(mechanism: Mechanism, *, fixed: bool) -> Mechanism:
    """Return the mechanism with every base fixed or free.

    Args:
        mechanism: The mechanism to change.
        fixed: Whether free links are welded to the world where they are; else links that are welded
            to the world become free.
    """
    joints = {joint for joint, _ in mechanism.v_order}
    bodies = list(mechanism.bodies)
    for i, body in enumerate(bodies):
        if body.parent == ROOT:
            bodies[i] = _weld(body) if fixed else _release(body, joints)
    rebased = with_bodies(mechanism, bodies, range(len(bodies)))
    return dataclasses.replace(rebased, base="fixed" if fixed else "free")


def relowered(mechanism: Mechanism, scene: Scene) -> Mechanism:
    """Return the mechanism of a changed scene, with the base, the treatment of overlaps and the
    minimum inertia that were chosen for the first.

    Args:
        mechanism: The mechanism from whose scene the changed one was made.
        scene: The changed scene.

    Raises:
        ExportError: if the scene cannot be lowered.
    """
    lowered = dataclasses.replace(
        lower(scene),
        overlap_choice=mechanism.overlap_choice,
        exclusions=_kept(mechanism, scene),
        sampled=mechanism.sampled,
    )
    return with_minimum_inertia(with_chosen_base(lowered, mechanism.base))


def switched(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism without what the source's flags for MuJoCo switch off, as every other
    simulator gets it; see `loaders.engine_settings.as_switched`.
    """
    scene = as_switched(mechanism.scene)
    if scene is mechanism.scene:
        return mechanism
    return dataclasses.replace(relowered(mechanism, scene), diagnostics=mechanism.diagnostics)


def _kept(mechanism: Mechanism, scene: Scene) -> tuple[Overlap, ...] | None:
    """Return the overlaps whose links do not collide, if a changed scene has other shapes."""
    if not any(link.collisions for link in scene.links):
        return ()
    shapes = {link.name: link.collisions for link in mechanism.scene.links}
    if all(shapes.get(link.name) is link.collisions for link in scene.links):
        return mechanism.exclusions
    return mechanism.assumed_exclusions


def _weld(body: Body) -> Body:
    """Return a free body welded to the world, and any other body as it is."""
    if kind_of(body) is not PrimitiveKind.FREE:
        return body
    return dataclasses.replace(
        body, joint=None, source=None, X_PF=body.link.X_WL, primitives=(), reflected_inertia=()
    )


def _release(body: Body, joints: set[str]) -> Body:
    """Return a body that is welded to the world as a free one, and any other body as it is."""
    if body.primitives or body.name == WORLD:
        return body
    return dataclasses.replace(
        body,
        joint=free_joint_name(body.name, joints),
        source=None,
        X_PF=IDENTITY,
        X_BM=IDENTITY,
        primitives=FREE,
        reflected_inertia=(0.0,) * 6,
    )


def placed(mechanism: Mechanism, X_WN: Pose) -> Mechanism:
    """Return the mechanism moved as a whole: everything that was fixed in the world is fixed in
    frame N.

    Args:
        mechanism: The mechanism.
        X_WN: Pose of N in the world.
    """
    return dataclasses.replace(
        mechanism,
        bodies=tuple(_placed_body(body, X_WN) for body in mechanism.bodies),
        closures=tuple(_placed_closure(closure, X_WN) for closure in mechanism.closures),
        constraints=tuple(
            _placed_constraint(constraint, X_WN) for constraint in mechanism.constraints
        ),
        force_elements=tuple(
            _placed_connection(element, X_WN) for element in mechanism.force_elements
        ),
        fluid_forces=tuple(
            dataclasses.replace(f, X_WS=X_WN @ f.X_WS) for f in mechanism.fluid_forces
        ),
    )


def _placed_body(body: Body, X_WN: Pose) -> Body:
    is_on_world = body.parent == ROOT and kind_of(body) is not PrimitiveKind.FREE
    X_PF = X_WN @ body.X_PF if is_on_world else body.X_PF
    return dataclasses.replace(
        body, link=dataclasses.replace(body.link, X_WL=X_WN @ body.link.X_WL), X_PF=X_PF
    )


def _placed_closure(closure: Closure, X_WN: Pose) -> Closure:
    joint = closure.joint
    X_PJ = X_WN @ joint.X_PJ if closure.parent == ROOT else joint.X_PJ
    X_CJ = X_WN @ joint.X_CJ if closure.child == ROOT else joint.X_CJ
    return dataclasses.replace(closure, joint=dataclasses.replace(joint, X_PJ=X_PJ, X_CJ=X_CJ))


def _placed_constraint(constraint: MechanismConstraint, X_WN: Pose) -> MechanismConstraint:
    return (
        _placed_connection(constraint, X_WN)
        if isinstance(constraint, BodyConnection)
        else constraint
    )


def _placed_connection(connection: BodyConnection, X_WN: Pose) -> BodyConnection:
    X_AP = X_WN @ connection.X_AP if connection.body_a == ROOT else connection.X_AP
    X_BQ = X_WN @ connection.X_BQ if connection.body_b == ROOT else connection.X_BQ
    return dataclasses.replace(connection, X_AP=X_AP, X_BQ=X_BQ)


def scaled(mechanism: Mechanism, scale: float) -> Mechanism:
    """Return the mechanism with every length multiplied by a factor; masses and stiffnesses stay.

    Args:
        mechanism: The mechanism.
        scale: The factor.
    """
    slides = _slides(mechanism)
    return dataclasses.replace(
        mechanism,
        bodies=tuple(_scaled_body(body, scale) for body in mechanism.bodies),
        closures=tuple(_scaled_closure(closure, scale) for closure in mechanism.closures),
        couplings=tuple(
            _scaled_coupling(coupling, slides, scale) for coupling in mechanism.couplings
        ),
        constraints=tuple(
            _scaled_constraint(constraint, scale) for constraint in mechanism.constraints
        ),
        force_elements=tuple(
            _scaled_connection(element, scale) for element in mechanism.force_elements
        ),
        fluid_forces=tuple(_scaled_fluid_force(force, scale) for force in mechanism.fluid_forces),
    )


def _slides(mechanism: Mechanism) -> set[int]:
    """Return the indices in ``v_order`` of the velocities that are lengths per second: slides, but
    not screws.
    """
    kinds: dict[int, set[PrimitiveKind]] = {}
    for body in mechanism.bodies:
        for primitive in body.primitives:
            kinds.setdefault(body.v_start + primitive.dof_index, set()).add(primitive.kind)
    return {dof for dof, kind in kinds.items() if kind == {PrimitiveKind.SLIDE}}


def _scaled_coupling(coupling: DofCoupling, slides: set[int], scale: float) -> DofCoupling:
    follower = scale if coupling.follower in slides else 1.0
    leader = scale if coupling.leader in slides else 1.0
    return coupling.scaled(follower, leader)


def _scaled_closure(closure: Closure, scale: float) -> Closure:
    X_PJ, X_CJ = _pose(closure.joint.X_PJ, scale), _pose(closure.joint.X_CJ, scale)
    return dataclasses.replace(
        closure, joint=dataclasses.replace(closure.joint, X_PJ=X_PJ, X_CJ=X_CJ)
    )


def _scaled_constraint(constraint: MechanismConstraint, scale: float) -> MechanismConstraint:
    return (
        _scaled_connection(constraint, scale)
        if isinstance(constraint, BodyConnection)
        else constraint
    )


def _scaled_connection(connection: BodyConnection, scale: float) -> BodyConnection:
    element = connection.element
    if isinstance(element, DistanceConstraint):
        element = dataclasses.replace(element, distance=scale * element.distance)
    elif isinstance(element, SpringDamper):
        element = dataclasses.replace(element, free_length=scale * element.free_length)
    X_AP, X_BQ = _pose(connection.X_AP, scale), _pose(connection.X_BQ, scale)
    return dataclasses.replace(connection, element=element, X_AP=X_AP, X_BQ=X_BQ)


def _scaled_fluid_force(force: FluidForce, scale: float) -> FluidForce:
    """Return a force of a fluid with its lengths, area and volume scaled; coefficients of drag
    stay.
    """
    X_WS = _pose(force.X_WS, scale)
    if isinstance(force, Buoyancy):
        layers = tuple((scale * height, density) for height, density in force.layers)
        volume = None if force.volume is None else scale**3 * force.volume
        return dataclasses.replace(
            force, X_WS=X_WS, layers=layers, volume=volume, p_LV=frozen(scale * force.p_LV)
        )
    X_LF = _pose(force.X_LF, scale)
    if isinstance(force, Wing):
        return dataclasses.replace(force, X_WS=X_WS, X_LF=X_LF, area=scale**2 * force.area)
    return dataclasses.replace(force, X_WS=X_WS, X_LF=X_LF)


def _pose(X: Pose, scale: float) -> Pose:
    return Pose(X.R, frozen(scale * X.p))


def _scaled_body(body: Body, scale: float) -> Body:
    hinged = {p.dof_index for p in body.primitives if p.kind is PrimitiveKind.HINGE}
    return dataclasses.replace(
        body,
        link=_scaled_link(body.link, scale),
        X_PF=_pose(body.X_PF, scale),
        X_BM=_pose(body.X_BM, scale),
        primitives=tuple(
            _scaled_primitive(p, scale, p.dof_index in hinged) for p in body.primitives
        ),
        inertia=_scaled_inertia(body.inertia, scale),
    )


def _scaled_primitive(primitive: Primitive, scale: float, is_screw: bool) -> Primitive:
    """Scale the limits of a slide, or its pitch if it shares its coordinate with a hinge."""
    if primitive.kind is not PrimitiveKind.SLIDE:
        return primitive
    if is_screw:
        return dataclasses.replace(primitive, ratio=scale * primitive.ratio)
    axis = primitive.limits
    return dataclasses.replace(
        primitive, limits=_scaled_axis(axis, scale) if axis is not None else None
    )


def _scaled_axis(axis: JointAxis, scale: float) -> JointAxis:
    return dataclasses.replace(
        axis,
        lower=scale * axis.lower,
        upper=scale * axis.upper,
        spring_reference=scale * axis.spring_reference,
    )


def _scaled_inertia(inertia: SpatialInertia, scale: float) -> SpatialInertia:
    return SpatialInertia(
        inertia.mass, frozen(scale * inertia.p_LLcm), frozen(scale**2 * inertia.I_Lcm)
    )


def _scaled_link(link: Link, scale: float) -> Link:
    collisions = tuple(_scaled_shape(collision, scale) for collision in link.collisions)
    visuals = tuple(_scaled_shape(visual, scale) for visual in link.visuals)
    inertia = _scaled_inertia(link.inertia, scale) if link.inertia is not None else None
    X_WL = _pose(link.X_WL, scale)
    return dataclasses.replace(
        link, X_WL=X_WL, inertia=inertia, collisions=collisions, visuals=visuals
    )


S = TypeVar("S", Collision, Visual)


def _scaled_shape(shape: S, scale: float) -> S:
    return dataclasses.replace(
        shape, X_LG=_pose(shape.X_LG, scale), geometry=_scaled_geometry(shape.geometry, scale)
    )


_LENGTHS: dict[type, tuple[str, ...]] = {
    Box: ("size",),
    Sphere: ("radius",),
    Cylinder: ("radius", "length"),
    Capsule: ("radius", "length"),
    Cone: ("radius", "length"),
    Ellipsoid: ("radii",),
    Plane: ("size",),
    Mesh: ("scale",),
    Heightmap: ("size", "position"),
    Polyline: ("outlines", "height"),
    Empty: (),
}
"""Names of the fields of each geometry that are lengths or factors of lengths."""


def _scaled_geometry(geometry: Geometry, scale: float) -> Geometry:
    values = {name: _times(getattr(geometry, name), scale) for name in _LENGTHS[type(geometry)]}
    if isinstance(geometry, Mesh) and geometry.reference is not None:
        values["reference"] = _scaled_geometry(geometry.reference, scale)
    return dataclasses.replace(geometry, **values)


def _times(value: Any, scale: float) -> Any:
    """Return a number, or nested tuples of numbers, times ``scale``."""
    return (
        tuple(_times(item, scale) for item in value) if isinstance(value, tuple) else scale * value
    )


_Options = TypeVar("_Options")
Source = str | os.PathLike[str] | Scene | Mechanism


class SourceOptions(LoadOptions, total=False):
    """Keywords of all exports beside those of `loaders.load`."""

    exclude: Exclude
    exclude_samples: int
    exclude_seed: int


def source_name(source: Source) -> str:
    """Return the name of a source for messages: a path as it was given, or the name of the
    scene.
    """
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    scene = source.scene if isinstance(source, Mechanism) else source
    return str(getattr(scene, "name", "")) or "model"


def loss_summary(source: Source, options: LoadOptions) -> LossSummary:
    """Return the context of a public call that reads a source, with the options of the caller."""
    return LossSummary.of(source_name(source), options)


def mechanism_of(
    source: Source,
    *,
    base: Base = "as_is",
    overlaps: Overlaps = "exclude",
    exclusion: Exclusion = AS_STATED,
    repair_inertia: bool = False,
    shapes: ShapeChoice = KEEP,
    target: str = "",
    **load_options: Unpack[LoadOptions],
) -> Mechanism:
    """Return the mechanism of a source, with the base that the caller chose and the minimum inertia
    that engines then need.

    Args:
        source: A path, a scene, or a mechanism.
        base: Whether free links are welded to the world, or links that are welded to it are free;
            see `bridge.lowering.transform.with_chosen_base`.
        overlaps: Whether links that overlap initially collide, where the source does not state
            which links do; see `bridge.lowering.transform.with_overlaps`.
        exclusion: Whether random positions exclude pairs of links from contact; see
            `bridge.lowering.transform.with_exclusions`.
        repair_inertia: Whether inertias that no rigid body can have are replaced by the nearest
            physical ones.
        shapes: What collision meshes become.
        target: The engine that the findings about them are about.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: if the file has errors.
        ExportError: if the scene cannot be lowered.
        TypeError: if the source is neither a path, a scene nor a mechanism, or for an unknown
        option.
        ValueError: if ``base``, ``overlaps`` or ``exclusion`` has an unknown value, or no link
            matches a pattern of ``shapes``.
    """
    check_option_names(load_options, LoadOptions)
    if isinstance(source, str | os.PathLike):
        source = loaders.load(source, **load_options)
    if not isinstance(source, Scene | Mechanism):
        raise TypeError(f"expected a path, a Scene or a Mechanism, not {type(source).__name__}")
    mechanism = _with_shapes(source, shapes, target)
    repaired = _repaired(mechanism) if repair_inertia else mechanism
    chosen = with_overlaps(with_chosen_base(repaired, base), overlaps)
    return with_exclusions(with_minimum_inertia(chosen), exclusion)


def overlaps_in_motion(
    source: Source,
    *,
    samples: int = 1_000,
    seed: int = 0,
    policy: str | None = None,
    **load_options: Unpack[LoadOptions],
) -> tuple[OverlapInMotion, ...]:
    """Return the pairs of links that may collide and overlap at some of a number of random
    positions, the deepest first.

    Each joint is anywhere within its limits, joints that follow others do so, and free links stay.
    Links that are welded together are left out. A mesh counts as the convex shapes that collide for
    it.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        samples: Number of random positions.
        seed: Seed of the random positions.
        policy: Rule for pairs that no collision filter names; None is that of the source.
        load_options: Options of `loaders.load`, if ``source`` is a path.

    Raises:
        LoadError: if the file has errors.
        ExportError: if the scene cannot be lowered.
        LimitError: if there are more pairs than the call that is running may have.
        ValueError: for an unknown policy, or a number that cannot be.

    Example:
        >>> import bridge
        >>> bridge.overlaps_in_motion("assets/double_pendulum.urdf", samples=10)
        ()
    """
    check_whole_number("samples", samples, 1)
    check_whole_number("seed", seed)
    return overlaps_at_random(mechanism_of(source, **load_options), samples, seed, policy)


def _with_shapes(source: Scene | Mechanism, shapes: ShapeChoice, target: str) -> Mechanism:
    """Return the mechanism of a source with the chosen shapes in place of collision meshes."""
    if not shapes.shapes:
        return lower(source) if isinstance(source, Scene) else source
    diagnostics = Diagnostics()
    scene = source.scene if isinstance(source, Mechanism) else source
    scene = with_shapes(scene, shapes, target, diagnostics)
    mechanism = lower(scene) if isinstance(source, Scene) else relowered(source, scene)
    return dataclasses.replace(mechanism, diagnostics=(*mechanism.diagnostics, *diagnostics))


def split_options(
    kind: type[_Options], keywords: Mapping[str, Any]
) -> tuple[_Options, LoadOptions]:
    """Separate the options of an export from those of `loaders.load`; ``strict`` is an option of
    both. None stands for the default.

    Args:
        kind: Dataclass of the options of the export, which checks them.
        keywords: The keywords of the caller.

    Raises:
        TypeError: if an option is unknown; the message suggests the closest one.
        ValueError: if an option has an unknown value.
    """
    names = {field.name for field in dataclasses.fields(cast(Any, kind))}
    check_option_names(keywords, LoadOptions, names)
    given = {name: value for name, value in keywords.items() if value is not None}
    of_export = {name: value for name, value in given.items() if name in names}
    of_load = {name: value for name, value in given.items() if name not in names - {"strict"}}
    return kind(**of_export), cast(LoadOptions, of_load)


def _repaired(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism of the repaired scene; the mechanism itself if there is nothing to
    repair.
    """
    diagnostics = Diagnostics()
    scene = with_repaired_inertia(mechanism.scene, diagnostics)
    if scene is mechanism.scene:
        return mechanism
    repaired = relowered(mechanism, scene)
    return dataclasses.replace(repaired, diagnostics=(*repaired.diagnostics, *diagnostics))

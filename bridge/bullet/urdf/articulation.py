"""Articulations: the PyBullet bodies of a mechanism, each a tree of segments.

PyBullet places a link's frame at its joint and gives every joint at most one axis. A segment's frame S is therefore the
joint frame M of the link that it carries, and a joint with several primitives becomes a chain of segments, all massless
except the last. The frame of each link of the scene is kept as an offset, ``X_SL``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bridge.bullet.target import BASE, TARGET
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body, Primitive, PrimitiveKind, primitive_names
from bridge.mechanism.coordinates import default_position, kind_of
from loaders.diagnostics import Diagnostics, Fate
from loaders.model import WORLD
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import outermost_scope, root_model
from loaders.spatial import IDENTITY, Pose, SpatialInertia

from .inertia_guards import with_valid_inertia
from .partitioning import Partition, partition
from .segments import LARGE_TURN, CarriedLink, Segment, diagonalize
from .urdf_names import UrdfNames

_MASSLESS = SpatialInertia.of(0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Articulation:
    """One PyBullet body."""

    model: str
    """Name of the outermost model that the body belongs to."""
    mechanism: Mechanism
    """The part of the whole mechanism that the body holds."""
    is_fixed: bool
    """Whether the base is fixed to the world."""
    X_WS: Pose
    """Initial pose of the base segment in the world."""
    segments: tuple[Segment, ...]
    """Segments in order of PyBullet's indices: number ``i + 1`` has index ``i``."""
    joint_segments: tuple[tuple[int, ...], ...]
    """PyBullet's indices of the primitives of each mechanism body; empty if it is welded or free."""
    link_segments: dict[str, tuple[int, Pose]]
    """PyBullet's index of the segment that carries each link, and ``X_SL``."""
    joints: dict[str, int]
    """PyBullet's indices by joint name; a joint with several primitives also by its own name, for the last of them."""
    split_link: str | None
    """Name of the link, on another body, whose other half is the base; see `bridge.bullet.urdf.partitioning`."""

    @property
    def has_ball(self) -> bool:
        """Return whether one of its joints is a ball joint."""
        return any(kind_of(body) is PrimitiveKind.BALL for body in self.mechanism.bodies)

    @property
    def is_free(self) -> bool:
        """Return whether its base moves freely."""
        return not self.is_fixed


def articulate(mechanism: Mechanism, diagnostics: Diagnostics) -> list[Articulation]:
    """Return the PyBullet bodies of a mechanism: one per free tree, and one for all that a model fixes to the world.

    A tree that exceeds PyBullet's maximum size becomes several bodies; see `bridge.bullet.urdf.partitioning`.
    """
    return [
        _build(part, model, diagnostics)
        for model, indices in _bodies_by_model(mechanism)
        for part in partition(mechanism, indices, model, diagnostics)
    ]


# --- grouping into bodies --------------------------------------------------------------------------------------------


def _bodies_by_model(mechanism: Mechanism) -> list[tuple[str, list[int]]]:
    """Return the outermost model and the body indices of each PyBullet body, in the order of the mechanism."""
    outermost = _outermost_models(mechanism.scene)
    groups: dict[tuple[str, int], list[int]] = {}
    for i in range(len(mechanism.bodies)):
        root = mechanism.root_of(i)
        body = mechanism.bodies[root]
        model = outermost.get(body.link.model, body.link.model)
        key = (model, root if kind_of(body) is PrimitiveKind.FREE else ROOT)
        groups.setdefault(key, []).append(i)
    return [(model, indices) for (model, _), indices in groups.items()]


def _outermost_models(scene: Scene) -> dict[str, str]:
    """Return the name of the outermost model that contains each model."""
    root = root_model(scene)
    return {model.name: outermost_scope(model.name) if root is None else root.name for model in scene.models}


# --- building segments -----------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _SegmentBuilder:
    """A segment to which links are still being added."""

    name: str
    joint: str = ""
    parent: int = BASE
    X_PJ: Pose = IDENTITY
    primitive: Primitive | None = None
    is_primary: bool = True
    inertia: SpatialInertia = _MASSLESS
    links: list[CarriedLink] = field(default_factory=list)

    def add_link(self, body: Body, X_SL: Pose) -> None:
        """Add a link of the scene and its inertia."""
        self.links.append(CarriedLink(body.link, X_SL))
        added = body.inertia.moved(X_SL)
        self.inertia = self.inertia + added if len(self.links) > 1 else added

    def build(self) -> Segment:
        """Return the segment."""
        return Segment(
            name=self.name,
            joint=self.joint,
            parent=self.parent,
            X_PJ=self.X_PJ,
            primitive=self.primitive,
            is_primary=self.is_primary,
            inertia=self.inertia,
            links=tuple(self.links),
        )


@dataclass(slots=True)
class _ArticulationBuilder:
    """The segments of an articulation to which bodies are still being added."""

    mechanism: Mechanism
    names: UrdfNames
    X_WS: Pose = IDENTITY
    segments: list[_SegmentBuilder] = field(default_factory=list)
    joint_segments: list[tuple[int, ...]] = field(default_factory=list)
    link_segments: dict[str, tuple[int, Pose]] = field(default_factory=dict)
    joints: dict[str, int] = field(default_factory=dict)

    def add_to_segment(self, body: Body, index: int, X_SL: Pose) -> None:
        """Let a segment carry a body, without a joint between them.

        Args:
            body: The body to add.
            index: PyBullet's index of the segment.
            X_SL: Pose of the body's link on the segment.
        """
        self.segments[index + 1].add_link(body, X_SL)
        self.link_segments[body.name] = (index, X_SL)

    def parent_segment(self, body: Body) -> tuple[int, Pose]:
        """Return PyBullet's index of the parent segment of a body, and its ``X_SF``."""
        if body.parent == ROOT:
            return BASE, self.X_WS.inverse() @ body.X_PF
        index, X_SP = self.link_segments[self.mechanism.bodies[body.parent].name]
        return index, X_SP @ body.X_PF

    def add_body(self, body: Body) -> None:
        """Add a body as a chain of segments, one for each of its primitives, or as one welded segment."""
        primitives: tuple[Primitive | None, ...] = body.primitives or (None,)
        names = primitive_names(body) if body.primitives else (body.joint or f"{body.name}_weld",)
        first = len(self.segments) - 1
        self._add_chain(body, primitives, names)
        last = len(self.segments) - 2
        if body.joint is not None:
            self.joints.setdefault(body.joint, last)
        self.joint_segments.append(tuple(range(first, first + len(body.primitives))))
        self.add_to_segment(body, last, body.X_BM.inverse())

    def _add_chain(self, body: Body, primitives: tuple[Primitive | None, ...], names: tuple[str, ...]) -> None:
        parent, X_PJ = self.parent_segment(body)
        primary = {0} if len(body.primitives) == 1 else set(_primary_primitives(body.primitives))
        for k, (primitive, name) in enumerate(zip(primitives, names, strict=True)):
            index = len(self.segments) - 1
            is_last = k == len(primitives) - 1
            segment = _SegmentBuilder(
                joint=self.names.joint(name, exact=name == body.joint),
                name=self.names.link(body.name, exact=True) if is_last else self.names.link(f"{name}_link"),
                parent=parent,
                X_PJ=X_PJ,
                primitive=primitive,
                is_primary=k in primary,
            )
            self.segments.append(segment)
            self.joints[name] = index
            parent, X_PJ = index, IDENTITY


def _primary_primitives(primitives: tuple[Primitive, ...]) -> Iterator[int]:
    """Yield the primitive that carries the limits of each degree of freedom: the first hinge, else the first slide."""
    for dof in dict.fromkeys(p.dof_index for p in primitives):
        sharing = [k for k, p in enumerate(primitives) if p.dof_index == dof]
        yield min(sharing, key=lambda k: primitives[k].kind is not PrimitiveKind.HINGE)


def _build(part: Partition, model: str, diagnostics: Diagnostics) -> Articulation:
    mechanism = part.mechanism
    builder = _ArticulationBuilder(mechanism, UrdfNames(_reserved_names(mechanism), diagnostics))
    is_free = kind_of(mechanism.bodies[0]) is PrimitiveKind.FREE
    _add_bodies(builder, part)
    segments = with_valid_inertia(tuple(segment.build() for segment in builder.segments), is_free, diagnostics)
    diagonalize(segments)
    _report_rotated_base(builder, is_free, diagnostics)
    if is_free:
        _report_turned_base(segments[0], diagnostics)
    return Articulation(
        model=model,
        mechanism=mechanism,
        is_fixed=not is_free,
        X_WS=builder.X_WS,
        segments=segments,
        joint_segments=tuple(builder.joint_segments),
        link_segments=builder.link_segments,
        joints=builder.joints,
        split_link=part.split_link,
    )


def _add_bodies(builder: _ArticulationBuilder, part: Partition) -> None:
    base_body = _base_body(part.mechanism)
    builder.segments.append(_base_segment(builder, base_body))
    for i, body in enumerate(part.mechanism.bodies):
        if body is base_body:
            builder.joint_segments.append(())
            builder.add_to_segment(body, BASE, IDENTITY)
        elif i in part.merged:
            index, X_SF = builder.parent_segment(body)
            builder.joint_segments.append(())
            builder.add_to_segment(body, index, X_SF @ body.X_BM.inverse())
        else:
            builder.add_body(body)


def _reserved_names(mechanism: Mechanism) -> Iterable[str]:
    for body in mechanism.bodies:
        yield body.name
        if body.joint is not None:
            yield body.joint


def _base_body(mechanism: Mechanism) -> Body | None:
    """Return the body that becomes PyBullet's base, or None if an empty link in the world frame does.

    It is the free body; else the first body, if none has a joint to the world; else the world's own link.
    """
    roots = [body for body in mechanism.bodies if body.parent == ROOT]
    if kind_of(roots[0]) is PrimitiveKind.FREE or all(body.joint is None for body in roots):
        return roots[0]
    return next((body for body in roots if body.joint is None and body.name == WORLD), None)


def _base_segment(builder: _ArticulationBuilder, body: Body | None) -> _SegmentBuilder:
    """Return the base segment and set its pose: that of the base body, or the world frame for an empty link."""
    if body is None:
        return _SegmentBuilder(name=builder.names.link(WORLD))
    builder.X_WS = Pose.from_vector(default_position(body)) if kind_of(body) is PrimitiveKind.FREE else body.X_PF
    return _SegmentBuilder(name=builder.names.link(body.name, exact=True))


def _report_rotated_base(builder: _ArticulationBuilder, is_free: bool, diagnostics: Diagnostics) -> None:
    if is_free or not builder.mechanism.v_order or builder.X_WS.is_close(Pose.of(p=builder.X_WS.p)):
        return
    base = builder.segments[0]
    diagnostics.add(
        Fate.NOTED,
        "pybullet.rotated-fixed-base",
        "fixed base {link} is rotated; PyBullet's calculateInverseDynamics ignores that rotation",
        target=TARGET,
        hint="use bias_forces and inverse_dynamics of the handle",
        subjects=tuple(carried.link.name for carried in base.links),
        link=base.name,
    )


def _report_turned_base(base: Segment, diagnostics: Diagnostics) -> None:
    """Report a free base whose principal axes, which PyBullet takes as its frame, are not those of the link."""
    if base.turn <= LARGE_TURN:
        return
    link = base.links[0].link
    diagnostics.add(
        Fate.NOTED,
        "pybullet.turned-base",
        "PyBullet's frame of base {link} has the principal axes of its inertia, turned by {angle:.1f} degrees from the "
        "link; the motion is exact",
        link.where,
        target=TARGET,
        hint=f"use link_pose({link.name!r}) and set_positions({{{link.name!r}: (x, y, z, qw, qx, qy, qz)}}) of the "
        "handle in place of getBasePositionAndOrientation and resetBasePositionAndOrientation",
        subjects=(link.name,),
        link=link.name,
        angle=base.turn,
    )

"""PyBullet bodies as trees of segments, their names, inertia guards and largest size.

PyBullet places a link's frame at its joint and gives every joint at most one axis. A segment's
frame S is therefore the joint frame M of the link that it carries, and a joint with several
primitives becomes a chain of segments, all massless except the last. The frame of each link of the
scene is kept as an offset, ``X_SL``.

A PyBullet body has a maximum size; a model with more joints is divided in this order. First, welded
links are merged with the links that carry them; this is exact. Then subtrees below links that are
welded to the world are attached to the world itself, and distributed over as many bodies as needed;
this is exact too. Finally, a moving link is split between two bodies, each with half of its
inertia, and a solver constraint holds the halves together.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from bridge.lowering.transform import placed
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import FREE, ROOT, Body, Primitive, PrimitiveKind, primitive_names
from bridge.mechanism.coordinates import default_position, kind_of
from bridge.mechanism.dynamics import STABILITY_LIMIT, mode_rates, modes
from bridge.mechanism.mechanism import with_bodies
from bridge.targets.pybullet import codes
from bridge.targets.pybullet.client import BASE
from bridge.targets.report import Report
from loaders.deferred import cached_property
from loaders.diagnostics import Where
from loaders.inertia import SpatialInertia, exceeds
from loaders.model import WORLD, Link
from loaders.pose import (
    IDENTITY,
    Array,
    Pose,
    frozen,
    matrix_to_quaternion,
    principal_axes_of,
)
from loaders.scene import Scene
from loaders.scoped_names import (
    UnusedNames,
    outermost_scope,
    root_model,
    underscores_behind,
    unused_name,
)
from loaders.text import xml_compatible


def has_sensors(mechanism: Mechanism) -> bool:
    """Return whether any link or joint has a sensor."""
    return any(body.link.sensors for body in mechanism.bodies) or any(
        joint.sensors for joint in mechanism.scene.joints
    )


LARGE_TURN = 1.0
"""Angle of the frame of PyBullet's base from that of the link, above which it is reported
[degrees]."""


@dataclass(frozen=True, slots=True, eq=False)
class CarriedLink:
    """A link of the scene and its placement on the segment that carries it."""

    link: Link
    X_SL: Pose


@dataclass(frozen=True, kw_only=True, eq=False)
class Segment:
    """One link of a PyBullet body, together with its parent joint; the first segment is the
    base.
    """

    name: str
    joint: str
    """Name of the parent joint; empty for the base."""
    parent: int
    """PyBullet's index of the parent segment."""
    X_PJ: Pose
    """Joint frame in the parent segment; it coincides with the segment's frame at position zero."""
    primitive: Primitive | None
    """Degree of freedom of the parent joint; None if the joint is a weld."""
    is_primary: bool
    """Whether the limits, damping and friction of the joint axis act on this primitive."""
    inertia: SpatialInertia
    """Inertia given to PyBullet, in the segment's frame S."""
    links: tuple[CarriedLink, ...]
    own_moments: Array | None = None
    """Rotational inertia [kg m^2] that a base without mass has itself, in its own axes, if a
    segment lends it mass."""
    inertia_lender: int | None = None
    """PyBullet's index of the welded segment whose inertia this segment holds; None if it holds its
    own."""
    moved_products: Array | None = None
    """Products of inertia [kg m^2] that this base does not hold itself, in its own axes, shape (3,
    3)."""
    products_holder: int | None = None
    """PyBullet's index of the welded segment that holds the moved products; None if there are
    none."""

    @cached_property
    def principal(self) -> tuple[Array, Array]:
        """Principal axes ``R_SI`` and moments of inertia, with negative rounding errors set to
        zero.
        """
        return _without_rounding_errors(*self.inertia.principal_axes())

    def is_realizable(self) -> bool:
        """Return whether a rigid body can have the principal moments: none is negative, or larger
        than the sum of the others.
        """
        a, b, c = sorted(self.principal[1].tolist())
        return bool(a >= 0.0 and a + b >= c)

    @property
    def turn(self) -> float:
        """Angle of the principal axes, which are PyBullet's inertial frame, from the segment's
        frame [degrees].
        """
        w, *xyz = matrix_to_quaternion(self.principal[0])
        return math.degrees(2.0 * math.atan2(math.hypot(*xyz), abs(w)))


def diagonalize(segments: Sequence[Segment]) -> None:
    """Compute `Segment.principal` of all segments at once, which takes a fifth of the time."""
    coupled = [segment for segment in segments if _is_coupled(segment.inertia.I_Lcm)]
    matrices = np.array([segment.inertia.I_Lcm for segment in coupled])
    if not coupled or not np.isfinite(matrices).all():
        return
    for segment, R_SI, moments in zip(coupled, *principal_axes_of(matrices), strict=True):
        vars(segment)["principal"] = _without_rounding_errors(R_SI, moments)


def _is_coupled(inertia: Array) -> bool:
    """Return whether an inertia has an entry that is not on its diagonal."""
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = inertia.tolist()
    return bool(xy or xz or yx or yz or zx or zy)


def _without_rounding_errors(R_SI: Array, moments: Array) -> tuple[Array, Array]:
    sizes = [abs(moment) for moment in moments.tolist()]
    if min(sizes) >= 1e-15 * max(sizes):
        return R_SI, moments
    return R_SI, np.where(np.array(sizes) < 1e-15 * max(sizes), 0.0, moments)


MIN_JOINT_INERTIA = 1e-9
"""Moment of inertia [kg m^2] added to a link without inertia on a ball joint, to avoid NaN."""
MIN_BASE_INERTIA = 1e-12
"""Moment of inertia [kg m^2] added to a free base without inertia that carries other links, to
avoid NaN."""
_ZERO_MOMENT = 1e-14
"""Moment of inertia that counts as zero [kg m^2]."""
_SMALL_PRODUCTS = 1e-3
"""Largest products of inertia of a base that another link holds, relative to the smallest moment of
that link."""


def with_valid_inertia(
    segments: tuple[Segment, ...], is_free: bool, report: Report
) -> tuple[Segment, ...]:
    """Return the segments with inertias that PyBullet can simulate.

    The physics stays the same where possible: a base without mass takes the inertia of a link
    welded to it, and a tiny base gives its products of inertia to such a link. Otherwise the
    smallest inertia is added that avoids NaN.

    Args:
        segments: Segments of one body; the first is the base.
        is_free: Whether the base moves freely.
        report: Record of the changes.
    """
    if is_free and segments[0].inertia.mass == 0.0:
        segments = _borrow_inertia(segments, report)
    elif is_free:
        segments = _move_products(segments, report)
    base, *others = segments
    if is_free and others and _is_singular(base.inertia):
        report.add(
            codes.BASE_WITHOUT_INERTIA,
            _where(base),
            subjects=_link_names(base),
            link=base.name,
            inertia=MIN_BASE_INERTIA,
        )
        base = _add_inertia(base, MIN_BASE_INERTIA)
    return (base, *(_with_rotatable_ball(segment, report) for segment in others))


def welded_pose(segments: Sequence[Segment], index: int) -> Pose | None:
    """Return the pose ``X_BS`` of a segment on the base if only welds connect them, otherwise None.

    Args:
        segments: Segments of one body; the first is the base.
        index: PyBullet's index of the segment.
    """
    X_BS = IDENTITY
    while index != BASE:
        segment = segments[index + 1]
        if segment.primitive is not None:
            return None
        X_BS, index = segment.X_PJ @ X_BS, segment.parent
    return X_BS


def _borrow_inertia(segments: tuple[Segment, ...], report: Report) -> tuple[Segment, ...]:
    """Move the inertia of the first link with mass that is welded to the base into the base, which
    has no mass.
    """
    for index, lender in enumerate(segments[1:]):
        X_BS = None if lender.inertia.mass == 0.0 else welded_pose(segments, index)
        if X_BS is None:
            continue
        inertia = segments[0].inertia + lender.inertia.moved(X_BS)
        own = segments[0].inertia.I_Lcm
        base = dataclasses.replace(
            segments[0], inertia=inertia, inertia_lender=index, own_moments=own
        )
        massless = dataclasses.replace(lender, inertia=SpatialInertia.of(0.0))
        report.add(
            codes.LENT_INERTIA,
            _where(base),
            hint=f"the physics is unchanged; to change the mass of {lender.name}, use PyBullet's "
            f"link index -1",
            subjects=(*_link_names(base), *_link_names(lender)),
            base=base.name,
            lender=lender.name,
        )
        return (base, *segments[1 : index + 1], massless, *segments[index + 2 :])
    return segments


def _move_products(segments: tuple[Segment, ...], report: Report) -> tuple[Segment, ...]:
    """Move the products of inertia of a turned base into the heaviest link that is welded to it, if
    they are small.

    The motion depends on the sum of both inertias only, and PyBullet's frame of the base is then
    that of the link.
    """
    base, others = segments[0], segments[1:]
    welded = [
        i
        for i, segment in enumerate(others)
        if segment.inertia.mass and welded_pose(segments, i) is not None
    ]
    if not welded or not np.isfinite(base.inertia.I_Lcm).all() or base.turn <= LARGE_TURN:
        return segments
    index = max(welded, key=lambda i: others[i].inertia.mass)
    holder, X_BS = others[index], welded_pose(segments, index) or IDENTITY
    moments = np.diag(np.diag(base.inertia.I_Lcm))
    products = base.inertia.I_Lcm - moments
    if not exceeds(holder.inertia.I_Lcm, float(np.linalg.norm(products)) / _SMALL_PRODUCTS):
        return segments
    total = frozen(holder.inertia.I_Lcm + X_BS.R.T @ products @ X_BS.R)
    held = dataclasses.replace(holder, inertia=dataclasses.replace(holder.inertia, I_Lcm=total))
    left = dataclasses.replace(base.inertia, I_Lcm=frozen(moments))
    if held.inertia.defects():
        return segments
    report.add(
        codes.MOVED_PRODUCTS,
        _where(base),
        subjects=(*_link_names(base), *_link_names(holder)),
        base=base.name,
        holder=holder.name,
        angle=base.turn,
    )
    base = dataclasses.replace(
        base, inertia=left, moved_products=frozen(products), products_holder=index
    )
    return (base, *others[:index], held, *others[index + 1 :])


def _with_rotatable_ball(segment: Segment, report: Report) -> Segment:
    """Return the segment, with inertia added if it has a ball joint and no inertia."""
    is_ball = segment.primitive is not None and segment.primitive.kind is PrimitiveKind.BALL
    if not is_ball or not _is_singular(segment.inertia):
        return segment
    report.add(
        codes.BALL_WITHOUT_INERTIA,
        _where(segment),
        subjects=(segment.joint, *_link_names(segment)),
        joint=segment.joint,
        inertia=MIN_JOINT_INERTIA,
    )
    return _add_inertia(segment, MIN_JOINT_INERTIA)


def _add_inertia(segment: Segment, moment: float) -> Segment:
    I_Lcm = frozen(segment.inertia.I_Lcm + moment * np.eye(3))
    return dataclasses.replace(segment, inertia=dataclasses.replace(segment.inertia, I_Lcm=I_Lcm))


def _where(segment: Segment) -> Where:
    return segment.links[0].link.where


def _link_names(segment: Segment) -> tuple[str, ...]:
    return tuple(carried.link.name for carried in segment.links)


def _is_singular(inertia: SpatialInertia) -> bool:
    if inertia.mass >= 0.0 and exceeds(
        inertia.I_Lcm, _ZERO_MOMENT
    ):  # then those about the origin exceed it too
        return False
    return inertia.smallest_moment_about_origin() <= _ZERO_MOMENT


MAX_BYTES = 1000
"""Maximum length of a name in bytes; longer names corrupt PyBullet's memory."""
NAMELESS = "_"
"""Replacement for an empty name, which crashes PyBullet."""


class UrdfNames:
    """The link and joint names of one body; names that the model itself uses are reserved."""

    __slots__ = ("_attempts", "_joints", "_links", "_report", "_reserved")

    def __init__(self, reserved: Iterable[str], report: Report) -> None:
        self._reserved = set(reserved)
        self._links: set[str] = set()
        self._joints: set[str] = set()
        self._attempts: dict[tuple[str, bool], dict[str, int]] = defaultdict(dict)
        self._report = report

    def link(self, name: str, *, exact: bool = False) -> str:
        """Return a name for a link: the model's own name if ``exact``, otherwise one that the model
        does not use.
        """
        return self._unique("link", name, self._links, exact)

    def joint(self, name: str, *, exact: bool = False) -> str:
        """Return a name for a joint; see `link`."""
        return self._unique("joint", name, self._joints, exact)

    def _unique(self, kind: str, name: str, taken: set[str], exact: bool) -> str:
        unique = unused_name(
            xml_compatible(name) or NAMELESS,
            lambda name: name in taken or (not exact and name in self._reserved),
            underscores_behind,
            self._attempts[kind, exact],
        )
        taken.add(unique)
        return self._shortened(unique, name)

    def _shortened(self, unique: str, name: str) -> str:
        data = unique.encode()
        if len(data) <= MAX_BYTES:
            return unique
        start = data[: MAX_BYTES - 20].decode(errors="ignore")
        short = f"{start}~{hashlib.sha256(data).hexdigest()[:16]}"
        self._report.add(
            codes.NAME_SHORTENED,
            hint=f"use a name of at most {MAX_BYTES} bytes",
            subjects=(name,),
            size=len(data),
            start=short[:40],
            end=short[-17:],
        )
        return short


_MASSLESS = SpatialInertia.of(0.0)
_EQUAL = 1e-6
"""Relative difference of the parts of two joints in a mode below which they are equal, as those of
coupled joints."""
_TOLERANCE = 1e-2
"""Relative amount by which the rates of limited dampers may exceed one divided by the step."""


@dataclass(frozen=True, eq=False)
class Dampers:
    """Dampers of one body that are unstable at a time step."""

    v_order: Sequence[tuple[str, int]]
    mobilities: Sequence[Array]
    """Inverses of the mass matrix, for motions that couplings allow, at several positions."""
    damping: Array
    """Damping of each velocity that the source states."""

    def rate(self, damping: Array) -> float:
        """Return the fastest rate of dampers at any of the positions [1/s]."""
        rates = (float(mode_rates(mobility, damping)[-1]) for mobility in self.mobilities)
        return max(rates, default=0.0)

    @cached_property
    def stated_rate(self) -> float:
        """Fastest rate with the damping that the source states [1/s]."""
        return self.rate(self.damping)

    def unstable_joints(self, step: float) -> list[str]:
        """Return the joints that take the largest part in a mode that is unstable at a time step
        [s]; one for each.
        """
        found: set[int] = set()
        for mobility in self.mobilities:
            rates = mode_rates(mobility, self.damping)
            unstable = modes(mobility, self.damping, rates[rates * step > STABILITY_LIMIT])
            parts = unstable**2
            largest = np.argmax(parts > (1.0 - _EQUAL) * parts.max(axis=0, initial=0.0), axis=0)
            found |= set(largest.tolist())
        return [self.v_order[k][0] for k in sorted(found)]

    def max_step(self) -> float:
        """Return the time step below which the dampers are stable [s]."""
        return STABILITY_LIMIT / self.stated_rate

    def limited(self, step: float) -> Array:
        """Return the damping that is stable at a time step [s]: that of the source if it is, else
        at most what stops every motion within the step.
        """
        if self.stated_rate * step <= STABILITY_LIMIT:
            return self.damping
        inertia: Array = 1.0 / np.max([np.diag(mobility) for mobility in self.mobilities], axis=0)
        scale = 1.0
        limited: Array = np.minimum(self.damping, inertia / step)
        while (product := self.rate(limited) * step) > 1.0 + _TOLERANCE:
            scale /= product
            limited = np.minimum(self.damping, scale * inertia / step)
        return np.asarray(limited)


@dataclass(frozen=True, kw_only=True, eq=False)
class Articulation:
    """One PyBullet body."""

    model: str
    """Name of the outermost model that the body belongs to."""
    unplaced: Mechanism
    """The part of the whole mechanism that the body holds, as the source states it."""
    X_WN: Pose = IDENTITY
    """Pose of the source in the world."""
    is_fixed: bool
    """Whether the base is fixed to the world."""
    X_WS: Pose
    """Initial pose of the base segment in the world."""
    segments: tuple[Segment, ...]
    """Segments in order of PyBullet's indices: number ``i + 1`` has index ``i``."""
    joint_segments: tuple[tuple[int, ...], ...]
    """PyBullet's indices of the primitives of each mechanism body; empty if it is welded or
    free."""
    link_segments: dict[str, tuple[int, Pose]]
    """PyBullet's index of the segment that carries each link, and ``X_SL``."""
    joints: dict[str, int]
    """PyBullet's indices by joint name; a joint with several primitives also by its own name, for
    the last of them."""
    split_link: str | None
    """Name of the link, on another body, whose other half is the base; see
    `bridge.targets.pybullet.articulation`."""
    dampers: Dampers | None = None
    """Its dampers, if they are unstable at the time step of loading and are limited."""

    @cached_property
    def mechanism(self) -> Mechanism:
        """The part of the whole mechanism that the body holds, where it is placed."""
        return self.unplaced if self.X_WN is IDENTITY else placed(self.unplaced, self.X_WN)

    @cached_property
    def start(self) -> tuple[list[float], list[float]]:
        """Initial position of the base segment and its quaternion ``x y z w``, for ``loadURDF``."""
        x, y, z, w, *xyz = self.X_WS.to_vector()
        return [x, y, z], [*xyz, w]

    def moved(self, X_WN: Pose) -> Articulation:
        """Return the articulation moved as a whole."""
        if X_WN is IDENTITY:
            return self
        return dataclasses.replace(self, X_WN=X_WN @ self.X_WN, X_WS=X_WN @ self.X_WS)

    @property
    def has_ball(self) -> bool:
        """Return whether one of its joints is a ball joint."""
        return any(kind_of(body) is PrimitiveKind.BALL for body in self.mechanism.bodies)

    @property
    def is_free(self) -> bool:
        """Return whether its base moves freely."""
        return not self.is_fixed


def articulate(mechanism: Mechanism, report: Report) -> list[Articulation]:
    """Return the PyBullet bodies of a mechanism: one per free tree, and one for all that a model
    fixes to the world.

    A tree that exceeds PyBullet's maximum size becomes several bodies; see
    `bridge.targets.pybullet.articulation`.
    """
    return [
        _build(part, model, report)
        for model, indices in _bodies_by_model(mechanism)
        for part in partition(mechanism, indices, model, report)
    ]


# --- grouping into bodies -------------------------------------------------------------------------


def _bodies_by_model(mechanism: Mechanism) -> list[tuple[str, list[int]]]:
    """Return the outermost model and the body indices of each PyBullet body, in the order of the
    mechanism.
    """
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
    return {
        model.name: outermost_scope(model.name) if root is None else root.name
        for model in scene.models
    }


# --- building segments ----------------------------------------------------------------------------


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
        """Add a body as a chain of segments, one for each of its primitives, or as one welded
        segment.
        """
        primitives: tuple[Primitive | None, ...] = body.primitives or (None,)
        names = primitive_names(body) if body.primitives else (body.joint or f"{body.name}_weld",)
        first = len(self.segments) - 1
        self._add_chain(body, primitives, names)
        last = len(self.segments) - 2
        if body.joint is not None:
            self.joints.setdefault(body.joint, last)
        self.joint_segments.append(tuple(range(first, first + len(body.primitives))))
        self.add_to_segment(body, last, body.X_BM.inverse())

    def _add_chain(
        self, body: Body, primitives: tuple[Primitive | None, ...], names: tuple[str, ...]
    ) -> None:
        parent, X_PJ = self.parent_segment(body)
        primary = {0} if len(body.primitives) == 1 else set(_primary_primitives(body.primitives))
        for k, (primitive, name) in enumerate(zip(primitives, names, strict=True)):
            index = len(self.segments) - 1
            is_last = k == len(primitives) - 1
            segment = _SegmentBuilder(
                joint=self.names.joint(name, exact=name == body.joint),
                name=self.names.link(body.name, exact=True)
                if is_last
                else self.names.link(f"{name}_link"),
                parent=parent,
                X_PJ=X_PJ,
                primitive=primitive,
                is_primary=k in primary,
            )
            self.segments.append(segment)
            self.joints[name] = index
            parent, X_PJ = index, IDENTITY


def _primary_primitives(primitives: tuple[Primitive, ...]) -> Iterator[int]:
    """Yield the primitive that carries the limits of each degree of freedom: the first hinge, else
    the first slide.
    """
    for dof in dict.fromkeys(p.dof_index for p in primitives):
        sharing = [k for k, p in enumerate(primitives) if p.dof_index == dof]
        yield min(sharing, key=lambda k: primitives[k].kind is not PrimitiveKind.HINGE)


def _build(part: Partition, model: str, report: Report) -> Articulation:
    mechanism = part.mechanism
    builder = _ArticulationBuilder(mechanism, UrdfNames(_reserved_names(mechanism), report))
    is_free = kind_of(mechanism.bodies[0]) is PrimitiveKind.FREE
    _add_bodies(builder, part)
    segments = with_valid_inertia(
        tuple(segment.build() for segment in builder.segments), is_free, report
    )
    diagonalize(segments)
    _report_rotated_base(builder, is_free, report)
    if is_free:
        _report_turned_base(segments[0], report)
    return Articulation(
        model=model,
        unplaced=mechanism,
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
    """Return the body that becomes PyBullet's base, or None if an empty link in the world frame
    does.

    It is the free body; else the first body, if none has a joint to the world; else the world's own
    link.
    """
    roots = [body for body in mechanism.bodies if body.parent == ROOT]
    if kind_of(roots[0]) is PrimitiveKind.FREE or all(body.joint is None for body in roots):
        return roots[0]
    return next((body for body in roots if body.joint is None and body.name == WORLD), None)


def _base_segment(builder: _ArticulationBuilder, body: Body | None) -> _SegmentBuilder:
    """Return the base segment and set its pose: that of the base body, or the world frame for an
    empty link.
    """
    if body is None:
        return _SegmentBuilder(name=builder.names.link(WORLD))
    builder.X_WS = (
        Pose.from_vector(default_position(body))
        if kind_of(body) is PrimitiveKind.FREE
        else body.X_PF
    )
    return _SegmentBuilder(name=builder.names.link(body.name, exact=True))


def _report_rotated_base(builder: _ArticulationBuilder, is_free: bool, report: Report) -> None:
    if is_free or not builder.mechanism.v_order or builder.X_WS.is_close(Pose.of(p=builder.X_WS.p)):
        return
    base = builder.segments[0]
    report.add(
        codes.ROTATED_FIXED_BASE,
        subjects=tuple(carried.link.name for carried in base.links),
        link=base.name,
    )


def _report_turned_base(base: Segment, report: Report) -> None:
    """Report a free base whose principal axes, which PyBullet takes as its frame, are not those of
    the link.
    """
    if base.turn <= LARGE_TURN:
        return
    link = base.links[0].link
    report.add(
        codes.TURNED_BASE,
        link,
        hint="use base_pose(), set_base_pose(), base_velocity(), set_base_velocity() and "
        "apply_force() of the handle in place of PyBullet's functions for the base",
        link=link.name,
        angle=base.turn,
    )


MAX_JOINTS = 127
"""Maximum number of joints of a body whose state PyBullet can report."""
MAX_COORDINATES = 121
"""Maximum number of joint position coordinates of a body that PyBullet can set."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Partition:
    """The part of a mechanism that one PyBullet body holds."""

    mechanism: Mechanism
    merged: frozenset[int] = frozenset()
    """Indices of the welded bodies that are merged with the bodies that carry them."""
    split_link: str | None = None
    """Name of the link, in another partition, whose other half is the base; None if the base is a
    whole link."""


def partition(
    mechanism: Mechanism, indices: Sequence[int], model: str, report: Report
) -> list[Partition]:
    """Divide the bodies of one model into partitions that fit into one PyBullet body each.

    Args:
        mechanism: The whole mechanism.
        indices: Bodies of the model, in order.
        model: Name of the model, for diagnostics.
        report: Record of merged and split links.

    Returns:
        The partitions, each after the one that holds the other half of its base; empty, with an
        error in ``report``, if the model cannot be divided.
    """
    submechanism = _submechanism(mechanism, indices)
    single = _as_one_partition(submechanism, None, report)
    if single is not None:
        return [single]
    partitions, is_too_large = [], False
    for packed in _bin_pack(_reattached_to_world(submechanism)):
        cuts = _choose_cuts(packed)
        is_too_large = is_too_large or cuts is None
        partitions += [
            _as_one_partition(part, link, report) for part, link in _split(packed, cuts or [])
        ]
    if is_too_large or None in partitions:
        _report_excess(submechanism, model, report)
        return []
    fitting = [part for part in partitions if part is not None]
    _report_partitions(fitting, model, report)
    return fitting


def _as_one_partition(
    mechanism: Mechanism, split_link: str | None, report: Report
) -> Partition | None:
    """Return a single partition with as few merged links as needed; None if it is still too
    large.
    """
    if _excess(mechanism, frozenset()) <= 0:
        return Partition(mechanism=mechanism, split_link=split_link)
    merged = _links_to_merge(mechanism)
    if _excess(mechanism, merged) > 0:
        return None
    carriers = {mechanism.bodies[i].name: _carrier(mechanism, i, merged) for i in sorted(merged)}
    report.add(
        codes.FOLDED_LINKS,
        mechanism.bodies[min(merged)].link.where,
        subjects=dict.fromkeys((*carriers, *carriers.values())),
        count=len(merged),
        max_joints=MAX_JOINTS,
        links=tuple(carriers.items()),
    )
    return Partition(mechanism=mechanism, merged=merged, split_link=split_link)


def _submechanism(
    mechanism: Mechanism, indices: Sequence[int], base: tuple[int, Body] | None = None
) -> Mechanism:
    """Return the mechanism of some of the bodies, with the couplings and closures among them.

    Args:
        mechanism: The whole mechanism.
        indices: Bodies to keep, in order.
        base: Index of the body that the kept ones are attached to, and the body that replaces it as
            the first body.
    """
    if len(indices) == len(mechanism.bodies):
        return mechanism
    first = 0 if base is None else 1
    parents = {old: new for new, old in enumerate(indices, first)} | {ROOT: ROOT}
    parents |= {} if base is None else {base[0]: 0}
    bodies = [
        dataclasses.replace(mechanism.bodies[i], parent=parents[mechanism.bodies[i].parent])
        for i in indices
    ]
    if base is None:
        return with_bodies(mechanism, bodies, indices)
    return with_bodies(mechanism, [base[1], *bodies], [None, *indices])


# --- size limits ----------------------------------------------------------------------------------


def _size(body: Body) -> tuple[int, int]:
    """Return the number of joints and of position coordinates that a body needs."""
    if kind_of(body) is PrimitiveKind.FREE:
        return 0, 0
    return len(body.primitives) or 1, sum(
        4 if p.kind is PrimitiveKind.BALL else 1 for p in body.primitives
    )


def _weight(body: Body) -> int:
    """Return the share of `MAX_COORDINATES` that a body needs; a weld counts as one joint."""
    return max(_size(body))


def _excess(mechanism: Mechanism, merged: Iterable[int]) -> int:
    """Return the number of joints or coordinates above PyBullet's maximum; zero or less if the
    mechanism fits.
    """
    omitted = set(merged)
    sizes = [_size(body) for i, body in enumerate(mechanism.bodies) if i not in omitted]
    return max(sum(j for j, _ in sizes) - MAX_JOINTS, sum(c for _, c in sizes) - MAX_COORDINATES)


def _links_to_merge(mechanism: Mechanism) -> frozenset[int]:
    """Choose as few welded links as needed to merge, links without collisions first; none whose
    joint measures its force.
    """
    measured = {
        joint.name
        for joint in mechanism.scene.joints
        if any(sensor.type == "force_torque" for sensor in joint.sensors)
    }
    welded = [
        i
        for i, body in enumerate(mechanism.bodies)
        if not body.primitives and body.parent != ROOT and body.joint not in measured
    ]
    welded.sort(key=lambda i: bool(mechanism.bodies[i].link.collisions))
    return frozenset(welded[: max(0, _excess(mechanism, ()))])


# --- trees below the world ------------------------------------------------------------------------


def _reattached_to_world(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with the children of links that are welded to the world attached to the
    world itself.
    """
    static: dict[int, Pose] = {ROOT: IDENTITY}
    bodies = []
    for i, body in enumerate(mechanism.bodies):
        if body.parent not in static:
            bodies.append(body)
            continue
        X_WF = static[body.parent] @ body.X_PF
        if not body.primitives:
            static[i] = X_WF @ body.X_BM.inverse()
        bodies.append(dataclasses.replace(body, parent=ROOT, X_PF=X_WF))
    return dataclasses.replace(mechanism, bodies=tuple(bodies))


def _bin_pack(mechanism: Mechanism) -> Iterator[Mechanism]:
    """Distribute the trees below the world over bodies: consecutive trees together, as many as fit
    (next fit).
    """
    packed, weight = list[int](), 0
    for tree in mechanism.trees.values():
        added = sum(_weight(mechanism.bodies[i]) for i in tree)
        if packed and weight + added > MAX_COORDINATES:
            yield _submechanism(mechanism, sorted(packed))
            packed, weight = [], 0
        packed, weight = [*packed, *tree], weight + added
    yield _submechanism(mechanism, sorted(packed))


# --- splitting moving links -----------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Cut:
    """Subtrees that are detached from a link together."""

    link: int
    """Index of the body that is split."""
    subtrees: list[int] = field(default_factory=list)
    """Indices of the roots of the detached subtrees."""


def _choose_cuts(mechanism: Mechanism) -> list[_Cut] | None:
    """Choose the subtrees to detach so that every part fits, from the leaves towards the root.

    A subtree is detached only where the bodies collected so far exceed the maximum, so cuts lie as
    close to the root as possible.

    Returns:
        The cuts, those nearest to the leaves first; None if no choice of cuts is sufficient.
    """
    weights = [_weight(body) if body.primitives else 0 for body in mechanism.bodies]
    load, children, cuts = list(weights), [list[int]() for _ in weights], list[_Cut]()
    for i in range(len(weights) - 1, -1, -1):
        while load[i] > MAX_COORDINATES:
            path = _path_to_cut(mechanism.bodies, i, children, load)
            if path is None:
                return None
            cut = _detach(path[-1], children, load, load[i] - MAX_COORDINATES)
            cuts.append(cut)
            for ancestor in path[:-1]:
                load[ancestor] -= sum(load[k] for k in cut.subtrees)
        parent = mechanism.bodies[i].parent
        if parent != ROOT:
            load[parent] += load[i]
            children[parent].append(i)
    return cuts


def _path_to_cut(
    bodies: Sequence[Body], i: int, children: list[list[int]], load: list[int]
) -> list[int] | None:
    """Return the path from a body along the heaviest branches to the first body that can be
    split.
    """
    path = [i]
    while not (_can_be_split(bodies[path[-1]]) and any(load[k] for k in children[path[-1]])):
        candidates = children[path[-1]]
        if not candidates:
            return None
        path.append(max(candidates, key=lambda k: load[k]))
    return path


def _detach(i: int, children: list[list[int]], load: list[int], excess: int) -> _Cut:
    """Detach subtrees from a body, the heaviest first, until the excess is gone or the detached
    part is full.
    """
    cut, weight = _Cut(link=i), 0
    for k in sorted(children[i], key=lambda k: -load[k]):
        if weight and (weight >= excess or weight + load[k] > MAX_COORDINATES):
            break
        cut.subtrees.append(k)
        weight += load[k]
    children[i] = [k for k in children[i] if k not in set(cut.subtrees)]
    load[i] -= weight
    return cut


def _can_be_split(body: Body) -> bool:
    """Return whether both halves would move: PyBullet fixes a body without mass or inertia to the
    world.
    """
    return body.inertia.mass > 0.0 and body.inertia.smallest_moment_about_origin() > 0.0


def _split(mechanism: Mechanism, cuts: list[_Cut]) -> list[tuple[Mechanism, str | None]]:
    """Return the parts, each with the link that its base is the other half of, after the part that
    has that link.
    """
    members = _members_by_cut(mechanism.bodies, cuts)
    half_count = Counter(cut.link for cut in cuts)
    divided = dataclasses.replace(
        mechanism,
        bodies=tuple(
            _with_divided_inertia(body, 1 + half_count[i]) if half_count[i] else body
            for i, body in enumerate(mechanism.bodies)
        ),
    )
    taken = {body.name for body in mechanism.bodies} | {
        str(body.joint) for body in mechanism.bodies
    }
    taken |= {link.name for link in mechanism.scene.links}
    unused = UnusedNames(taken, underscores_behind)
    parts: list[tuple[Mechanism, str | None]] = []
    for number, indices in members.items():
        if number == ROOT:
            parts.append((_submechanism(divided, indices), None))
            continue
        link = cuts[number].link
        name = unused.claim(f"{divided.bodies[link].name}_continued")
        base = _second_half(divided.bodies[link], name)
        parts.append((_submechanism(divided, indices, (link, base)), divided.bodies[link].name))
    return parts


def _members_by_cut(bodies: Sequence[Body], cuts: list[_Cut]) -> dict[int, list[int]]:
    """Return the bodies below each cut, by the number of the cut; the key `ROOT` has those above
    all cuts.
    """
    starts = {k: number for number, cut in enumerate(cuts) for k in cut.subtrees}
    part_of = list[int]()
    members: dict[int, list[int]] = {}
    for i, body in enumerate(bodies):
        inherited = ROOT if body.parent == ROOT else part_of[body.parent]
        part_of.append(starts.get(i, inherited))
        members.setdefault(part_of[i], []).append(i)
    return members


def _with_divided_inertia(body: Body, count: int) -> Body:
    """Return the body with its inertia divided by ``count``, at the same center of mass."""
    inertia = SpatialInertia(
        body.inertia.mass / count, body.inertia.p_LLcm, frozen(body.inertia.I_Lcm / count)
    )
    return dataclasses.replace(
        body, inertia=inertia, link=dataclasses.replace(body.link, inertia=inertia)
    )


def _second_half(body: Body, name: str) -> Body:
    """Return the other half of a split link: a free body with inertia only."""
    link = dataclasses.replace(body.link, name=name, collisions=(), visuals=(), sensors=())
    return dataclasses.replace(
        body,
        link=link,
        parent=ROOT,
        X_PF=IDENTITY,
        X_BM=IDENTITY,
        joint=name,
        source=None,
        reversed=False,
        primitives=FREE,
        reflected_inertia=(0.0,) * 6,
        v_start=0,
    )


# --- diagnostics ----------------------------------------------------------------------------------


def _report_excess(mechanism: Mechanism, model: str, report: Report) -> None:
    report.add(
        codes.TOO_MANY_JOINTS,
        mechanism.bodies[0].link.where,
        subjects=(model,),
        model=model,
        max_joints=MAX_JOINTS,
        max_coordinates=MAX_COORDINATES,
    )


def _carrier(mechanism: Mechanism, i: int, merged: frozenset[int]) -> str:
    """Return the name of the link that a welded link is merged with."""
    while i in merged:
        i = mechanism.bodies[i].parent
    return mechanism.bodies[i].name


def _report_partitions(partitions: Sequence[Partition], model: str, report: Report) -> None:
    """Report the number of bodies that a model needs, and the links that are split between them."""
    where = partitions[0].mechanism.bodies[0].link.where
    report.add(
        codes.SEVERAL_BODIES,
        where,
        subjects=(model,),
        model=model,
        count=len(partitions),
        max_joints=MAX_JOINTS,
    )
    split_links = tuple(
        dict.fromkeys(part.split_link for part in partitions if part.split_link is not None)
    )
    if split_links:
        report.add(codes.CUT_LINKS, where, subjects=split_links, model=model, links=split_links)


def report_refused_inertias(articulations: Iterable[Articulation], report: Report) -> None:
    """Report bodies that PyBullet's dynamics queries refuse for the inertia of a link.

    Args:
        articulations: The bodies.
        report: Record of the findings.
    """
    for articulation in articulations:
        links = []
        for index, segment in enumerate(articulation.segments, start=BASE):
            if index == BASE and articulation.is_fixed:
                continue
            moves = index == BASE or bool(segment.primitive)
            if _is_refused(segment, moves=moves):
                links.append(segment.name)
        if links:
            report.add(
                codes.REFUSED_INERTIA, subjects=links, model=articulation.model, links=tuple(links)
            )


def _is_refused(segment: Segment, *, moves: bool) -> bool:
    """Return whether PyBullet's queries refuse a link for its principal moments; of links that are
    welded to their parents they do not ask for the triangle inequality.
    """
    return bool(segment.principal[1].min() < 0.0 or (moves and not segment.is_realizable()))

"""Bodies, loop closures, couplings, actuators and constraints by index.

Frames, in monogram notation: W is the world; P the parent body; B the body, which is the link's own
frame; F the joint frame on P; M the joint frame on B. ``X_PB(q) = X_PF @ X_FM(q) @
X_BM.inverse()``, where ``X_FM`` is the product of the body's primitives in order, and the identity
at the zero configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from loaders.diagnostics import NOWHERE, Where
from loaders.inertia import SpatialInertia
from loaders.model import (
    Z_AXIS,
    Actuator,
    BallConstraint,
    Bushing,
    CouplingLaw,
    DistanceConstraint,
    EngineSettings,
    Joint,
    JointAxis,
    JointType,
    Link,
    SpringDamper,
    TendonConstraint,
    WeldConstraint,
)
from loaders.pose import Array, Pose

ROOT = -1
"""Index of the world, where the index of a body is expected."""


class PrimitiveKind(StrEnum):
    """Kinds of primitive joint, which every engine has."""

    HINGE = "hinge"
    """Rotates about ``axis``: one position [rad], one velocity."""
    SLIDE = "slide"
    """Translates along ``axis``: one position [m], one velocity."""
    BALL = "ball"
    """Rotates freely: position ``w x y z``, three velocities."""
    FREE = "free"
    """Moves freely in the world: position ``x y z qw qx qy qz`` of the link, six velocities.

    Its ``X_FM`` is the link's pose in the world; its default is the link's pose in the scene, not
    the identity."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Primitive:
    """One primitive degree of freedom of a body.

    Its displacement is ``ratio`` times coordinate ``dof_index`` of the joint. Two primitives of one
    body may share a
    coordinate: a screw is a hinge of ratio 1 and a slide of ratio pitch / 2 pi.
    """

    kind: PrimitiveKind
    axis: Array
    """Unit vector in F, shape (3,), negated already if the joint is reversed; unused for ball and
    free."""
    dof_index: int = 0
    """Index, within the joint, of its first velocity."""
    ratio: float = 1.0
    limits: JointAxis | None = None
    """Limits, damping, friction and spring of the coordinate; None if the source gives no axis."""


FREE = (Primitive(kind=PrimitiveKind.FREE, axis=Z_AXIS),)
"""Primitives of a free body."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A link, or a part of a split link, with the joint that connects it to its parent; each comes
    after its parent.
    """

    link: Link
    """The scene's link, or the part of it."""
    parent: int
    """Index of the parent body, or `ROOT`."""
    X_PF: Pose
    """Joint frame F on the parent."""
    X_BM: Pose
    """Joint frame M on the body."""
    joint: str | None
    """Name of its joint in positions and velocities; None for a static or kinematic link."""
    source: Joint | None
    """The scene's joint; None for a static link, and for a free link without a floating joint."""
    reversed: bool
    """Whether the joint's child is the parent body."""
    primitives: tuple[Primitive, ...]
    """Degrees of freedom, in order of composition from P outwards; empty if it is welded to its
    parent."""
    inertia: SpatialInertia
    """Inertia of the link, in B; zero if the source gives none."""
    reflected_inertia: tuple[float, ...]
    """Reflected inertia of rotors at each velocity [kg m^2 or kg]."""
    v_start: int
    """Index of its first velocity in `bridge.Mechanism.v_order`."""

    @property
    def name(self) -> str:
        """Name of the link."""
        return self.link.name

    @property
    def nv(self) -> int:
        """Number of its velocities."""
        return len(self.reflected_inertia)

    @property
    def dofs(self) -> tuple[tuple[str, int], ...]:
        """Joint and component of each of its velocities."""
        return tuple((str(self.joint), component) for component in range(self.nv))

    @property
    def is_kinematic(self) -> bool:
        """True if the link is kinematic: it is fixed in the world, and forces do not move it."""
        return self.link.kinematic and self.parent == ROOT and self.joint is None


def primitive_names(body: Body) -> tuple[str, ...]:
    """Return the names of a body's primitives in targets, in order: the joint's name, with a suffix
    if it has several.

    ``j_1, j_2`` for universal and revolute2; ``j_x, j_y, j_theta`` for planar; ``j, j_slide`` for
    screw.
    """
    name = body.joint or ""
    if body.source is not None and body.source.type is JointType.SCREW:
        return tuple(name if p.kind == "hinge" else f"{name}_slide" for p in body.primitives)
    suffixes = () if body.source is None else body.source.type.traits.suffixes
    return tuple(name + (suffixes[p.dof_index] if suffixes else "") for p in body.primitives)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Closure:
    """A weld, hinge or ball that closes a kinematic loop.

    It has the name of the joint at which `bridge.lowering.tree` cuts the loop.
    """

    joint: Joint
    """Constraint between frames on both bodies: fixed, revolute, continuous or ball."""
    parent: int
    """Index of the body of the joint's parent, or `ROOT`."""
    child: int
    """Index of the body of the joint's child, or `ROOT`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DofCoupling(CouplingLaw):
    """A coupling of two joint coordinates by a law."""

    follower: int
    """Index of the follower in ``v_order``."""
    leader: int
    """Index of the leader in ``v_order``."""
    name: str
    """Name of the joint that follows."""
    where: Where = NOWHERE
    """Place of the coupling, or gearbox, in the source."""
    engine_settings: EngineSettings = ()
    """Settings that the source states for one simulator."""


# --- trees: a body stands after its parent --------------------------------------------------------


def root_bodies(bodies: Sequence[Body]) -> tuple[int, ...]:
    """Return, for each body, the index of the root of its tree: the ancestor (or itself) whose
    parent is the world.
    """
    roots: list[int] = []
    for i, body in enumerate(bodies):
        roots.append(i if body.parent == ROOT else roots[body.parent])
    return tuple(roots)


def moving_ancestors(bodies: Sequence[Body]) -> tuple[int, ...]:
    """Return, for each body, the nearest of itself and its ancestors that has degrees of freedom.

    `ROOT` is the root of bodies that are welded to the world.
    """
    moving: list[int] = []
    for i, body in enumerate(bodies):
        inherited = ROOT if body.parent == ROOT else moving[body.parent]
        moving.append(i if body.primitives else inherited)
    return tuple(moving)


def members_by_key(keys: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Return the positions at which each key occurs, keys in the order of their first
    occurrence.
    """
    members: dict[int, list[int]] = {}
    for i, key in enumerate(keys):
        members.setdefault(key, []).append(i)
    return {key: tuple(indices) for key, indices in members.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class MechanismActuator:
    """An actuator and the degree of freedom that it drives."""

    actuator: Actuator
    """The scene's actuator: name, effort limit, gains."""
    dof: int | None
    """Index in ``v_order`` of the first velocity of its joint; None if the joint has none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BodyConnection:
    """A constraint or force element between frame P on body A and frame Q on body B."""

    element: BallConstraint | WeldConstraint | DistanceConstraint | SpringDamper | Bushing
    """The scene's element: its law and parameters."""
    body_a: int
    """Index of body A, or `bridge.mechanism.bodies.ROOT`."""
    body_b: int
    """Index of body B, or `bridge.mechanism.bodies.ROOT`."""
    X_AP: Pose
    """Frame P on body A; for a point its rotation is the identity."""
    X_BQ: Pose
    """Frame Q on body B; for a point its rotation is the identity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TendonConnection:
    """A constraint on a weighted sum of joint positions."""

    element: TendonConstraint
    """The scene's constraint: coefficients, bounds, stiffness."""
    dofs: tuple[int | None, ...]
    """Index in ``v_order`` of the first velocity of each of its joints; None for a joint that has
    none."""


MechanismConstraint = BodyConnection | TendonConnection


def held_together(constraints: Iterable[MechanismConstraint]) -> Iterator[BodyConnection]:
    """Yield the constraints that hold points or frames of two bodies together, without those that
    are switched off.

    Args:
        constraints: The constraints of a mechanism.
    """
    for constraint in constraints:
        if isinstance(constraint, BodyConnection):
            element = constraint.element
            if isinstance(element, BallConstraint | WeldConstraint) and element.active:
                yield constraint

"""What a mechanism is made of: bodies, each with primitive degrees of freedom, and what closes and couples them.

Frames, in monogram notation: W world; P the body that a body hangs from; B the body, which is the link's own frame;
F the joint's frame on P; M the joint's frame on B. ``X_PB(q) = X_PF @ X_FM(q) @ X_BM.inverse()``, and ``X_FM`` is the
product of the body's primitives in order, the identity at the zero configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from loaders.diagnostics import NOWHERE, Where
from loaders.model import Z_AXIS, Joint, JointAxis, Link
from loaders.spatial import Array, Pose, SpatialInertia

ROOT = -1
"""Index of the world where a body's parent is expected."""


class PrimitiveKind(StrEnum):
    """The kinds of primitive joint that every engine has."""

    HINGE = "hinge"
    """Turns about ``axis``: one position [rad], one velocity."""
    SLIDE = "slide"
    """Slides along ``axis``: one position [m], one velocity."""
    BALL = "ball"
    """Turns freely: position ``w x y z``, three velocities."""
    FREE = "free"
    """Moves freely below the world: position ``x y z qw qx qy qz`` of the link, six velocities.

    Its ``X_FM`` is the link's pose in the world; where the scene has the link is its default, not the identity."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Primitive:
    """One primitive degree of freedom of a body.

    Its displacement is ``ratio`` times the joint's coordinate number ``dof_index``. Two primitives of one body may
    share a component: a screw is a hinge of ratio 1 and a slide of ratio pitch / 2 pi.
    """

    kind: PrimitiveKind
    axis: Array
    """Unit direction in F, shape (3,), already negated if the joint is reversed; unused for ball and free."""
    dof_index: int = 0
    """First velocity component of the joint that it takes."""
    ratio: float = 1.0
    limits: JointAxis | None = None
    """Limits, damping, friction and spring of the component; None where the source gives no axis."""


FREE = (Primitive(kind=PrimitiveKind.FREE, axis=Z_AXIS),)
"""Of a body that moves freely."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A link in the forest, or a part of one. Bodies are sorted: each stands after the one it hangs from."""

    link: Link
    parent: int
    """Index of the body that it hangs from, or `ROOT`."""
    X_PF: Pose
    X_BM: Pose
    joint: str | None
    """Name, in positions and velocities, of what moves or holds it; None for a static or a kinematic link."""
    source: Joint | None
    """The scene's joint; None for a static link and for one that is free without a joint that says so."""
    reversed: bool
    """Whether the joint's child is the body that this one hangs from."""
    primitives: tuple[Primitive, ...]
    """In the order of composition from P outwards; empty if it is welded."""
    inertia: SpatialInertia
    """Of the link in B; zero if the source gives none."""
    reflected_inertia: tuple[float, ...]
    """Of rotors, at each velocity component [kg m^2 or kg]."""
    v_start: int
    """Index of the first velocity component in `bridge.Mechanism.v_order`."""

    @property
    def name(self) -> str:
        """The link's name."""
        return self.link.name

    @property
    def nv(self) -> int:
        """How many velocities it has."""
        return len(self.reflected_inertia)

    @property
    def dofs(self) -> tuple[tuple[str, int], ...]:
        """Joint and component of each of its velocities."""
        return tuple((str(self.joint), component) for component in range(self.nv))

    @property
    def is_kinematic(self) -> bool:
        """Whether it stands where it is put, and no force moves it."""
        return self.link.kinematic and self.parent == ROOT and self.joint is None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Closure:
    """A weld, hinge or ball that closes a kinematic loop.

    It is named after the joint at which `bridge.lowering.loop_cutting` cuts the loop.

    Bodies by index, `ROOT` is the world.
    """

    joint: Joint
    parent: int
    child: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DofCoupling:
    """``q(follower) = multiplier * q(leader) + offset`` between velocity components, by index in ``v_order``."""

    follower: int
    leader: int
    multiplier: float
    offset: float
    name: str
    """Name of the joint that follows."""
    where: Where = NOWHERE
    """Place of the coupling, or gearbox, in the source."""

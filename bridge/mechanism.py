"""How a scene moves: a forest of bodies below the world, each with primitive degrees of freedom.

`lower` settles, once for every target, what simulators do differently: which joint carries which link, reversed and
composite joints, several roots, kinematic loops, couplings. `bridge.dynamics` computes with the result from first
principles; the exporters write it down.

Frames, in monogram notation: W world; P the body that a body hangs from; B the body, which is the link's own frame;
F the joint's frame on P; M the joint's frame on B. ``X_PB(q) = X_PF @ X_FM(q) @ X_BM.inverse()``, and ``X_FM`` is the
product of the body's primitives in order, the identity at the zero configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from loaders.diagnostics import Diagnostic
from loaders.model import Joint, JointAxis, Link, Scene
from loaders.spatial import Array, Pose, SpatialInertia

ROOT = -1
"""Index of the world where a body's parent is expected."""

Position = float | Sequence[float]
"""The position of one joint, in the convention of its type."""


class Kind(StrEnum):
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

    Its displacement is ``ratio`` times the joint's coordinate number ``component``. Two primitives of one body may
    share a component: a screw is a hinge of ratio 1 and a slide of ratio pitch / 2 pi.
    """

    kind: Kind
    axis: Array
    """Unit direction in F, shape (3,), already negated if the joint is reversed; unused for ball and free."""
    component: int = 0
    """First velocity component of the joint that it takes."""
    ratio: float = 1.0
    limits: JointAxis | None = None
    """Limits, damping, friction and spring of the component; None where the source gives no axis."""


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
    """Index of the first velocity component in `Mechanism.v_order`."""

    @property
    def name(self) -> str:
        """The link's name."""
        return self.link.name

    @property
    def is_kinematic(self) -> bool:
        """Whether it stands where it is put, and no force moves it."""
        return self.link.kinematic and self.parent == ROOT and self.joint is None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Closure:
    """A weld, hinge or ball that closes a kinematic loop, named after the joint at which `bridge.loops` opens it.

    Bodies by index, `ROOT` is the world.
    """

    joint: Joint
    parent: int
    child: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coupling:
    """``q(follower) = multiplier * q(leader) + offset`` between velocity components, by index in ``v_order``."""

    follower: int
    leader: int
    multiplier: float
    offset: float
    name: str
    """Of the joint that follows."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mechanism:
    """A scene in the form in which it moves; see the module for the frames, `lower` for the rules."""

    scene: Scene
    bodies: tuple[Body, ...]
    closures: tuple[Closure, ...]
    couplings: tuple[Coupling, ...]
    v_order: tuple[tuple[str, int], ...]
    """Joint and component of each velocity, in the order of ``mass_matrix``."""
    diagnostics: tuple[Diagnostic, ...]
    """What lowering itself had to decide; what reading found stays in the scene."""

    def link_poses(self, q: Mapping[str, Position] | None = None) -> dict[str, Pose]:
        """``X_WL`` of every link; joints that ``q`` leaves out are at zero, free links where the scene has them.

        A joint that carries a part of a link is where it closes its loop, if ``q`` leaves it out. Other closures, and
        couplings, are not enforced: ``q`` says where each joint is.

        Raises:
            ValueError: for an unknown joint or a position of the wrong size.
        """
        from .dynamics import link_poses

        return link_poses(self, q or {})

    def mass_matrix(self, q: Mapping[str, Position] | None = None) -> Array:
        """The mass matrix, shape (nv, nv), in ``v_order``, with reflected inertia; coupled joints as if free."""
        from .dynamics import mass_matrix

        return mass_matrix(self, q or {})

    def gravity_forces(self, q: Mapping[str, Position] | None = None, gravity: Sequence[float] | None = None) -> Array:
        """Generalised forces of gravity, shape (nv,): what pulls, not what holds. None is the scene's gravity."""
        from .dynamics import gravity_forces

        return gravity_forces(self, q or {}, self.scene.gravity if gravity is None else gravity)

    def bias_forces(
        self,
        q: Mapping[str, Position] | None = None,
        v: Mapping[str, Position] | None = None,
        gravity: Sequence[float] | None = None,
    ) -> Array:
        """Coriolis, centrifugal and gravity terms, shape (nv,): the forces that hold the accelerations at zero."""
        from .dynamics import bias_forces

        return bias_forces(self, q or {}, v or {}, self.scene.gravity if gravity is None else gravity)

    def collidable_pairs(self, policy: str = "drake") -> frozenset[frozenset[str]]:
        """Pairs of links with collisions that may touch; ``world`` stands for links of the world itself."""
        excluded = self.scene.excluded_collision_pairs(policy)
        names = [link.name for link in self.scene.links if link.collisions]
        pairs = {frozenset((a, b)) for i, a in enumerate(names) for b in names[i + 1 :]}
        return frozenset(pairs - excluded)


def lower(scene: Scene) -> Mechanism:
    """Lower a scene to the mechanism that every target is made from.

    Raises:
        ExportError: if the scene has a joint that no mechanism here can express.
    """
    from .lowering import lower_scene

    return lower_scene(scene)

"""Mechanism, the renumbering of its bodies, and the pairs of links that random positions exclude
from contact or see overlap.

`bridge.mechanism.bodies` defines bodies and frames, `bridge.lowering` makes a mechanism from a
scene, `bridge.mechanism.dynamics` computes its Jacobians and dynamics, `bridge.lowering.sampling`
finds the pairs, and the targets write it.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from bridge.choices import Base, Overlaps
from bridge.geometry.overlap import MIN_OVERLAP, Overlap, ShapeModel, touching
from bridge.mechanism import coordinates, dynamics, kinematics
from bridge.mechanism.bodies import (
    FREE,
    ROOT,
    Body,
    BodyConnection,
    Closure,
    DofCoupling,
    MechanismActuator,
    MechanismConstraint,
    TendonConnection,
    members_by_key,
    moving_ancestors,
    root_bodies,
)
from bridge.mechanism.coordinates import (
    Coordinates,
    Position,
    independent_motions,
    initial_positions,
    joint_index,
    with_followers,
)
from bridge.mechanism.dynamics import MAX_DOFS, MassMatrixAtZero
from bridge.mechanism.force_laws import LinkMotion, is_path, length_bias, length_gradient
from bridge.mechanism.kinematics import (
    BatchedPose,
    BatchedPositions,
    home_coordinates,
    with_loops_closed,
)
from loaders.collision_pairs import (
    PairSet,
    default_policy,
    filtered_pairs,
    has_bitmasks,
    masked_pairs,
)
from loaders.deferred import Deferred, cached_property
from loaders.diagnostics import Diagnostic, FindingList
from loaders.model import (
    WORLD,
    ContactPair,
    FluidForce,
    Keyframe,
    Link,
    Physics,
    Tendon,
    TendonPartType,
)
from loaders.pose import IDENTITY, Array, Pose, frozen
from loaders.scene import Scene
from loaders.text import counted

_scene_card: Callable[..., str] = Deferred("loaders.picture:scene_card")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Mechanism:
    """A scene in the form in which it moves.

    `bridge.mechanism.bodies` defines the frames; `bridge.lower` makes a mechanism from a scene.
    Bodies and velocities are numbered: everything that refers to them does so by index.

    Positions and velocities are by joint, in the conventions of `bridge.mechanism.coordinates`.
    Joints that are not given are at zero and at rest, free links where the scene has them, and a
    joint that carries a part of a split link is where it closes its loop. Other closures, and
    couplings, are not enforced: `with_followers` adds the joints that follow others. Every method
    that takes positions or velocities raises `ValueError` for an unknown joint, and for a value of
    the wrong size or that is not finite, and `TypeError` for what is no mapping by joint.

    Example:
        >>> import bridge, loaders, math
        >>> mechanism = bridge.lower(loaders.load("assets/double_pendulum.urdf"))
        >>> mechanism
        Mechanism('double_pendulum': 3 bodies, 2 velocities, 0 closures, 0 couplings, 0 actuators)
        >>> mechanism.link_poses({"shoulder": math.pi / 2})["lower"].p.round(3).tolist()
        [-1.0, 0.16, 2.2]
    """

    scene: Scene
    """The scene that it was made from: names, visuals, frames, lights and sensors."""
    bodies: tuple[Body, ...]
    """The bodies, each after its parent."""
    closures: tuple[Closure, ...]
    """The welds, hinges and balls that close kinematic loops."""
    couplings: tuple[DofCoupling, ...]
    """The joints that follow others, gearboxes included."""
    v_order: tuple[tuple[str, int], ...]
    """Joint and component of each velocity, in the order of ``mass_matrix``."""
    diagnostics: tuple[Diagnostic, ...]
    """Findings of lowering; those of reading stay in the scene."""
    actuators: tuple[MechanismActuator, ...] = ()
    """The scene's actuators, in its order."""
    constraints: tuple[MechanismConstraint, ...] = ()
    """The scene's constraints, in its order."""
    force_elements: tuple[BodyConnection, ...] = ()
    """The scene's force elements, in its order."""
    fluid_forces: tuple[FluidForce, ...] = ()
    """The scene's forces of a fluid, by name of their link."""
    overlap_choice: Overlaps = "exclude"
    """Whether links that overlap initially collide, where the source does not state the pairs."""
    sampled: SampledPairs | None = None
    """The pairs that random positions exclude from contact, which the scene has as filter groups;
    None if that was not requested."""
    exclusions: tuple[Overlap, ...] | None = None
    """The overlaps whose links do not collide, if a mechanism of other shapes decided it; see
    `assumed_exclusions`."""
    base: Base = "as_is"
    """Treatment of the bases, which the scene has as its source states them; see
    `bridge.lowering.transform`."""

    def __repr__(self) -> str:
        name = self.scene.name if len(self.scene.name) <= 60 else f"{self.scene.name[:57]}..."
        return f"Mechanism({name!r}: {self._counts()})"

    def __post_init__(self) -> None:
        """Give the diagnostics their form for notebooks."""
        object.__setattr__(self, "diagnostics", FindingList(self.diagnostics))

    def _repr_html_(self) -> str:
        return _scene_card(self.scene, "Mechanism", self._counts(), poses=self.link_poses())

    def _counts(self) -> str:
        parts = {
            "body": self.bodies,
            "velocity": self.v_order,
            "closure": self.closures,
            "coupling": self.couplings,
            "actuator": self.actuators,
        }
        return ", ".join(counted(len(items), noun) for noun, items in parts.items())

    # --- what the scene states --------------------------------------------------------------------

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the world [m/s^2], shape (3,)."""
        return self.scene.gravity

    @property
    def physics(self) -> Physics:
        """The time step and the solver's settings of the source."""
        return self.scene.physics

    @cached_property
    def keyframes(self) -> tuple[Keyframe, ...]:
        """The states of the source, with positions by joint of the mechanism; free links have
        joints of their names.
        """
        return coordinates.keyframes_by_joint(self.scene, self.bodies)

    @property
    def tendons(self) -> tuple[Tendon, ...]:
        """The tendons of the source, with their parts by joint and link."""
        return self.scene.tendons

    @property
    def contact_pairs(self) -> tuple[ContactPair, ...]:
        """The pairs of collisions that touch whatever the filters exclude, by link and
        collision.
        """
        return self.scene.contact_pairs

    # --- indices and trees ------------------------------------------------------------------------

    @cached_property
    def body_index(self) -> Mapping[str, int]:
        """Body index of each link; `bridge.mechanism.bodies.ROOT` for the world."""
        return {body.name: i for i, body in enumerate(self.bodies)} | {WORLD: ROOT}

    @cached_property
    def dof_index(self) -> Mapping[tuple[str, int], int]:
        """Index in ``v_order`` of each joint and component."""
        return {key: i for i, key in enumerate(self.v_order)}

    @cached_property
    def _roots(self) -> tuple[int, ...]:
        return root_bodies(self.bodies)

    @cached_property
    def _moving_ancestors(self) -> tuple[int, ...]:
        return moving_ancestors(self.bodies)

    def root_of(self, body: int) -> int:
        """Return the index of the root of a body's tree: the ancestor, or the body itself, whose
        parent is the world.

        Args:
            body: Index of the body, or `ROOT`, which is its own root.
        """
        return ROOT if body == ROOT else self._roots[body]

    @cached_property
    def trees(self) -> Mapping[int, tuple[int, ...]]:
        """Indices of the bodies of each tree, in order, by the index of its root."""
        return members_by_key(self._roots)

    def moving_ancestor(self, body: int) -> int:
        """Return the nearest of a body and its ancestors that has degrees of freedom; `ROOT` if
        none has.

        Bodies with the same moving ancestor cannot move against each other.

        Args:
            body: Index of the body, or `ROOT`.
        """
        return ROOT if body == ROOT else self._moving_ancestors[body]

    @cached_property
    def weld_groups(self) -> Mapping[int, tuple[int, ...]]:
        """Indices of the bodies that are welded together, in order, by their moving ancestor."""
        return members_by_key(self._moving_ancestors)

    def weld_group_of(self, link: str) -> int:
        """Return what identifies the links welded to a link: the index of their moving ancestor.

        Args:
            link: Name of the link, or ``world``.

        Raises:
            KeyError: if no body of the mechanism has this name.
        """
        return self.moving_ancestor(self.body_index[link])

    # --- kinematics and dynamics ------------------------------------------------------------------

    def positions_by_body(self, q: Mapping[str, Position] | None = None) -> list[Coordinates]:
        """Return the position of each body's joint, quaternions of unit length."""
        q = {} if q is None else q
        positions = coordinates.positions_by_body(self.bodies, q)
        if not self.closures:
            return positions
        index = joint_index(self.bodies)
        return with_loops_closed(self.bodies, self.closures, positions, {index[name] for name in q})

    def velocities(self, v: Mapping[str, Position] | None = None) -> Array:
        """Return the velocities in ``v_order``, shape (nv,)."""
        by_body = coordinates.velocities_by_body(self.bodies, {} if v is None else v)
        return np.array([rate for rates in by_body for rate in rates], dtype=np.float64)

    def link_poses(self, q: Mapping[str, Position] | None = None) -> dict[str, Pose]:
        """Return ``X_WL`` of every link.

        Args:
            q: Positions by joint. Joints that follow others do not: see `with_followers`.
        """
        poses = coordinates.poses(self.bodies, self.positions_by_body(q))
        return {body.name: X_WL for body, X_WL in zip(self.bodies, poses, strict=True)}

    def batched_link_poses(self, q: BatchedPositions | None = None) -> dict[str, BatchedPose]:
        """Return ``X_WL`` of every link at n positions at once, as arrays: as `link_poses`, many
        times faster.

        The arrays of one link are ``R``, shape (n, 3, 3), and ``p``, shape (n, 3). Those of links
        that do not move, and of equal positions, are views that cannot be written. Loops are closed
        one position after another.

        Args:
            q: Positions by joint, shape (n,) for a joint with one number, (n, 2) for a universal
                joint, (n, 3) for a planar one, (n, 4) for a ball, (n, 7) for a free link. A single
                position holds for all; n is 1 if every position is single.

        Raises:
            ValueError: for an unknown joint, for an array of another shape or with numbers that are
                not finite, and for joints with different n.
        """
        return kinematics.link_poses(self.bodies, self.closures, {} if q is None else q)

    def with_followers(self, q: Mapping[str, Position]) -> dict[str, Position]:
        """Return positions with those of all joints that follow from them through couplings, such
        as mimic joints.

        Args:
            q: Positions by joint; a follower that is given keeps its position.
        """
        return with_followers(self, q)

    def independent_motions(self, q: Mapping[str, Position] | None = None) -> Array:
        """Return the velocities that couplings allow, as columns G that span all of them, shape
        (nv, n).

        With the mass matrix M, that of the coupled motion is ``G.T @ M @ G``.

        Args:
            q: Positions by joint, with those of followers; see `with_followers`.
        """
        return independent_motions(self, self.positions_by_body({} if q is None else q))

    def jacobians(self, q: Mapping[str, Position] | None = None) -> Mapping[str, Array]:
        """Return the geometric Jacobian of every link, shape (6, nv), with columns in ``v_order``.

        Each is computed when it is asked for. ``dict`` of the result holds all of them.

        The rows are the angular velocity of the link and the velocity of its origin, in the world.
        """
        return dynamics.jacobians(self.bodies, self.positions_by_body(q))

    def mass_matrix(self, q: Mapping[str, Position] | None = None) -> Array:
        """Return the mass matrix, shape (nv, nv), in ``v_order``, with reflected inertia; coupled
        joints as if free.
        """
        positions = self.positions_by_body(q)
        M = dynamics.mass_matrix(self.bodies, positions)
        motion = self._tendon_motion(positions, np.zeros(len(self.v_order)))
        for tendon in self._tendons_with_inertia:
            gradient = (
                length_gradient(tendon, motion) if is_path(tendon) else self._coefficients(tendon)
            )
            M += tendon.inertia * np.outer(gradient, gradient)
        return M

    @cached_property
    def _tendons_with_inertia(self) -> tuple[Tendon, ...]:
        return tuple(tendon for tendon in self.tendons if tendon.inertia)

    def _tendon_motion(self, positions: Sequence[Coordinates], rates: Array) -> LinkMotion:
        """Return the motion of the links; empty if no tendon is a path with inertia."""
        if not any(is_path(tendon) for tendon in self._tendons_with_inertia):
            return LinkMotion(poses={}, jacobians={}, rates=rates)
        names = (body.name for body in self.bodies)
        return LinkMotion(
            poses=dict(zip(names, coordinates.poses(self.bodies, positions), strict=True)),
            jacobians=dynamics.jacobians(self.bodies, positions),
            rates=rates,
            bias_accelerations=dynamics.bias_accelerations(self.bodies, positions, rates)
            if rates.any()
            else {},
        )

    def _coefficients(self, tendon: Tendon) -> Array:
        """Return the derivative of a sum of joint positions by the velocities."""
        coefficients = np.zeros(len(self.v_order))
        for part in tendon.parts:
            if part.type is TendonPartType.JOINT and (part.joint, 0) in self.dof_index:
                coefficients[self.dof_index[part.joint, 0]] += part.value
        return coefficients

    @cached_property
    def mass_matrix_at_zero(self) -> MassMatrixAtZero | None:
        """The mass matrix at the zero configuration, computed once; None above `MAX_DOFS`
        velocities.
        """
        return (
            None if len(self.v_order) > MAX_DOFS else MassMatrixAtZero(frozen(self.mass_matrix()))
        )

    def gravity_forces(
        self, q: Mapping[str, Position] | None = None, gravity: Sequence[float] | None = None
    ) -> Array:
        """Return the generalized forces that gravity exerts, shape (nv,).

        Args:
            q: Positions by joint.
            gravity: Acceleration of gravity in the world [m/s^2]; None is the scene's.
        """
        return -self.bias_forces(q, gravity=gravity)

    def bias_forces(
        self,
        q: Mapping[str, Position] | None = None,
        v: Mapping[str, Position] | None = None,
        gravity: Sequence[float] | None = None,
    ) -> Array:
        """Return the Coriolis, centrifugal and gravity terms, shape (nv,): the forces that hold
        accelerations at zero.

        Tendons with inertia that are paths in space have such forces too, as the mass matrix does.

        Args:
            q: Positions by joint.
            v: Velocities by joint.
            gravity: Acceleration of gravity in the world [m/s^2]; None is the scene's.
        """
        g = np.asarray(self.gravity if gravity is None else gravity, dtype=np.float64)
        positions, rates = self.positions_by_body(q), self.velocities(v)
        forces = dynamics.bias_forces(self.bodies, positions, rates, g)
        motion = self._tendon_motion(positions, rates) if rates.any() else None
        for tendon in self._tendons_with_inertia:
            if motion is not None and is_path(tendon):
                forces += (
                    tendon.inertia * length_bias(tendon, motion) * length_gradient(tendon, motion)
                )
        return forces

    def home_positions(self) -> dict[str, Position]:
        """Return the position of each joint at home: the source's initial position, or zero, within
        the limits, with couplings met and loops closed.

        The key ``home`` of an export to MJCF has these positions, and sets free robots above a
        ground down on it. Free links are left out here.
        """
        positions: dict[str, Position] = {}
        for body, position in zip(self.bodies, home_coordinates(self), strict=True):
            if body.primitives and body.primitives != FREE:
                positions[str(body.joint)] = position[0] if len(position) == 1 else position
        return positions

    # --- collisions -------------------------------------------------------------------------------

    @cached_property
    def colliding_bodies(self) -> tuple[int, ...]:
        """Indices of the bodies with collisions, in the order of the scene; `ROOT` for a link of
        the world itself.
        """
        return tuple(
            self.body_index[link.name]
            for link in self.scene.links
            if link.collisions and link.name in self.body_index
        )

    @cached_property
    def overlaps(self) -> tuple[Overlap, ...]:
        """The links that overlap at the zero configuration or at the initial positions, the deepest
        first; each pair once, with its greater depth. Links that are welded together are left out.
        """
        return tuple(entry for entry in self._touching(None) if entry.depth > MIN_OVERLAP)

    def colliding_overlaps(self, policy: str | None = None) -> tuple[Overlap, ...]:
        """Return those of `overlaps` whose links may collide, and push each other apart; the others
        are not computed.

        Args:
            policy: See `excluded_pairs`.

        Raises:
            ValueError: for an unknown policy.
        """
        touching = self._touching(self.default_policy if policy is None else policy)
        deep = (entry for entry in touching if entry.depth > MIN_OVERLAP)
        return self.that_may_collide(deep, policy)

    @cached_property
    def _touching_by_policy(self) -> dict[str | None, tuple[Overlap, ...]]:
        """Results of `_touching`, by policy."""
        return {}

    def _touching(self, policy: str | None) -> tuple[Overlap, ...]:
        """Return the links that overlap, or touch within PyBullet's margins, at the zero
        configuration, at the initial positions or, where pairs are assumed, at home.

        Args:
            policy: The collision policy, by which pairs are left out that may not collide; None for
                all pairs.
        """
        if policy not in self._touching_by_policy:
            excluded: PairSet[str] = PairSet()
            if policy is not None:
                stated = (frozenset((pair.link_A, pair.link_B)) for pair in self.contact_pairs)
                excluded = self._filtered_links(policy).without(stated)
            self._touching_by_policy[policy] = self._touching_but(excluded)
        return self._touching_by_policy[policy]

    def _touching_but(self, excluded: PairSet[str]) -> tuple[Overlap, ...]:
        if len(self.colliding_bodies) < 2:
            return ()
        links, start = self._colliding_links(), initial_positions(self)
        places: list[Mapping[str, Position]] = [{}, start] if start else [{}]
        if not self.states_its_pairs and home_coordinates(self) != self.positions_by_body({}):
            places.append(self.home_positions())
        at = [{WORLD: IDENTITY} | self.link_poses(q) for q in places]
        return touching(links, at, self._groups(links), excluded)

    def _colliding_links(self) -> list[Link]:
        """Return the links with collisions, as the bodies have them."""
        own, index = {body.name: body.link for body in self.bodies}, self.body_index
        links = [own.get(link.name, link) for link in self.scene.links if link.name in index]
        return [link for link in links if link.collisions]

    def _groups(self, links: Iterable[Link]) -> dict[str, int]:
        """Return the body that moves each link; links of one body move as one."""
        return {link.name: self.moving_ancestor(self.body_index[link.name]) for link in links}

    def overlaps_at(self, q: Mapping[str, Position] | None = None) -> tuple[Overlap, ...]:
        """Return the links that overlap at some positions, the deepest first.

        Links that are welded together are left out. A mesh counts as the convex shapes that collide
        for it.

        Args:
            q: Positions by joint; see `link_poses`.
        """
        if len(self.colliding_bodies) < 2:
            return ()
        X_WL = {WORLD: IDENTITY} | self.link_poses(q)
        return self.shape_model.overlaps(X_WL, self._groups(self._colliding_links()))

    def that_may_collide(
        self, overlaps: Iterable[Overlap], policy: str | None = None
    ) -> tuple[Overlap, ...]:
        """Return those overlaps whose links may collide, and push each other apart.

        Args:
            overlaps: Overlaps of this mechanism.
            policy: See `excluded_pairs`.

        Raises:
            ValueError: for an unknown policy.
        """
        index, excluded = self.body_index, self.excluded_pairs(policy)
        return tuple(
            entry
            for entry in overlaps
            if frozenset((index[entry.link_A], index[entry.link_B])) not in excluded
        )

    @cached_property
    def shape_model(self) -> ShapeModel:
        """The collision shapes of the links, for distances at any positions."""
        return ShapeModel(self._colliding_links())

    @property
    def states_its_pairs(self) -> bool:
        """True if the source states which links collide, so that nothing is assumed."""
        return self.default_policy != "neighbors" or bool(self.scene.filter_rules)

    @cached_property
    def assumed_exclusions(self) -> tuple[Overlap, ...]:
        """The links that do not collide because they touch at the zero configuration, at the
        initial positions or at home, and the source does not state that they collide.

        Links touch where they overlap in MuJoCo or in PyBullet, which enlarges hulls: the depth of
        such a pair may be negative, a gap. Only links of one tree are left out, never an object and
        what it lies on. They are none if the source states its pairs, or overlaps are kept.
        """
        if self.exclusions is not None:
            return self.exclusions
        if self.states_its_pairs or self.overlap_choice == "keep":
            return ()
        index, excluded = self.body_index, self._filtered_links("neighbors")
        base = self._tree_bases
        return tuple(
            entry
            for entry in self._touching("neighbors")
            if base[index[entry.link_A]] == base[index[entry.link_B]]
            and frozenset((entry.link_A, entry.link_B)) not in excluded
        )

    @cached_property
    def _tree_bases(self) -> dict[int, int]:
        """The free body that carries each body; `ROOT` for what the world carries."""
        base = {ROOT: ROOT}
        for i, body in enumerate(self.bodies):
            base[i] = i if body.primitives == FREE else base[body.parent]
        return base

    @property
    def default_policy(self) -> str:
        """The collision policy of the source's format."""
        return default_policy(self.scene)

    @cached_property
    def _excluded_by_policy(self) -> dict[str, tuple[PairSet[int], PairSet[int]]]:
        """The pairs that the filters exclude, and those that never collide, by policy."""
        return {}

    def excluded_pairs(self, policy: str | None = None) -> PairSet[int]:
        """Return the pairs of body indices that never collide.

        Args:
            policy: The rule for pairs that no collision filter names; see
                `loaders.collision_pairs`.

        Raises:
            ValueError: for an unknown policy.
        """
        return self._excluded(policy)[1]

    @cached_property
    def _contact_pairs(self) -> frozenset[frozenset[int]]:
        index = self.body_index
        return frozenset(frozenset((index[p.link_A], index[p.link_B])) for p in self.contact_pairs)

    @cached_property
    def _filtered_links_by_policy(self) -> dict[str, PairSet[str]]:
        """Results of `_filtered_links`, by policy."""
        return {}

    def _filtered_links(self, policy: str) -> PairSet[str]:
        """Return the pairs of links that the filters of the scene exclude."""
        if policy not in self._filtered_links_by_policy:
            self._filtered_links_by_policy[policy] = filtered_pairs(self.scene, policy)
        return self._filtered_links_by_policy[policy]

    def filtered_pairs(self, policy: str | None = None) -> PairSet[int]:
        """Return the pairs of body indices that the filters exclude, whatever the contact pairs of
        the source say.

        They are computed once for each policy.

        Args:
            policy: The rule for pairs that no collision filter names; see
                `loaders.collision_pairs`.

        Raises:
            ValueError: for an unknown policy.
        """
        return self._excluded(policy)[0]

    def _excluded(self, policy: str | None) -> tuple[PairSet[int], PairSet[int]]:
        policy = self.default_policy if policy is None else policy
        if policy not in self._excluded_by_policy:
            filtered = self._filtered_links(policy).renamed(self.body_index)
            if policy == "neighbors":
                index = self.body_index
                filtered = filtered.with_pairs(
                    frozenset((index[entry.link_A], index[entry.link_B]))
                    for entry in self.assumed_exclusions
                )
            self._excluded_by_policy[policy] = filtered, filtered.without(self._contact_pairs)
        return self._excluded_by_policy[policy]

    @cached_property
    def masked_pairs(self) -> PairSet[int] | None:
        """Pairs of bodies, by index, whose shapes have no common bitmask; None if the source has no
        bitmasks.
        """
        if not has_bitmasks(self.scene):
            return None
        return masked_pairs(self.scene).renamed(self.body_index)

    def collidable_pairs(self, policy: str | None = None) -> frozenset[frozenset[str]]:
        """Return the pairs of links with collisions that may touch; ``world`` is a link of the
        world itself.

        Args:
            policy: The rule for pairs that no collision filter names; see
                `loaders.collision_pairs`.

        Raises:
            ValueError: for an unknown policy.
        """
        excluded = self.excluded_pairs(policy)
        return frozenset(
            frozenset((self.link_name(a), self.link_name(b)))
            for a, b in combinations(self.colliding_bodies, 2)
            if frozenset((a, b)) not in excluded
        )

    def link_name(self, body: int) -> str:
        """Return the name of a body's link, or ``world`` for `bridge.mechanism.bodies.ROOT`."""
        return WORLD if body == ROOT else self.bodies[body].name


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers:
    """New indices by old index; elements that are gone have no entry."""

    bodies: Mapping[int, int]
    dofs: Mapping[int, int]

    def closure(self, closure: Closure) -> Closure | None:
        if not {closure.parent, closure.child} <= self.bodies.keys():
            return None
        return dataclasses.replace(
            closure, parent=self.bodies[closure.parent], child=self.bodies[closure.child]
        )

    def coupling(self, coupling: DofCoupling) -> DofCoupling | None:
        if not {coupling.follower, coupling.leader} <= self.dofs.keys():
            return None
        return dataclasses.replace(
            coupling, follower=self.dofs[coupling.follower], leader=self.dofs[coupling.leader]
        )

    def dof(self, old: int | None) -> int | None:
        return None if old is None else self.dofs.get(old)

    def actuator(self, actuator: MechanismActuator) -> MechanismActuator:
        return dataclasses.replace(actuator, dof=self.dof(actuator.dof))

    def connection(self, connection: BodyConnection) -> BodyConnection | None:
        if not {connection.body_a, connection.body_b} <= self.bodies.keys():
            return None
        a, b = self.bodies[connection.body_a], self.bodies[connection.body_b]
        return dataclasses.replace(connection, body_a=a, body_b=b)

    def constraint(self, constraint: MechanismConstraint) -> MechanismConstraint | None:
        if isinstance(constraint, TendonConnection):
            return dataclasses.replace(
                constraint, dofs=tuple(self.dof(dof) for dof in constraint.dofs)
            )
        return self.connection(constraint)


def with_bodies(
    mechanism: Mechanism, bodies: Iterable[Body], origins: Sequence[int | None]
) -> Mechanism:
    """Return the mechanism with other bodies; velocities, couplings, closures and elements are
    renumbered.

    Couplings, closures, constraints and force elements that refer to a body or velocity that is
    gone are left out. Actuators and tendons stay; their index is None where the velocity is gone.

    Args:
        mechanism: The mechanism whose bodies are exchanged.
        bodies: The new bodies, each after its parent; their ``v_start`` is computed here.
        origins: For each new body the index of the body of ``mechanism`` that it replaces, or None
            if it is new.
    """
    placed: list[Body] = []
    v_order: list[tuple[str, int]] = []
    dofs: dict[int, int] = {}
    for body, origin in zip(bodies, origins, strict=True):
        start = len(v_order)
        placed.append(dataclasses.replace(body, v_start=start))
        v_order += body.dofs
        if origin is not None and mechanism.bodies[origin].dofs == body.dofs:
            dofs |= {mechanism.bodies[origin].v_start + k: start + k for k in range(body.nv)}
    indices = {origin: i for i, origin in enumerate(origins) if origin is not None} | {ROOT: ROOT}
    numbers = _Numbers(bodies=indices, dofs=dofs)
    names = {body.name for body in placed}
    return dataclasses.replace(
        mechanism,
        bodies=tuple(placed),
        v_order=tuple(v_order),
        closures=tuple(filter(None, map(numbers.closure, mechanism.closures))),
        couplings=tuple(filter(None, map(numbers.coupling, mechanism.couplings))),
        actuators=tuple(map(numbers.actuator, mechanism.actuators)),
        constraints=tuple(filter(None, map(numbers.constraint, mechanism.constraints))),
        force_elements=tuple(filter(None, map(numbers.connection, mechanism.force_elements))),
        fluid_forces=tuple(force for force in mechanism.fluid_forces if force.link in names),
    )


Reason = Literal["Adjacent", "Default", "Always", "Never"]
"""Why a pair is excluded, in MoveIt's words: it overlaps by ``Default`` where the model starts; it
touches ``Always`` or ``Never`` at random positions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcludedPair:
    """Two links that do not collide, in the order of the scene, and the reason."""

    link_A: str
    link_B: str
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPairs:
    """The pairs of links that random positions exclude from contact.

    Attributes:
        pairs: The pairs, in the order of the scene.
        samples: Number of random positions.
        seed: Seed of the random numbers.
    """

    pairs: tuple[ExcludedPair, ...]
    samples: int
    seed: int

    @property
    def bound(self) -> float:
        """Upper bound, at a confidence of 95 %, of the probability that one pair that never touched
        touches at a random position: 3/n for n samples, the rule of three.
        """
        return min(1.0, 3.0 / self.samples)

    def count(self, reason: Reason) -> int:
        """Return the number of pairs that are excluded for a reason."""
        return Counter(pair.reason for pair in self.pairs)[reason]

    @property
    def reasons(self) -> dict[frozenset[str], Reason]:
        """The reason of each pair."""
        return {frozenset((pair.link_A, pair.link_B)): pair.reason for pair in self.pairs}


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapInMotion:
    """Two links that may collide and overlap at some of a number of random positions.

    Attributes:
        deepest: The deepest overlap that was found.
        share: Share of the random positions at which the links overlap by more than
            `bridge.geometry.overlap.MIN_OVERLAP`, 0 to 1.
        positions: The positions by joint at which they overlap most.
    """

    deepest: Overlap
    share: float
    positions: Mapping[str, Position]

"""The quantities in which two engines are compared: how to read each, its error measure, tolerance
and known causes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

import numpy as np

from bridge import codes
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.targets.mjcf import codes as mjcf_codes
from bridge.targets.pybullet import codes as pybullet_codes
from loaders import codes as loaders_codes
from loaders.code import Code
from loaders.pose import IDENTITY, Array, Pose, matrix_to_quaternion

from .causes import ROTOR_INERTIA
from .engine import Dof, Engine, NotReportedError, constraint_subjects
from .verdict import Level

Readings = Mapping[str, Array] | None
"""A quantity by place: the name of a link or joint, or a `Place`. None if the engine does not
report it."""
Error = Callable[[Array, Array, float], float]
"""The error of two readings at one place, given the largest reading at any place."""

TOLERANCE = 1e-9
"""Relative tolerance of quantities with units of mass, force or motion."""
MAX_JACOBIAN_ENTRIES = 4000
"""Number of Jacobian entries that are compared over all states; a large robot is compared in fewer
states."""
MAX_COLLIDING_LINKS = 150
"""Number of links with collision shapes above which collidable pairs are not compared."""
_SENSOR_STATES = 4
"""Number of states in which sensors are read."""
RELATIVE_FLOOR = 1e-6
"""Readings below this fraction of the largest reading are compared relative to that fraction of
it."""


class Place(str):
    """The label of a place for people, with the scoped names of the links or joints that it is
    about.

    Attributes:
        names: The scoped names.
    """

    __slots__ = ("names",)
    names: tuple[str, ...]

    def __new__(cls, label: str, *names: str) -> Place:
        """Return the label with its names."""
        place = super().__new__(cls, label)
        place.names = names
        return place


def names_at(place: str) -> tuple[str, ...]:
    """Return the scoped names that a place is about; a plain string is the name itself."""
    return place.names if isinstance(place, Place) else (place,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A quantity that every engine is asked for in the same states."""

    level: Level
    name: str
    unit: str = ""
    """Unit of the error; empty for a relative error or numbers of several units."""
    read: Callable[[Engine, Mechanism], Readings]
    error: Error
    tolerance: float = TOLERANCE
    depends_on_state: bool = False
    causes: frozenset[Code] = frozenset()
    """Codes of the diagnostics that can explain why an engine does not hold the quantity
    exactly."""
    propagates_to_ancestors: bool = False
    """Whether a cause at one link changes the quantity at every joint that carries the link."""
    causes_name_whole_place: bool = False
    """Whether a diagnostic must be about all names of a place to explain a difference there, not
    only about one."""
    is_stated: Callable[[Mechanism], bool] = lambda _mechanism: True
    """Whether a model states the quantity; if not, an engine that does not report it leaves no
    gap."""
    states: Callable[[Mechanism], int] | None = None
    """Number of states in which the quantity is compared; None for all states."""


@dataclass(slots=True)
class WorstErrors:
    """The largest error at each place."""

    errors: dict[str, float] = field(default_factory=dict)

    def record(self, error: float, where: str) -> None:
        """Record an error at a place; NaN is recorded as infinity."""
        error = math.inf if math.isnan(error) else error
        self.errors[where] = max(error, self.errors.get(where, 0.0))

    @property
    def where(self) -> str:
        """The place with the largest error; empty if no error was recorded."""
        return max(self.errors, key=self.errors.__getitem__, default="")

    @property
    def error(self) -> float:
        """The largest error at any place."""
        return self.errors.get(self.where, 0.0)

    def restricted_to(self, places: Iterable[str]) -> WorstErrors:
        """Return the errors at these places only."""
        return WorstErrors({place: self.errors[place] for place in places})


def compare_readings(
    one: Mapping[str, Array], two: Mapping[str, Array], error: Error, worst: WorstErrors
) -> None:
    """Record the error at each place of either engine; it is infinite where the other engine has no
    reading.

    Args:
        one: The readings of one engine.
        two: The readings of the other engine.
        error: The error measure.
        worst: Receives the errors.
    """
    scale = max(
        (float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in one.values()), default=0.0
    )
    for place in dict.fromkeys((*one, *two)):
        if place in one and place in two:
            worst.record(error(one[place], two[place], scale), place)
        else:
            worst.record(math.inf, place)


# --- errors ---------------------------------------------------------------------------------------


def relative(a: Array, b: Array, scale: float) -> float:
    """Return the largest difference relative to the reading, or to `RELATIVE_FLOOR` of the largest
    reading; infinite for readings of another shape.

    Args:
        a: The reading of one engine.
        b: The reading of the other engine.
        scale: The largest reading at any place.
    """
    if np.shape(a) != np.shape(b):
        return math.inf
    magnitude = max(float(np.abs(a).max(initial=0.0)), RELATIVE_FLOOR * scale)
    difference = float(np.abs(a - b).max(initial=0.0))
    return 0.0 if difference == 0.0 else _ratio(difference, magnitude)


def norm_relative(a: Array, b: Array, scale: float) -> float:
    """Return the largest difference relative to the largest reading at any place.

    Args:
        a: The reading of one engine.
        b: The reading of the other engine.
        scale: The largest reading at any place.
    """
    difference = float(np.abs(a - b).max(initial=0.0))
    return 0.0 if difference == 0.0 else _ratio(difference, scale)


def _ratio(difference: float, scale: float) -> float:
    return difference / scale if scale > 0.0 else math.inf


def capped_relative(a: Array, b: Array, scale: float) -> float:
    """Return the largest difference relative to the larger of one and the largest reading at any
    place.

    Args:
        a: The reading of one engine.
        b: The reading of the other engine.
        scale: The largest reading at any place.
    """
    return norm_relative(a, b, max(scale, 1.0))


def relative_to_one(a: Array, b: Array, _scale: float) -> float:
    """Return the largest difference relative to the larger of one and the reading at its place.

    NaN is a number that an engine does not know.

    Args:
        a: The reading of one engine.
        b: The reading of the other engine.
        _scale: Unused.
    """
    known = ~(np.isnan(a) | np.isnan(b))
    return capped_relative(a[known], b[known], float(np.abs(a[known]).max(initial=0.0)))


def absolute(a: Array, b: Array, _scale: float) -> float:
    """Return the largest absolute difference; infinities of the same sign are equal.

    Args:
        a: The reading of one engine.
        b: The reading of the other engine.
        _scale: Unused.
    """
    differing = a != b
    return float(np.abs(a[differing] - b[differing]).max(initial=0.0))


def pose_distance(a: Array, b: Array, _scale: float) -> float:
    """Return the larger of distance [m] and angle [rad] between two poses, shape (4, 4).

    Args:
        a: The pose of one engine.
        b: The pose of the other engine.
        _scale: Unused.
    """
    w, x, y, z = matrix_to_quaternion(a[:3, :3].T @ b[:3, :3])
    angle = 2.0 * math.atan2(math.hypot(x, y, z), abs(w))
    distance = float(np.linalg.norm(a[:3, 3] - b[:3, 3]))
    return math.nan if math.isnan(angle + distance) else max(distance, angle)


# --- readings -------------------------------------------------------------------------------------


def matrix(X: Pose) -> Array:
    """Return a pose as a homogeneous matrix, shape (4, 4)."""
    M = np.eye(4)
    M[:3, :3], M[:3, 3] = X.R, X.p
    return M


def _mass(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {link: np.array([inertia.mass]) for link, inertia in engine.inertias().items()}


def _center_of_mass(engine: Engine, _mechanism: Mechanism) -> Readings:
    massive = {link: inertia for link, inertia in engine.inertias().items() if inertia.mass > 1e-8}
    return {link: inertia.p_LLcm for link, inertia in massive.items()}


def _rotational_inertia(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {link: inertia.I_Lcm for link, inertia in engine.inertias().items()}


def _limits(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {
        dof_place(dof): np.array((p.lower, p.upper)) for dof, p in engine.joint_parameters().items()
    }


def _damping(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {dof_place(dof): np.array([p.damping]) for dof, p in engine.joint_parameters().items()}


def _friction(engine: Engine, _mechanism: Mechanism) -> Readings:
    by_dof = {dof_place(dof): p.friction for dof, p in engine.joint_parameters().items()}
    known: dict[str, Array] = {
        place: np.array([mu]) for place, mu in by_dof.items() if mu is not None
    }
    return known if len(known) == len(by_dof) else None


def _states_friction(mechanism: Mechanism) -> bool:
    return any(axis.friction for joint in mechanism.scene.joints for axis in joint.axes)


_DEGREE = 4
"""Largest degree of the law of a coupling."""


def _couplings(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {
        Place(f"{dof_place(follower)} on {dof_place(leader)}", follower[0], leader[0]): np.array(
            (*law.coefficients, *(0.0,) * (_DEGREE - 1 - len(law.higher)))
        )
        for (follower, leader), law in engine.couplings().items()
    }


def dof_place(dof: Dof) -> Place:
    """Return the place of a degree of freedom: its joint, with the component if that is not the
    first.
    """
    joint, component = dof
    return Place(f"{joint}[{component}]" if component else joint, joint)


def _link_poses(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {link: matrix(X_WL) for link, X_WL in engine.link_poses().items()}


def _jacobians(engine: Engine, _mechanism: Mechanism) -> Readings:
    return engine.jacobians()


def _jacobian_states(mechanism: Mechanism) -> int:
    entries = len(mechanism.bodies) * len(mechanism.v_order)
    return 0 if entries > MAX_JACOBIAN_ENTRIES else max(2, MAX_JACOBIAN_ENTRIES // max(entries, 1))


def _constraint_violations(engine: Engine, mechanism: Mechanism) -> Readings:
    subjects = constraint_subjects(
        mechanism
    )  # a constraint that the model does not have is named by its links
    return {
        Place(name, *subjects.get(name, tuple(name.split(", ")))): np.array([violation])
        for name, violation in engine.violations().items()
    }


def _inverse_dynamics(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the forces for random accelerations between -1 and 1, scaled like the bias forces."""
    nv = len(mechanism.v_order)
    accelerations = np.random.default_rng(nv).uniform(-1.0, 1.0, nv)
    return _scaled_forces(engine.inverse_dynamics(accelerations), mechanism)


def _joint_motion(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the pose of each link in its parent link, so that a difference shows at the joint that
    causes it only.
    """
    poses = engine.link_poses()
    relative_poses = {}
    for body in mechanism.bodies:
        if body.name not in poses or (
            body.parent != ROOT and mechanism.bodies[body.parent].name not in poses
        ):
            continue
        X_WP = IDENTITY if body.parent == ROOT else poses[mechanism.bodies[body.parent].name]
        relative_poses[body.joint or body.name] = matrix(X_WP.inverse() @ poses[body.name])
    return relative_poses


@lru_cache(maxsize=1)
def zero_mass_matrix(mechanism: Mechanism) -> Array:
    """Return the mass matrix at the zero position, by which masses and forces are scaled, shape
    (nv, nv).
    """
    return mechanism.mass_matrix()


def _mass_matrix(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the rows of the mass matrix, scaled by the mechanism's diagonal so that diagonal
    entries are near one.
    """
    reference = np.diag(zero_mass_matrix(mechanism))
    scale = np.sqrt(np.maximum(reference, RELATIVE_FLOOR * reference.max(initial=0.0)))
    M = engine.mass_matrix() / np.outer(scale, scale) if scale.all() else engine.mass_matrix()
    return {dof_place(dof): row for dof, row in zip(mechanism.v_order, M, strict=True)}


def _bias_forces(engine: Engine, mechanism: Mechanism) -> Readings:
    """Return the bias forces scaled by the largest entry of the mechanism's mass matrix.

    Forces that cancel leave only rounding errors, which must not be compared relative to the
    forces.
    """
    return _scaled_forces(engine.bias_forces(), mechanism)


def _scaled_forces(forces: Array, mechanism: Mechanism) -> Readings:
    forces = forces / (np.abs(zero_mass_matrix(mechanism)).max(initial=0.0) or 1.0)
    return {dof_place(dof): np.array([f]) for dof, f in zip(mechanism.v_order, forces, strict=True)}


def _collidable_pairs(engine: Engine, mechanism: Mechanism) -> Readings:
    """One for each collidable pair of links that can move relative to each other, and zero for each
    other pair.

    An engine that chooses pairs by a rule of its own is measured against that rule.
    """
    colliding = [link.name for link in mechanism.scene.links if link.collisions]
    if len(colliding) > MAX_COLLIDING_LINKS:
        return None
    if engine.reads_file and mechanism.sampled is not None:
        raise NotReportedError(f"{engine.name} reads the file, without the sampled pairs")
    group = {name: mechanism.weld_group_of(name) for name in colliding}
    collidable = engine.collidable_pairs()
    if engine.collision_policy:
        departures = collidable ^ mechanism.collidable_pairs(engine.collision_policy)
        collidable = mechanism.collidable_pairs() ^ departures
    movable = [(a, b) for a, b in combinations(colliding, 2) if group[a] != group[b]]
    return {
        Place(f"{a} with {b}", a, b): np.array([float(frozenset((a, b)) in collidable)])
        for a, b in movable
    }


_ADDED_INERTIA = frozenset(
    {
        mjcf_codes.MASSLESS_LINK,
        pybullet_codes.BASE_WITHOUT_INERTIA,
        pybullet_codes.BALL_WITHOUT_INERTIA,
        codes.DRAKE_REPLACED_INERTIA,
        codes.LOWER_MASSLESS_FREE_LINK,
        codes.LOWER_THIN_LINK,
    }
)
_CHANGED_INERTIA = _ADDED_INERTIA | {pybullet_codes.FOLDED_LINKS}
_TENDONS = frozenset({pybullet_codes.STATED_TENDON, codes.LOWER_TENDON_INERTIA})
_LOCKED = frozenset({pybullet_codes.LOCKED_JOINT})
_GRAVITY = frozenset({pybullet_codes.LINK_WITHOUT_GRAVITY, codes.DRAKE_LINK_WITHOUT_GRAVITY})
LOST_SHAPE = frozenset(
    {
        codes.DART_SHAPE,
        codes.DRAKE_SHAPE,
        loaders_codes.RESOURCE_NOT_FOUND,
        loaders_codes.MESH_MISSING,
        loaders_codes.MESH_UNREADABLE,
        mjcf_codes.EMPTY_SHAPE,
        mjcf_codes.HEIGHTMAP,
        mjcf_codes.MOVING_PLANE,
        mjcf_codes.NO_SHAPE,
    }
)
"""Codes of collision shapes that an engine lacks."""
FRICTION_OF_PAIRS = frozenset(
    {
        codes.DART_FRICTION_RULE,
        mjcf_codes.FRICTION_COMBINATION,
        pybullet_codes.FRICTION_PRODUCT,
    }
)
"""Codes about all pairs of links that may touch, of which they name the one that differs most."""
_COUPLINGS = frozenset(
    {
        codes.DART_COUPLING,
        mjcf_codes.COUPLING,
        pybullet_codes.COUPLING,
        pybullet_codes.COUPLING_ACROSS_BODIES,
    }
)

SENSOR_FORCES = Quantity(
    level=Level.MOTION,
    name="sensor forces",
    unit="",
    read=lambda engine, _mechanism: engine.sensor_forces(),
    error=relative_to_one,
    tolerance=1e-4,
    depends_on_state=True,
    causes=_ADDED_INERTIA | _GRAVITY | ROTOR_INERTIA | {pybullet_codes.SENSOR, mjcf_codes.SENSOR},
    propagates_to_ancestors=True,
    is_stated=lambda _mechanism: False,
)
"""Measurements of accelerometers and force-torque sensors, of a model without contact and stops."""
QUANTITIES = (
    Quantity(level=Level.MODEL, name="mass", read=_mass, error=relative, causes=_CHANGED_INERTIA),
    Quantity(
        level=Level.MODEL,
        name="center of mass",
        unit="m",
        read=_center_of_mass,
        error=absolute,
        causes=_CHANGED_INERTIA,
    ),
    Quantity(
        level=Level.MODEL,
        name="inertia",
        read=_rotational_inertia,
        error=relative,
        causes=_CHANGED_INERTIA,
    ),
    Quantity(
        level=Level.MODEL,
        name="limits",
        unit="rad or m",
        read=_limits,
        error=absolute,
        causes=frozenset(
            {
                mjcf_codes.EMPTY_RANGE,
                pybullet_codes.EMPTY_RANGE,
                codes.DRAKE_CONTINUOUS_LIMITS,
                codes.DRAKE_SCREW_LIMITS,
                codes.DRAKE_UNIVERSAL_LIMITS,
            }
        ),
    ),
    Quantity(
        level=Level.MODEL,
        name="damping",
        read=_damping,
        error=relative,
        causes=frozenset({codes.DRAKE_SHARED_DAMPING}),
    ),
    Quantity(
        level=Level.MODEL,
        name="friction",
        read=_friction,
        error=relative,
        causes=_LOCKED,
        is_stated=_states_friction,
    ),
    Quantity(
        level=Level.MODEL,
        name="couplings",
        read=_couplings,
        error=absolute,
        causes=_COUPLINGS,
        causes_name_whole_place=True,
        is_stated=lambda mechanism: bool(mechanism.couplings),
    ),
    Quantity(
        level=Level.MODEL,
        name="joint motion",
        unit="m or rad",
        read=_joint_motion,
        error=pose_distance,
        depends_on_state=True,
    ),
    Quantity(
        level=Level.MODEL,
        name="link poses",
        unit="m or rad",
        read=_link_poses,
        error=pose_distance,
        depends_on_state=True,
    ),
    Quantity(
        level=Level.MODEL,
        name="Jacobians",
        read=_jacobians,
        error=capped_relative,
        depends_on_state=True,
        states=_jacobian_states,
    ),
    Quantity(
        level=Level.MODEL,
        name="sensor readings",
        unit="",
        read=lambda engine, _mechanism: engine.sensor_readings(),
        error=relative_to_one,
        depends_on_state=True,
        causes=frozenset(
            {pybullet_codes.SENSOR, mjcf_codes.SENSOR, mjcf_codes.SENSOR_FIELD_OF_VIEW}
        ),
        is_stated=lambda _mechanism: False,
        states=lambda _mechanism: _SENSOR_STATES,
    ),
    Quantity(
        level=Level.OPERATORS,
        name="mass matrix",
        read=_mass_matrix,
        error=absolute,
        depends_on_state=True,
        causes=_ADDED_INERTIA | ROTOR_INERTIA | _TENDONS,
        propagates_to_ancestors=True,
    ),
    Quantity(
        level=Level.OPERATORS,
        name="bias forces",
        read=_bias_forces,
        error=capped_relative,
        depends_on_state=True,
        causes=_ADDED_INERTIA | _GRAVITY | _TENDONS,
        propagates_to_ancestors=True,
    ),
    Quantity(
        level=Level.OPERATORS,
        name="inverse dynamics",
        read=_inverse_dynamics,
        error=capped_relative,
        depends_on_state=True,
        causes=_ADDED_INERTIA | _GRAVITY | ROTOR_INERTIA | _TENDONS,
        propagates_to_ancestors=True,
    ),
    Quantity(
        level=Level.OPERATORS,
        name="constraint violation",
        unit="m or rad",
        read=_constraint_violations,
        error=absolute,
        depends_on_state=True,
        causes=_COUPLINGS,
        causes_name_whole_place=True,
    ),
    Quantity(
        level=Level.OPERATORS,
        name="collidable pairs",
        read=_collidable_pairs,
        error=absolute,
        causes=LOST_SHAPE | {mjcf_codes.COLLIDE_WITHOUT_CONTACT, pybullet_codes.MERGED_FILTERS},
    ),
)
"""The quantities in the order of the report: what the model is, where its links are, which forces
act."""

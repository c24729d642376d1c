"""The quantities that two engines are compared in, each as a table by link or joint, with its tolerance and scale."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT
from bridge.parity.engines.protocol import Engine
from bridge.parity.results.verdict import Level
from loaders.spatial import IDENTITY, Array, Pose, matrix_to_quaternion

Readings = Mapping[str, Array] | None
"""A quantity by link or joint; None if the engine does not report it."""
Error = Callable[[Array, Array, float], float]
"""Of two readings at one place, given the largest reading anywhere."""

EXACT = 1e-9
"""Relative tolerance of what has units of mass, force or motion."""
MOST_ENTRIES = 4000
"""Of all Jacobians together, over all states: where a robot has many links and freedoms, fewer states are asked for."""
MOST_SHAPED = 150
"""Links with shapes beyond which nobody is asked for pairs, of which there are too many."""
FLOOR = 1e-6
"""Readings below this fraction of the largest anywhere are held to the scale of the largest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One thing to ask every engine, in the same state."""

    level: Level
    name: str
    unit: str
    read: Callable[[Engine, Mechanism], Readings]
    error: Error
    tolerance: float = EXACT
    at_states: bool = False
    """Whether it depends on the state."""
    causes: frozenset[str] = frozenset()
    """Codes of diagnostics that say why an engine does not hold it exactly."""
    spreads: bool = False
    """Whether a cause at one link shows at every joint that carries it."""
    states: Callable[[Mechanism], int] | None = None
    """How many states are worth their time; None for all."""


@dataclass(slots=True)
class Worst:
    """The worst error at each place so far."""

    errors: dict[str, float] = field(default_factory=dict)

    def see(self, error: float, where: str) -> None:
        """Take note of an error; one that is no number is worse than any number."""
        error = math.inf if math.isnan(error) else error
        self.errors[where] = max(error, self.errors.get(where, 0.0))

    @property
    def where(self) -> str:
        """The place with the worst error; empty if nothing was seen."""
        return max(self.errors, key=self.errors.__getitem__, default="")

    @property
    def error(self) -> float:
        """The worst error anywhere."""
        return self.errors.get(self.where, 0.0)

    def only(self, places: Iterable[str]) -> Worst:
        """The same, at these places alone."""
        return Worst({place: self.errors[place] for place in places})


def compare_readings(one: Mapping[str, Array], two: Mapping[str, Array], error: Error, worst: Worst) -> None:
    """Every place that either engine has; one that the other lacks differs without bound."""
    scale = max((float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in one.values()), default=0.0)
    for place in dict.fromkeys((*one, *two)):
        if place in one and place in two:
            worst.see(error(one[place], two[place], scale), place)
        else:
            worst.see(math.inf, place)


# --- errors ----------------------------------------------------------------------------------------------------------


def relative(a: Array, b: Array, scale: float) -> float:
    """The largest difference relative to the reading itself, or to `FLOOR` of the largest anywhere."""
    own = max(float(np.abs(a).max(initial=0.0)), FLOOR * scale)
    difference = float(np.abs(a - b).max(initial=0.0))
    return 0.0 if difference == 0.0 else _ratio(difference, own)


def overall(a: Array, b: Array, scale: float) -> float:
    """The largest difference relative to the largest reading anywhere."""
    difference = float(np.abs(a - b).max(initial=0.0))
    return 0.0 if difference == 0.0 else _ratio(difference, scale)


def _ratio(difference: float, scale: float) -> float:
    return difference / scale if scale > 0.0 else math.inf


def moderate(a: Array, b: Array, scale: float) -> float:
    """As `overall`; where all readings are below one, the largest difference."""
    return overall(a, b, max(scale, 1.0))


def absolute(a: Array, b: Array, _scale: float) -> float:
    """The largest difference; two infinities of one sign are equal."""
    differing = a != b
    return float(np.abs(a[differing] - b[differing]).max(initial=0.0))


def pose_distance(a: Array, b: Array, _scale: float) -> float:
    """The larger of distance [m] and angle [rad] between two poses, shape (4, 4)."""
    w, x, y, z = matrix_to_quaternion(a[:3, :3].T @ b[:3, :3])
    angle = 2.0 * math.atan2(math.hypot(x, y, z), abs(w))
    distance = float(np.linalg.norm(a[:3, 3] - b[:3, 3]))
    return math.nan if math.isnan(angle + distance) else max(distance, angle)


# --- readings --------------------------------------------------------------------------------------------------------


def matrix(X: Pose) -> Array:
    """A pose as one array, shape (4, 4)."""
    M = np.eye(4)
    M[:3, :3], M[:3, 3] = X.R, X.p
    return M


def _mass(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {link: np.array([inertia.mass]) for link, inertia in engine.inertias().items()}


def _centre(engine: Engine, _mechanism: Mechanism) -> Readings:
    massive = {link: inertia for link, inertia in engine.inertias().items() if inertia.mass > 1e-8}
    return {link: inertia.p_LLcm for link, inertia in massive.items()}


def _rotational(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {link: inertia.I_Lcm for link, inertia in engine.inertias().items()}


def _limits(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {_name(key): np.array((p.lower, p.upper)) for key, p in engine.joint_parameters().items()}


def _damping(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {_name(key): np.array([p.damping]) for key, p in engine.joint_parameters().items()}


def _friction(engine: Engine, _mechanism: Mechanism) -> Readings:
    found = {_name(key): p.friction for key, p in engine.joint_parameters().items()}
    known = {name: np.array([friction]) for name, friction in found.items() if friction is not None}
    return known if len(known) == len(found) else None


def _couplings(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {f"{_name(f)} on {_name(k)}": np.array(pair) for (f, k), pair in engine.couplings().items()}


def _name(freedom: tuple[str, int]) -> str:
    joint, component = freedom
    return f"{joint}[{component}]" if component else joint


def _poses(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {link: matrix(X_WL) for link, X_WL in engine.link_poses().items()}


def _jacobians(engine: Engine, _mechanism: Mechanism) -> Readings:
    return engine.jacobians()


def _few_states(mechanism: Mechanism) -> int:
    entries = len(mechanism.bodies) * len(mechanism.v_order)
    return 0 if entries > MOST_ENTRIES else max(2, MOST_ENTRIES // max(entries, 1))


def _violations(engine: Engine, _mechanism: Mechanism) -> Readings:
    return {name: np.array([gap]) for name, gap in engine.violations().items()}


def _inverse_dynamics(engine: Engine, mechanism: Mechanism) -> Readings:
    """Of accelerations of about one unit; scaled as `_bias`."""
    nv = len(mechanism.v_order)
    accelerations = np.random.default_rng(nv).uniform(-1.0, 1.0, nv)
    return _scaled(engine.inverse_dynamics(accelerations), mechanism)


def _joint_motion(engine: Engine, mechanism: Mechanism) -> Readings:
    """The pose of each link in the one that it hangs from: where an error begins, and not where it ends."""
    poses = engine.link_poses()
    found = {}
    for body in mechanism.bodies:
        if body.name not in poses or (body.parent != ROOT and mechanism.bodies[body.parent].name not in poses):
            continue
        X_WP = IDENTITY if body.parent == ROOT else poses[mechanism.bodies[body.parent].name]
        found[body.joint or body.name] = matrix(X_WP.inverse() @ poses[body.name])
    return found


@lru_cache(maxsize=1)
def zero_mass_matrix(mechanism: Mechanism) -> Array:
    """The mass matrix at the zero position, which everything of units of mass is scaled by."""
    return mechanism.mass_matrix()


def _mass_matrix(engine: Engine, mechanism: Mechanism) -> Readings:
    """Scaled by the mechanism's own diagonal, so that every entry is near one."""
    reference = np.diag(zero_mass_matrix(mechanism))
    scale = np.sqrt(np.maximum(reference, FLOOR * reference.max(initial=0.0)))
    M = engine.mass_matrix() / np.outer(scale, scale) if scale.all() else engine.mass_matrix()
    return {_name(key): row for key, row in zip(mechanism.v_order, M, strict=True)}


def _bias(engine: Engine, mechanism: Mechanism) -> Readings:
    """Scaled by the largest entry of the mechanism's mass matrix: near zero nothing but rounding is left of them."""
    return _scaled(engine.bias_forces(), mechanism)


def _scaled(forces: Array, mechanism: Mechanism) -> Readings:
    forces = forces / (np.abs(zero_mass_matrix(mechanism)).max(initial=0.0) or 1.0)
    return {_name(key): np.array([f]) for key, f in zip(mechanism.v_order, forces, strict=True)}


def _pairs(engine: Engine, mechanism: Mechanism) -> Readings:
    """One where two links may touch, for every pair that can move against each other."""
    shaped = [link.name for link in mechanism.scene.links if link.collisions]
    if len(shaped) > MOST_SHAPED:
        return None
    group = {name: mechanism.weld_group_of(name) for name in shaped}
    touching = engine.collidable_pairs()
    movable = [(a, b) for a, b in combinations(shaped, 2) if group[a] != group[b]]
    return {f"{a} with {b}": np.array([float(frozenset((a, b)) in touching)]) for a, b in movable}


_MASSLESS = frozenset({
    "mjcf.massless-link", "mjcf.repaired-inertia", "mjcf.inertia-from-geometry", "lower.massless-free-link",
    "lower.thin-link",
    "pybullet.base-without-inertia",
    "pybullet.ball-without-inertia", "pybullet.folded-links", "drake.replaced-inertia",
})  # fmt: skip
_ROTORS = frozenset({"pybullet.rotor-inertia"})
_WEIGHTLESS = frozenset({"pybullet.link-without-gravity", "drake.link-without-gravity"})
_SHAPELESS = frozenset({
    "resource.not-found", "mesh.missing", "mjcf.empty-shape", "mjcf.heightmap", "mjcf.moving-plane", "mjcf.no-shape",
    "mjcf.welded-contact", "mjcf.collide-without-contact",
})  # fmt: skip
_COUPLINGS = frozenset({"mjcf.coupling", "pybullet.coupling", "pybullet.coupling-across-bodies"})

QUANTITIES = (
    Quantity(level=Level.MODEL, name="mass", unit="", read=_mass, error=relative, causes=_MASSLESS),
    Quantity(level=Level.MODEL, name="centre of mass", unit="m", read=_centre, error=absolute, causes=_MASSLESS),
    Quantity(level=Level.MODEL, name="inertia", unit="", read=_rotational, error=relative, causes=_MASSLESS),
    Quantity(
        level=Level.MODEL, name="limits", unit="rad or m", read=_limits, error=absolute,
        causes=frozenset({"mjcf.empty-range", "pybullet.empty-range", "drake.continuous-limits", "drake.screw-limits"}),
    ),
    Quantity(level=Level.MODEL, name="damping", unit="", read=_damping, error=relative),
    Quantity(level=Level.MODEL, name="friction", unit="", read=_friction, error=relative),
    Quantity(level=Level.MODEL, name="couplings", unit="", read=_couplings, error=absolute, causes=_COUPLINGS),
    Quantity(
        level=Level.MODEL, name="joint motion", unit="m or rad", read=_joint_motion, error=pose_distance,
        at_states=True,
    ),
    Quantity(level=Level.MODEL, name="link poses", unit="m or rad", read=_poses, error=pose_distance, at_states=True),
    Quantity(
        level=Level.MODEL, name="Jacobians", unit="", read=_jacobians, error=moderate, at_states=True,
        states=_few_states,
    ),
    Quantity(
        level=Level.OPERATORS, name="mass matrix", unit="", read=_mass_matrix, error=absolute, at_states=True,
        causes=_MASSLESS | _ROTORS,
        spreads=True,
    ),
    Quantity(
        level=Level.OPERATORS, name="bias forces", unit="", read=_bias, error=moderate, at_states=True,
        causes=_MASSLESS | _WEIGHTLESS,
        spreads=True,
    ),
    Quantity(
        level=Level.OPERATORS, name="inverse dynamics", unit="", read=_inverse_dynamics, error=moderate,
        at_states=True, causes=_MASSLESS | _WEIGHTLESS | _ROTORS, spreads=True,
    ),
    Quantity(
        level=Level.OPERATORS, name="constraint violation", unit="m or rad", read=_violations, error=absolute,
        at_states=True, causes=_COUPLINGS,
    ),
    Quantity(
        level=Level.OPERATORS, name="collidable pairs", unit="", read=_pairs, error=absolute,
        causes=_SHAPELESS | {"pybullet.merged-filters"},
    ),
)  # fmt: skip
"""In the order in which they are reported: what a robot is, where it is, how it resists."""

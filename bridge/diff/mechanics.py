"""Differences of mechanics, and of values that change motion.

What is not in the table changes no motion, or is compared by the mechanics, or belongs to one
simulator: names, looks, sensors, limits of speed, which no simulator enforces, accuracy of solvers.
MuJoCo's own settings count if they act on motion or contact: gravity compensation, polynomials of
springs and dampers, fluids, laws of actuators, switches, softness; `loaders.engine_settings` has
their effects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np

from bridge.geometry.shapes import supports_of_collision
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import PrimitiveKind
from bridge.mechanism.coordinates import Position, kind_of, random_position
from loaders.collision_pairs import renamed_pairs
from loaders.diagnostics import Diagnostics
from loaders.engine_settings import (
    MUJOCO,
    Effect,
    Grip,
    conventions_of,
    effect_of,
    friction_rule,
    grip_of,
    is_default,
)
from loaders.meshes import read_mesh
from loaders.mjcf.settings import FRICTION
from loaders.model import (
    Actuator,
    Collision,
    Link,
    Mesh,
    Surface,
    by_name,
    settings_of,
)
from loaders.model.contact import torsional_length
from loaders.model.link import total_mass
from loaders.pose import Array, Pose
from loaders.scene import Scene
from loaders.text import counted, shortened

from .differences import TOLERANCE, Difference, compare_values


@dataclass(frozen=True, slots=True, kw_only=True)
class MechanicalError:
    """The largest differences between the mechanics of scenes A and B."""

    pose: float = 0.0
    """The error of the poses of links, at random positions of the joints [m, or entries of rotation
    matrices]."""
    mass: float = 0.0
    """The relative error of the masses of links."""
    mass_matrix: float = 0.0
    """The error of the entries of the mass matrix, relative to those of the diagonal that belong to
    them."""
    missing: tuple[str, ...] = ()
    """Links, and joints that move, which B lacks."""
    changed: tuple[str, ...] = ()
    """Joints whose number or kind of coordinates differs; nothing else was compared then."""
    added: tuple[str, ...] = ()
    """Joints that move, which A lacks."""
    pairs: tuple[str, ...] = ()
    """Pairs of links that may touch in one of both only."""
    frictions: tuple[str, ...] = ()
    """Pairs of links with equal surfaces whose friction differs, because two coefficients make
    another one in each."""
    effects: tuple[str, ...] = ()
    """The effects in words and units: the link that is farthest from its place, the total mass, the
    inertia that a joint feels."""
    refusal: str = ""
    """The reason for which a simulator compared nothing, such as a file that it cannot read; empty
    if it did."""

    def is_within(self, tolerance: float) -> bool:
        """Return whether the mechanics are equal within a tolerance."""
        return not self.reasons(tolerance)

    def reasons(self, tolerance: float) -> tuple[str, ...]:
        """Return what is not equal within a tolerance."""
        errors = {
            f"poses of links differ by {self.pose:.2g}": self.pose,
            f"masses differ by up to {percent(self.mass)} their value": self.mass,
            f"mass matrices differ by {percent(self.mass_matrix)} their diagonal entries": (
                self.mass_matrix
            ),
        }
        names = {
            "B lacks": self.missing,
            "joints have other coordinates in B:": self.changed,
            "only B moves": self.added,
            "colliding pairs differ:": self.pairs,
            "friction of pairs differs:": self.frictions,
        }
        return (
            *(text for text, error in errors.items() if not error <= tolerance),
            *(f"{text} {shortened(', '.join(found))}" for text, found in names.items() if found),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the differences as plain data."""
        return {
            "pose": self.pose,
            "mass": self.mass,
            "mass_matrix": self.mass_matrix,
            "missing": list(self.missing),
            "changed": list(self.changed),
            "added": list(self.added),
            "pairs": list(self.pairs),
            **({"frictions": list(self.frictions)} if self.frictions else {}),
            **({"refusal": self.refusal} if self.refusal else {}),
        }


def percent(ratio: float) -> str:
    """Return a ratio to a value as a percentage of it, a large one as a factor."""
    return f"{100.0 * ratio:.3g} % of" if ratio < _MANY_TIMES else f"{ratio:.2g} times"


_MANY_TIMES = 10.0
"""Ratio from which it is no percentage."""


def mechanical_error(
    a: Scene,
    b: Scene,
    names: Mapping[str, str] | None = None,
    *,
    configurations: int = 3,
    pairs: bool = True,
) -> MechanicalError:
    """Compare the mechanics of two scenes; links that only B has may exist if they are massless or
    welded.

    Args:
        a: Scene A.
        b: Scene B.
        names: Names in B by name in A, where they differ.
        configurations: Number of random positions.
        pairs: Whether to compare the pairs of links that may touch, and their friction, in a time
            that grows with the square of the links.

    Raises:
        ExportError: if a scene has no mechanism.
    """
    first, second = lower(a), lower(b)
    renamed = dict(names or {})
    renamed |= _free_joints(first, second, renamed)
    missing = _missing(first, second, renamed)
    if missing:
        return MechanicalError(missing=missing)
    changed = _with_other_coordinates(first, second, renamed)
    if changed:
        return MechanicalError(changed=changed)
    rng = np.random.default_rng(0)
    pose, matrix = 0.0, 0.0
    moved: dict[str, float] = {}
    felt: dict[str, float] = {}
    for _ in range(configurations):
        q = {
            str(body.joint): random_position(body, rng) for body in first.bodies if body.primitives
        }
        mapped = {_joint(name, renamed): value for name, value in q.items()}
        X_WL = first.link_poses(q), second.link_poses(mapped)
        pose = max(pose, _pose_error(*X_WL, renamed))
        matrix = max(matrix, _matrix_error(first, second, q, mapped, renamed, felt))
        _note_distances(*X_WL, renamed, moved)
    return MechanicalError(
        pose=pose,
        mass=_mass_error(a, b, renamed),
        mass_matrix=matrix,
        added=_added(first, second, renamed),
        pairs=_pairs(first, second, renamed) if pairs else (),
        frictions=_frictions(first, second, renamed) if pairs else (),
        effects=_effects(a, b, moved, felt),
    )


LEAST_EFFECT = 1e-6
"""Smallest effect that is stated [m], or as a share."""


def _effects(
    a: Scene, b: Scene, moved: Mapping[str, float], felt: Mapping[str, float]
) -> tuple[str, ...]:
    """Return the effects of differences in words.

    Args:
        a: Scene A.
        b: Scene B.
        moved: The largest distance between the places of each link [m].
        felt: The inertia that each joint feels in B, over that in A.
    """
    found = []
    far = {name: distance for name, distance in moved.items() if distance > LEAST_EFFECT}
    if far:
        farthest = max(far, key=lambda name: far[name])
        others = f", the farthest of {counted(len(far), 'link')}," if len(far) > 1 else ""
        found.append(f"{farthest}{others} is up to {far[farthest]:.3g} m away from its place in A")
    masses = (total_mass(a.links), total_mass(b.links))
    if abs(masses[0] - masses[1]) > LEAST_EFFECT * max(masses):
        found.append(f"the total mass changes from {masses[0]:.4g} to {masses[1]:.4g} kg")
    other = {name: ratio for name, ratio in felt.items() if abs(ratio - 1.0) > LEAST_EFFECT}
    if other:
        name = max(other, key=lambda name: max(other[name], 1.0 / max(other[name], 1e-12)))
        found.append(f"joint {name} feels {other[name]:.3g} times the inertia that it feels in A")
    return tuple(found)


def _note_distances(
    a: Mapping[str, Pose], b: Mapping[str, Pose], names: Mapping[str, str], moved: dict[str, float]
) -> None:
    """Note the distance between the places of each link, if it is larger than the one before."""
    for name, X_WL in a.items():
        other = b.get(names.get(name, name))
        if other is not None:
            distance = float(np.linalg.norm(X_WL.p - other.p))
            moved[name] = max(moved.get(name, 0.0), distance)


def _free_joints(a: Mechanism, b: Mechanism, names: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the joints of free links, which formats state under other names or not at
    all.
    """
    free = {body.name: str(body.joint) for body in b.bodies if kind_of(body) is PrimitiveKind.FREE}
    found: dict[str, str] = {}
    for body in a.bodies:
        other = free.get(names.get(body.name, body.name))
        if other is not None and kind_of(body) is PrimitiveKind.FREE:
            found[f"joint {body.joint}"] = other
    return found


def _missing(a: Mechanism, b: Mechanism, names: Mapping[str, str]) -> tuple[str, ...]:
    links = {body.name for body in b.bodies}
    joints = {joint for joint, _ in b.v_order}
    stated = {link.name for link in a.scene.links}
    # a body that the scene does not state is a part of a link that a loop is cut at
    own = [body.name for body in a.bodies if body.name in stated]
    lost = [name for name in own if names.get(name, name) not in links]
    lost += [joint for joint, _ in a.v_order if _joint(joint, names) not in joints]
    return tuple(dict.fromkeys(lost))


def _with_other_coordinates(
    a: Mechanism, b: Mechanism, names: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the joints whose positions in A are no positions in B."""
    kinds = {str(body.joint): (body.nv, kind_of(body)) for body in b.bodies if body.primitives}
    return tuple(
        str(body.joint)
        for body in a.bodies
        if body.primitives and kinds.get(_joint(str(body.joint), names)) != (body.nv, kind_of(body))
    )


def _added(a: Mechanism, b: Mechanism, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the joints of B that move and that A lacks, without those of parts of links that loops
    are cut at.
    """
    known = {_joint(joint, names) for joint, _ in a.v_order}
    stated = {link.name for link in b.scene.links}
    movable = [str(body.joint) for body in b.bodies if body.primitives and body.name in stated]
    return tuple(joint for joint in movable if joint not in known)


def _joint(name: str, names: Mapping[str, str]) -> str:
    """Return the name of a joint in B; the key of one that shares its name with a link starts with
    ``joint``.
    """
    return names.get(f"joint {name}", names.get(name, name))


def _pose_error(a: Mapping[str, Pose], b: Mapping[str, Pose], names: Mapping[str, str]) -> float:
    worst = 0.0
    for name, X_WL in a.items():
        other = b.get(names.get(name, name))
        if other is None:  # a part of a link that a loop is cut at
            continue
        scale = max(1.0, float(np.abs(X_WL.p).max()))
        worst = max(
            worst,
            float(np.abs(X_WL.p - other.p).max()) / scale,
            float(np.abs(X_WL.R - other.R).max()),
        )
    return worst


MAX_DOFS = 300
"""Largest number of velocities for which mass matrices are compared; their time grows with its
square."""
SMALLEST = 1e-4
"""Smallest entry of the diagonal to which errors relate, as a part of the largest; links may have
no mass."""


def _matrix_error(
    a: Mechanism,
    b: Mechanism,
    q: Mapping[str, Position],
    mapped: Mapping[str, Position],
    names: Mapping[str, str],
    felt: dict[str, float],
) -> float:
    """Return the error of the mass matrix, and note the ratio of the inertias that joints feel."""
    if not a.v_order or len(a.v_order) > MAX_DOFS:
        return 0.0
    index = {dof: i for i, dof in enumerate(b.v_order)}
    order = [index[_joint(joint, names), component] for joint, component in a.v_order]
    first, second = a.mass_matrix(q), b.mass_matrix(mapped)[np.ix_(order, order)]
    diagonal = np.abs(np.diag(first))
    for (joint, _), one, other in zip(a.v_order, diagonal, np.abs(np.diag(second)), strict=True):
        ratio = float(other / one) if one > 0.0 else 1.0
        if abs(ratio - 1.0) > abs(felt.get(joint, 1.0) - 1.0):
            felt[joint] = ratio
    scale = np.sqrt(np.maximum(diagonal, max(SMALLEST * float(diagonal.max()), 1e-12)))
    return float((np.abs(first - second) / np.outer(scale, scale)).max())


def _mass_error(a: Scene, b: Scene, names: Mapping[str, str]) -> float:
    masses = {link.name: link.inertia.mass for link in b.links if link.inertia is not None}
    stated = [(link.name, link.inertia.mass) for link in a.links if link.inertia is not None]
    pairs = [(mass, masses.get(names.get(name, name), 0.0)) for name, mass in stated]
    return max((abs(x - y) / (abs(x) or abs(y) or 1.0) for x, y in pairs), default=0.0)


def pairs_in_one(first: Set[frozenset[str]], second: Set[frozenset[str]]) -> list[str]:
    """Return the pairs of links that are in one set only, as text."""
    return [" and ".join(sorted(pair)) for pair in sorted(first ^ second, key=sorted)]


def _pairs(a: Mechanism, b: Mechanism, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the pairs that collide in one only, by the policy of each; if that is Drake's or none
    is stated, by SDFormat's too.

    For MJCF no other policy is compared: bitmasks, which only some policies use, may become filter
    groups.
    """
    found: list[str] = []
    are_silent = {a.default_policy, b.default_policy} <= {"drake", "neighbors"}
    policies = (None, "sdformat") if are_silent else (None,)
    for policy in policies:
        first = renamed_pairs(a.collidable_pairs(policy), names)
        found += pairs_in_one(first, b.collidable_pairs(policy))
    return tuple(dict.fromkeys(found))


def _frictions(a: Mechanism, b: Mechanism, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the pairs that may touch in both, have equal surfaces in both, and differ in their
    friction: the two rules, or pairs that one file lists with a coefficient of their own.
    """
    rule_a, rule_b = friction_rule(a.scene), friction_rule(b.scene)
    if rule_a is rule_b:
        return ()
    grips_a, grips_b = ({k.name: _grips(k.collisions) for k in x.scene.links} for x in (a, b))
    stated_a, stated_b = map(_stated_frictions, (a.scene, b.scene))
    found, others = [], b.collidable_pairs()
    for one, two in sorted(map(sorted, a.collidable_pairs())):
        one_in_b, two_in_b = names.get(one, one), names.get(two, two)
        grips = grips_a[one], grips_a[two]
        other = frozenset((one_in_b, two_in_b))
        if other not in others or grips != (grips_b[one_in_b], grips_b[two_in_b]):
            continue
        stated = stated_a.get(frozenset((one, two)))
        in_a = stated or {rule_a.of_grips(x, y) for x, y in product(*grips)}
        in_b = stated_b.get(other) or {rule_b.of_grips(x, y) for x, y in product(*grips)}
        if max(abs(max(in_a) - max(in_b)), abs(min(in_a) - min(in_b))) > TOLERANCE:
            found.append(
                f"{one} and {two} have {_range(in_a)} ({rule_a.words}) in A, "
                f"{_range(in_b)} ({rule_b.words}) in B"
            )
    return tuple(found)


def _grips(collisions: Iterable[Collision]) -> set[Grip]:
    return {grip_of(collision.surface) for collision in collisions}


def _stated_frictions(scene: Scene) -> dict[frozenset[str], set[float]]:
    """Return the coefficients of pairs of links for whose shapes the scene states one."""
    found: dict[frozenset[str], set[float]] = {}
    for pair in scene.contact_pairs:
        friction = dict(settings_of(pair, MUJOCO)).get("friction")
        if friction is not None:
            links = frozenset({pair.link_A, pair.link_B})
            found.setdefault(links, set()).add(float(friction.split()[0]))
    return found


def _range(values: set[float]) -> str:
    return " to ".join(f"{value:.4g}" for value in sorted({min(values), max(values)}))


PRIMITIVE_TOLERANCE = 1e-8
"""Largest difference of the supports of equal shapes [m]."""
MESH_TOLERANCE = 1e-6
"""Largest difference of the supports of equal meshes, relative to their extent; files have single
precision."""
EARTH = 0.03
"""Largest difference between vectors of gravity that formats assume, such as 9.8 and 9.81 m/s^2
[m/s^2]."""

_AXIS = (
    "lower", "upper", "effort", "damping", "friction", "spring_stiffness", "spring_reference",
    "limit_stiffness", "limit_dissipation",
)  # fmt: skip
_INSIDE = ("collisions.geometry.", "collisions.surface.")
_IDLE = frozenset({"collide_bitmask", "category_bitmask", "max_velocity", "min_depth", "soft_erp"})
"""Fields of a surface that decide which pairs may touch, and on the accuracy of solvers."""
_FIELDS: Mapping[str, frozenset[str]] = {
    "scene": frozenset({"gravity", "wind"}),
    "link": frozenset(
        {
            "gravity", "kinematic", "enable_wind", "velocity_decay", "added_mass",
            "surface_velocity_axis", "deformable", "collisions", "collisions.X_LG",
            "collisions.geometry",
        }
    ),
    "joint": frozenset({"axes", *(f"axes.{name}" for name in _AXIS)}),
    "actuator": frozenset(
        {
            "", "joint", "tendon", "target", "effort", "min_effort", "feedforward",
            "imposes_velocity", "gear_ratio", "p_gain", "d_gain",
        }
    ),
}  # fmt: skip
"""Fields that change the motion, by kind of item; the empty field is the item itself."""
_WHOLE = frozenset({"coupling", "constraint", "force element", "force of a fluid", "tendons"})
"""Kinds of items whose fields all change the motion."""
_ELEMENT = {
    "scene": "", "link": "body/", "joint": "joint/", "tendons": "tendon/", "coupling": "equality/",
    "constraint": "equality/", "contact pair": "pair/",
}  # fmt: skip
"""The element of MJCF whose settings a kind of item carries; those of a shape of a link are of its
geom."""
_SETTING = re.compile(r"(?P<owner>.*\.surface\.)?(physics\.parameters|mujoco)\[(?P<name>[^\]]+)\]")
"""Path of a setting of MuJoCo in an item."""
_OF_MUJOCO = ("option/", "flag/", "size/", "geom/", *filter(None, _ELEMENT.values()))
"""Beginnings of the paths of MuJoCo's settings; `Physics.parameters` may belong to another
engine."""
_LAWS = re.compile(r"control|mujoco\[(?!(group|nsample)\])[^\]]+\]")
"""Paths of the fields that determine the force of an actuator, if both files state its law by
settings of MuJoCo: all but a group, and a number of samples, which only has to suffice for a
delay."""
_ELEMENTS = frozenset({"equality", "deformable"})
"""Sections of MuJoCo's elements that act on the motion; sensors do not."""
_INDEX = re.compile(r"\[[^\]]*\]")


def acting(found: Iterable[Difference], a: Scene, b: Scene) -> tuple[Difference, ...]:
    """Return the differences that change how a model moves, in their order.

    Args:
        found: The differences between both scenes.
        a: Scene A, with the names of B.
        b: Scene B.
    """
    own = {
        ("engine element", each.name)
        for each in chain(a.engine_elements, b.engine_elements)
        if each.section in _ELEMENTS
    }
    lawful = _lawful_actuators(a) & _lawful_actuators(b)
    both = all(conventions_of(scene.physics).has_solver_settings for scene in (a, b))
    listed = [
        d
        for d in found
        if _is_listed(d, both_soft=both)
        or (d.kind, d.name) in own
        or ((d.kind, d.name) in lawful and _LAWS.fullmatch(d.field))
    ]
    in_a, in_b = by_name(a.links), by_name(b.links)
    shapes = {d.name for d in listed if _is_about_shapes(d)}
    springs = conventions_of(a.physics) == conventions_of(b.physics)
    same = {
        ("link", name) for name in shapes if same_shapes(in_a[name], in_b[name], springs=springs)
    }
    same |= {
        ("actuator", each.name) for each in chain(a.actuators, b.actuators) if not _acts_alone(each)
    }
    if _is_assumed(a.gravity, b.gravity):
        same.add(("scene", ""))
    touches = any(link.collisions for link in chain(a.links, b.links))
    return tuple(
        d
        for d in listed
        if not ((d.kind, d.name) in same and _depends(d))
        and (touches or _setting_of(d) not in _LAWS_OF_FRICTION)
    )


def _setting_of(difference: Difference) -> str:
    setting = _SETTING.fullmatch(difference.field)
    return setting["name"] if setting is not None else ""


def _lawful_actuators(scene: Scene) -> set[tuple[str, str]]:
    """Return the actuators whose law a simulator's own settings state."""
    return {("actuator", each.name) for each in scene.actuators if each.engine_settings}


def _is_about_shapes(difference: Difference) -> bool:
    is_setting = _SETTING.fullmatch(difference.field) is not None
    return (
        difference.kind == "link" and difference.field.startswith("collisions") and not is_setting
    )


def _depends(difference: Difference) -> bool:
    """Return whether a difference acts in some cases only: of shapes, of gravity, and of an
    actuator that one lacks.
    """
    is_lacked = difference.kind == "actuator" and not difference.field
    return (
        is_lacked
        or _is_about_shapes(difference)
        or (difference.kind, difference.field) == ("scene", "gravity")
    )


def _is_listed(difference: Difference, *, both_soft: bool) -> bool:
    setting = _SETTING.fullmatch(difference.field)
    if setting is not None:
        return _is_acting(difference, setting, both_soft=both_soft)
    path = _INDEX.sub("", difference.field)
    if difference.kind == "contact pair":
        return both_soft and not path
    if difference.kind in _WHOLE:
        return not path.startswith("mujoco")
    fields = _FIELDS.get(difference.kind, frozenset())
    is_inside = difference.kind == "link" and path.startswith(_INSIDE)
    return path in fields or (is_inside and path.rpartition(".")[2] not in _IDLE)


def _is_acting(difference: Difference, setting: re.Match[str], *, both_soft: bool) -> bool:
    """Return whether a setting of MuJoCo acts on motion or contact, and differs by more than a
    stated default.

    Softness and contacts of shapes are compared between MJCF files only, and so are the pairs that
    touch whatever the filters say: other formats state them in other ways.
    """
    element = "geom/" if setting["owner"] else _ELEMENT.get(difference.kind, "")
    path = f"{element}{setting['name']}"
    if not path.startswith(_OF_MUJOCO):
        return False
    if not both_soft and (element in {"geom/", "pair/"} or setting["name"].startswith("sol")):
        return False
    values = [None if value is None else str(value) for value in (difference.a, difference.b)]
    if path in _LAWS_OF_FRICTION:
        return both_soft and any(value not in {None, _LAWS_OF_FRICTION[path]} for value in values)
    is_same = all(value is None or is_default(path, value) for value in values)
    return not is_same and effect_of(path) in {Effect.MOTION, Effect.CONTACT}


_LAWS_OF_FRICTION = {
    "option/cone": "pyramidal",
    "option/impratio": "1",
    "option/noslip_iterations": "0",
    "pair/solreffriction": "0 0",
    **dict.fromkeys(("joint/solreffriction", "tendon/solreffriction"), "0.02 1"),
    **dict.fromkeys(("joint/solimpfriction", "tendon/solimpfriction"), "0.9 0.95 0.001 0.5 2"),
}
"""Settings by which MuJoCo's friction moves otherwise at every time step, with their default: the
form of its cone, and how it creeps. Beside other engines they are a matter of accuracy, which none
of them has; between two files of MuJoCo they are not. The motion with other settings of the solver
and the integrator approaches that with the default ones as the step vanishes."""


def _acts_alone(actuator: Actuator) -> bool:
    """Return whether an actuator has a force without a command: by gains, or by a bias of its
    law.
    """
    law = dict(settings_of(actuator, MUJOCO))
    has_gains = actuator.p_gain is not None or actuator.d_gain is not None
    has_bias = law.get("biastype", "none") != "none" or "damping" in law
    return has_gains or has_bias or bool(actuator.feedforward) or actuator.imposes_velocity


def _is_assumed(a: Array, b: Array) -> bool:
    """Return whether formats differ in the gravity that they assume."""
    return bool(a.any() and b.any() and np.abs(a - b).max() < EARTH)


def same_shapes(a: Link, b: Link, *, springs: bool = True) -> bool:
    """Return whether the collision shapes of two links are equal, whatever they are called and made
    of.

    Meshes are compared by their convex hulls, with which simulators collide, and surfaces by what
    acts: a value that a file does not state is the one that simulators take for it.

    Args:
        a: The link in A.
        b: The link in B.
        springs: Whether to compare restitution and softness of contacts, which formats state in
            different ways.
    """
    left = list(b.collisions)
    for shape in a.collisions:
        candidates = sorted(left, key=lambda other: other.name != shape.name)
        other = next((x for x in candidates if _same_collision(shape, x, springs=springs)), None)
        if other is None:
            return False
        left.remove(other)
    return not left


_PROBED_DEPTH = 1.0
"""Depth at which torsional friction is compared that depends on it [m]."""


def _friction_in_effect(surface: Surface) -> tuple[float, ...]:
    """Return sliding friction in both directions and at rest, torsional [m] and rolling [m]
    friction, slip, and the direction of the first coefficient if there is a second one.

    Torsional and rolling friction that is not stated is zero in PyBullet, and in MuJoCo acts by the
    dimension of a contact alone.
    """
    friction, grip = surface.friction, grip_of(surface)
    spin, roll = torsional_length(friction, _PROBED_DEPTH), friction.rolling or 0.0
    if grip.dimension > _SLIDING:
        stated = dict(settings_of(surface, MUJOCO)).get("friction")
        _, spin, roll = map(float, stated.split()) if stated else FRICTION
    if _SLIDING < grip.dimension < _ROLLING:
        roll = 0.0
    is_directed = friction.mu != friction.mu2 or friction.slip1 != friction.slip2
    return (
        friction.mu,
        friction.mu2,
        friction.mu if friction.mu_static is None else friction.mu_static,
        spin,
        roll,
        friction.slip1,
        friction.slip2,
        friction.torsional_slip if spin else 0.0,
        *(friction.fdir1 if is_directed else ()),
    )


_SLIDING, _ROLLING = 3, 6
"""Dimensions of MuJoCo's contacts without torsional friction, and with rolling friction."""


def _spring_in_effect(surface: Surface) -> tuple[Any, ...]:
    """Return what a contact returns of a motion, and how soft it is; None is left to an engine."""
    return (
        surface.restitution,
        surface.restitution_threshold if surface.restitution else 0.0,
        surface.stiffness,
        surface.damping,
        surface.dissipation,
        surface.relaxation_time,
        surface.soft_cfm or 0.0,
        surface.collide_without_contact,
        surface.hydroelastic,
    )


def _same_collision(a: Collision, b: Collision, *, springs: bool) -> bool:
    frictions = _friction_in_effect(a.surface), _friction_in_effect(b.surface)
    if any(compare_values(*frictions, PRIMITIVE_TOLERANCE)):
        return False
    stiff = _spring_in_effect(a.surface), _spring_in_effect(b.surface)
    if springs and any(compare_values(*stiff, TOLERANCE)):
        return False
    if not [*compare_values(a.X_LG, b.X_LG, 1e-9), *compare_values(a.geometry, b.geometry, 1e-9)]:
        return True
    first, second = _supports(a), _supports(b)
    if first is None or second is None:
        return False
    is_mesh = isinstance(a.geometry, Mesh) or isinstance(b.geometry, Mesh)
    allowed = MESH_TOLERANCE * float(np.ptp(first)) if is_mesh else PRIMITIVE_TOLERANCE
    return bool(np.abs(first - second).max() <= allowed)


def _supports(collision: Collision) -> Array | None:
    """Return the support of a shape in its link [m]; None for height maps and meshes that cannot be
    read.
    """
    data = (
        read_mesh(collision.geometry, Diagnostics())
        if isinstance(collision.geometry, Mesh)
        else None
    )
    return supports_of_collision(
        collision, data.vertices if data is not None and len(data.vertices) else None
    )

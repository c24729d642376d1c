"""Stated values that change how a model moves, beside the poses, masses, mass matrices and pairs of its mechanics.

What is not in the table changes no motion, or is compared by the mechanics, or belongs to one simulator: names, looks,
sensors, limits of speed, which no simulator enforces, accuracy of solvers. MuJoCo's own settings count if they act on
motion or contact: gravity compensation, polynomials of springs and dampers, fluids, laws of actuators, switches,
softness; `loaders.scene_queries.mujoco_settings` has their effects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain

import numpy as np

from bridge.geometry.support import supports_of_collision
from loaders.diagnostics import Diagnostics
from loaders.meshes import read_mesh
from loaders.model import Actuator, Collision, Link, Mesh
from loaders.scene import Scene
from loaders.scene_queries.mujoco_settings import Effect, effect_of, is_default
from loaders.spatial import Array

from .differences import Difference
from .values import compare_values

PRIMITIVE_TOLERANCE = 1e-8
"""Largest difference of the supports of equal shapes [m]."""
MESH_TOLERANCE = 1e-6
"""Largest difference of the supports of equal meshes, relative to their extent; files have single precision."""
EARTH = 0.03
"""Largest difference between vectors of gravity that formats assume, such as 9.8 and 9.81 m/s^2 [m/s^2]."""

_AXIS = (
    "lower", "upper", "effort", "damping", "friction", "spring_stiffness", "spring_reference", "limit_stiffness",
    "limit_dissipation",
)  # fmt: skip
_INSIDE = ("collisions.geometry.", "collisions.surface.friction.")
_FIELDS: Mapping[str, frozenset[str]] = {
    "scene": frozenset({"gravity", "wind"}),
    "link": frozenset({
        "gravity", "kinematic", "enable_wind", "velocity_decay", "added_mass", "surface_velocity_axis", "deformable",
        "collisions", "collisions.X_LG", "collisions.geometry",
    }),
    "joint": frozenset({"axes", *(f"axes.{name}" for name in _AXIS)}),
    "actuator": frozenset({"", "joint", "tendon", "effort", "gear_ratio", "p_gain", "d_gain"}),
}  # fmt: skip
"""Fields that change the motion, by kind of item; the empty field is the item itself."""
_WHOLE = frozenset({"coupling", "constraint", "force element", "force of a fluid", "tendons"})
"""Kinds of items of which every field changes the motion."""
_ELEMENT = {
    "scene": "", "link": "body/", "joint": "joint/", "tendons": "tendon/", "coupling": "equality/",
    "constraint": "equality/", "contact_pairs": "pair/",
}  # fmt: skip
"""The element of MJCF whose settings a kind of item carries; those of a shape of a link are of its geom."""
_SETTING = re.compile(r"(?P<owner>.*\.surface\.)?(physics\.parameters|mujoco)\[(?P<name>[^\]]+)\]")
"""Path of a setting of MuJoCo in an item."""
_OF_MUJOCO = ("option/", "flag/", "size/", "geom/", *filter(None, _ELEMENT.values()))
"""Beginnings of the paths of MuJoCo's settings; `Physics.parameters` may belong to another engine."""
_LAWS = re.compile(
    r"mujoco\[(gaintype|gainprm|biastype|biasprm|dyntype|dynprm|gear|ctrlrange|ctrllimited|forcerange|forcelimited|"
    r"actrange|actlimited|actearly|actdim|delay|input)\]"
)
"""Settings of MuJoCo that determine the force of an actuator, if both files state its law in this way."""
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
    own = {("mujoco", each.name) for each in chain(a.mujoco, b.mujoco) if each.section in _ELEMENTS}
    laws = [{("actuator", each.name) for each in scene.actuators if each.mujoco} for scene in (a, b)]
    lawful = laws[0] & laws[1]
    both = a.physics.engine == b.physics.engine == "mujoco"
    listed = [
        d
        for d in found
        if _is_listed(d, both_of_mujoco=both)
        or (d.kind, d.name) in own
        or ((d.kind, d.name) in lawful and _LAWS.match(d.field))
    ]
    in_a, in_b = ({link.name: link for link in scene.links} for scene in (a, b))
    shapes = {d.name for d in listed if _is_about_shapes(d)}
    same = {("link", name) for name in shapes if same_shapes(in_a[name], in_b[name])}
    same |= {("actuator", each.name) for each in chain(a.actuators, b.actuators) if not _has_gains(each)}
    if _is_assumed(a.gravity, b.gravity):
        same.add(("scene", ""))
    return tuple(d for d in listed if not ((d.kind, d.name) in same and _depends(d)))


def _is_about_shapes(difference: Difference) -> bool:
    is_setting = _SETTING.fullmatch(difference.field) is not None
    return difference.kind == "link" and difference.field.startswith("collisions") and not is_setting


def _depends(difference: Difference) -> bool:
    """Return whether a difference acts in some cases only: of shapes, of gravity, and of an actuator that one lacks."""
    is_lacked = difference.kind == "actuator" and not difference.field
    return is_lacked or _is_about_shapes(difference) or (difference.kind, difference.field) == ("scene", "gravity")


def _is_listed(difference: Difference, *, both_of_mujoco: bool) -> bool:
    setting = _SETTING.fullmatch(difference.field)
    if setting is not None:
        return _is_acting(difference, setting, both_of_mujoco=both_of_mujoco)
    path = _INDEX.sub("", difference.field)
    if difference.kind in _WHOLE:
        return not path.startswith("mujoco")
    fields = _FIELDS.get(difference.kind, frozenset())
    return path in fields or (difference.kind == "link" and path.startswith(_INSIDE))


def _is_acting(difference: Difference, setting: re.Match[str], *, both_of_mujoco: bool) -> bool:
    """Return whether a setting of MuJoCo acts on motion or contact, and differs by more than a stated default.

    Softness and contacts of shapes are compared between MJCF files only: other formats state them in other ways.
    """
    element = "geom/" if setting["owner"] else _ELEMENT.get(difference.kind, "")
    path = f"{element}{setting['name']}"
    if not path.startswith(_OF_MUJOCO):
        return False
    if not both_of_mujoco and (element in {"geom/", "pair/"} or setting["name"].startswith("sol")):
        return False
    values = [None if value is None else str(value) for value in (difference.a, difference.b)]
    is_same = all(value is None or is_default(path, value) for value in values)
    return not is_same and effect_of(path) in {Effect.MOTION, Effect.CONTACT}


def _has_gains(actuator: Actuator) -> bool:
    return actuator.p_gain is not None or actuator.d_gain is not None


def _is_assumed(a: Array, b: Array) -> bool:
    """Return whether formats differ in the gravity that they assume."""
    return bool(a.any() and b.any() and np.abs(a - b).max() < EARTH)


def same_shapes(a: Link, b: Link) -> bool:
    """Return whether the collision shapes of two links are equal, whatever they are called and made of.

    Meshes are compared by their convex hulls, with which simulators collide, and friction by its coefficients.

    Args:
        a: The link in A.
        b: The link in B.
    """
    left = list(b.collisions)
    for shape in a.collisions:
        candidates = sorted(left, key=lambda other: other.name != shape.name)
        other = next((other for other in candidates if _same_collision(shape, other)), None)
        if other is None:
            return False
        left.remove(other)
    return not left


def _same_collision(a: Collision, b: Collision) -> bool:
    x, y = a.surface.friction, b.surface.friction
    if abs(x.mu - y.mu) > PRIMITIVE_TOLERANCE or abs(x.mu2 - y.mu2) > PRIMITIVE_TOLERANCE:
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
    """Return the support of a shape in its link [m]; None for height maps and meshes that cannot be read."""
    data = read_mesh(collision.geometry, Diagnostics()) if isinstance(collision.geometry, Mesh) else None
    return supports_of_collision(collision, data.vertices if data is not None and len(data.vertices) else None)

"""``<inertial>``: given, left out, or computed from the collision shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loaders.diagnostics import Fate
from loaders.model import Collision
from loaders.node import Node
from loaders.scene_operations.mass_properties import shape_inertia
from loaders.sdf.frames.poses import read_local_pose
from loaders.spatial import Array, SpatialInertia, frozen

DENSITY = 1000.0
"""Of water [kg/m^3]: what a shape has where the file gives no density."""

_MOMENTS = ("ixx", "iyy", "izz")
_PRODUCTS = ("ixy", "ixz", "iyz")
_DIRECTIONS = "xyzpqr"
UNIT = SpatialInertia.of(1.0, I_Lcm=np.eye(3))
"""What a link without ``<inertial>`` has."""


def read_inertia(link: Node, collisions: Sequence[Collision]) -> SpatialInertia:
    """Mass properties of a link, about its centre of mass, in link axes."""
    node = link.child("inertial")
    if node is None:
        return UNIT
    given = _read_given(node)
    density = node.maybe_number("density")
    node.skip("fluid_added_mass")  # read_added_mass reads it
    if not node.flag("@auto", False):
        return given
    return _computed(node, given, collisions, DENSITY if density is None else density)


def read_added_mass(link: Node) -> Array | None:
    """Fluid added mass about the centre of mass, in the inertial frame, shape (6, 6), linear first."""
    inertial = link.peek("inertial")
    node = None if inertial is None else inertial.child("fluid_added_mass")
    if node is None:
        return None
    matrix = np.zeros((6, 6))
    for i, row in enumerate(_DIRECTIONS):
        for j in range(i, 6):
            matrix[i, j] = matrix[j, i] = node.number(row + _DIRECTIONS[j], 0.0)
    return frozen(matrix)


def _read_given(node: Node) -> SpatialInertia:
    X_LI = read_local_pose(node)
    mass = node.number("mass", 1.0)
    inertia = node.child("inertia")
    if inertia is None:
        return SpatialInertia.in_frame(mass, X_LI, np.eye(3))
    xx, yy, zz = (inertia.number(key, 1.0) for key in _MOMENTS)
    xy, xz, yz = (inertia.number(key, 0.0) for key in _PRODUCTS)
    return SpatialInertia.in_frame(mass, X_LI, np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))


# --- computed --------------------------------------------------------------------------------------------------------


def _computed(node: Node, given: SpatialInertia, collisions: Sequence[Collision], density: float) -> SpatialInertia:
    """The sum over the collisions, scaled to the mass if the file gives one."""
    if not collisions:
        message = "the inertia is to be computed, but the link has no collision; what the file gives is taken"
        node.report(Fate.ASSUMED, "sdf.auto-inertia-no-collision", message, hint="add a collision")
        return given
    if node.has("pose") or node.has("inertia"):
        message = "the inertia is computed from the collisions; pose and moments in the file are not used"
        node.report(Fate.NOTED, "sdf.auto-inertia-ignores", message)
    parts = [_part(node, collision, density) for collision in collisions]
    known = [part for part in parts if part is not None]
    if not known:
        return given
    total = known[0]
    for part in known[1:]:
        total = total + part
    if node.has("mass") and total.mass > 0.0:
        return SpatialInertia(given.mass, total.p_LLcm, frozen(total.I_Lcm * (given.mass / total.mass)))
    return total


def _part(node: Node, collision: Collision, density: float) -> SpatialInertia | None:
    own = shape_inertia(collision.geometry, density if collision.density is None else collision.density)
    if own is not None:
        return own.moved(collision.X_LG)
    shape = type(collision.geometry).__name__.lower()
    node.report(
        Fate.ASSUMED,
        "sdf.auto-inertia-shape",
        ("the {shape} of collision {collision} has no volume to compute an inertia from; it counts nothing"),
        hint="give mass and moments",
        shape=shape,
        collision=collision.name,
    )
    return None

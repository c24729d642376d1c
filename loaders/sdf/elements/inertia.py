"""``<inertial>``: declared, missing, or computed from the collision shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loaders.diagnostics import Fate
from loaders.model import Collision
from loaders.node import Node
from loaders.nodes.number_syntax import KeyGroup
from loaders.scene_operations.mass_properties import shape_inertia
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.sdf.frames.poses import read_local_pose
from loaders.spatial import IDENTITY, Array, SpatialInertia, frozen, frozen_matrix

DENSITY = 1000.0
"""Default density of a shape, that of water [kg/m^3]."""

_MOMENTS = KeyGroup("ixx", "iyy", "izz")
_PRODUCTS = KeyGroup("ixy", "ixz", "iyz")
_DIRECTIONS = "xyzpqr"
UNIT = SpatialInertia.of(1.0, I_Lcm=np.eye(3))
"""Inertia of a link without ``<inertial>``: 1 kg, and the identity matrix [kg m^2]."""


def read_inertia(node: Node, collisions: Sequence[Collision]) -> SpatialInertia:
    """Return the mass properties of a link, about its center of mass, in link axes.

    Args:
        node: The ``<inertial>``.
        collisions: The collisions of the link, for ``<inertial auto='true'>``.
    """
    declared = _read_declared(node)
    density = node.maybe_number("density")
    node.skip("fluid_added_mass")  # read_added_mass reads it
    if not node.flag("@auto", False):
        return declared
    return _compute_inertia(node, declared, collisions, DENSITY if density is None else density)


def read_added_mass(inertial: Node) -> Array | None:
    """Return the fluid added mass about the center of mass, in the inertial frame, shape (6, 6), linear part first."""
    node = inertial.child("fluid_added_mass")
    if node is None:
        return None
    matrix = np.zeros((6, 6))
    for i, row in enumerate(_DIRECTIONS):
        for j in range(i, 6):
            matrix[i, j] = matrix[j, i] = node.number(row + _DIRECTIONS[j], 0.0)
    return frozen(matrix)


def _read_declared(node: Node) -> SpatialInertia:
    X_LI = read_local_pose(node)
    mass = node.number("mass", 1.0)
    inertia = node.child("inertia")
    if inertia is None:
        return SpatialInertia.in_frame(mass, X_LI, IDENTITY.R)
    with node.diagnostics.tolerating("the default is used, 1 kg m^2 for a moment and 0 for a product"):
        xx, yy, zz = inertia.numbers_of(_MOMENTS, 1.0)
        xy, xz, yz = inertia.numbers_of(_PRODUCTS, 0.0)
    return SpatialInertia.in_frame(mass, X_LI, frozen_matrix(xx, xy, xz, xy, yy, yz, xz, yz, zz))


# --- computed inertia ------------------------------------------------------------------------------------------------


def _compute_inertia(
    node: Node, declared: SpatialInertia, collisions: Sequence[Collision], density: float
) -> SpatialInertia:
    """Return the sum of the inertias of the collisions, scaled to the mass if it is declared."""
    if not collisions:
        node.report(
            Fate.ASSUMED,
            "sdf.auto-inertia-no-collision",
            "cannot compute the inertia of a link without collisions; using the declared or default inertia",
            hint="add a collision",
        )
        return declared
    if node.has("pose") or node.has("inertia"):
        node.report(
            Fate.NOTED,
            "sdf.auto-inertia-ignores",
            "the inertia is computed from the collisions; ignoring <pose> and <inertia>",
            hint="remove them, or remove auto='true'",
        )
    parts = [part for collision in collisions if (part := _collision_inertia(node, collision, density)) is not None]
    if not parts:
        return declared
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    if node.has("mass") and total.mass > 0.0:
        return SpatialInertia(declared.mass, total.p_LLcm, frozen(total.I_Lcm * (declared.mass / total.mass)))
    return total


def _collision_inertia(node: Node, collision: Collision, density: float) -> SpatialInertia | None:
    """Return the inertia of one collision about the link origin frame; None if its volume is zero or no number."""
    inertia = shape_inertia(collision.geometry, density if collision.density is None else collision.density)
    if inertia is not None:
        return inertia.moved(collision.X_LG)
    node.report(
        Fate.ASSUMED,
        "sdf.auto-inertia-shape",
        "the {shape} of collision {collision} has no volume, or one too large for a number; ignored when computing "
        "the inertia",
        hint="declare <mass> and <inertia>, and remove auto='true'",
        subjects=(*node.subjects, *(f"{link}{SEPARATOR}{collision.name}" for link in node.subjects[-1:])),
        shape=type(collision.geometry).__name__.lower(),
        collision=collision.name,
    )
    return None

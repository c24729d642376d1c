"""What Drake adds to ``<link>``: conveyors and deformable bodies."""

from __future__ import annotations

import math

from loaders.diagnostics import Fate
from loaders.model import Z_AXIS
from loaders.node import Node

from .dialect import SDF, Dialect, direction

_RANGES = {
    "drake:youngs_modulus": (0.0, math.inf),
    "drake:poissons_ratio": (-1.0, 0.5),
    "drake:mass_density": (0.0, math.inf),
    "drake:mass_damping": (-math.ulp(0.0), math.inf),
    "drake:stiffness_damping": (-math.ulp(0.0), math.inf),
}
"""The values must lie between these two, and not at the ends."""
_MODELS = ("linear", "linear_corotated", "corotated", "neohookean")
_WALL = ("drake:point_on_plane", "drake:outward_normal")


def read_surface_velocity_axis(link: Node, dialect: Dialect) -> tuple[float, float, float] | None:
    """The axis of a conveyor's surface velocity in the link's frame, of unit length."""
    node = link.child("drake:surface_velocity_axis")
    if node is None:
        return None
    x, y, z = direction(node, dialect.axis, Z_AXIS).tolist()
    return x, y, z


def read_deformable(link: Node, dialect: Dialect) -> tuple[tuple[str, str], ...]:
    """The properties of a deformable body, by name and as text; empty for a rigid one."""
    node = link.child("drake:deformable_properties") if dialect is SDF else None
    if node is None:
        return ()
    node.report(Fate.DROPPED, "drake.deformable", "the link is deformable; it is read as a rigid body")
    found = []
    for tag, (low, high) in _RANGES.items():
        value = node.maybe_number(tag)
        if value is None:
            continue
        if not low < value < high:
            node.invalid(
                "drake.out-of-range",
                "<{tag}> is {value:g}; it must lie between {low:g} and {high:g}",
                tag=tag,
                value=value,
                low=low,
                high=high,
            )
        found.append((tag.removeprefix("drake:"), repr(value)))
    model = node.word("drake:material_model", "linear_corotated")
    if model not in _MODELS:
        node.invalid(
            "drake.material-model",
            "the material model {model!r} is none of {names}",
            model=model,
            names=", ".join(_MODELS),
        )
    found.append(("material_model", model))
    return (*found, *_read_walls(node), *_check_shapes(link))


def _read_walls(node: Node) -> list[tuple[str, str]]:
    walls = []
    for wall in node.all("drake:wall_boundary_condition"):
        values = (value for tag in _WALL for value in wall.numbers(tag, 3))
        walls.append(("wall_boundary_condition", " ".join(map(repr, values))))
    return walls


def _check_shapes(link: Node) -> tuple[()]:
    count = sum(child.tag == "collision" for child in link.children)
    if count != 1:
        link.invalid("drake.deformable-shape", "a deformable link has one <collision>, not {count}", count=count)
    return ()

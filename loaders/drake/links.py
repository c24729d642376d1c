"""Drake's extensions of ``<link>``: surface velocity and deformable bodies."""

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
"""Open interval of valid values, keyed by tag."""
_MODELS = ("linear", "linear_corotated", "corotated", "neohookean")
_WALL = ("drake:point_on_plane", "drake:outward_normal")


def read_surface_velocity_axis(node: Node, dialect: Dialect) -> tuple[float, float, float]:
    """Return the unit axis, in the link, of the surface velocity of a conveyor, a ``drake:surface_velocity_axis``."""
    x, y, z = direction(node, dialect.axis, Z_AXIS).tolist()
    return x, y, z


def read_deformable(link: Node, dialect: Dialect) -> tuple[tuple[str, str], ...]:
    """Return name and text of each property of a deformable body; empty for a rigid one."""
    node = link.child("drake:deformable_properties") if dialect is SDF else None
    if node is None:
        return ()
    node.report(Fate.DROPPED, "drake.deformable", "deformable links are not supported; read as a rigid body")
    properties = []
    for tag, (low, high) in _RANGES.items():
        value = node.maybe_number(tag)
        if value is None:
            continue
        if not low < value < high:
            node.invalid(
                "drake.out-of-range",
                "<{tag}> is {value:g}; it must be greater than {low:g} and less than {high:g}",
                tag=tag,
                value=value,
                low=low,
                high=high,
            )
        properties.append((tag.removeprefix("drake:"), repr(value)))
    model = node.word("drake:material_model", "linear_corotated")
    if model not in _MODELS:
        node.invalid(
            "drake.material-model",
            "unknown material model {model!r}; expected one of: {known}",
            model=model,
            known=_MODELS,
        )
    properties.append(("material_model", model))
    return (*properties, *_read_walls(node), *_check_shapes(link))


def _read_walls(node: Node) -> list[tuple[str, str]]:
    walls = []
    for wall in node.all("drake:wall_boundary_condition"):
        values = (value for tag in _WALL for value in wall.numbers(tag, 3))
        walls.append(("wall_boundary_condition", " ".join(map(repr, values))))
    return walls


def _check_shapes(link: Node) -> tuple[()]:
    count = sum(child.tag == "collision" for child in link.children)
    if count != 1:
        link.invalid("drake.deformable-shape", "a deformable link must have one <collision>, not {count}", count=count)
    return ()

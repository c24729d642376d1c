"""The forces of a fluid on the links of a mechanism, ready to be evaluated in each step."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.force_laws import Motion, Wrench
from loaders.model import Buoyancy, FluidDrag, FluidForce, Link
from loaders.spatial import IDENTITY, Array, Pose

from .laws import buoyancy_wrench, drag_wrench, wing_wrench
from .submerged_volume import Solid, solid_of


@dataclass(frozen=True, slots=True, eq=False)
class LinkForce:
    """A force on a link."""

    link: str
    """Name of the link."""
    X_LF: Pose
    """Frame on the link whose motion the force depends on."""
    joint: str | None
    """Name of the joint whose position it depends on, or None."""
    wrench: Callable[[Motion, Array, float], Wrench]
    """Returns the force from the motion of F, gravity in the world [m/s^2] and the position of the joint."""


@functools.lru_cache(maxsize=16)
def fluid_forces(mechanism: Mechanism) -> tuple[LinkForce, ...]:
    """Return the forces of a fluid on the links of a mechanism.

    Args:
        mechanism: The mechanism.
    """
    links = {body.name: body.link for body in mechanism.bodies}
    return tuple(_ready(force, links[force.link]) for force in mechanism.fluid_forces if force.link in links)


def _ready(force: FluidForce, link: Link) -> LinkForce:
    if isinstance(force, Buoyancy):
        shapes = displaced_shapes(link) if force.volume is None else ()
        wrench = functools.partial(_buoyancy, force, shapes)
        return LinkForce(link.name, IDENTITY, None, wrench)
    if isinstance(force, FluidDrag):
        return LinkForce(link.name, force.X_LF, None, lambda F, _gravity, _position: drag_wrench(force, F))
    return LinkForce(link.name, force.X_LF, force.joint, lambda F, _gravity, position: wing_wrench(force, F, position))


def _buoyancy(
    force: Buoyancy, shapes: tuple[tuple[Pose, Solid], ...], link: Motion, gravity: Array, _position: float
) -> Wrench:
    return buoyancy_wrench(force, shapes, link, gravity)


def displaced_shapes(link: Link) -> tuple[tuple[Pose, Solid], ...]:
    """Return pose in the link, and solid, of each collision shape with a volume."""
    solids = ((collision.X_LG, solid_of(collision.geometry)) for collision in link.collisions)
    return tuple((X_LG, solid) for X_LG, solid in solids if solid is not None)


def described(force: FluidForce) -> str:
    """Return the kind of a force and its values, without those that are zero or unset.

    Args:
        force: The force.
    """
    values = {field.name: getattr(force, field.name) for field in dataclasses.fields(force)}
    texts = {name: _text(value) for name, value in values.items() if name not in {"link", "where"}}
    return f"{type(force).__name__}({', '.join(f'{name}={text}' for name, text in texts.items() if text)})"


def _text(value: object) -> str:
    """Return a value of a force as text; of a large array only what is not zero, with its indices."""
    if isinstance(value, Pose):
        return "" if value.is_close(IDENTITY, 0.0) else _numbers(value.to_vector())
    if not isinstance(value, np.ndarray):
        return "" if value is None or value is False or value == () else str(value)
    if value.ndim == 1:
        return _numbers(value) if value.any() else ""
    found = zip(np.argwhere(value).tolist(), value[value != 0.0].tolist(), strict=True)
    entries = ", ".join(f"{''.join(map(str, index))}: {number:.17g}" for index, number in found)
    return f"{{{entries}}}" if entries else ""


def _numbers(values: Iterable[float]) -> str:
    return f"({' '.join(f'{value:.17g}' for value in values)})"

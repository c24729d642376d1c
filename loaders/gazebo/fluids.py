"""Plugins of fluids: buoyancy, hydrodynamic drag, and lift and drag of wings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from loaders import codes as loaders_codes
from loaders.drake.dialect import NameResolver
from loaders.inertia import SpatialInertia
from loaders.model import Buoyancy, FluidDrag, FluidForce, Link, Slopes, Wing
from loaders.node import Node
from loaders.numbers import plain_number
from loaders.pose import IDENTITY, Array, Pose, frozen
from loaders.scoped_names import SEPARATOR

from .items import (
    AddedItems,
    flag_of,
    label_of,
    number_of,
    report_unread,
    text_of,
    vector_of,
    words,
)

_GAZEBO = r"\b(?:gz sim|ignition gazebo|gazebo)(?: \d+)?"
_BUOYANCY = re.compile(rf"{_GAZEBO} buoyancy system|systems buoyancy$|^buoyancy plugin so\b")
_DRAG = re.compile(rf"{_GAZEBO} hydrodynamics system|systems hydrodynamics$")
_WING = re.compile(rf"{_GAZEBO} lift drag system|systems lift drag$|^lift drag plugin so\b")
_CLASSIC = re.compile(r"^(?:buoyancy|lift drag) plugin so\b")
_WATER, _CLASSIC_WATER = 1000.0, 999.1026
"""Default densities of Gazebo and of Gazebo classic [kg/m^3]."""
_FORCES, _VELOCITIES = "xyzkmn", "UVWPQR"


def read_fluid(plugin: Node, names: NameResolver, extras: AddedItems) -> bool:
    """Read a plugin of buoyancy, drag or lift; return whether it is one whose forces are known.

    Args:
        plugin: The plugin.
        names: The names in the model.
        extras: Receives the forces.
    """
    text = words(plugin)
    found = next((each for each in _READERS if each[0].search(text)), None)
    forces = [] if found is None else list(found[1](plugin, names, extras))
    if found is None or not forces:
        return False
    extras.fluid_forces += forces
    links = tuple(dict.fromkeys(force.link for force in forces))
    plugin.report(
        loaders_codes.GAZEBO_FLUID,
        subjects=links,
        plugin=label_of(plugin),
        links=links,
        kind={Buoyancy: "buoyancy", FluidDrag: "drag", Wing: "lift and drag"}[type(forces[0])],
    )
    report_unread(plugin, found[2], loaders_codes.GAZEBO_SETTING_UNREAD)
    return True


# --- buoyancy -------------------------------------------------------------------------------------


def _read_buoyancy(plugin: Node, names: NameResolver, extras: AddedItems) -> Iterator[FluidForce]:
    if _CLASSIC.search(words(plugin)):
        yield from _read_classic_buoyancy(plugin, names, extras)
        return
    density, layers = _density(plugin)
    enabled = [child.text.strip() for child in plugin.children if child.tag == "enable"]
    for link in _movable(extras):
        if (
            link.name.startswith(names.prefix)
            and (not enabled or _is_enabled(link.name, enabled))
            and link.collisions
        ):
            yield Buoyancy(link=link.name, density=density, layers=layers, where=plugin.where)


def _density(plugin: Node) -> tuple[float, tuple[tuple[float, float], ...]]:
    """Return the density of the fluid, and its layers."""
    uniform, graded = number_of(plugin, "uniform_fluid_density"), plugin.peek("graded_buoyancy")
    if uniform is not None or graded is None:
        return _WATER if uniform is None else uniform, ()
    lowest = number_of(graded, "default_density")
    changes = (child for child in graded.children if child.tag == "density_change")
    layers = {number_of(c, "above_depth") or 0.0: number_of(c, "density") or 0.0 for c in changes}
    return _WATER if lowest is None else lowest, tuple(sorted(layers.items()))


def _is_enabled(link: str, enabled: list[str]) -> bool:
    return any(f"{link}{SEPARATOR}".startswith(f"{name}{SEPARATOR}") for name in enabled)


def _read_classic_buoyancy(
    plugin: Node, names: NameResolver, extras: AddedItems
) -> Iterator[FluidForce]:
    """Yield the buoyancy of each link of a model, with the volumes that the plugin states."""
    density = number_of(plugin, "fluid_density")
    stated = {
        child.attributes.get("name", ""): child for child in plugin.children if child.tag == "link"
    }
    for link in _movable(extras):
        if not link.name.startswith(names.prefix):
            continue
        node = stated.get(link.name.removeprefix(names.prefix))
        volume = None if node is None else number_of(node, "volume")
        center = None if node is None else vector_of(node, "center_of_volume")
        if volume or link.collisions:
            yield Buoyancy(
                link=link.name,
                density=_CLASSIC_WATER if density is None else density,
                volume=volume,
                p_LV=_center_of_mass(link) if center is None else center,
                where=plugin.where,
            )


def _movable(extras: AddedItems) -> Iterator[Link]:
    """Yield the links that have an inertia and belong to no static model."""
    static = tuple(f"{model.name}{SEPARATOR}" for model in extras.scene.models if model.static)
    for link in extras.scene.links:
        if link.inertia is not None and not f"{link.model}{SEPARATOR}".startswith(static):
            yield link


def _center_of_mass(link: Link) -> Array:
    return IDENTITY.p if link.inertia is None else link.inertia.p_LLcm


# --- drag -----------------------------------------------------------------------------------------


def _read_drag(plugin: Node, names: NameResolver, extras: AddedItems) -> Iterator[FluidForce]:
    link = names.link(text_of(plugin, "link_name"))
    if link is None:
        return
    values = {child.tag: plain_number(child.text.strip()) or 0.0 for child in plugin.children}
    pairs = [(i, f, j, v) for i, f in enumerate(_FORCES) for j, v in enumerate(_VELOCITIES)]
    linear, absolute, quadratic = np.zeros((6, 6)), np.zeros((6, 6, 6)), np.zeros((6, 6, 6))
    for i, f, j, v in pairs:
        linear[i, j] = values.get(f + v, 0.0)
        for k, w in enumerate(_VELOCITIES):
            absolute[i, j, k] = values.get(f"{f}{v}abs{w}", 0.0)
            quadratic[i, j, k] = values.get(f + v + w, 0.0)
    current = vector_of(plugin, "default_current")
    yield FluidDrag(
        link=link,
        linear=frozen(linear),
        absolute=frozen(absolute),
        quadratic=frozen(quadratic),
        current=IDENTITY.p if current is None else current,
        where=plugin.where,
    )
    added = {f"{f}Dot{v}": values[f"{f}Dot{v}"] for _, f, _, v in pairs if values.get(f"{f}Dot{v}")}
    if added and not flag_of(plugin, "disable_added_mass"):
        matrix = np.array([[added.get(f"{f}Dot{v}", 0.0) for v in _VELOCITIES] for f in _FORCES])
        inertia = next(item.inertia for item in extras.scene.links if item.name == link)
        _report_added_mass(
            plugin, link, added, 1.0 if inertia is None else _acceleration_ratio(inertia, matrix)
        )


def _report_added_mass(plugin: Node, link: str, added: dict[str, float], ratio: float) -> None:
    plugin.report(
        loaders_codes.GAZEBO_ADDED_MASS,
        subjects=(link,),
        link=link,
        plugin=label_of(plugin),
        values=", ".join(f"{key} = {value:g}" for key, value in added.items()),
        ratio=ratio,
    )


def _acceleration_ratio(inertia: SpatialInertia, added: Array) -> float:
    """Return the largest ratio of the accelerations without and with added mass that any wrench
    causes.

    Gazebo applies the force ``added @ acceleration`` at the link, whose derivatives are negative
    for a fluid that resists. With the mass matrix M, the acceleration is thus ``solve(M - added,
    wrench)`` in place of ``solve(M, wrench)``.

    Args:
        inertia: The inertia of the link.
        added: The derivatives, by force and acceleration in link axes, shape (6, 6).
    """
    x, y, z = inertia.p_LLcm
    lever = inertia.mass * np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    M = np.block([[inertia.mass * np.eye(3), -lever], [lever, inertia.about(IDENTITY.p)]])
    if np.linalg.matrix_rank(M) < len(M):
        return np.inf
    return float(np.abs(np.linalg.eigvals(np.linalg.solve(M, M - added))).max())


# --- wings ----------------------------------------------------------------------------------------

_SLOPES = {"lift": "cla", "drag": "cda", "moment": "cma"}
_PLAIN = {
    "area": "area",
    "density": "air_density",
    "alpha_0": "a0",
    "alpha_stall": "alpha_stall",
    "lift_by_joint": "control_joint_rad_to_cl",
    "moment_by_joint": "cm_delta",
}


def _read_wing(plugin: Node, names: NameResolver, extras: AddedItems) -> Iterator[FluidForce]:
    link = names.link(text_of(plugin, "link_name"))
    if link is None:
        return
    classic = bool(_CLASSIC.search(words(plugin)))
    pressure = vector_of(plugin, "cp")
    p_LF = IDENTITY.p if pressure is None else pressure
    if classic:  # Gazebo classic measures it from the center of mass, and has no moment
        p_LF = p_LF + next(
            _center_of_mass(item) for item in extras.scene.links if item.name == link
        )
    joint = names.joint(text_of(plugin, "control_joint_name"))
    directions = {key: vector_of(plugin, key) for key in ("forward", "upward")}
    stated: dict[str, Any] = {field: number_of(plugin, tag) for field, tag in _PLAIN.items()}
    stated |= {
        key: v / np.linalg.norm(v) for key, v in directions.items() if v is not None and v.any()
    }
    slopes, stalled = Slopes(), Slopes(lift=0.0, drag=1.0)
    yield Wing(
        link=link,
        X_LF=Pose.of(p=p_LF),
        slopes=_slopes(plugin, "", slopes, classic=classic),
        stalled=_slopes(plugin, "_stall", stalled, classic=classic),
        radial_symmetry=flag_of(plugin, "radial_symmetry"),
        reversible=flag_of(plugin, "reversible"),
        joint=None if joint is None else joint.name,
        current=extras.scene.wind,
        where=plugin.where,
        **{key: value for key, value in stated.items() if value is not None},
    )


def _slopes(plugin: Node, suffix: str, default: Slopes, *, classic: bool) -> Slopes:
    stated = {key: number_of(plugin, tag + suffix) for key, tag in _SLOPES.items()}
    if classic:
        stated["moment"] = 0.0
    values = {
        key: getattr(default, key) if value is None else value for key, value in stated.items()
    }
    return Slopes(**values)


_Reader = Callable[[Node, NameResolver, AddedItems], Iterator[FluidForce]]
_BUOYANCY_TAGS = (
    "uniform_fluid_density", "default_density", "above_depth", "density", "enable",
    "fluid_density", "volume", "center_of_volume",
)  # fmt: skip
_ABSOLUTE = [f"abs{w}" for w in _VELOCITIES]
_MOTIONS = [*_VELOCITIES, *(v + w for v in _VELOCITIES for w in (*_VELOCITIES, *_ABSOLUTE))]
_DRAG_TAGS = (
    "link_name", "default_current", "disable_added_mass",
    *(f + motion for f in _FORCES for motion in (*_MOTIONS, *(f"Dot{v}" for v in _VELOCITIES))),
)  # fmt: skip
_WING_TAGS = (
    "link_name", "cp", "control_joint_name", "forward", "upward", "radial_symmetry", "reversible",
    *_PLAIN.values(), *(f"{tag}{end}" for tag in _SLOPES.values() for end in ("", "_stall")),
)  # fmt: skip
_READERS: tuple[tuple[re.Pattern[str], _Reader, tuple[str, ...]], ...] = (
    (_BUOYANCY, _read_buoyancy, _BUOYANCY_TAGS),
    (_DRAG, _read_drag, _DRAG_TAGS),
    (_WING, _read_wing, _WING_TAGS),
)
"""The words of a plugin, the function that reads it, and the tags of the settings that it reads."""

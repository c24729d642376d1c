"""``scene.xml``: the model with a light, a sky and a camera, and with a floor unless it has its own ground."""

from __future__ import annotations

import math

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.dynamics import poses
from bridge.mjcf.body.keyframe import home_positions
from bridge.mjcf.document import Built
from bridge.mjcf.geom.geoms import PlacedShape
from bridge.mjcf.xml.element import Element, Value
from bridge.rendering.camera import AZIMUTH, ELEVATION
from loaders.model import WORLD, Heightmap, Plane
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Array

_LIT: dict[str, Value] = {"diffuse": (0.6, 0.6, 0.6), "ambient": (0.3, 0.3, 0.3), "specular": (0.0, 0.0, 0.0)}
_DIMMED: dict[str, Value] = {"diffuse": (0.0, 0.0, 0.0), "ambient": (0.4, 0.4, 0.4), "specular": (0.0, 0.0, 0.0)}
"""Headlight beside the lights of the source: SDFormat's ambient light."""
_AXES = np.eye(3)
_MIN_EXTENT = 1e-9
"""Smallest extent of a model for which the camera is placed [m]."""


def scene_element(name: str, mechanism: Mechanism, built: Built) -> Element:
    """Return the scene around a model, with the floor under the lowest point of the model in its initial position.

    Args:
        name: Name of the model's file, without suffix.
        mechanism: The mechanism.
        built: The document.
    """
    scene = mechanism.scene
    root = Element("mujoco", model=f"{name} scene")
    root.add("include", file=f"{name}.xml")
    lower, upper = _bounds(mechanism, built)
    size = float(np.linalg.norm(upper - lower))
    if np.all(lower < upper) and _MIN_EXTENT < size < math.inf:
        root.add("statistic", center=[_round(x, size) for x in (lower + upper) / 2.0], extent=_round(size, size))
    visual = root.add("visual")
    visual.add("headlight", **_DIMMED if scene.lights else _LIT)
    visual.add("rgba", haze=(0.15, 0.25, 0.35, 1.0))
    visual.add("global", azimuth=AZIMUTH, elevation=ELEVATION)
    asset = root.add("asset")
    sky: dict[str, Value] = {"rgb1": (0.3, 0.5, 0.7), "rgb2": (0.0, 0.0, 0.0), "width": 512, "height": 3072}
    asset.add("texture", type="skybox", builtin="gradient", **sky)
    world = Element("worldbody")
    if not scene.lights:
        world.add("light", type="directional", pos=(0, 0, 1.5), dir=(0, 0, -1))
    if not _has_ground(scene):
        _floor(asset, world, _height(mechanism, built))
    root.children += [world] if world.children else []
    return root


def _has_ground(scene: Scene) -> bool:
    return any(isinstance(shape.geometry, Plane | Heightmap) for link in scene.links for shape in link.collisions)


def _floor(asset: Element, world: Element, height: float) -> None:
    look: dict[str, Value] = {"rgb1": (0.2, 0.3, 0.4), "rgb2": (0.1, 0.2, 0.3), "markrgb": (0.8, 0.8, 0.8)}
    asset.add("texture", name="scene_floor", type="2d", builtin="checker", mark="edge", **look, width=300, height=300)
    asset.add("material", name="scene_floor", texture="scene_floor", texuniform=True, texrepeat=(5, 5), reflectance=0.2)
    pos = (0, 0, height) if height else None
    world.add("geom", name="scene_floor", type="plane", pos=pos, size=(0, 0, 0.05), material="scene_floor")


# --- where the model is ----------------------------------------------------------------------------------------------


def _height(mechanism: Mechanism, built: Built) -> float:
    """Return the floor height [m], rounded down to 0.1 mm: the lowest collision, else visual point, at most 0."""
    collisions = tuple(shape for shape in built.shapes if shape.collides)
    lowest = float(_corner(collisions or built.shapes, mechanism, -1.0)[2])
    return min(0.0, math.floor(lowest * 1e4 + 1e-6) / 1e4) if math.isfinite(lowest) else 0.0


def _bounds(mechanism: Mechanism, built: Built) -> tuple[Array, Array]:
    """Return the lower and upper corner of all shapes in the initial position, in the world [m], each of shape (3,)."""
    return _corner(built.shapes, mechanism, -1.0), _corner(built.shapes, mechanism, 1.0)


def _corner(shapes: tuple[PlacedShape, ...], mechanism: Mechanism, sign: float) -> Array:
    """Return the upper (1) or lower (-1) corner of the bounding box of shapes; infinite if no shape is given."""
    names = (body.name for body in mechanism.bodies)
    X_WL = {WORLD: IDENTITY} | dict(zip(names, poses(mechanism.bodies, home_positions(mechanism)), strict=True))
    placed = ((X_WL[shape.link] @ shape.X_LS, shape.reach) for shape in shapes)
    extremes = [sign * X_WS.p + [reach(sign * X_WS.R.T @ axis) for axis in _AXES] for X_WS, reach in placed]
    corner: Array = sign * np.max(extremes, axis=0) if extremes else np.full(3, -sign * math.inf)
    return corner


def _round(x: float, size: float) -> float:
    """Round to about a thousandth of the model's size."""
    return float(f"{round(x, 3 - math.floor(math.log10(size))):.12g}")

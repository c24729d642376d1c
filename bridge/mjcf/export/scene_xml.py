"""``scene.xml``: the model under a lamp and a sky, before a camera, on a floor unless it brings its own ground."""

from __future__ import annotations

import math

import numpy as np

from bridge.mechanism import Mechanism
from bridge.mechanism.dynamics import poses
from bridge.mjcf.body.keyframe import home
from bridge.mjcf.document import Built
from bridge.mjcf.xml.context import Placed
from bridge.mjcf.xml.element import Element, Value
from bridge.rendering.camera import AZIMUTH, ELEVATION
from loaders.model import WORLD, Heightmap, Plane
from loaders.scene import Scene
from loaders.spatial import IDENTITY, Array

_LIT: dict[str, Value] = {"diffuse": (0.6, 0.6, 0.6), "ambient": (0.3, 0.3, 0.3), "specular": (0.0, 0.0, 0.0)}
_DIMMED: dict[str, Value] = {"diffuse": (0.0, 0.0, 0.0), "ambient": (0.4, 0.4, 0.4), "specular": (0.0, 0.0, 0.0)}
"""Beside lamps of the source: SDFormat's light from everywhere."""
_AXES = np.eye(3)


def stage(name: str, mechanism: Mechanism, built: Built) -> Element:
    """The scene around the model whose file is ``name``, with the ground under its lowest point at the key ``home``."""
    scene = mechanism.scene
    root = Element("mujoco", model=f"{name} scene")
    root.add("include", file=f"{name}.xml")
    lower, upper = _bounds(mechanism, built)
    if np.all(lower < upper):
        size = float(np.linalg.norm(upper - lower))
        root.add("statistic", center=[_rounded(x, size) for x in (lower + upper) / 2.0], extent=_rounded(size, size))
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
    """Of the floor: the lowest end of what touches, or else is seen, in tenths of a millimetre; zero at most [m]."""
    touching = tuple(shape for shape in built.shapes if shape.touches)
    lowest = float(_corner(touching or built.shapes, mechanism, -1.0)[2])
    return min(0.0, math.floor(lowest * 1e4 + 1e-6) / 1e4) if math.isfinite(lowest) else 0.0


def _bounds(mechanism: Mechanism, built: Built) -> tuple[Array, Array]:
    """Lower and upper corner of all shapes at the key ``home``, each shape (3,), in the world [m]."""
    return _corner(built.shapes, mechanism, -1.0), _corner(built.shapes, mechanism, 1.0)


def _corner(shapes: tuple[Placed, ...], mechanism: Mechanism, sign: float) -> Array:
    """The corner of the bounding box of shapes, upper or lower; infinite if there are none."""
    names = (body.name for body in mechanism.bodies)
    X_WL = {WORLD: IDENTITY} | dict(zip(names, poses(mechanism.bodies, home(mechanism)), strict=True))
    placed = ((X_WL[shape.link] @ shape.X_LS, shape.reach) for shape in shapes)
    reached = [sign * X_WS.p + [reach(sign * X_WS.R.T @ axis) for axis in _AXES] for X_WS, reach in placed]
    corner: Array = sign * np.max(reached, axis=0) if reached else np.full(3, -sign * math.inf)
    return corner


def _rounded(x: float, size: float) -> float:
    """To a thousandth of the model's size, or so."""
    return float(f"{round(x, 3 - math.floor(math.log10(size))):.12g}")

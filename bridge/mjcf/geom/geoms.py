"""``<geom>``: collision and visual shapes, with how they touch and how they look."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from bridge.geometry.support import SupportFunction, support_function, support_of_points
from bridge.mjcf.xml.context import Context, Placed
from bridge.mjcf.xml.element import Element
from bridge.mjcf.xml.number_format import color, placement
from loaders.diagnostics import Fate, Where
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Geometry,
    Heightmap,
    Link,
    Mesh,
    Plane,
    Polyline,
    Rgba,
    Sphere,
    Visual,
)
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR
from loaders.spatial import IDENTITY, Pose, rotation_to

from .assets import AssetLibrary, MeshUse
from .contact_parameters import contact_attributes

_GRID = 0.05
"""Spacing of the lines that MuJoCo draws on a plane [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """One geom's worth of a geometry: its type, sizes and asset, and where it stands in the geometry's frame."""

    type: str
    size: tuple[float, ...] | None = None
    asset: str | None = None
    reach: SupportFunction | None = None
    rgba: Rgba | None = None
    texture: str | None = None
    X_GS: Pose = IDENTITY


# --- sizes -----------------------------------------------------------------------------------------------------------


def _box(box: Box) -> _Shape:
    return _Shape(type="box", size=tuple(edge / 2.0 for edge in box.size))


def _sphere(sphere: Sphere) -> _Shape:
    return _Shape(type="sphere", size=(sphere.radius,))


def _cylinder(cylinder: Cylinder) -> _Shape:
    return _Shape(type="cylinder", size=(cylinder.radius, cylinder.length / 2.0))


def _capsule(capsule: Capsule) -> _Shape:
    return _Shape(type="capsule", size=(capsule.radius, capsule.length / 2.0))


def _ellipsoid(ellipsoid: Ellipsoid) -> _Shape:
    return _Shape(type="ellipsoid", size=ellipsoid.radii)


def _plane(plane: Plane) -> _Shape:
    size = (plane.size[0] / 2.0, plane.size[1] / 2.0, _GRID)
    return _Shape(type="plane", size=size, X_GS=Pose.of(rotation_to(plane.normal)))


_PRIMITIVES: dict[type, Callable[[Any], _Shape]] = {
    Box: _box,
    Sphere: _sphere,
    Cylinder: _cylinder,
    Capsule: _capsule,
    Ellipsoid: _ellipsoid,
    Plane: _plane,
}


# --- geoms -----------------------------------------------------------------------------------------------------------


def geoms(link: Link, *, moving: bool, library: AssetLibrary, context: Context) -> list[Element]:
    """The visual, then the collision geoms of one link. ``moving``: whether its body can move in the world."""
    seen = [element for visual in link.visuals for element in _visual(visual, link, moving, library, context)]
    touching = [
        element for collision in link.collisions for element in _collision(collision, link, moving, library, context)
    ]
    return seen + touching


def collision_names(scene: Scene) -> Counter[str]:
    """How often each name is that of a collision."""
    return Counter(shape.name for link in scene.links for shape in link.collisions)


def shape_names(scene: Scene) -> Counter[str]:
    """How often each name is that of a shape."""
    return collision_names(scene) + Counter(shape.name for link in scene.links for shape in link.visuals)


def _visual(visual: Visual, link: Link, moving: bool, library: AssetLibrary, context: Context) -> list[Element]:
    covered = visual.material is not None and visual.material.texture is not None
    plain = visual.material is not None and not covered
    use = MeshUse(visual.where, collides=False, plain=plain, picture=covered)
    elements: list[Element] = []
    for shape in _shapes(visual.geometry, use, link.name, moving, library, context):
        material, rgba = library.look(visual, shape.rgba, shape.texture)
        is_named = context.shape_names[visual.name] == 1 and not elements
        name = context.names.claim("geom", visual.name) if is_named else None
        elements.append(_geom("visual", name, visual.X_LG, shape))
        _place(shape, link, visual.X_LG, context, touches=False)
        elements[-1].set(material=material, rgba=None if rgba is None else color(rgba))
    return elements


def _collision(
    collision: Collision, link: Link, moving: bool, library: AssetLibrary, context: Context
) -> list[Element]:
    use = MeshUse(collision.where, collides=True)
    shapes = _shapes(collision.geometry, use, link.name, moving, library, context)
    touch = contact_attributes(collision, link, context)
    elements: list[Element] = []
    for i, shape in enumerate(shapes):
        part = f"_{i}" if len(shapes) > 1 else ""
        whole = f"{link.name}{SEPARATOR}{collision.name}{part}"
        is_alone = context.collision_names[collision.name] == 1
        name = context.names.claim("geom", collision.name + part if is_alone else whole, otherwise=whole)
        context.geom_names.setdefault((link.name, collision.name), []).append(name)
        elements.append(_geom("collision", name, collision.X_LG, shape))
        _place(shape, link, collision.X_LG, context, touches=True)
        elements[-1].set(**touch)
    return elements


def _place(shape: _Shape, link: Link, X_LG: Pose, context: Context, *, touches: bool) -> None:
    if shape.reach is not None:
        context.shapes.append(Placed(link=link.name, X_LS=X_LG @ shape.X_GS, reach=shape.reach, touches=touches))


def _geom(kind: str, name: str | None, X_LG: Pose, shape: _Shape) -> Element:
    asset_attribute = "hfield" if shape.type == "hfield" else "mesh"
    return Element(
        "geom",
        name=name,
        class_=kind,
        type=None if shape.type == "sphere" else shape.type,
        **{asset_attribute: shape.asset},
        **placement(X_LG @ shape.X_GS),
        size=shape.size,
    )


def _shapes(
    geometry: Geometry, use: MeshUse, link: str, moving: bool, library: AssetLibrary, context: Context
) -> list[_Shape]:
    """What a geometry is in MuJoCo; nothing, with a diagnostic, where it has none."""
    if isinstance(geometry, Mesh | Cone | Polyline):
        return [
            _Shape(
                type="mesh",
                asset=part.name,
                reach=support_of_points(part.vertices),
                rgba=part.rgba,
                texture=part.texture,
            )
            for part in library.meshes(geometry, use)
        ]
    if isinstance(geometry, Heightmap):
        placed = library.heightfield(geometry, use)
        return [_Shape(type="hfield", asset=placed[0], X_GS=placed[1])] if placed else []
    if isinstance(geometry, Plane) and moving:
        context.report(
            Fate.DROPPED,
            "moving-plane",
            "link {link} moves and carries a plane, which MuJoCo has on static bodies only",
            use.where,
            hint="use a box",
            link=link,
        )
        return []
    if isinstance(geometry, Empty):
        context.report(
            Fate.NOTED, "no-shape", "a shape of link {link} is declared empty; it has no geom", use.where, link=link
        )
        return []
    shape = replace(_PRIMITIVES[type(geometry)](geometry), reach=support_function(geometry))
    return [shape] if _has_extent(shape, link, use.where, context) else []


def _has_extent(shape: _Shape, link: str, where: Where, context: Context) -> bool:
    sizes = shape.size or ()
    if shape.type == "plane" or all(0.0 < size < math.inf for size in sizes):
        return True
    context.report(
        Fate.DROPPED,
        "empty-shape",
        "a {shape_type} of link {link} has no extent; MuJoCo refuses it",
        where,
        hint="give it a positive size",
        shape_type=shape.type,
        link=link,
    )
    return False

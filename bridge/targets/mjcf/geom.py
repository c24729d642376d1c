"""geom (collisions and visuals), site and light.

MuJoCo lets a soft body collide with every plane of a body of which another geom may collide with
it, whatever the masks of the plane itself. A plane written twice, once for drawing, would push
twice.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.geometry.mesh import appearance_of
from bridge.geometry.shapes import SupportFunction, support_function
from bridge.targets.mjcf import codes
from bridge.targets.mjcf.asset import GRAY, AssetLibrary, MeshUse, MjcfMesh
from bridge.targets.mjcf.contact_parameters import ContactData, contact_attributes
from bridge.targets.mjcf.context import MjcfContext, MjcfElement, own_settings
from bridge.targets.numbers import (
    color,
    composed,
    placement,
    position,
    round_to_short,
    stable_direction,
)
from loaders.engine_settings import conventions_of
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Empty,
    Frame,
    Geometry,
    Heightmap,
    Light,
    Link,
    Mesh,
    Model,
    Plane,
    Polyline,
    Sensor,
    Sphere,
    Visual,
)
from loaders.model.link import UNSTATED, PartLook
from loaders.pose import IDENTITY, Pose, rotation_to
from loaders.scene import Scene
from loaders.scoped_names import MODEL_FRAME, SEPARATOR

_NUMBERED = re.compile(r"_*geom_\d+")
_GRID = 0.05
"""Spacing of the grid that MuJoCo draws on a plane [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """One geom of a geometry: its type, size and asset, and its pose in the geometry's frame."""

    type: str
    size: tuple[float, ...] | None = None
    asset: str | None = None
    reach: SupportFunction | None = None
    look: PartLook = UNSTATED
    X_GS: Pose = IDENTITY


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedShape:
    """The shape of a geom on its link."""

    link: str
    X_LS: Pose
    reach: SupportFunction
    collision: Collision | None
    """The collision that has the shape; None for a shape that is only drawn."""

    @property
    def collides(self) -> bool:
        """True if the shape is one of a collision."""
        return self.collision is not None


@dataclass(frozen=True, slots=True)
class WrittenShapes:
    """The names and shapes of the geoms of one link or of all."""

    geom_names: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """Names of the geoms of each collision, by link and collision."""
    placed: list[PlacedShape] = field(default_factory=list)
    """The shapes of all geoms of finite size, without terrain."""


# --- sizes ----------------------------------------------------------------------------------------


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


# --- geoms ----------------------------------------------------------------------------------------


def collision_name_counts(scene: Scene) -> Counter[str]:
    """Return how many collisions have each name."""
    return Counter(shape.name for link in scene.links for shape in link.collisions)


def shape_name_counts(scene: Scene) -> Counter[str]:
    """Return how many collisions and visuals have each name."""
    return collision_name_counts(scene) + Counter(
        shape.name for link in scene.links for shape in link.visuals
    )


class GeomWriter:
    """Makes the geoms of an export, link by link.

    The name of a geom is that of the collision or visual. A collision whose name is not unique gets
    its link's name as a prefix; a visual whose name is not unique has no name, and neither has one
    that had none in MJCF.
    """

    def __init__(self, library: AssetLibrary, contact: ContactData, context: MjcfContext) -> None:
        self._library, self._contact, self._context = library, contact, context
        self._collision_names = collision_name_counts(context.mechanism.scene)
        self._shape_names = shape_name_counts(context.mechanism.scene)
        conventions = conventions_of(context.mechanism.physics)
        self._numbers_visuals = conventions.numbers_visuals
        self._planes_have_sizes = conventions.planes_have_sizes
        self.shapes = WrittenShapes()
        """The names and shapes of the geoms made so far."""

    def geoms(self, link: Link, *, is_moving: bool) -> list[MjcfElement]:
        """Return the visual, then the collision geoms of one link.

        Args:
            link: The link.
            is_moving: Whether its body can move in the world.
        """
        visuals = [
            element for visual in link.visuals for element in self._visual(visual, link, is_moving)
        ]
        return visuals + [
            e for collision in link.collisions for e in self._collision(collision, link, is_moving)
        ]

    def _visual(self, visual: Visual, link: Link, is_moving: bool) -> list[MjcfElement]:
        has_texture = visual.material is not None and visual.material.texture is not None
        use = MeshUse(link.name, visual.where, False, appearance_of(visual), has_texture)
        elements: list[MjcfElement] = []
        for shape in self._shapes(visual.geometry, use, is_moving):
            material, rgba = self._library.look(visual, link.name, shape.look)
            is_named = (
                self._shape_names[visual.name] == 1
                and not elements
                and not self._is_numbered(visual)
            )
            name = self._context.names.claim("geom", visual.name) if is_named else None
            elements.append(_geom("visual", name, visual.X_LG, shape))
            self._place(shape, visual.X_LG, use)
            written = color(rgba) if rgba is not None and rgba != GRAY else None
            elements[-1].set(material=material, rgba=written)
        return elements

    def _is_numbered(self, visual: Visual) -> bool:
        """Return whether the name of a visual is the one that the reader of MJCF gives to a geom
        without a name.
        """
        return self._numbers_visuals and _NUMBERED.fullmatch(visual.name) is not None

    def _collision(self, collision: Collision, link: Link, is_moving: bool) -> list[MjcfElement]:
        use = MeshUse(link.name, collision.where, collides=True)
        shapes = self._shapes(collision.geometry, use, is_moving)
        attributes = contact_attributes(collision, link, self._contact, self._context)
        names, elements = [], []
        for i, shape in enumerate(shapes):
            names.append(
                self._collision_geom_name(collision, link, f"_{i}" if len(shapes) > 1 else "")
            )
            elements.append(_geom("collision", names[-1], collision.X_LG, shape))
            self._place(shape, collision.X_LG, use, collision)
            elements[-1].set(**attributes)
        key = (link.name, collision.name)
        if names:
            self.shapes.geom_names[key] = (*self.shapes.geom_names.get(key, ()), *names)
        return elements

    def _collision_geom_name(self, collision: Collision, link: Link, part: str) -> str:
        scoped = f"{link.name}{SEPARATOR}{collision.name}{part}"
        is_unique = self._collision_names[collision.name] == 1
        preferred = collision.name + part if is_unique else scoped
        return self._context.names.claim("geom", preferred, alternative=scoped)

    def _place(
        self, shape: _Shape, X_LG: Pose, use: MeshUse, collision: Collision | None = None
    ) -> None:
        if shape.reach is not None:
            placed = PlacedShape(
                link=use.link, X_LS=X_LG @ shape.X_GS, reach=shape.reach, collision=collision
            )
            self.shapes.placed.append(placed)

    def _shapes(self, geometry: Geometry, use: MeshUse, is_moving: bool) -> list[_Shape]:
        """Return the geoms of a geometry; none, with a diagnostic, if MuJoCo cannot have it."""
        if isinstance(geometry, Mesh | Cone | Polyline):
            return [_mesh_shape(part) for part in self._library.meshes(geometry, use)]
        if isinstance(geometry, Heightmap):
            field = self._library.heightfield(geometry, use)
            return [_Shape(type="hfield", asset=field[0], X_GS=field[1])] if field else []
        if isinstance(geometry, Plane) and is_moving:
            self._context.add(codes.MOVING_PLANE, use.where, subjects=(use.link,), link=use.link)
            return []
        if isinstance(geometry, Empty):
            self._context.add(codes.NO_SHAPE, use.where, subjects=(use.link,), link=use.link)
            return []
        shape = replace(_PRIMITIVES[type(geometry)](geometry), reach=support_function(geometry))
        if isinstance(geometry, Plane) and use.collides and not self._planes_have_sizes:
            shape = replace(shape, size=(0.0, 0.0, _GRID))
        return [shape] if self._has_extent(shape, use) else []

    def _has_extent(self, shape: _Shape, use: MeshUse) -> bool:
        sizes = shape.size or ()
        if shape.type == "plane" or all(0.0 < size < math.inf for size in sizes):
            return True
        self._context.add(
            codes.EMPTY_SHAPE, use.where, subjects=(use.link,), shape_type=shape.type, link=use.link
        )
        return False


def _geom(kind: str, name: str | None, X_LG: Pose, shape: _Shape) -> MjcfElement:
    asset_attribute = "hfield" if shape.type == "hfield" else "mesh"
    return MjcfElement(
        "geom",
        name=name,
        class_=kind,
        type=None if shape.type == "sphere" else shape.type,
        **{asset_attribute: shape.asset},
        **placement(X_LG @ shape.X_GS),
        size=shape.size,
    )


def _mesh_shape(part: MjcfMesh) -> _Shape:
    return _Shape(
        type="mesh",
        asset=part.name,
        reach=lambda d: float((part.vertices @ d).max()),
        look=part.file.look,
    )


_MASKS = ("contype", "conaffinity")
_PLACE = ("type", "size", "pos", "quat")
_LOOKS = ("material", "rgba")


def join_planes(context: MjcfContext) -> None:
    """Draw the planes for contact in place of equal ones that are only drawn, if the document has
    soft bodies, in bodies of which a geom may collide.
    """
    if not any(child.tag == "flex" for child in context.document["deformable"].children):
        return
    for body in {
        id(body): body for body in (context.document["worldbody"], *context.document.bodies)
    }.values():
        _join(body)


def _join(body: MjcfElement) -> None:
    geoms = [child for child in body.children if child.tag == "geom"]
    shapes = [geom for geom in geoms if geom.attributes.get("class") != "visual"]
    if all(shape.attributes.get(mask) == "0" for shape in shapes for mask in _MASKS):
        return
    planes = [geom for geom in geoms if geom.attributes.get("type") == "plane"]
    drawn = {_place(plane): plane for plane in planes if plane.attributes.get("class") == "visual"}
    for plane in planes:
        if plane.attributes.get("class") == "visual":
            continue
        looks = drawn.pop(_place(plane), None)
        if looks is not None:
            plane.set(group=2, **{key: looks.attributes.get(key) for key in _LOOKS})
            body.children.remove(looks)


def _place(plane: MjcfElement) -> tuple[str | None, ...]:
    return tuple(plane.attributes.get(key) for key in _PLACE)


def add_site(name: str, body: int, X_BS: Pose, context: MjcfContext) -> str:
    """Add a site to a body and return its name, which has a number appended if another site has the
    name.

    Args:
        name: The preferred name.
        body: Index of the body, or `bridge.mechanism.bodies.ROOT`.
        X_BS: Pose of the site in the body.
        context: The export.
    """
    name = context.names.claim("site", name)
    context.document.body(body).add("site", name=name, class_="frame", **placement(X_BS))
    return name


def site_at(
    name: str, body: int, X_BS: Pose, context: MjcfContext, *, is_point: bool = False
) -> str:
    """Return the name of the site that a body has at a pose; without one, add it.

    Args:
        name: The preferred name of a new site.
        body: Index of the body, or `bridge.mechanism.bodies.ROOT`.
        X_BS: Pose of the site in the body.
        context: The export.
        is_point: Whether the orientation is of no effect.
    """
    wanted = MjcfElement("site", **placement(X_BS)).attributes
    keys = ("pos",) if is_point else ("pos", "quat")
    for element in context.document.body(body).children:
        if element.tag == "site" and all(
            element.attributes.get(key) == wanted.get(key) for key in keys
        ):
            return element.attributes["name"]
    return add_site(name, body, X_BS, context)


def target_name(item: Light | Sensor, context: MjcfContext) -> str | None:
    """Return the name of the body to which a light or a camera turns; report one that does not
    exist.

    Args:
        item: The light or the camera.
        context: The export.
    """
    if item.target is None:
        return None
    index = context.mechanism.body_index.get(item.target)
    if index is None:
        context.add(
            codes.VIEW_TARGET,
            item.where,
            subjects=(item.name, item.target),
            name=item.name,
            link=item.target,
        )
        return None
    return str(context.document.body(index).attributes.get("name", WORLD))


_TYPES = frozenset({"point", "directional", "spot"})
_MAX_SINGLE = 1e38
_ROUNDING = 1e-15
"""Largest difference of two frames that coincide."""


def write_frames(context: MjcfContext) -> None:
    """Write a site for each frame, and for the frame of each model, unless readers find it
    without.
    """
    for frame in (*_model_frames(context), *context.mechanism.scene.frames):
        name = add_site(frame.name, context.mechanism.body_index[frame.link], frame.X_LF, context)
        if name != frame.name:
            context.names.changed[frame.name] = name


def _model_frames(context: MjcfContext) -> list[Frame]:
    scene = context.mechanism.scene
    X_WL = {WORLD: IDENTITY} | {link.name: link.X_WL for link in scene.links}
    frames = []
    for model in scene.models:
        link = model.canonical_link or WORLD
        X_LM = X_WL[link].inverse() @ model.X_WM
        is_found = (
            _is_world_frame(model, context)
            if model.name == scene.name
            else X_LM.is_close(IDENTITY, _ROUNDING)
        )
        if not is_found:
            frames.append(
                Frame(
                    name=f"{model.name}{SEPARATOR}{MODEL_FRAME}",
                    link=link,
                    X_LF=composed(X_LM),
                    where=model.where,
                )
            )
    return frames


def _is_world_frame(model: Model, context: MjcfContext) -> bool:
    """Return whether the frame of a model is on its first body and at the world's, as the reader of
    MJCF takes it.
    """
    bodies = [body.name for body in context.mechanism.bodies if body.name != WORLD]
    return model.canonical_link in {None, *bodies[:1]} and model.X_WM.is_close(IDENTITY, _ROUNDING)


def write_lights(context: MjcfContext) -> None:
    """Write a ``<light>`` for each light of the scene."""
    for light in context.mechanism.scene.lights:
        if light.type not in _TYPES:
            context.add(codes.LIGHT, light, light=light.name, light_type=light.type)
            continue
        _write_light(light, context)
        parameters = {"inner_angle": light.inner_angle}
        if light.type != "spot":
            parameters |= {"outer_angle": light.outer_angle, "falloff": light.falloff}
        if not light.diffuse[3] == light.specular[3] == 1.0:
            parameters["opacity"] = light.diffuse[3]
        lost = tuple(f"{name}={value:g}" for name, value in parameters.items() if value)
        if lost:
            context.add(codes.LIGHT_PARAMETERS, light, light=light.name, parameters=lost)


def _write_light(light: Light, context: MjcfContext) -> None:
    X_BL = light.X_LLight
    direction = [round_to_short(x) for x in stable_direction(X_BL.R @ _unit(light.direction))]
    is_spot = light.type == "spot"
    element = context.document.body(context.mechanism.body_index[light.link]).add(
        "light",
        name=context.names.claim("light", light.name),
        type=None if is_spot else light.type,
        pos=position(X_BL.p),
        dir=None if direction == [0.0, 0.0, -1.0] else direction,
        diffuse=_scaled(light.diffuse, light.intensity),
        specular=_scaled(light.specular, light.intensity),
        attenuation=_single(light.attenuation) if light.attenuation != (1.0, 0.0, 0.0) else None,
        range=_single((light.range,))[0],
    )
    if is_spot:
        cutoff = math.degrees(light.outer_angle) / 2.0 if light.outer_angle else None
        element.set(cutoff=cutoff, exponent=_single((light.falloff,))[0] or None)
    element.set(
        castshadow=None if light.cast_shadows else False, active=None if light.on else False
    )
    element.set(**(own_settings(light) | {"target": target_name(light, context)}))


def _unit(v: Sequence[float]) -> list[float]:
    length = math.hypot(*v)
    return [x / length for x in v] if length > 0.0 else [0.0, 0.0, -1.0]


def _single(values: Sequence[float]) -> list[float]:
    """Return finite values within the range of single precision, in which MuJoCo keeps them;
    infinity stays.
    """
    return [x if math.isinf(x) else max(-_MAX_SINGLE, min(x, _MAX_SINGLE)) for x in values]


def _scaled(rgba: Sequence[float], intensity: float) -> list[float]:
    return color(c * intensity for c in rgba[:3])

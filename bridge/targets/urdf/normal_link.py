"""Shapes, materials and surfaces as URDF represents them.

Drake's properties are those of one collision; Gazebo's and PyBullet's hold for all collisions of a
link.

A reader refuses a file, or leaves the shape out, where it does not know the only shape of a
``<geometry>``. Readers of URDF itself (urdfdom, yourdfpy) and PyBullet take the first shape there;
Drake and MuJoCo look for each by its tag, a capsule before a mesh.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, TypeVar

import numpy as np

from bridge.geometry.cache import stored_folder
from bridge.geometry.convex_decomposition import Faces
from bridge.geometry.mesh import obj, shape_asset
from bridge.geometry.shapes import terrain_triangles
from bridge.targets.elements import MASSLESS, without_undrawn_textures
from bridge.targets.numbers import BEYOND_COLORS, with_colors_in_range
from bridge.targets.report import Report
from bridge.targets.urdf import codes
from bridge.targets.urdf.tree import plain_name
from loaders.diagnostics import Code, Where
from loaders.files.images import PictureError
from loaders.files.read_file import is_file
from loaders.model import (
    WORLD,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Friction,
    Geometry,
    Heightmap,
    Hydroelastic,
    Link,
    Material,
    Mesh,
    Plane,
    Polyline,
    Sensor,
    Sphere,
    Surface,
    Visual,
)
from loaders.model.contact import UNIT_PATCH_RADIUS, torsional_length
from loaders.model.link import DEFAULT_COLOR
from loaders.pose import Array, Pose, frozen, rotation_to
from loaders.scene import Scene
from loaders.scoped_names import UnusedNames, unused_name


def is_only_a_name(material: Material) -> bool:
    """Return whether a material states no more than its name, which only Gazebo can look up."""
    return material == Material(name=material.name)


def name_for_gazebo(link: Link) -> str | None:
    """Return the name of the material that all visuals of a link have, if they state no more than
    it.
    """
    (material, *others) = {visual.material for visual in link.visuals} or {None}
    is_common = material is not None and not others and is_only_a_name(material)
    return material.name if material is not None and is_common else None


class UniqueMaterials:
    """The materials of a document, each with a unique name."""

    def __init__(self, extensions: Collection[str], report: Report) -> None:
        self._extensions = extensions
        self._report = report
        self._contents: dict[str, Material] = {}
        """Materials without their names, by name."""
        self._names_tried: dict[str, dict[Material, str]] = defaultdict(dict)
        """Names of `_contents` that were tried for a base, by material, for each base."""
        self._attempts: dict[str, int] = {}

    def representable(self, link: Link) -> tuple[Visual, ...]:
        """Return the visuals of a link with materials that have a name that no other material has.

        Those that state no more than their name are left out, unless a ``<gazebo>`` element names
        them: readers refuse a ``<material>`` without color and texture.
        """
        visuals = tuple(
            dataclasses.replace(v, material=self._representable(v, link)) for v in link.visuals
        )
        is_named = name_for_gazebo(dataclasses.replace(link, visuals=visuals)) is not None
        if "gazebo" in self._extensions and is_named:
            return visuals
        return tuple(self._without_bare_name(visual, link) for visual in visuals)

    def _without_bare_name(self, visual: Visual, link: Link) -> Visual:
        if visual.material is None or not is_only_a_name(visual.material):
            return visual
        self._add(["name, without a color,"], visual.material, visual, link)
        plain = None if isinstance(visual.geometry, Mesh) else Material(diffuse=DEFAULT_COLOR)
        named = None if plain is None else self._named(plain, "material")
        return dataclasses.replace(visual, material=named)

    def _representable(self, visual: Visual, link: Link) -> Material | None:
        stated = visual.material
        if stated is None:
            return None
        drawn, lost = without_undrawn_textures(Material(texture=stated.texture))
        colored = with_colors_in_range(Material(diffuse=stated.diffuse, specular=stated.specular))
        specular = None if colored.specular is None else (*colored.specular[:3], 1.0)
        said = dataclasses.replace(colored, texture=drawn.texture, specular=specular)
        if said.specular != colored.specular:
            lost.append("opacity of the specular color")
        if (colored.diffuse, colored.specular) != (stated.diffuse, stated.specular):
            lost.append(BEYOND_COLORS)
        if said.texture is not None and not is_file(said.texture):
            said, lost = (
                dataclasses.replace(said, texture=None),
                [*lost, "texture, whose file was not found"],
            )
        if said == Material():
            named = None if stated.name is None else Material(name=stated.name)
        else:
            named = self._named(said, plain_name(stated.name or "", "material"))
            if stated.name is not None and named.name != stated.name:
                lost.append("name")
        if lost:
            self._add(lost, stated, visual, link)
        return named

    def _named(self, material: Material, base: str) -> Material:
        """Return the material under a name that no other material has; an equal material keeps the
        name that it has among those made from the same base.
        """
        content = dataclasses.replace(material, name=None)
        names = self._names_tried[base]

        def is_taken(name: str) -> bool:
            other = self._contents.setdefault(name, content)
            names.setdefault(other, name)
            return other != content

        if content not in names:
            unused_name(base, is_taken, attempts=self._attempts)
        return dataclasses.replace(material, name=names[content])

    def _add(self, lost: list[str], material: Material, visual: Visual, link: Link) -> None:
        self._report.add(
            codes.MATERIAL,
            visual.where,
            subjects=(link.name,),
            properties=tuple(lost),
            material=material.name or "without a name",
        )


_OF_LINK = ("damping", "max_velocity", "min_depth", "restitution", "soft_cfm", "soft_erp")
_DEFAULT = Surface()


def with_representable_surfaces(link: Link, extensions: Collection[str], report: Report) -> Link:
    """Return a link with the surfaces that a reader finds.

    Args:
        link: The link.
        extensions: The extensions that the document may use.
        report: Receives the findings.
    """
    if not link.collisions:
        return link
    stated = [collision.surface for collision in link.collisions]
    said = _said(stated, extensions)
    collisions = []
    for collision, old, new in zip(link.collisions, stated, said, strict=True):
        lost = _differing(old, new)
        if lost:
            report.add(
                codes.SURFACE,
                collision.where,
                subjects=(link.name, f"{link.name}::{collision.name}"),
                properties=tuple(lost),
                collision=collision.name,
            )
        collisions.append(dataclasses.replace(collision, surface=new))
    return dataclasses.replace(link, collisions=tuple(collisions))


def with_torsional_lengths(scene: Scene) -> Scene:
    """Return a scene whose torsional friction is stated as a length, as ``<spinning_friction>``
    does.
    """
    if not any(
        c.surface.friction.torsional is not None for link in scene.links for c in link.collisions
    ):
        return scene
    links = []
    for link in scene.links:
        collisions = tuple(
            dataclasses.replace(c, surface=_with_length(c.surface)) for c in link.collisions
        )
        links.append(dataclasses.replace(link, collisions=collisions))
    return dataclasses.replace(scene, links=tuple(links))


def _with_length(surface: Surface) -> Surface:
    friction = surface.friction
    if friction.torsional is None:
        return surface
    if (
        not friction.use_patch_radius
    ):  # the radius of the surface, which a document cannot state, is reported
        return dataclasses.replace(surface, friction=dataclasses.replace(friction, torsional=0.0))
    length = torsional_length(friction)
    new = dataclasses.replace(
        friction,
        torsional=length,
        patch_radius=UNIT_PATCH_RADIUS if length else 0.0,
        surface_radius=0.0,
    )
    return dataclasses.replace(surface, friction=new)


def friction_of_link(surfaces: list[Surface], extensions: Collection[str]) -> Friction | None:
    """Return the friction that holds for a whole link; None if each collision states its own.

    Args:
        surfaces: The surfaces of the collisions of the link.
        extensions: The extensions that the document may use.
    """
    first = surfaces[0].friction
    if (
        "gazebo" not in extensions
        or any(s.friction != first for s in surfaces)
        or first.mu_static is not None
    ):
        return None
    return first


def common(surfaces: list[Surface], field: str) -> Any:
    """Return the value that all surfaces share; the default if they differ."""
    values = [getattr(surface, field) for surface in surfaces]
    return values[0] if all(value == values[0] for value in values) else getattr(_DEFAULT, field)


def _said(surfaces: list[Surface], extensions: Collection[str]) -> list[Surface]:
    shared = {field: common(surfaces, field) for field in _OF_LINK}
    friction = friction_of_link(surfaces, extensions)
    drake = "drake" in extensions
    of_link = common(surfaces, "stiffness") if "gazebo" in extensions else None
    said = []
    for surface in surfaces:
        own = _own_friction(surface.friction) if drake else Friction()
        stiffness = surface.stiffness
        if not (drake and (stiffness or 0.0) > 0.0):
            stiffness = of_link
        said.append(
            dataclasses.replace(
                surface,
                friction=friction or own,
                stiffness=stiffness,
                hydroelastic=_hydroelastic(surface.hydroelastic),
                **shared,
            )
        )
    return said


def _own_friction(friction: Friction) -> Friction:
    """Return what ``<drake:proximity_properties>`` says: two coefficients."""
    static = friction.mu_static
    if static is not None and static <= friction.mu:
        static = None
    return Friction(mu=friction.mu, mu2=friction.mu, mu_static=static)


def _hydroelastic(properties: Hydroelastic | None) -> Hydroelastic | None:
    if properties is None or properties == Hydroelastic():
        return None
    return (
        dataclasses.replace(properties, modulus=None)
        if properties.compliance == "rigid"
        else properties
    )


def _differing(old: Surface, new: Surface) -> list[str]:
    names = [
        f.name
        for f in dataclasses.fields(Friction)
        if getattr(old.friction, f.name) != getattr(new.friction, f.name)
    ]
    ignored = {"friction"} | ({"hydroelastic"} if old.hydroelastic == Hydroelastic() else set())
    for name in [f.name for f in dataclasses.fields(Surface) if f.name not in ignored]:
        if (getattr(old, name) or None) != (getattr(new, name) or None):
            names.append(name)
    return [name.replace("_", " ") for name in names]


SLICES = 48
"""Number of sides of a round shape, and twice the number of its rings; its surface lies up to 0.3 %
inside."""


def meshes_of(geometry: Geometry, report: Report, where: Where) -> tuple[Mesh, ...]:
    """Return the meshes that have the surface of a shape; none if it has none, or cannot be read.

    Args:
        geometry: The shape.
        report: Receives the findings about the shape.
        where: The place in the source.

    Raises:
        OSError: if the cache of files cannot be written.
    """
    if isinstance(geometry, Cone | Polyline):
        assets = shape_asset(geometry, report.target, report.entries, where=where)
        parts: Iterable[tuple[Array, Faces]] = ((asset.vertices, asset.faces) for asset in assets)
    elif isinstance(geometry, Heightmap):
        try:
            parts = (_indexed(terrain_triangles(geometry)),)
        except PictureError:  # the caller reports that there is no mesh
            parts = ()
    elif isinstance(geometry, Capsule | Ellipsoid):
        return (round_mesh(geometry),)
    else:
        parts = ()
    word = type(geometry).__name__.lower()
    return tuple(_mesh(word, *part) for part in parts)


def round_mesh(geometry: Capsule | Ellipsoid) -> Mesh:
    """Return the mesh that has the surface of a round shape.

    Args:
        geometry: The shape.

    Raises:
        OSError: if the cache of files cannot be written.
    """
    if isinstance(geometry, Capsule):
        return _mesh("capsule", *_round(frozen((geometry.radius,) * 3), geometry.length / 2.0))
    return _mesh("ellipsoid", *_round(frozen(geometry.radii), 0.0))


def _mesh(word: str, vertices: Array, faces: Faces) -> Mesh:
    name = f"{word}.obj"
    data = obj(vertices, faces)
    family = hashlib.sha256(data).hexdigest()[
        :2
    ]  # small, because each use of a family lists its folders
    folder = stored_folder({name: data}, f"shapes/{family}")
    return Mesh(uri=name, path=str(folder / name))


def _indexed(triangles: Array) -> tuple[Array, Faces]:
    """Return triangles, shape (n, 3, 3), as vertices and faces."""
    vertices, index = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3)


def _round(radii: Array, half_length: float) -> tuple[Array, Faces]:
    """Return an ellipsoid that is cut in half and pulled apart along z.

    Args:
        radii: Its radii [m].
        half_length: Distance of each half from the origin [m].
    """
    rings = SLICES // 2
    latitudes = [math.pi * i / rings - math.pi / 2.0 for i in range(1, rings)]
    middle = rings // 2 - 1
    bands = latitudes if half_length == 0.0 else [*latitudes[: middle + 1], *latitudes[middle:]]
    points = [(0.0, 0.0, -radii[2] - half_length)]
    for i, latitude in enumerate(bands):
        shift = half_length if i > middle else -half_length
        for k in range(SLICES):
            angle = math.tau * k / SLICES
            x, y = math.cos(latitude) * math.cos(angle), math.cos(latitude) * math.sin(angle)
            points.append((radii[0] * x, radii[1] * y, radii[2] * math.sin(latitude) + shift))
    points.append((0.0, 0.0, radii[2] + half_length))
    return np.array(points), _faces(len(bands))


def _faces(bands: int) -> Faces:
    """Return the triangles between a pole, rings of `SLICES` points, and the other pole."""
    top = bands * SLICES + 1
    faces = []
    for k in range(SLICES):
        n = (k + 1) % SLICES
        faces += [(0, n + 1, k + 1), (top, top - SLICES + k, top - SLICES + n)]
        for band in range(bands - 1):
            a, b = band * SLICES + 1, (band + 1) * SLICES + 1
            faces += [(a + k, a + n, b + n), (a + k, b + n, b + k)]
    return np.array(faces)


_PLAIN = (Box, Sphere, Cylinder, Mesh)
_KNOWN: dict[type, frozenset[str]] = {
    Capsule: frozenset({"drake", "pybullet"}),
    Ellipsoid: frozenset({"drake"}),
    Plane: frozenset({"pybullet"}),
}
"""Extensions whose readers know a shape that URDF itself does not have."""
_GROUND = 200.0
"""Side of the box that stands for a plane [m]; that of the ground which PyBullet comes with, as a
URDF."""
_DEPTH = 10.0
"""Its depth [m], which is that of the same file."""
_SHEET = 0.001
"""Thickness of a plane that is only drawn [m]."""


def is_stated(geometry: Geometry, extensions: Collection[str]) -> bool:
    """Return whether a document states a shape.

    A capsule is stated if any reader knows it, with a mesh for the others; other shapes only if all
    readers know them.

    Args:
        geometry: The shape.
        extensions: The extensions that the document may use.
    """
    if isinstance(geometry, Capsule):
        return not _KNOWN[Capsule].isdisjoint(extensions)
    kind = type(geometry)
    return kind in _PLAIN or (kind in _KNOWN and all_know(kind, extensions))


def all_know(kind: type[Geometry], extensions: Collection[str]) -> bool:
    """Return whether the readers of each extension know a kind of shape that URDF itself does not
    have.

    Args:
        kind: The kind of shape.
        extensions: The extensions that the document may use.
    """
    return bool(extensions) and _KNOWN[kind].issuperset(extensions)


def box_of_plane(plane: Plane, *, collides: bool) -> tuple[Box, Pose]:
    """Return the box that stands for a plane, and its pose in the frame of the plane; one of its
    sides is in the plane.

    Args:
        plane: The plane.
        collides: Whether it collides, rather than being drawn.
    """
    normal = frozen(plane.normal)
    x, y = (side or _GROUND for side in plane.size)
    size = (_GROUND, _GROUND, _DEPTH) if collides else (x, y, _SHEET)
    return Box(size=size), Pose.of(rotation_to(normal), normal * (-size[2] / 2.0))


_Part = TypeVar("_Part", Collision, Visual, Sensor)


def with_representable_parts(scene: Scene, extensions: Collection[str], report: Report) -> Scene:
    """Return the scene with the parts that a document can state.

    Args:
        scene: The scene.
        extensions: The extensions that the document may use.
        report: Receives the findings.
    """
    materials = UniqueMaterials(extensions, report)
    links = []
    for link in scene.links:
        part = _with_shapes(link, extensions, report)
        part = with_representable_surfaces(part, extensions, report)
        links.append(
            _with_inertia(dataclasses.replace(part, visuals=materials.representable(part)), report)
        )
    joints = tuple(
        dataclasses.replace(joint, sensors=_named(joint.sensors)) for joint in scene.joints
    )
    scene = dataclasses.replace(scene, links=tuple(links), joints=joints)
    return _with_stated_mass(scene, report) if "pybullet" in extensions else scene


def _with_stated_mass(scene: Scene, report: Report) -> Scene:
    """Return the scene with the mass 0 of links without inertia that are no root, which PyBullet
    takes for 1 kg.
    """
    held = {joint.child for joint in scene.joints}
    massless = dict.fromkeys(k.name for k in scene.links if k.inertia is None and k.name in held)
    if not massless:
        return scene
    report.add(codes.NO_INERTIA, subjects=massless, links=tuple(massless))
    links = (
        dataclasses.replace(k, inertia=MASSLESS) if k.name in massless else k for k in scene.links
    )
    return dataclasses.replace(scene, links=tuple(links))


def _with_inertia(link: Link, report: Report) -> Link:
    decay = (link.velocity_decay[0],) * 2
    if link.velocity_decay != decay:
        _report_field(link, "angular velocity decay beside another linear one", report)
    if link.name == WORLD and link.inertia is not None:
        _report_field(link, "inertia of the world", report)
        link = dataclasses.replace(link, inertia=None)
    return dataclasses.replace(link, velocity_decay=decay)


def _report_field(link: Link, field: str, report: Report, code: Code = codes.FIELD) -> None:
    report.add(code, link, field=field, kind="link", owner=link.name)


def _with_shapes(link: Link, extensions: Collection[str], report: Report) -> Link:
    kept: dict[str, Any] = {"sensors": _named(link.sensors)}
    parts: tuple[tuple[str, tuple[Collision | Visual, ...]], ...] = (
        ("collisions", link.collisions),
        ("visuals", link.visuals),
    )
    for key, shapes in parts:
        said: list[Collision | Visual] = []
        for part in shapes:
            if is_stated(part.geometry, extensions):
                said.append(part)
                continue
            others = _others(link, part, report)
            said += others
            _report_shape(link, part, report, others)
        kept[key] = _named(tuple(said))
    return dataclasses.replace(link, **kept)


def _others(link: Link, part: Collision | Visual, report: Report) -> tuple[Collision | Visual, ...]:
    """Return the parts that replace a part whose shape the document cannot state: a box, or
    meshes.
    """
    if isinstance(part.geometry, Plane):
        collides = isinstance(part, Collision)
        if collides and part.geometry.size != Plane().size:
            _report_field(link, "size of the drawing", report, codes.FIELD_NOTED)
        box, X_GB = box_of_plane(part.geometry, collides=collides)
        return (dataclasses.replace(part, geometry=box, X_LG=part.X_LG @ X_GB),)
    return tuple(
        dataclasses.replace(part, geometry=mesh)
        for mesh in meshes_of(part.geometry, report, part.where)
    )


def _report_shape(
    link: Link, part: Collision | Visual, report: Report, others: tuple[Collision | Visual, ...]
) -> None:
    collides = isinstance(part, Collision)
    outcome = "it is left out"
    if others:
        box = others[0].geometry
        outcome = (
            "a box of {:g} m x {:g} m x {:g} m is written".format(*box.size)
            if isinstance(box, Box)
            else "a mesh is written"
        )
    if collides:
        code = codes.SHAPE if others else codes.SHAPE_DROPPED
    else:
        code = codes.SHAPE_OF_VISUAL if others else codes.SHAPE_OF_VISUAL_OMITTED
    report.add(
        code,
        part.where,
        subjects=(link.name,),
        kind="collision" if collides else "visual",
        name=part.name,
        link=link.name,
        shape=type(part.geometry).__name__.lower(),
        outcome=outcome,
    )


def _named(parts: tuple[_Part, ...]) -> tuple[_Part, ...]:
    """Return parts of one kind with names that are unique among them."""
    unused = UnusedNames()
    named: list[Any] = []
    for part in parts:
        name = unused.claim(plain_name(part.name, type(part).__name__.lower()))
        named.append(part if name == part.name else dataclasses.replace(part, name=name))
    return tuple(named)

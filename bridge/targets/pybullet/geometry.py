"""An articulation as a URDF document of which PyBullet's parser reads every digit, with its shapes.

The texture of a visual is upright, with v along z. It appears once on each face of a box, once
around a round surface, and once on each flat end.

The parser splits lines longer than 8191 bytes, accepts vectors only with single spaces, crashes on
two roots, on duplicate joint names and on links out of order, assumes 1 kg for a link without
inertia, and diagonalizes inertias to nine digits only. The document therefore has one element per
line, every inertia on its principal axes, and every link after its parent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from bridge.geometry import mesh as mesh_assets
from bridge.geometry.convex_decomposition import Faces, is_simplified
from bridge.geometry.mesh import Appearance, appearance_of
from bridge.geometry.shapes import terrain_triangles
from bridge.mechanism.bodies import Primitive, PrimitiveKind
from bridge.targets.pybullet import codes
from bridge.targets.pybullet.articulation import Articulation, CarriedLink, Segment
from bridge.targets.pybullet.client import HULL_MARGIN, TARGET
from bridge.targets.pybullet.mesh import (
    Drawing,
    TemporaryFiles,
    corners_stl,
    drawn_files,
    faces_stl,
    files_of,
    stl,
)
from loaders.diagnostics import Code, Diagnostic, Diagnostics, Where
from loaders.files.images import PictureError
from loaders.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
    Visual,
)
from loaders.model.link import DEFAULT_COLOR, UNSTATED, PartLook, look_of
from loaders.node import escaped
from loaders.pose import IDENTITY, Array, Pose, roll_pitch_yaw, rotation_to
from loaders.scoped_names import SEPARATOR
from loaders.text import xml_compatible

TexturedMesh = tuple[Array, Faces, Array]
"""Vertices, shape (n, 3) [m], faces, shape (m, 3), and texture coordinates, shape (n, 2)."""

_SIDES = 32
"""Number of sides of a round surface."""
_RINGS = 8
"""Number of rings from the equator of a ball to its pole."""


def textured_mesh(geometry: Geometry) -> TexturedMesh | None:
    """Return the surface of a primitive with texture coordinates; None for other geometry."""
    tessellate = _TESSELLATIONS.get(type(geometry))
    return tessellate(geometry) if tessellate is not None else None


# --- parts ----------------------------------------------------------------------------------------


def _joined(parts: Iterable[TexturedMesh]) -> TexturedMesh:
    parts = list(parts)
    starts = np.cumsum([0, *(len(vertices) for vertices, _, _ in parts)])
    return (
        np.concatenate([vertices for vertices, _, _ in parts]),
        np.concatenate([faces + n for (_, faces, _), n in zip(parts, starts, strict=False)]),
        np.concatenate([uv for _, _, uv in parts]),
    )


def _revolved(profile: Sequence[tuple[float, float]]) -> TexturedMesh:
    """Return the surface of revolution about z of a profile ``(radius, z)``, going up; v is the arc
    length.
    """
    r, z = np.array(profile).T
    arc = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(r), np.diff(z)))))
    u = np.linspace(0.0, 1.0, _SIDES + 1)
    angles = math.tau * u
    vertices = np.stack(
        (np.outer(r, np.cos(angles)), np.outer(r, np.sin(angles)), np.outer(z, np.ones_like(u))),
        axis=2,
    )
    uv = np.stack(np.broadcast_arrays(u, (arc / arc[-1])[:, None]), axis=2)
    row, column = (index.ravel() for index in np.mgrid[: len(profile) - 1, :_SIDES])
    a = row * (_SIDES + 1) + column
    b, c, d = a + 1, a + _SIDES + 2, a + _SIDES + 1
    faces = np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))
    return vertices.reshape(-1, 3), faces, uv.reshape(-1, 2)


def _disc(radius: float, z: float, *, up: bool) -> TexturedMesh:
    """Return a disc that faces up or down."""
    angles = np.linspace(0.0, math.tau, _SIDES, endpoint=False)
    ring = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    vertices = np.vstack((np.column_stack((radius * ring, np.full(_SIDES, z))), (0.0, 0.0, z)))
    uv = np.vstack((0.5 + 0.5 * ring * (1.0 if up else -1.0, 1.0), (0.5, 0.5)))
    i = np.arange(_SIDES)
    rim = (i, np.roll(i, -1)) if up else (np.roll(i, -1), i)
    return vertices, np.stack((*rim, np.full(_SIDES, _SIDES)), axis=1), uv


def _arc(
    radius: float, z: float, start: float, end: float, steps: int
) -> list[tuple[float, float]]:
    """Return points on a circle about ``(0, z)`` between two elevation angles [rad]."""
    return [
        (radius * abs(math.cos(a)), z + radius * math.sin(a))
        for a in np.linspace(start, end, steps + 1)
    ]


# --- primitives -----------------------------------------------------------------------------------


def _ball(radii: Sequence[float]) -> TexturedMesh:
    vertices, faces, uv = _revolved(_arc(1.0, 0.0, -math.pi / 2.0, math.pi / 2.0, 2 * _RINGS))
    return vertices * radii, faces, uv


def _textured_capsule(capsule: Capsule) -> TexturedMesh:
    half = capsule.length / 2.0
    lower = _arc(capsule.radius, -half, -math.pi / 2.0, 0.0, _RINGS)
    return _revolved([*lower, *_arc(capsule.radius, half, 0.0, math.pi / 2.0, _RINGS)])


def _textured_cylinder(cylinder: Cylinder) -> TexturedMesh:
    r, half = cylinder.radius, cylinder.length / 2.0
    return _joined(
        (_revolved([(r, -half), (r, half)]), _disc(r, half, up=True), _disc(r, -half, up=False))
    )


def _cone(cone: Cone) -> TexturedMesh:
    r, half = cone.radius, cone.length / 2.0
    return _joined((_revolved([(r, -half), (0.0, half)]), _disc(r, -half, up=False)))


_CORNERS = np.array(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))
_RIGHT_AND_UP = (
    ((0, 1, 0), (0, 0, 1)),
    ((0, -1, 0), (0, 0, 1)),
    ((-1, 0, 0), (0, 0, 1)),
    ((1, 0, 0), (0, 0, 1)),
    ((1, 0, 0), (0, 1, 0)),
    ((-1, 0, 0), (0, 1, 0)),
)
"""Directions of u and v on each face of a box; their cross product points outwards."""


def _textured_box(box: Box) -> TexturedMesh:
    faces = np.array(((0, 1, 2), (0, 2, 3)))
    sides = (
        (_CORNERS @ np.array((right, up)) + np.cross(right, up), faces, (_CORNERS + 1.0) / 2.0)
        for right, up in _RIGHT_AND_UP
    )
    vertices, faces, uv = _joined(sides)
    return vertices * box.size / 2.0, faces, uv


_ROUND = (Capsule, Cone, Cylinder, Ellipsoid, Sphere)
_TESSELLATIONS: dict[type, Callable[[Any], TexturedMesh]] = {
    Box: _textured_box,
    Capsule: _textured_capsule,
    Cone: _cone,
    Cylinder: _textured_cylinder,
    Ellipsoid: lambda ellipsoid: _ball(ellipsoid.radii),
    Sphere: lambda sphere: _ball((sphere.radius,) * 3),
}


class ShapeUse(Enum):
    """The purpose of a geometry."""

    VISUAL = "visual"
    MOVING_COLLISION = "moving collision"
    """Collision on a moving link, or on a held one with which other links of the same body collide:
    PyBullet uses the convex hull of a mesh."""
    STATIC_COLLISION = "static collision"
    """Collision on another link welded to the world: PyBullet uses the mesh itself, unless the file
    asks for a hull."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A child element of ``<geometry>`` and its pose in the geometry's frame."""

    tag: str
    attributes: dict[str, str]
    X_GS: Pose = IDENTITY
    look: PartLook = UNSTATED
    """Look that the mesh file states."""
    concave: bool = False
    pixels: int = 0
    """Number of pixels of its texture."""


def _number(value: float) -> str:
    return repr(float(value))


def vector(values: Iterable[float]) -> str:
    """Return numbers as text with every digit."""
    return " ".join(map(_number, values))


def _box(box: Box) -> Shape:
    return Shape(tag="box", attributes={"size": vector(box.size)})


def _sphere(sphere: Sphere) -> Shape:
    return Shape(tag="sphere", attributes={"radius": _number(sphere.radius)})


def _cylinder(cylinder: Cylinder) -> Shape:
    size = {"radius": _number(cylinder.radius), "length": _number(cylinder.length)}
    return Shape(tag="cylinder", attributes=size)


def _capsule(capsule: Capsule) -> Shape:
    size = {"radius": _number(capsule.radius), "length": _number(capsule.length)}
    return Shape(tag="capsule", attributes=size)


def _plane(plane: Plane) -> Shape:
    return Shape(tag="plane", attributes={"normal": vector(plane.normal)})


_PRIMITIVES: dict[type, Callable[[Any], Shape]] = {
    Box: _box,
    Sphere: _sphere,
    Cylinder: _cylinder,
    Capsule: _capsule,
    Plane: _plane,
}


@dataclass(slots=True, eq=False)
class _Conversion:
    """The result of converting one geometry, shared by all visuals and collisions that use it."""

    shapes: tuple[Shape, ...]
    diagnostics: Diagnostics
    subjects: dict[str, None] = field(default_factory=dict)
    """Scoped names of the links, collisions and visuals with this geometry, in order."""


@dataclass(slots=True, eq=False)
class ShapeWriter:
    """Converts geometry to URDF elements and writes the mesh files that they name."""

    files: TemporaryFiles
    drawing: Drawing = field(default_factory=Drawing)
    """The way in which visuals are drawn."""
    pixels: int = 0
    """Number of pixels of the textures of all visuals so far: PyBullet has a copy for each."""
    _conversions: dict[tuple[Geometry, ShapeUse, str | None, Appearance], _Conversion] = field(
        default_factory=dict
    )
    _material_count: int = 0

    def shapes(
        self,
        geometry: Geometry,
        where: Where,
        use: ShapeUse,
        texture: str | None = None,
        *,
        appearance: Appearance = Appearance.ALL,
        subjects: Iterable[str] = (),
    ) -> tuple[Shape, ...]:
        """Return the elements of a geometry; none if PyBullet does not support it.

        Args:
            geometry: The geometry to convert.
            where: The place in the source.
            use: The purpose of the geometry.
            texture: Path of the image to cover a visual geometry with.
            appearance: The part of a mesh file's appearance that the source leaves in effect.
            subjects: Scoped names of the link and of its collision or visual, for diagnostics.
        """
        key = (geometry, use, texture, appearance)
        conversion = self._conversions.get(key)
        if conversion is None:
            conversion = self._conversions[key] = self._convert(key, where)
        conversion.subjects.update(dict.fromkeys(subjects))
        self.pixels += sum(shape.pixels for shape in conversion.shapes)
        return conversion.shapes

    def report(self, diagnostics: Diagnostics) -> None:
        """Record the findings of all conversions, each with every link, collision and visual
        concerned.
        """
        for conversion in self._conversions.values():
            diagnostics.extend(
                _about(entry, conversion.subjects) for entry in conversion.diagnostics
            )

    def material_name(self) -> str:
        """Return a new material name, unique within the document."""
        self._material_count += 1
        return f"material_{self._material_count}"

    def _convert(
        self, key: tuple[Geometry, ShapeUse, str | None, Appearance], where: Where
    ) -> _Conversion:
        geometry, use, texture, appearance = key
        diagnostics = Diagnostics()
        converter = _Converter(self.files, diagnostics, where, use, appearance, self.drawing)
        return _Conversion(converter.convert(geometry, texture), diagnostics)


def _about(entry: Diagnostic, subjects: Iterable[str]) -> Diagnostic:
    return replace(entry, subjects=tuple(dict.fromkeys((*entry.subjects, *subjects))))


@dataclass(slots=True, eq=False)
class _Converter:
    """Converts one geometry."""

    files: TemporaryFiles
    diagnostics: Diagnostics
    where: Where
    use: ShapeUse
    appearance: Appearance
    drawing: Drawing

    def convert(self, geometry: Geometry, texture: str | None) -> tuple[Shape, ...]:
        is_round = isinstance(geometry, _ROUND) and self.use is ShapeUse.VISUAL
        is_drawn = texture is not None or (self.drawing.smooth and is_round)
        drawn = self._drawn_primitive(geometry, texture) if is_drawn else None
        return (drawn,) if drawn else tuple(self._shapes(geometry, texture))

    def _drawn_primitive(self, geometry: Geometry, texture: str | None) -> Shape | None:
        """Return a primitive as a mesh to draw; None for other geometry, or if the cache cannot be
        written.
        """
        if isinstance(geometry, Plane):
            box, X_GS = _thin_box(geometry)
            drawn = self._drawn_primitive(box, texture)
            return replace(drawn, X_GS=X_GS) if drawn else None
        mesh = textured_mesh(geometry)
        if mesh is None:
            return None
        vertices, faces, uv = mesh
        name = type(geometry).__name__.lower()
        asset = mesh_assets.MeshAsset(
            name=name, vertices=vertices, faces=faces, uv=uv, look=PartLook(texture=texture)
        )
        try:
            drawing = replace(self.drawing, smooth=True)
            files = drawn_files(asset, self.where, self.diagnostics, drawing)
            return _mesh(files.paths[0], pixels=files.pixels)
        except OSError:
            return None

    def _shapes(self, geometry: Geometry, texture: str | None) -> Iterator[Shape]:
        if isinstance(geometry, Plane) and self.use is ShapeUse.VISUAL:
            box, X_GS = _thin_box(geometry)
            yield replace(_box(box), X_GS=X_GS)
        elif type(geometry) in _PRIMITIVES:
            yield _PRIMITIVES[type(geometry)](geometry)
        elif isinstance(geometry, Ellipsoid):
            asset, error = _ellipsoid(geometry)
            self._report_hull(error)
            yield self._temporary_mesh(asset, collides=self.use is not ShapeUse.VISUAL)
        elif isinstance(geometry, Heightmap):
            yield from self._terrain(geometry)
        elif isinstance(geometry, Mesh | Cone | Polyline):
            yield from self._assets(geometry, texture)

    def _terrain(self, heightmap: Heightmap) -> Iterator[Shape]:
        if self.use is ShapeUse.MOVING_COLLISION:
            return self._drop(codes.SHAPE_DROPPED, heightmap.uri)
        try:
            triangles = terrain_triangles(heightmap, limit="terrain_triangles")
        except PictureError as error:
            return self._drop(
                codes.SHAPE_DROPPED_UNREADABLE_HEIGHTMAP, heightmap.uri, reason=str(error)
            )
        path = self.files.write(stl(triangles), ".stl")
        yield replace(_mesh(path), concave=self.use is ShapeUse.STATIC_COLLISION)

    def _assets(self, geometry: Mesh | Cone | Polyline, texture: str | None) -> Iterator[Shape]:
        is_static = self.use is ShapeUse.STATIC_COLLISION
        concave = is_static and isinstance(geometry, Mesh) and not is_simplified(geometry)
        collides = self.use is not ShapeUse.VISUAL and not concave
        shapes = list(
            self._meshes(geometry, texture, collides=collides, appearance=self.appearance)
        )
        if concave and len(shapes) > 1:  # materials do not collide
            shapes = list(
                self._meshes(geometry, texture, collides=collides, appearance=Appearance.NONE)
            )
        yield from (replace(shape, concave=True) for shape in shapes) if concave else shapes

    def _meshes(
        self,
        geometry: Mesh | Cone | Polyline,
        texture: str | None,
        *,
        collides: bool,
        appearance: Appearance,
    ) -> Iterator[Shape]:
        diagnostics, where = self.diagnostics, self.where
        if not isinstance(geometry, Mesh):
            assets = mesh_assets.shape_asset(geometry, TARGET, diagnostics, where=where)
        else:
            files = files_of(
                geometry,
                diagnostics,
                where,
                collides=collides,
                texture=texture,
                appearance=appearance,
                largest=self.drawing.largest,
            )
            if files is not None:
                yield from (_mesh(file.path, file.look, file.pixels) for file in files)
                return
            assets = mesh_assets.mesh_asset(
                geometry, TARGET, diagnostics, where=where, collides=collides, appearance=appearance
            )
        for asset in assets:
            yield self._temporary_mesh(asset, collides=collides)

    def _temporary_mesh(self, asset: mesh_assets.MeshAsset, *, collides: bool) -> Shape:
        """Write an asset to a temporary file, which is not cached."""
        data = corners_stl(asset) if collides else faces_stl(asset)
        return _mesh(self.files.write(data, ".stl"), asset.look)

    def _report_hull(self, error: float) -> None:
        """Report that an ellipsoid collides as a hull."""
        if self.use is ShapeUse.VISUAL:
            return
        self.diagnostics.add(
            codes.SHAPE_AS_HULL,
            self.where,
            target=TARGET,
            shape="ellipsoid",
            error=error,
            margin=HULL_MARGIN,
        )

    def _drop(self, code: Code, uri: str, **arguments: str) -> None:
        self.diagnostics.add(code, self.where, target=TARGET, uri=uri, **arguments)


_SHEET = 1e-4
"""Thickness of the box that is drawn for a plane [m]."""


def _thin_box(plane: Plane) -> tuple[Box, Pose]:
    """Return a thin box just below a plane, with the plane's size, and its pose: PyBullet does not
    draw planes.
    """
    box = Box(size=(*plane.size, _SHEET))
    return box, Pose.of(rotation_to(plane.normal)) @ Pose.of(p=(0.0, 0.0, -_SHEET / 2.0))


def _mesh(path: str, look: PartLook = UNSTATED, pixels: int = 0) -> Shape:
    return Shape(tag="mesh", attributes={"filename": path}, look=look, pixels=pixels)


def _ellipsoid(ellipsoid: Ellipsoid) -> tuple[mesh_assets.MeshAsset, float]:
    """Return a mesh of 642 vertices on the surface, and the largest distance of its faces from the
    surface [m].
    """
    from trimesh.creation import icosphere

    ball = icosphere(subdivisions=3)
    depth = 1.0 - float(
        np.abs(np.einsum("ij,ij->i", ball.face_normals, ball.triangles[:, 0])).min()
    )
    asset = mesh_assets.MeshAsset(
        name="ellipsoid", vertices=ball.vertices * ellipsoid.radii, faces=ball.faces
    )
    return asset, depth * max(ellipsoid.radii)


_DECLARATION = '<?xml version="1.0"?>'
_JOINT_TYPES = {
    PrimitiveKind.HINGE: "revolute",
    PrimitiveKind.SLIDE: "prismatic",
    PrimitiveKind.BALL: "spherical",
}
_MAX_NAME = 250
"""Largest number of characters in the name of a body: PyBullet copies it into 1,024 bytes without a
check."""


def urdf_text(
    articulation: Articulation, shapes: ShapeWriter, *, collides_with_itself: bool = False
) -> str:
    """Return the URDF document of an articulation.

    Args:
        articulation: The body.
        shapes: Writes the mesh files that the document names.
        collides_with_itself: Whether its links collide with one another. Then the meshes of its
            held links are hulls, as those of the others: contacts of triangles with the links of
            the same robot are computed in each step, and take 15 times the time of the rest of it.
    """
    lines = [
        _DECLARATION,
        f'<robot name="{escaped(xml_compatible(articulation.model)[:_MAX_NAME])}">',
    ]
    segments, static = articulation.segments, _static_segments(articulation)
    for i, segment in enumerate(segments):
        keeps_triangles = static[i] and not collides_with_itself
        use = ShapeUse.STATIC_COLLISION if keeps_triangles else ShapeUse.MOVING_COLLISION
        _add_link(lines, segment, i == 0 and articulation.is_fixed, shapes, use)
    for segment in segments[1:]:
        _add_joint(lines, segment, segments[segment.parent + 1].name)
    lines.append("</robot>\n")
    return "\n".join(lines)


def _static_segments(articulation: Articulation) -> list[bool]:
    """Return for each segment whether it is welded to the world."""
    static = [articulation.is_fixed]
    for segment in articulation.segments[1:]:
        static.append(segment.primitive is None and static[segment.parent + 1])
    return static


# --- links ----------------------------------------------------------------------------------------


def _add_link(
    lines: list[str], segment: Segment, is_fixed_base: bool, shapes: ShapeWriter, use: ShapeUse
) -> None:
    lines.append(f'<link name="{escaped(segment.name)}">')
    _add_inertial(lines, segment, is_fixed_base)
    for carried in segment.links:
        for collision in carried.link.collisions:
            X_SG = carried.X_SL @ collision.X_LG
            about = (carried.link.name, f"{carried.link.name}{SEPARATOR}{collision.name}")
            for shape in shapes.shapes(collision.geometry, collision.where, use, subjects=about):
                lines.append('<collision concave="yes">' if shape.concave else "<collision>")
                _add_shape(lines, shape, X_SG)
                lines.append("</collision>")
        for visual in carried.link.visuals:
            _add_visual(lines, carried, visual, shapes)
    lines.append("</link>")


def _add_inertial(lines: list[str], segment: Segment, is_fixed_base: bool) -> None:
    """Add the inertia; a fixed base has identity axes because PyBullet's inverse dynamics ignores
    their rotation. Moments that no body has are zero: PyBullet sets them to zero and prints a line.
    """
    R_SI, moments = segment.principal
    ixx, iyy, izz = moments.tolist() if segment.is_realizable() else (0.0, 0.0, 0.0)
    lines += (
        "<inertial>",
        *_origin(IDENTITY if is_fixed_base else Pose(R_SI, segment.inertia.p_LLcm)),
        f'<mass value="{segment.inertia.mass!r}"/>',
        f'<inertia ixx="{ixx!r}" iyy="{iyy!r}" izz="{izz!r}" ixy="0" ixz="0" iyz="0"/>',
        "</inertial>",
    )


def _add_visual(
    lines: list[str], carried: CarriedLink, visual: Visual, shapes: ShapeWriter
) -> None:
    X_SG = carried.X_SL @ visual.X_LG
    texture = visual.material.texture if visual.material is not None else None
    about = (carried.link.name, f"{carried.link.name}{SEPARATOR}{visual.name}")
    for shape in shapes.shapes(
        visual.geometry,
        visual.where,
        ShapeUse.VISUAL,
        texture,
        appearance=appearance_of(visual),
        subjects=about,
    ):
        lines.append("<visual>")
        _add_shape(lines, shape, X_SG)
        color = vector(map(float, look_of(visual, shape.look).diffuse or DEFAULT_COLOR))
        lines += (
            f'<material name="{shapes.material_name()}">',
            f'<color rgba="{color}"/>',
            "</material>",
            "</visual>",
        )


def _add_shape(lines: list[str], shape: Shape, X_SG: Pose) -> None:
    attributes = "".join(
        [f' {name}="{escaped(value)}"' for name, value in shape.attributes.items()]
    )
    lines += (
        *_origin(X_SG @ shape.X_GS),
        "<geometry>",
        f"<{shape.tag}{attributes}/>",
        "</geometry>",
    )


# --- joints ---------------------------------------------------------------------------------------


def _add_joint(lines: list[str], segment: Segment, parent: str) -> None:
    lines += (
        f'<joint name="{escaped(segment.joint)}" type="{_joint_type(segment)}">',
        f'<parent link="{escaped(parent)}"/>',
        f'<child link="{escaped(segment.name)}"/>',
        *_origin(segment.X_PJ),
    )
    primitive = segment.primitive
    if primitive is not None:
        lines.append(f'<axis xyz="{vector(_normalized(primitive.axis))}"/>')
        _add_limits(lines, segment, primitive)
        axis = primitive.limits if segment.is_primary else None
        if axis is not None and (axis.damping or axis.friction):
            damping = axis.damping / primitive.ratio**2
            friction = axis.friction / abs(primitive.ratio)
            lines.append(f'<dynamics damping="{damping!r}" friction="{friction!r}"/>')
    lines.append("</joint>")


def _joint_type(segment: Segment) -> str:
    primitive = segment.primitive
    if primitive is None:
        return "fixed"
    if primitive.kind is PrimitiveKind.HINGE and displacement_limits(segment) == (
        -math.inf,
        math.inf,
    ):
        return "continuous"
    return _JOINT_TYPES[primitive.kind]


def displacement_limits(segment: Segment) -> tuple[float, float]:
    """Return the lower and upper limit of the joint position in PyBullet [rad or m]; infinite
    without a limit.
    """
    primitive = segment.primitive
    if (
        primitive is None
        or primitive.limits is None
        or not segment.is_primary
        or primitive.kind is PrimitiveKind.BALL
    ):
        return -math.inf, math.inf
    if primitive.limits.lower > primitive.limits.upper:
        return -math.inf, math.inf
    ends = sorted(
        (primitive.ratio * primitive.limits.lower, primitive.ratio * primitive.limits.upper)
    )
    return ends[0], ends[1]


def _add_limits(lines: list[str], segment: Segment, primitive: Primitive) -> None:
    """Add ``<limit>``; for PyBullet a lower limit above the upper one means no limit."""
    if primitive.kind is PrimitiveKind.BALL:
        return
    lower, upper = displacement_limits(segment)
    if (lower, upper) == (-math.inf, math.inf):
        lower, upper = 0.0, -1.0
    axis = primitive.limits if segment.is_primary else None
    effort = axis.effort / abs(primitive.ratio) if axis is not None else math.inf
    velocity = axis.velocity * abs(primitive.ratio) if axis is not None else math.inf
    lines.append(
        f'<limit lower="{lower!r}" upper="{upper!r}" effort="{effort!r}" velocity="{velocity!r}"/>'
    )


# --- numbers --------------------------------------------------------------------------------------


def _origin(X: Pose) -> list[str]:
    """Return the element of a pose; none for the identity, since PyBullet reads it in each load."""
    attributes = {"xyz": X.p, "rpy": None if X.R is IDENTITY.R else np.array(roll_pitch_yaw(X.R))}
    stated = {k: v.tolist() for k, v in attributes.items() if v is not None and v.any()}
    text = " ".join(f'{name}="{vector(values)}"' for name, values in stated.items())
    return [f"<origin {text}/>"] if text else []


def _normalized(axis: Array) -> list[float]:
    unit: list[float] = axis.tolist()
    if sorted(map(abs, unit)) != [0.0, 0.0, 1.0]:
        unit = (axis / np.linalg.norm(axis)).tolist()
    return unit

"""geom: collisions, visuals, inline shapes and materials."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from loaders.engine_settings import MUJOCO, SKY
from loaders.files.images import GrayLevels, PictureError, red_levels
from loaders.meshes.mesh_data import SUFFIX as MSH
from loaders.meshes.mesh_data import has_triangles
from loaders.mjcf import codes
from loaders.model import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Friction,
    Geometry,
    Heightmap,
    Material,
    Mesh,
    Plane,
    Settings,
    Sphere,
    Surface,
    Visual,
    of_engine,
)
from loaders.pose import IDENTITY, Pose
from loaders.text import number, numbers

from .asset import MjcfAsset
from .compiled_model import Rows, Source
from .settings import contact_settings, geom_effects, single

_MAX_LEVEL = 65535


def inline_mesh(mesh: int, source: Source) -> Mesh:
    """Return a mesh of the compiled model as an OBJ file, in the frame of the geom.

    Args:
        mesh: Its index.
        source: The compiled model.
    """
    model = source.compiled.model
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[first : first + count].astype(np.float64).tolist()
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    faces = (model.mesh_face[first : first + count] + 1).tolist()
    lines = [
        *(f"v {x!r} {y!r} {z!r}" for x, y, z in vertices),
        *(f"f {a} {b} {c}" for a, b, c in faces),
    ]
    return Mesh(
        uri=f"{source.names('mesh')[mesh]}.obj", path=None, data="\n".join((*lines, "")).encode()
    )


def inline_heights(hfield: int, size: tuple[float, float, float], source: Source) -> Heightmap:
    """Return a height field of the compiled model as a picture with 16 bits.

    MuJoCo's first row is at the smallest y, that of a picture at the largest.

    Args:
        hfield: Its index.
        size: Full extent in x, y and z [m].
        source: The compiled model.
    """
    from PIL import Image

    model = source.compiled.model
    first, rows, columns = (
        int(getattr(model, f"hfield_{key}")[hfield]) for key in ("adr", "nrow", "ncol")
    )
    heights = model.hfield_data[first : first + rows * columns].reshape(rows, columns)[::-1]
    stream = io.BytesIO()
    Image.fromarray(np.round(heights * _MAX_LEVEL).astype(np.uint16)).save(stream, "PNG")
    return Heightmap(
        uri=f"{source.names('hfield')[hfield]}.png", path=None, size=size, data=stream.getvalue()
    )


DEFAULT_COLOR = [0.5, 0.5, 0.5, 1.0]
_FLAT_FILE = frozenset({"name", "type", "file"})
"""Attributes of a texture that is one flat picture."""
_MAX_EXPONENT = 128.0
"""Specular exponent of a shininess of 1."""


class Looks:
    """The material of each geom; equal ones are one object."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._materials: dict[tuple[int, tuple[float, ...]], Material] = {}
        self._looks: dict[tuple[float, ...], tuple[Material, float]] = {}

    def of_geom(self, g: int) -> tuple[Material, float]:
        """Return the material and the transparency of a geom."""
        model = self._source.model
        material, rgba = model.geom_matid[g], model.geom_rgba[g]
        stated = (material, *rgba)
        if stated not in self._looks:
            if material >= 0 and rgba == DEFAULT_COLOR:
                rgba = model.mat_rgba[material]
            key = (material, tuple(map(single, rgba)))
            if key not in self._materials:
                self._materials[key] = self._material(material, *key[1])
            self._looks[stated] = self._materials[key], 1.0 - key[1][3]
        return self._looks[stated]

    def _material(
        self, material: int, red: float, green: float, blue: float, _alpha: float
    ) -> Material:
        diffuse = (red, green, blue, 1.0)
        if material < 0:
            return Material(diffuse=diffuse)
        model = self._source.model
        specular, emission = (
            single(model.mat_specular[material]),
            single(model.mat_emission[material]),
        )
        return Material(
            name=self._source.names("material")[material],
            diffuse=diffuse,
            specular=(specular, specular, specular, 1.0),
            emissive=(emission * red, emission * green, emission * blue, 1.0) if emission else None,
            shininess=single(model.mat_shininess[material]) * _MAX_EXPONENT,
            texture=self._texture(color_textures(model.mat_texid[material])),
            maps=tuple(self._maps(row_of_textures(model.mat_texid[material]))),
            metalness=self._stated("mat_metallic", material),
            roughness=self._stated("mat_roughness", material),
            engine_settings=of_engine(MUJOCO, tuple(self._own_settings(material))),
        )

    def _stated(self, key: str, material: int) -> float | None:
        """Return a number of a material; None if it is negative, which is not stated."""
        model = self._source.model
        value = single(getattr(model, key)[material]) if model.has(key) else -1.0
        return value if value >= 0.0 else None

    def _own_settings(self, material: int) -> Iterator[tuple[str, str]]:
        """Yield how a material repeats its picture and mirrors, and what makes its picture, unless
        that is a flat file.
        """
        model = self._source.model
        repeat = [single(x) for x in model.mat_texrepeat[material]]
        reflectance = single(model.mat_reflectance[material])
        if repeat != [1.0, 1.0]:
            yield "texrepeat", numbers(repeat)
        if model.mat_texuniform[material]:
            yield "texuniform", "true"
        if reflectance:
            yield "reflectance", number(reflectance)
        textures = color_textures(model.mat_texid[material])
        picture = picture_of(textures[0], self._source) if textures else ()
        if dict(picture).get("type") != "2d" or {key for key, _ in picture} - _FLAT_FILE:
            yield from ((f"texture/{key}", text) for key, text in picture)

    def _maps(self, textures: list[int]) -> Iterator[tuple[str, str]]:
        """Yield the kind and the file of each texture with a role other than the color."""
        for role, kind in MAPS.items():
            file = self._texture(textures[role : role + 1])
            if file is not None:
                yield kind, file

    def _texture(self, textures: list[int]) -> str | None:
        """Return the file of the color texture, or None if there is none."""
        names = [self._source.names("texture")[t] for t in textures if t >= 0]
        files = [
            self._source.assets.textures[name].path
            for name in names
            if name in self._source.assets.textures
        ]
        return files[0] if files else None


def picture_of(texture: int, source: Source) -> Settings:
    """Return what a texture states, with the paths of its files; empty if one was not found.

    Args:
        texture: Its index.
        source: The compiled model.
    """
    node = source.node("texture", texture)
    return () if node is None else source.assets.pictures.get(node, ())


_SKYBOX = 2
"""MuJoCo's number of the type of a texture around the scene."""


def sky_of(model: Any) -> int | None:
    """Return the texture that MuJoCo draws as the sky, which is the first of that type."""
    kinds = model.tex_type if model.ntex else ()
    return next((i for i, kind in enumerate(kinds) if kind == _SKYBOX), None)


def read_sky(source: Source) -> Settings:
    """Return what the texture of the sky states, with the paths of its files; empty if a file was
    not found, which was reported.

    Args:
        source: The compiled model.
    """
    sky = sky_of(source.model)
    stated = () if sky is None else picture_of(sky, source)
    named = {"name": "sky"} | dict(stated) if stated else {}
    return tuple((f"{SKY}{key}", text) for key, text in named.items())


MAPS = {
    2: "ambient_occlusion_map",
    3: "roughness_map",
    4: "metalness_map",
    5: "normal_map",
    7: "emissive_map",
}
"""SDFormat's name of the kind of a texture, by MuJoCo's number of its role."""
_COLORS = (1, 8)
"""MuJoCo's numbers of the roles of a color texture, without and with transparency."""


def color_textures(values: Any) -> list[int]:
    """Return the color texture of a material, if it has one.

    Args:
        values: Its element of ``mat_texid``.
    """
    row = row_of_textures(values)
    colors = row if len(row) == 1 else [row[role] for role in _COLORS]
    return [texture for texture in colors if texture >= 0]


def row_of_textures(values: Any) -> list[int]:
    """Return the textures of a material; older versions of MuJoCo have one.

    Args:
        values: Its element of ``mat_texid``.
    """
    return values if isinstance(values, list) else [values]


Shapes = tuple[tuple[Collision, ...], tuple[Visual, ...]]


_PLANE, _HFIELD, _MESH, _SDF = 0, 1, 7, 8
_LARGE = 100.0
"""Extent with which an infinite plane is drawn [m]."""
_VISIBLE_GROUPS = 3
"""Number of the groups that MuJoCo's viewer shows at first."""
_WRAPS = frozenset({4, 5})
"""MuJoCo's numbers of the parts of a tendon that are spheres and cylinders."""
_MASK = 0xFFFFFFFF
_HULL = "convex_hull"
"""How MuJoCo's meshes collide, as a value of ``mesh/@optimization`` in SDFormat."""
_BASE = 0.01
"""Thickness below its lowest point that a height field has in the MJCF export [m]."""


def shapes_by_body(source: Source) -> dict[int, Shapes]:
    """Return the collisions and visuals of each body that has any, by its index."""
    model = source.model
    if not model.ngeom:
        return {}
    surfaces, looks, wrapped = GeomSurfaces(model), Looks(source), _wrapped(model)
    collisions: dict[int, list[Collision]] = defaultdict(list)
    visuals: dict[int, list[Visual]] = defaultdict(list)
    columns = zip(
        source.names("geom"),
        source.places("geom"),
        source.poses("geom"),
        model.geom_bodyid,
        model.geom_group,
        model.geom_type,
        model.geom_size,
        _touching(model),
        strict=True,
    )
    for g, (name, where, X_LG, body, group, kind, size, collides) in enumerate(columns):
        if kind in _PRIMITIVES:
            geometry = _PRIMITIVES[kind](size)
        elif (shape := _shape_of_file(g, kind, source)) is None:
            continue
        else:
            geometry, X_LG = shape[0], X_LG @ shape[1]  # noqa: PLW2901
        is_shown = group < _VISIBLE_GROUPS
        if collides:
            surface, solid = (
                surfaces.of_geom(g),
                _solid(g, geometry, source) if kind == _MESH else geometry,
            )
            collisions[body].append(
                Collision(name=name, X_LG=X_LG, geometry=solid, surface=surface, where=where)
            )
        if is_shown or not (collides or g in wrapped):
            material, transparency = looks.of_geom(g)
            visuals[body].append(
                Visual(
                    name=name,
                    X_LG=X_LG,
                    geometry=geometry,
                    material=material,
                    transparency=transparency,
                    where=where,
                )
            )
    return {b: (tuple(collisions[b]), tuple(visuals[b])) for b in sorted({*collisions, *visuals})}


def _solid(g: int, geometry: Geometry, source: Source) -> Geometry:
    """Return a shape that collides; MuJoCo takes the convex hull of a mesh, and leaves out corners
    above a limit.
    """
    if not isinstance(geometry, Mesh):
        return geometry
    corners = source.compiled.meshes[source.model.geom_dataid[g]].hull_corners
    if corners >= 0:
        what = f"the whole convex hull of a mesh, of whose corners MuJoCo keeps {corners} at most"
        _approximate(g, what, source)
    uri, path, scale, data = geometry.uri, geometry.path, geometry.scale, geometry.data
    return Mesh(uri=uri, path=path, scale=scale, data=data, decomposition=_HULL)


def _touching(model: Any) -> list[bool]:
    """Return whether each geom may touch another one, by its masks or by a pair."""
    found = [bool(a or b) for a, b in zip(model.geom_contype, model.geom_conaffinity, strict=True)]
    for g in (*model.pair_geom1, *model.pair_geom2) if model.npair else ():
        found[g] = True
    return found


def _wrapped(model: Any) -> set[int]:
    """Return the geoms around which tendons wrap, which the parts of the tendons state."""
    if not model.ntendon:
        return set()
    return {g for g, kind in zip(model.wrap_objid, model.wrap_type, strict=True) if kind in _WRAPS}


# --- shapes ---------------------------------------------------------------------------------------


def _plane(size: list[float]) -> Geometry:
    return Plane(size=(2.0 * size[0] or _LARGE, 2.0 * size[1] or _LARGE))


def _box(size: list[float]) -> Geometry:
    return Box(size=(2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))


_PRIMITIVES: dict[int, Callable[[list[float]], Geometry]] = {
    _PLANE: _plane,
    2: lambda size: Sphere(radius=size[0]),
    3: lambda size: Capsule(radius=size[0], length=2.0 * size[1]),
    4: lambda size: Ellipsoid(radii=(size[0], size[1], size[2])),
    5: lambda size: Cylinder(radius=size[0], length=2.0 * size[1]),
    6: _box,
}
"""Shape of each of MuJoCo's types, from the compiled size."""


def _shape_of_file(g: int, kind: int, source: Source) -> tuple[Geometry, Pose] | None:
    """Return a mesh or a height field and its pose in the geom's frame; None if the geom has
    none.
    """
    data = source.model.geom_dataid[g]
    if kind == _HFIELD:
        return _hfield(g, data, source)
    if kind == _SDF:
        _approximate(g, "a signed distance field, and its mesh stands for it", source)
    return _mesh(g, data, source)


def _mesh(g: int, mesh: int, source: Source) -> tuple[Geometry, Pose] | None:
    """Return a mesh and its pose in the geom's frame; None if there is none."""
    if mesh < 0:
        return None
    if mesh not in source.meshes:
        source.meshes[mesh] = _placed_mesh(mesh, source)
    geometry, X_GS = source.meshes[mesh]
    is_turned = any(source.compiled.meshes[mesh].refquat[1:])
    if is_turned and geometry.path is not None and len(set(geometry.scale)) > 1:
        source.diagnostics.add(
            codes.MESH_FRAME,
            source.where("mesh", mesh),
            subjects=(source.names("geom")[g],),
            mesh=source.names("mesh")[mesh],
        )
    return geometry, X_GS


def _placed_mesh(mesh: int, source: Source) -> tuple[Mesh, Pose]:
    """Return the mesh of a file in the frame of the file, or one that the document has in itself.

    MuJoCo subtracts ``refpos``, undoes ``refquat`` and scales; then it moves the mesh to its center
    and principal axes.
    """
    model, stated, asset = source.model, source.compiled.meshes[mesh], file_of_mesh(mesh, source)
    if asset is None:
        return inline_mesh(mesh, source), IDENTITY
    X_GF = Pose.from_vector((*model.mesh_pos[mesh], *model.mesh_quat[mesh])).inverse()
    X_FS = Pose.from_vector((0.0, 0.0, 0.0, *stated.refquat)).inverse()
    x, y, z = model.mesh_scale[mesh]
    if any(stated.refpos):
        X_FS = Pose.of(X_FS.R, (X_FS.R @ [-c for c in stated.refpos]) * (x, y, z))
    return Mesh(uri=asset.uri, path=asset.path, scale=(x, y, z)), X_GF @ X_FS


def file_of_mesh(mesh: int, source: Source) -> MjcfAsset | None:
    """Return the file whose triangles are those of a mesh; None if MuJoCo makes them.

    Args:
        mesh: Its index.
        source: The compiled model.
    """
    file = source.compiled.meshes[mesh].file
    asset = source.assets.files.get(file)
    return asset if asset is not None and _has_faces(file, source) else None


def _has_faces(file: str, source: Source) -> bool:
    """Return whether a file has triangles; of an OBJ or MSH file without, MuJoCo takes the convex
    hull.
    """
    data = source.assets.contents.get(file)
    if data is not None and file.endswith(MSH):
        return has_triangles(data)
    data = b"f" if data is None else data
    return not file.endswith(".obj") or data.startswith(b"f") or b"\nf" in data


def _hfield(g: int, hfield: int, source: Source) -> tuple[Geometry, Pose]:
    if hfield not in source.hfields:
        source.hfields[hfield] = _read_hfield(hfield, source)
    shape, approximations = source.hfields[hfield]
    for what in approximations:
        _approximate(g, what, source)
    return shape, IDENTITY


def _read_hfield(hfield: int, source: Source) -> tuple[Heightmap, tuple[str, ...]]:
    """Return a height field, and what is approximate about it."""
    asset = source.assets.files.get(source.compiled.hfields[hfield])
    x, y, top, base = source.model.hfield_size[hfield]
    size = (2.0 * x, 2.0 * y, top)
    approximate: list[str] = []
    if base != _BASE:
        approximate.append(
            f"a height field, whose base becomes {_BASE:g} m thick instead of {base:g} m"
        )
    if asset is None or not asset.uri.lower().endswith(".png"):
        approximate.append("a height field, whose heights are rounded to 65,535 levels")
        return inline_heights(hfield, size, source), tuple(approximate)
    shape = Heightmap(uri=asset.uri, path=asset.path, size=size)
    with suppress(PictureError):  # reported by those that draw or touch it
        gray, is_whole = red_levels(asset.path)
        shape = shape if is_whole else replace(shape, path=None, data=gray.png())
        shape = _stretched(shape, gray)
    return shape, tuple(approximate)


def _stretched(heightmap: Heightmap, gray: GrayLevels) -> Heightmap:
    """Return a height map whose lowest level is at zero, and whose highest level has the full
    height, as in MuJoCo.
    """
    lowest, highest = int(gray.levels.min()), int(gray.levels.max())
    x, y, top = heightmap.size
    levels = highest - lowest or gray.max_level
    return replace(
        heightmap,
        size=(x, y, top * gray.max_level / levels),
        position=(0.0, 0.0, 0.0 - top * lowest / levels),
    )


def _approximate(g: int, what: str, source: Source) -> None:
    name = source.names("geom")[g]
    source.diagnostics.add(
        codes.SHAPE,
        source.where("geom", g),
        subjects=(source.link(int(source.model.geom_bodyid[g])),),
        geom=name,
        shape=what,
    )


# --- contact --------------------------------------------------------------------------------------


class GeomSurfaces:
    """The surface of each geom; geoms with equal settings share one object."""

    def __init__(self, model: Rows) -> None:
        self._model = model
        self._surfaces: dict[tuple[Any, ...], Surface] = {}
        numbers = (
            model.geom_contype,
            model.geom_conaffinity,
            model.geom_condim,
            model.geom_priority,
            model.geom_solmix,
            model.geom_margin,
            model.geom_gap,
        )
        vectors = (
            map(tuple, each)
            for each in (
                model.geom_friction,
                model.geom_solref,
                model.geom_solimp,
                model.geom_fluid,
            )
        )
        self._keys = list(zip(*numbers, *vectors, strict=True))

    def of_geom(self, g: int) -> Surface:
        """Return the surface of a geom."""
        key = (*self._keys[g], geom_effects(g, self._model))
        if key not in self._surfaces:
            model = self._model
            mu = model.geom_friction[g][0]
            self._surfaces[key] = Surface(
                friction=Friction(mu=mu, mu2=mu),
                category_bitmask=model.geom_contype[g] & _MASK,
                collide_bitmask=model.geom_conaffinity[g] & _MASK,
                engine_settings=of_engine(MUJOCO, contact_settings(g, model)),
            )
        return self._surfaces[key]

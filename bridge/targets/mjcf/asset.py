"""mesh, material, texture and hfield."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge.geometry.convex_decomposition import hull_error, hull_faces
from bridge.geometry.mesh import Appearance, MeshFile, mesh_files, shape_asset
from bridge.geometry.textures import Picture, engine_picture
from bridge.targets.mjcf import codes
from bridge.targets.numbers import color
from loaders.diagnostics import Diagnostic, Diagnostics, Where
from loaders.engine_settings import MUJOCO, SKY
from loaders.files.images import PictureError, gray_levels
from loaders.model import (
    Cone,
    EngineElement,
    Heightmap,
    Material,
    Mesh,
    Polyline,
    Rgba,
    Visual,
    settings_of,
)
from loaders.model.link import DEFAULT_COLOR, PartLook, look_of
from loaders.pose import Array, Pose

from .context import TARGET, MjcfContext, MjcfElement, Value, asset_name, own_settings

_MAX_BYTE = 255
_BASE = 0.01
"""Thickness below the lowest point that MuJoCo demands [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heightfield:
    """A file that MuJoCo reads, its ``size`` attribute, and its origin in the geometry's frame
    [m].
    """

    data: bytes
    suffix: str
    size: tuple[float, float, float, float]
    origin: tuple[float, float, float]


def read_heightfield(
    heightmap: Heightmap, link: str, where: Where, context: MjcfContext
) -> Heightfield | None:
    """Read the image as gray levels.

    MuJoCo scales the levels of an image to 0 to 1, so the size along z is that of the levels that
    occur. Of 16 bits in a PNG file MuJoCo reads the upper 8; such levels are written in MuJoCo's
    own format.

    Args:
        heightmap: The geometry.
        link: Name of the link that has it.
        where: The place of the shape in the source.
        context: The export.

    Returns:
        The height field; None, with a diagnostic, if the image cannot be read.
    """
    try:
        gray = gray_levels(heightmap.path)
    except PictureError as error:
        context.add(codes.HEIGHTMAP, where, subjects=(link,), uri=heightmap.uri, reason=str(error))
        return None
    lowest, highest = int(gray.levels.min()), int(gray.levels.max())
    x, y, z = heightmap.size
    bottom, height = z * lowest / gray.max_level, z * (highest - lowest) / gray.max_level
    px, py, pz = heightmap.position
    return Heightfield(
        data=gray.png() if gray.max_level == _MAX_BYTE else _binary(gray.levels),
        suffix=".png" if gray.max_level == _MAX_BYTE else ".bin",
        size=(x / 2.0, y / 2.0, height or 1e-6, _BASE),
        origin=(px, py, pz + bottom),
    )


def _binary(levels: NDArray[np.int32]) -> bytes:
    """Return levels as a file in MuJoCo's format: the numbers of rows and columns, and rows from
    the smallest y.
    """
    return np.array(levels.shape, dtype="<i4").tobytes() + levels[::-1].astype("<f4").tobytes()


GRAY = (0.5, 0.5, 0.5, 1.0)
"""MuJoCo's color of a geom that states none."""
_ROLES = {
    "ambient_occlusion_map": "occlusion",
    "emissive_map": "emissive",
    "metalness_map": "metallic",
    "normal_map": "normal",
    "roughness_map": "roughness",
}
"""MuJoCo's name of a texture's role, by SDFormat's."""
_WHITE = (1.0, 1.0, 1.0, 1.0)
"""Color under a texture, which leaves its colors unchanged."""
_HUE = 1e-6
"""Largest difference of two hues that are the same."""
_OF_PICTURE = "texture/"
_UNSCALED = (1.0, 1.0, 1.0)
_GLOSS = 0.5
"""MuJoCo's specularity and shininess of a material that states none."""


@dataclass(frozen=True, slots=True)
class MeshUse:
    """The use of a mesh by a shape.

    Attributes:
        link: Name of the shape's link.
        where: The shape's place in the source.
        collides: Whether the shape is a collision: then the mesh needs volume, and is convex or in
            convex parts.
        appearance: The part of the mesh file's appearance that the source leaves in effect.
        has_texture: Whether the source states a texture.
    """

    link: str
    where: Where
    collides: bool
    appearance: Appearance = Appearance.ALL
    has_texture: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MjcfMesh:
    """One mesh asset in the document, with the look that the mesh file states."""

    name: str
    file: MeshFile
    ratio: tuple[float, ...] = _UNSCALED
    """Scale of the asset relative to its file."""

    @property
    def vertices(self) -> Array:
        """Positions [m], shape (n, 3); they are read when asked for."""
        return self.file.vertices if self.ratio == _UNSCALED else self.file.vertices * self.ratio


class _Key(NamedTuple):
    """The properties that determine the files of a geometry."""

    geometry: Mesh | Cone | Polyline
    collides: bool
    appearance: Appearance
    has_texture: bool


class AssetLibrary:
    """The assets of one document, without duplicates."""

    def __init__(self, context: MjcfContext) -> None:
        self._context = context
        self.files: dict[str, bytes] = {}
        """Contents of each file, by its name in the folder ``assets``."""
        self.digests: dict[str, str] = {}
        """Hashes of the contents of meshes and pictures, which are known from their conversion."""
        self._parts: dict[_Key, tuple[MjcfMesh, ...]] = {}
        self._first_sizes: dict[_Key, _Key] = {}
        self._names: dict[str, str] = {}
        self._elements: dict[str, MjcfElement] = {}
        self._limited: set[str] = set()
        self._materials: dict[tuple[tuple[str, str], ...], str] = {}
        self._textures: dict[str, str | None] = {}
        self._heightfields: dict[Heightfield, str] = {}

    # --- meshes -----------------------------------------------------------------------------------

    def meshes(self, geometry: Mesh | Cone | Polyline, use: MeshUse) -> tuple[MjcfMesh, ...]:
        """Return the parts of a geometry, and add their assets; empty, with a diagnostic, if it
        cannot be read.
        """
        key = _Key(geometry, use.collides, use.appearance, use.has_texture)
        if not self._parts.get(key):  # an unreadable mesh is reported for each shape that uses it
            self._parts[key] = self._rescaled(key) or self._converted(geometry, use)
        return self._parts[key]

    def _converted(self, geometry: Mesh | Cone | Polyline, use: MeshUse) -> tuple[MjcfMesh, ...]:
        diagnostics = Diagnostics()
        if isinstance(geometry, Mesh):
            files = mesh_files(
                geometry,
                TARGET,
                diagnostics,
                where=use.where,
                collides=use.collides,
                appearance=use.appearance,
            )
        else:
            files = tuple(
                map(MeshFile.of, shape_asset(geometry, TARGET, diagnostics, where=use.where))
            )
        self._extend(diagnostics, use.link)
        if use.has_texture:
            self._report_missing_uv(files, use)
        return tuple(self._part(file, use) for file in files)

    def _extend(self, findings: Iterable[Diagnostic], link: str) -> None:
        """Record findings of the conversion of a mesh or an image; those without subjects are about
        the link, if its name is not empty.
        """
        owner = (link,) if link else ()
        about_link = (replace(entry, subjects=entry.subjects or owner) for entry in findings)
        self._context.entries.extend(about_link)

    def _rescaled(self, key: _Key) -> tuple[MjcfMesh, ...]:
        """Return the parts of a mesh that is present in another size: the same files, scaled."""
        mesh = key.geometry
        if not isinstance(mesh, Mesh) or mesh.reference is not None or not all(mesh.scale):
            return ()
        unscaled = key._replace(geometry=replace(mesh, scale=_UNSCALED))
        first = self._first_sizes.setdefault(unscaled, key)
        scale = first.geometry.scale if isinstance(first.geometry, Mesh) else _UNSCALED
        ratio = tuple(new / old for new, old in zip(mesh.scale, scale, strict=True))
        return tuple(self._scaled(part, ratio) for part in self._parts.get(first, ()))

    def _scaled(self, part: MjcfMesh, ratio: tuple[float, ...]) -> MjcfMesh:
        name = self._context.names.claim("mesh", part.name)
        self._context.document["asset"].add("mesh", name=name, file=f"{part.name}.obj", scale=ratio)
        return replace(part, name=name, ratio=ratio)

    def _report_missing_uv(self, files: Iterable[MeshFile], use: MeshUse) -> None:
        for file in files:
            if not file.has_uv:
                self._context.add(
                    codes.NO_TEXTURE_COORDINATES, use.where, subjects=(use.link,), mesh=file.name
                )

    def _part(self, file: MeshFile, use: MeshUse) -> MjcfMesh:
        alternative = f"{file.name}_collision" if use.collides else ""
        name = self._names.get(file.digest)
        if name is None:
            name = self._names[file.digest] = self._context.names.claim(
                "mesh", file.name, alternative=alternative
            )
            self.files[f"{name}.obj"], self.digests[f"{name}.obj"] = file.data, file.digest
            self._elements[name] = self._context.document["asset"].add("mesh", file=f"{name}.obj")
        most = self._context.options.maxhullvert
        if use.collides and most and name not in self._limited:
            self._limited.add(name)
            self._limit_hull(name, file, use, most)
        return MjcfMesh(name=name, file=file)

    def _limit_hull(self, name: str, file: MeshFile, use: MeshUse, most: int) -> None:
        """Limit the number of vertices of a hull, if it has more, and report the error."""
        hull = hull_faces(file.vertices)
        corners = file.vertices if hull is None else file.vertices[np.unique(hull)]
        fewer = hull_faces(file.vertices, most) if len(corners) > most else None
        if fewer is None:
            return
        kept = file.vertices[np.unique(fewer)]
        self._elements[name].set(maxhullvert=most)
        self._context.add(
            codes.FEWER_VERTICES,
            use.where,
            subjects=(use.link,),
            mesh=file.name,
            fewer=len(kept),
            count=len(corners),
            error=hull_error(corners, kept),
        )

    # --- materials --------------------------------------------------------------------------------

    def look(self, visual: Visual, link: str, own: PartLook) -> tuple[str | None, Rgba | None]:
        """Return ``material`` and ``rgba`` of a geom; a color without a name needs no asset.

        Args:
            visual: The visual.
            link: Name of its link.
            own: What the mesh file states.
        """
        material = look_of(visual, own)
        rgba = material.diffuse or DEFAULT_COLOR
        self._report_unsupported_look(material, link, visual.where)
        plain = Material(diffuse=rgba, ambient=material.ambient, maps=material.maps)
        if material == plain and not any(kind in _ROLES for kind, _ in material.maps):
            return None, rgba
        return self._material_asset(material, rgba, link, visual.where), None

    def _material_asset(self, material: Material, rgba: Rgba, link: str, where: Where) -> str:
        own = settings_of(material, MUJOCO)
        made = [(key.removeprefix(_OF_PICTURE), text) for key, text in own if "/" in key]
        if made:
            texture = self._made_texture(dict(made), link, where)
        else:
            texture = self._texture(material.texture, link, where) if material.texture else None
        layers = self._layers(material, texture, link, where)
        attributes: dict[str, Value] = {
            "texture": None if layers else texture,
            **_reflection(material),
        }
        attributes |= {key: text for key, text in own if "/" not in key}
        attributes["rgba"] = None if texture and rgba == _WHITE else color(rgba)
        key = (
            ("name", material.name or ""),
            *layers,
            *((k, repr(v)) for k, v in attributes.items()),
        )
        if key not in self._materials:
            preferred = material.name or texture or _color_name(rgba)
            name = self._materials[key] = self._context.names.claim("material", preferred)
            element = self._context.document["asset"].add("material", name=name, **attributes)
            for role, layer in layers:
                element.add("layer", role=role, texture=layer)
        return self._materials[key]

    def _layers(
        self, material: Material, texture: str | None, link: str, where: Where
    ) -> list[tuple[str, str]]:
        """Return role and texture of each layer, if a material has more than its color texture."""
        maps = [
            (_ROLES[kind], self._texture(file, link, where))
            for kind, file in material.maps
            if kind in _ROLES
        ]
        layers = [(role, name) for role, name in maps if name is not None]
        return [("rgb", texture), *layers] if texture is not None and layers else layers

    def _report_unsupported_look(self, material: Material, link: str, where: Where) -> None:
        stated = {
            "ambient color": material.ambient is not None and material.ambient != material.diffuse,
            "specular hue": _has_hue(material.specular),
            "emissive hue": _has_other_hue(material.emissive, material.diffuse or _WHITE),
        }
        lost = [name for name, is_stated in stated.items() if is_stated]
        lost += [
            kind.replace("_", " ") for kind, file in material.maps if _is_lost(kind, file, material)
        ]
        if lost:
            self._context.add(
                codes.MATERIAL,
                where,
                subjects=(link,),
                material=material.name or "without a name",
                properties=tuple(lost),
            )

    def _texture(self, file: str, link: str, where: Where) -> str | None:
        """Return the texture asset of an image file; None, with a diagnostic, if the file cannot be
        used.
        """
        if file not in self._textures:
            diagnostics = Diagnostics()
            picture = engine_picture(file, TARGET, diagnostics, where=where)
            self._extend(diagnostics, link)
            self._textures[file] = (
                None if picture is None else self._texture_asset(picture, Path(file).stem)
            )
            if picture is not None and picture.has_transparent_pixels:
                self._context.add(
                    codes.TEXTURE_TRANSPARENCY, where, subjects=(link,), file=Path(file).name
                )
        return self._textures[file]

    def add_sky(self) -> None:
        """Add the picture around the scene that a source in MJCF states."""
        scene = self._context.mechanism.scene
        settings = own_settings(self._context.mechanism.physics)
        stated = {k.removeprefix(SKY): text for k, text in settings.items() if k.startswith(SKY)}
        if stated:
            self._made_texture(stated, "", Where(scene.source))

    def material_of_skin(
        self, stated: Mapping[str, str], texture: Mapping[str, str], skin: EngineElement
    ) -> str | None:
        """Return the material asset of a skin; None if it has none.

        Args:
            stated: The attributes of the material.
            texture: The attributes of its texture, with the paths of the files.
            skin: The skin.
        """
        if not stated:
            return None
        picture = self._made_texture(dict(texture), skin.name, skin.where) if texture else None
        name = self._context.names.claim("material", stated["name"])
        self._context.document["asset"].add(
            "material", **{**stated, "name": name, "texture": picture}
        )
        return name

    def _made_texture(self, stated: dict[str, str], link: str, where: Where) -> str | None:
        """Return the texture asset that a source in MJCF describes; None, with a diagnostic, if a
        file of it cannot be used.

        Args:
            stated: The attributes of the texture, with the paths of its files.
            link: Name of the link that it is on; empty for the sky.
            where: Place of what has it.
        """
        key = repr(sorted(stated.items()))
        if key not in self._textures:
            files: dict[str, Value] = {}
            for side in (name for name in stated if name.startswith("file")):
                diagnostics = Diagnostics()
                picture = engine_picture(stated[side], TARGET, diagnostics, where=where)
                self._extend(diagnostics, link)
                files[side] = None if picture is None else self._picture_file(picture, stated[side])
            name = stated.get("name") or Path(stated.get("file", "picture")).stem
            is_whole = all(file is not None for file in files.values())
            self._textures[key] = self._context.names.claim("picture", name) if is_whole else None
            if is_whole:
                self._context.document["asset"].add(
                    "texture", **stated | files | {"name": self._textures[key]}
                )
        return self._textures[key]

    def _picture_file(self, picture: Picture, path: str) -> str:
        """Return the name of a file that a texture with attributes of its own names."""
        key = f"file {picture.digest}"
        if key not in self._names:
            name = self._names[key] = self._context.names.claim("picture", Path(path).stem)
            self.files[f"{name}.png"], self.digests[f"{name}.png"] = picture.data, picture.digest
        return f"{self._names[key]}.png"

    def _texture_asset(self, picture: Picture, stem: str) -> str:
        name = self._names.get(picture.digest)
        if name is None:
            name = self._names[picture.digest] = self._context.names.claim("picture", stem)
            self.files[f"{name}.png"], self.digests[f"{name}.png"] = picture.data, picture.digest
            self._context.document["asset"].add("texture", name=name, type="2d", file=f"{name}.png")
        return name

    # --- terrain ----------------------------------------------------------------------------------

    def heightfield(self, heightmap: Heightmap, use: MeshUse) -> tuple[str, Pose] | None:
        """Return the name of the height field asset and its pose in the geometry's frame; None if
        it is unreadable.
        """
        field = read_heightfield(heightmap, use.link, use.where, self._context)
        if field is None:
            return None
        name = self._heightfields.get(field)
        if name is None:
            name = self._context.names.claim("picture", Path(heightmap.path or heightmap.uri).stem)
            self._heightfields[field] = name
            file = f"{name}{field.suffix}"
            self.files[file] = field.data
            self._context.document["asset"].add("hfield", name=name, file=file, size=field.size)
        return name, Pose.of(p=field.origin)


def name_colors(context: MjcfContext) -> None:
    """Replace each color that several visual geoms have by a material."""
    geoms = [
        e
        for body in (*context.document.bodies, context.document["worldbody"])
        for e in body.children
    ]
    visuals = {
        id(e): e for e in geoms if e.attributes.get("class") == "visual" and "rgba" in e.attributes
    }.values()
    geoms_by_color: dict[str, list[MjcfElement]] = defaultdict(list)
    for geom in visuals:
        geoms_by_color[geom.attributes["rgba"]].append(geom)
    for rgba, group in geoms_by_color.items():
        if len(group) > 1:
            name = context.names.claim("material", _color_name([float(c) for c in rgba.split()]))
            context.document["asset"].add("material", name=name, rgba=rgba)
            for geom in group:
                geom.attributes = {k: v for k, v in geom.attributes.items() if k != "rgba"} | {
                    "material": name
                }


def sort_assets(context: MjcfContext) -> None:
    """Sort the assets by their first use in the finished document, in which a reader finds them in
    the same order.
    """
    first: dict[tuple[str, str], int] = {}
    assets = context.document["asset"].children
    materials = {asset.attributes["name"]: asset for asset in assets if asset.tag == "material"}
    for user in (*context.document["default"].walk(), *context.document["worldbody"].walk()):
        kinds = [kind for kind in ("material", "mesh", "hfield") if kind in user.attributes]
        uses: list[tuple[str, str]] = [(kind, user.attributes[kind]) for kind in kinds]
        looks = [materials[name] for tag, name in uses if tag == "material" and name in materials]
        for look in looks:
            textures = [part.attributes.get("texture") for part in look.walk()]
            uses += [("texture", name) for name in textures if name is not None]
        for use in uses:
            first.setdefault(use, len(first))
    assets.sort(key=lambda asset: first.get((asset.tag, asset_name(asset)), len(first)))


def _reflection(material: Material) -> dict[str, Value]:
    """Return the attributes of a material that say how it reflects light, where they are not
    MuJoCo's default.
    """
    specular = max(material.specular[:3]) if material.specular else _GLOSS
    shininess = min(material.shininess / 128.0, 1.0) if material.shininess is not None else _GLOSS
    return {
        "specular": None if specular == _GLOSS else specular,
        "shininess": None if shininess == _GLOSS else shininess,
        "emission": _emission(material),
        "metallic": material.metalness,
        "roughness": material.roughness,
    }


def _emission(material: Material) -> float | None:
    """Return the light that a material emits as a multiple of its color, in single precision, as
    MuJoCo has it.
    """
    if not material.emissive:
        return None
    brightest = max((material.diffuse or DEFAULT_COLOR)[:3])
    emitted = max(material.emissive[:3])
    return float(str(np.float32(emitted / brightest if brightest > 0.0 else emitted))) or None


def _color_name(rgba: Sequence[float]) -> str:
    return "color_" + "".join(f"{round(min(max(c, 0.0), 1.0) * 255):02x}" for c in rgba[:3])


def _is_lost(kind: str, file: str, material: Material) -> bool:
    """Return whether MuJoCo has no role for a map."""
    return kind not in _ROLES and (kind, file) != ("albedo_map", material.texture)


def _has_hue(rgba: Rgba | None) -> bool:
    """Return whether a color is not a shade of gray, which is all that MuJoCo's single number
    represents.
    """
    return rgba is not None and len(set(rgba[:3])) > 1


def _has_other_hue(emissive: Rgba | None, diffuse: Rgba) -> bool:
    """Return whether emitted light is no multiple of the base color, which is all that MuJoCo's
    number represents.
    """
    if emissive is None or not any(emissive[:3]):
        return False
    return bool(np.abs(np.cross(emissive[:3], diffuse[:3])).max() > _HUE)

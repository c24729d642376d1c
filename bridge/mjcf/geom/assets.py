"""``<asset>``: meshes, materials, textures and height fields, each once, with names that a person would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from bridge.geometry.convex_decomposition import with_choice
from bridge.geometry.mesh_assets import MeshAsset, mesh_asset, shape_asset
from bridge.geometry.textures import has_transparent_pixels, png_texture
from bridge.mjcf.xml.context import TARGET, Context
from bridge.mjcf.xml.element import Value
from bridge.mjcf.xml.number_format import color
from loaders.diagnostics import Fate, Where
from loaders.model import Cone, Heightmap, Material, Mesh, Polyline, Rgba, Visual
from loaders.spatial import Array, Pose

from .hfield import Heightfield, read_heightfield

_GREY = (0.5, 0.5, 0.5, 1.0)
"""MuJoCo's colour of a geom that has none."""
_ROLES = {
    "ambient_occlusion_map": "occlusion",
    "emissive_map": "emissive",
    "metalness_map": "metallic",
    "normal_map": "normal",
    "roughness_map": "roughness",
}
"""MuJoCo's name of a texture's role, by SDFormat's."""
_WHITE = (1.0, 1.0, 1.0, 1.0)
"""Under a texture, which then shows as it is."""


@dataclass(frozen=True, slots=True)
class MeshUse:
    """How a mesh is used."""

    where: Where
    collides: bool
    """Whether it touches others: then it needs volume, and is convex or in convex parts."""
    plain: bool = False
    """Whether the source gives it one colour, so that those of its file do not matter."""
    picture: bool = False
    """Whether the source puts a picture on it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """One mesh asset in the document, and how the mesh file says that it looks."""

    name: str
    vertices: Array
    """Positions [m], shape (n, 3)."""
    rgba: Rgba | None = None
    texture: str | None = None


class _Key(NamedTuple):
    """All that the files of a geometry depend on."""

    geometry: Mesh | Cone | Polyline
    collides: bool
    plain: bool
    picture: bool


_UNSCALED = (1.0, 1.0, 1.0)


class AssetLibrary:
    """The assets of one document, deduplicated by content."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._parts: dict[_Key, tuple[Part, ...]] = {}
        self._sizes: dict[_Key, _Key] = {}
        self._names: dict[bytes, str] = {}
        self._materials: dict[tuple[tuple[str, str], ...], str] = {}
        self._textures: dict[str, str | None] = {}
        self._heightfields: dict[Heightfield, str] = {}

    def meshes(self, geometry: Mesh | Cone | Polyline, use: MeshUse) -> tuple[Part, ...]:
        """The parts of a geometry, registered."""
        if isinstance(geometry, Mesh) and use.collides:
            geometry = with_choice(geometry, self._context.options.collision_meshes)
        key = _Key(geometry, use.collides, use.plain, use.picture)
        if not self._parts.get(key):  # one that cannot be had is told of each shape that it leaves out
            self._parts[key] = self._resized(key) or self._converted(geometry, use)
        return self._parts[key]

    def _converted(self, geometry: Mesh | Cone | Polyline, use: MeshUse) -> tuple[Part, ...]:
        found: tuple[MeshAsset, ...]
        if isinstance(geometry, Mesh):
            how = {"collides": use.collides, "plain": use.plain}
            found = mesh_asset(geometry, TARGET, self._context.diagnostics, where=use.where, **how)
        else:
            found = shape_asset(geometry, TARGET, self._context.diagnostics, where=use.where)
        if use.picture:
            self._report_unmapped(found, use)
        return tuple(self._part(asset, use) for asset in found)

    def _resized(self, key: _Key) -> tuple[Part, ...]:
        """The parts of a mesh that is there in another size: the same files, scaled."""
        mesh = key.geometry
        if not isinstance(mesh, Mesh) or not all(mesh.scale):
            return ()
        first = self._sizes.setdefault(key._replace(geometry=replace(mesh, scale=_UNSCALED)), key)
        before = first.geometry.scale if isinstance(first.geometry, Mesh) else _UNSCALED
        ratio = tuple(new / old for new, old in zip(mesh.scale, before, strict=True))
        return tuple(self._scaled(part, ratio) for part in self._parts.get(first, ()))

    def _scaled(self, part: Part, ratio: tuple[float, ...]) -> Part:
        name = self._context.names.claim("mesh", part.name)
        self._context.document["asset"].add("mesh", name=name, file=f"{part.name}.obj", scale=ratio)
        return replace(part, name=name, vertices=part.vertices * ratio)

    def _report_unmapped(self, found: Iterable[MeshAsset], use: MeshUse) -> None:
        for asset in found:
            if asset.uv is None:
                self._context.report(
                    Fate.NOTED,
                    "no-texture-coordinates",
                    "the mesh {asset} has no texture coordinates; MuJoCo spreads the picture in its own way",
                    use.where,
                    asset=asset.name,
                )

    def _part(self, asset: MeshAsset, use: MeshUse) -> Part:
        otherwise = f"{asset.name}_collision" if use.collides else ""
        data = asset.data
        name = self._names.get(data)
        if name is None:
            name = self._names[data] = self._context.names.claim("mesh", asset.name, otherwise=otherwise)
            self._add_file(f"{name}.obj", data)
            self._context.document["asset"].add("mesh", file=f"{name}.obj")
        return Part(name=name, vertices=asset.vertices, rgba=asset.rgba, texture=asset.texture)

    def _add_file(self, file: str, data: bytes) -> None:
        self._context.assets[file] = data

    # --- looks ------------------------------------------------------------------------------------------------------

    def look(self, visual: Visual, rgba: Rgba | None, texture: str | None) -> tuple[str | None, Rgba | None]:
        """``material`` and ``rgba`` of a geom: what the source says of the visual, else what the mesh file says."""
        if visual.material is not None:
            return self._stated(visual, visual.material)
        rgba = _faded(rgba, visual.transparency)
        if texture is None:
            return None, rgba
        return self._material_asset(Material(texture=texture), rgba or _WHITE, visual.where), None

    def _stated(self, visual: Visual, material: Material) -> tuple[str | None, Rgba | None]:
        """A bare colour without a name needs no asset."""
        rgba = _faded(material.diffuse, visual.transparency)
        self._report_look(material, visual.where)
        has_layers = any(kind in _ROLES for kind, _ in material.maps)
        plain = Material(diffuse=material.diffuse, ambient=material.ambient, maps=material.maps)
        if material == plain and not has_layers:
            return None, rgba
        return self._material_asset(material, rgba or (_WHITE if material.texture else _GREY), visual.where), None

    def _material_asset(self, material: Material, rgba: Rgba, where: Where) -> str:
        texture = self._texture(material.texture, where) if material.texture else None
        layers = self._layers(material, texture, where)
        element: dict[str, Value] = {
            "texture": None if layers else texture,
            "specular": max(material.specular[:3]) if material.specular else None,
            "shininess": min(material.shininess / 128.0, 1.0) if material.shininess is not None else None,
            "emission": max(material.emissive[:3]) if material.emissive else None,
            "metallic": material.metalness,
            "roughness": material.roughness,
            "rgba": None if texture and rgba == _WHITE else color(rgba),
        }
        key = (("name", material.name or ""), *layers, *((k, repr(v)) for k, v in element.items()))
        if key not in self._materials:
            wanted = material.name or texture or _color_name(rgba)
            name = self._materials[key] = self._context.names.claim("material", wanted)
            written = self._context.document["asset"].add("material", name=name, **element)
            for role, layer in layers:
                written.add("layer", role=role, texture=layer)
        return self._materials[key]

    def _layers(self, material: Material, texture: str | None, where: Where) -> list[tuple[str, str]]:
        """Role and texture, where a material has more than its colour texture."""
        further = [(_ROLES[kind], self._texture(file, where)) for kind, file in material.maps if kind in _ROLES]
        found = [(role, name) for role, name in further if name is not None]
        return [("rgb", texture), *found] if texture is not None and found else found

    def _report_look(self, material: Material, where: Where) -> None:
        lost = [
            name
            for name, value in (
                ("ambient colour", material.ambient if material.ambient != material.diffuse else None),
                ("specular hue", _hue(material.specular)),
                ("emissive hue", _hue(material.emissive)),
                *((kind.replace("_", " "), True) for kind, file in material.maps if _is_lost(kind, file, material)),
            )
            if value
        ]
        if lost:
            name = f"the material {material.name}" if material.name else "a material"
            self._context.report(
                Fate.NOTED,
                "material",
                "of {name} these are not carried: {names}",
                where,
                name=name,
                names=", ".join(lost),
            )

    def _texture(self, file: str, where: Where) -> str | None:
        """Name of the texture asset of an image file; None, with a diagnostic, if it cannot be used."""
        if file not in self._textures:
            data = png_texture(file, TARGET, self._context.diagnostics, where=where)
            self._textures[file] = None
            if data is not None:
                self._textures[file] = self._names.get(data) or self._picture(data, Path(file).stem)
            if data is not None and has_transparent_pixels(data):
                self._context.report(
                    Fate.NOTED,
                    "texture-transparency",
                    "the picture {name} has transparent parts, which MuJoCo draws like the others",
                    where,
                    name=Path(file).name,
                )
        return self._textures[file]

    def _picture(self, data: bytes, stem: str) -> str:
        name = self._names[data] = self._context.names.claim("picture", stem)
        self._add_file(f"{name}.png", data)
        self._context.document["asset"].add("texture", name=name, type="2d", file=f"{name}.png")
        return name

    # --- terrain ----------------------------------------------------------------------------------------------------

    def heightfield(self, heightmap: Heightmap, use: MeshUse) -> tuple[str, Pose] | None:
        """Name of the height field asset and where it stands in the geometry's frame; None if it cannot be read."""
        field = read_heightfield(heightmap, use.where, self._context)
        if field is None:
            return None
        name = self._heightfields.get(field)
        if name is None:
            name = self._context.names.claim("picture", Path(heightmap.path or heightmap.uri).stem)
            self._heightfields[field] = name
            self._add_file(f"{name}.png", field.png)
            self._context.document["asset"].add("hfield", name=name, file=f"{name}.png", size=field.size)
        return name, Pose.of(p=field.origin)


def name_colors(context: Context) -> None:
    """A material for each bare colour that several visual geoms have."""
    geoms = [e for body in (*context.document.bodies, context.document["worldbody"]) for e in body.children]
    seen = {id(e): e for e in geoms if e.attributes.get("class") == "visual" and "rgba" in e.attributes}.values()
    for rgba, count in Counter(e.attributes["rgba"] for e in seen).items():
        if count > 1:
            name = context.names.claim("material", _color_name([float(c) for c in rgba.split()]))
            context.document["asset"].add("material", name=name, rgba=rgba)
            for geom in (e for e in seen if e.attributes.get("rgba") == rgba):
                geom.attributes = {k: v for k, v in geom.attributes.items() if k != "rgba"} | {"material": name}


def _color_name(rgba: Sequence[float]) -> str:
    return "color_" + "".join(f"{round(min(max(c, 0.0), 1.0) * 255):02x}" for c in rgba[:3])


def _faded(rgba: Rgba | None, transparency: float) -> Rgba | None:
    """A colour with its opacity reduced; None is MuJoCo's own colour."""
    if transparency == 0.0:
        return rgba
    r, g, b, a = rgba or _GREY
    return (r, g, b, a * (1.0 - transparency))


def _is_lost(kind: str, file: str, material: Material) -> bool:
    """Whether MuJoCo has no role for a map."""
    return kind not in _ROLES and (kind, file) != ("albedo_map", material.texture)


def _hue(rgba: Rgba | None) -> bool:
    """Whether a colour is more than a shade of grey, which is all that MuJoCo's number can hold."""
    return rgba is not None and len(set(rgba[:3])) > 1

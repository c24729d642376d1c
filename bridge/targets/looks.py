"""Looks of visuals, stated so that readers of a document draw what those of its source draw."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bridge.codes import MESH_SKIN
from bridge.geometry.cache import stored_folder
from bridge.geometry.mesh import Appearance, MeshAsset, appearance_of, mesh_asset, mesh_files, obj
from bridge.geometry.textures import JPEG, PNG, engine_picture
from bridge.targets.report import Report
from loaders.diagnostics import Diagnostics, Where
from loaders.engine_settings import SKIN, elements_in
from loaders.files.read_file import read
from loaders.limits import FileError, LimitError
from loaders.model import Collision, Material, Mesh, Rgba, Visual
from loaders.model.link import UNSTATED, PartLook, look_of
from loaders.scene import Scene
from loaders.sdf.material import SCRIPTED

_LOOKLESS = (".stl", ".msh")
"""Suffixes of mesh files that state no look which is read."""
_WORDS = {".dae": b"<diffuse", ".gltf": b"", ".glb": b""}
"""Words of mesh files that state looks, by suffix; a material of glTF is white, if nothing else."""
_URDF, _SDF = Where(path="/robot"), Where(path="/sdf")
"""Places of a visual in a document."""


def with_stated_looks(scene: Scene, report: Report, *, in_urdf: bool) -> Scene:
    """Return the scene with visuals that a document draws as the source's are drawn, by the rule of
    `loaders.model.link.look_of`, with a color in each material or mesh file.

    A color on a mesh with textures means another thing in SDFormat than in URDF, and URDF has no
    transparency but that of colors. Where the document cannot state a look beside the file of the
    mesh, the parts of the mesh become files and visuals of their own. Skins are left out.

    Args:
        scene: The scene.
        report: Receives the findings about meshes that are written anew.
        in_urdf: Whether the document is URDF, rather than SDFormat.
    """
    links = []
    for link in scene.links:
        stated = [_stated(visual, report, in_urdf=in_urdf) for visual in link.visuals]
        visuals = tuple(visual for parts in stated for visual in parts)
        collisions = tuple(_with_up_axis(shape, report) for shape in link.collisions)
        if (visuals, collisions) != (link.visuals, link.collisions):
            link = replace(link, visuals=visuals, collisions=collisions)  # noqa: PLW2901
        links.append(link)
    skins = elements_in(SKIN, scene)
    if skins:
        names = tuple(skin.name for skin in skins)
        report.add(MESH_SKIN, skins[0].where, subjects=names, names=names)
    elements = tuple(element for element in scene.engine_elements if element.section != SKIN)
    return replace(scene, links=tuple(links), engine_elements=elements)


def _stated(visual: Visual, report: Report, *, in_urdf: bool) -> tuple[Visual, ...]:
    """Return the visuals that stand for one in a document."""
    material = visual.material or Material()
    name = material.name or ""
    # in a URDF Gazebo looks for all names in its script
    if material == Material(name=name) and (in_urdf or name.startswith(SCRIPTED)):
        return (visual,)
    drawn = visual if in_urdf else replace(visual, transparency=0.0)
    decides = material in (Material(), Material(name=name)) and not drawn.transparency
    if decides and not _cannot_state(visual.geometry, in_urdf=in_urdf) and _has_looks(visual):
        return (visual,)  # the mesh file, which it would take long to read
    parts = _looks_of_mesh(visual.geometry) or (UNSTATED,)
    wanted = [look_of(drawn, part) for part in parts]
    written = replace(drawn, transparency=0.0, where=_URDF if in_urdf else _SDF)
    for choice in _choices(material, wanted, parts, in_urdf=in_urdf):
        if _cannot_state(visual.geometry, in_urdf=in_urdf):
            break
        read = replace(written, material=_as_read(choice, in_urdf=in_urdf))
        looks = (look_of(read, part) for part in parts)
        if all(_is_drawn(a, b, material) for a, b in zip(wanted, looks, strict=True)):
            said = None if choice == Material() else choice
            transparency = 0.0 if in_urdf else visual.transparency
            return (replace(visual, material=said, transparency=transparency),)
    try:
        return tuple(_visuals_of_parts(visual, drawn, report, in_urdf=in_urdf)) or (visual,)
    except OSError:
        return (visual,)


def _choices(
    material: Material, wanted: Sequence[Material], parts: Sequence[PartLook], *, in_urdf: bool
) -> Iterator[Material]:
    """Yield materials for a visual whose mesh, if it is one, stays as it is: that of the source, if
    it or the mesh file states all colors, then the one that all parts have.
    """
    has_own_looks = all(part.color or part.texture for part in parts)
    if material.diffuse or (has_own_looks and not material.texture):
        yield material
    first = wanted[0]
    if in_urdf:
        ambient = material.ambient if material.diffuse else None
        first = replace(
            first, texture=material.texture, emissive=material.emissive, ambient=ambient
        )
    yield first


def _as_read(material: Material, *, in_urdf: bool) -> Material:
    """Return what a reader of a document finds of a material."""
    return Material(diffuse=material.diffuse, texture=material.texture) if in_urdf else material


def _is_drawn(wanted: Material, read: Material, stated: Material) -> bool:
    """Return whether two looks are drawn alike; light that the source's material emits, which URDF
    cannot state, is not compared.
    """
    if wanted.diffuse is not None and read.diffuse is not None and not wanted.diffuse[3]:
        return not read.diffuse[3]
    is_equal = (wanted.diffuse, wanted.texture) == (read.diffuse, read.texture)
    return is_equal and (stated.emissive is not None or wanted.emissive == read.emissive)


def _cannot_state(geometry: object, *, in_urdf: bool) -> bool:
    """Return whether a document has no place for the part of a mesh file that a visual draws, or
    for its up axis.
    """
    if not isinstance(geometry, Mesh):
        return False
    return geometry.turned is not None or (in_urdf and geometry.submesh is not None)


def _with_up_axis(collision: Collision, report: Report) -> Collision:
    """Return a collision whose mesh, if its up axis is not left to the reader, is a file that is
    turned.
    """
    mesh = collision.geometry
    if not isinstance(mesh, Mesh) or mesh.turned is None:
        return collision
    assets = mesh_asset(
        mesh, report.target, report.entries, where=collision.where, appearance=Appearance.NONE
    )
    if not assets:
        return collision
    try:
        file = _file_of_part(assets[0], Material(), report, collision.where)
    except OSError:
        return collision
    kept = replace(mesh, scale=(1.0, 1.0, 1.0), submesh=None, center=False, turned=None)
    return replace(collision, geometry=replace(kept, uri=file.uri, path=file.path, reference=None))


def _has_looks(visual: Visual) -> bool:
    """Return whether a visual is a mesh whose file has materials, by a look at its text."""
    mesh = visual.geometry
    if not isinstance(mesh, Mesh) or mesh.path is None:
        return False
    word = _WORDS.get(Path(mesh.path).suffix.lower())
    try:
        return word is not None and word in read(mesh.path, option="mesh_file_bytes")
    except FileError:
        return False


def _looks_of_mesh(geometry: object) -> tuple[PartLook, ...]:
    """Return the look of each part of a mesh as its file states it; nothing of other shapes."""
    if not isinstance(geometry, Mesh) or geometry.path is None:
        return ()
    if geometry.path.lower().endswith(_LOOKLESS):
        return ()
    try:
        files = mesh_files(geometry, "", Diagnostics(), appearance=Appearance.ALL)
    except LimitError:
        return ()
    return tuple(file.look for file in files)


# --- meshes that are written anew -----------------------------------------------------------------


def _visuals_of_parts(
    visual: Visual, drawn: Visual, report: Report, *, in_urdf: bool
) -> Iterator[Visual]:
    """Yield a visual for each part of a mesh, with a file of its own.

    Raises:
        OSError: if the cache of files cannot be written.
    """
    if not isinstance(visual.geometry, Mesh):
        return
    assets = mesh_asset(
        visual.geometry,
        report.target,
        report.entries,
        where=visual.where,
        appearance=appearance_of(visual),
    )
    for asset in assets:
        look = look_of(drawn, asset.look)
        if in_urdf:
            mesh = _file_of_part(asset, look, report, visual.where)
            said = replace(look, texture=None, ambient=None) if look.emissive is None else None
            yield replace(visual, geometry=mesh, material=said, transparency=0.0)
        else:
            mesh = _file_of_part(asset, Material(), report, visual.where)
            yield replace(visual, geometry=mesh, material=look)


def _file_of_part(asset: MeshAsset, look: Material, report: Report, where: Where) -> Mesh:
    """Return the mesh of a part as an OBJ file, with a material library if its look is in there.

    Raises:
        OSError: if the cache of files cannot be written.
    """
    name = f"{asset.name}.obj"
    data = obj(asset.vertices, asset.faces, asset.uv, has_normals=True)
    files = {name: data}
    lines = ["newmtl look"]
    if look.emissive is not None:
        diffuse = look.diffuse or (1.0, 1.0, 1.0, 1.0)
        lines += [_line("Kd", diffuse), f"d {diffuse[3]:.9g}", _line("Ke", look.emissive)]
    picture = None
    if look.texture is not None and asset.uv is not None:
        picture = engine_picture(
            look.texture, report.target, report.entries, where=where, formats=(PNG, JPEG)
        )
    if picture is not None:
        image = f"{asset.name}{picture.suffix}"
        files[image] = picture.data
        lines += [] if look.emissive is not None else ["Kd 1 1 1"]
        lines.append(f"map_Kd {image}")
    if len(lines) > 1:
        library = f"{asset.name}.mtl"
        files[library] = ("\n".join(lines) + "\n").encode()
        files[name] = f"mtllib {library}\nusemtl look\n".encode() + data
    family = hashlib.sha256(data).hexdigest()[:2]  # small, as in `.urdf.normal_link`
    folder = stored_folder(files, f"shapes/{family}")
    return Mesh(uri=name, path=str(folder / name))


def _line(key: str, color: Rgba) -> str:
    return f"{key} {' '.join(f'{value:.9g}' for value in color[:3])}"

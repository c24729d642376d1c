"""Report of the assets that no shape of a document uses, for which a scene has no place."""

from __future__ import annotations

from collections.abc import Collection

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.mjcf.elements.materials import row_of_textures

_HFIELD, _MESH, _SDF = 1, 7, 8
_SKYBOX = 2
_MATERIALS = ("flex_matid", "site_matid", "skin_matid", "tendon_matid")
"""The materials of what is no geom; older versions of MuJoCo lack some."""


def report_unused_assets(source: Source) -> None:
    """Report meshes, height fields, materials and textures that no shape uses, all in one finding.

    The sky is no asset of a shape; it is left out like other looks of the world.
    """
    model = source.model
    found: list[tuple[str, int]] = []
    if model.nmesh or model.nhfield:
        found += _unused_files(source)
    if model.nmat and (materials := _others("material", model.nmat, {*model.geom_matid} if model.ngeom else set())):
        used = set[int]().union(*(getattr(model, name, ()) for name in _MATERIALS))
        found += [(kind, i) for kind, i in materials if i not in used]
    if model.ntex:
        of_materials = set[int]().union(*map(row_of_textures, model.mat_texid if model.nmat else ()))
        textures = _others("texture", model.ntex, of_materials)
        found += [(kind, i) for kind, i in textures if model.tex_type[i] != _SKYBOX]
    if found:
        names = tuple(f"{kind} {source.names(kind)[i]}" for kind, i in found)
        message = "assets that no shape uses are left out: {names}"
        first = source.node(*found[0]) or source.lines.nodes[0]
        source.diagnostics.add(Fate.NOTED, "mjcf-in.unused-asset", message, first.where, names=names)


def _others(kind: str, count: int, used: Collection[int]) -> list[tuple[str, int]]:
    return [(kind, i) for i in range(count) if i not in used]


def _unused_files(source: Source) -> list[tuple[str, int]]:
    """Return the meshes and height fields that no element names; a geom that only has the size of a mesh does."""
    model = source.model
    shapes = {*zip(model.geom_type, model.geom_dataid, strict=True)} if model.ngeom else ()
    meshes = _others("mesh", model.nmesh, {data for kind, data in shapes if kind in {_MESH, _SDF}})
    hfields = _others("hfield", model.nhfield, {data for kind, data in shapes if kind == _HFIELD})
    return [*_unnamed(meshes, source), *_unnamed(hfields, source)]


def _unnamed(assets: list[tuple[str, int]], source: Source) -> list[tuple[str, int]]:
    """Return the assets of one kind that no element names."""
    if not assets:
        return []
    kind, nodes = assets[0][0], source.lines.nodes
    stated = {node.attributes[kind] for node in nodes if kind in node.attributes}
    ends = tuple(stated) if "attach" in source.lines.tags else ()  # a prefix may be in front
    names = source.names(kind)
    return [(kind, i) for kind, i in assets if names[i] not in stated and not (ends and names[i].endswith(ends))]

"""Report of the assets that no shape of a document uses, for which a scene has no place."""

from __future__ import annotations

from collections.abc import Collection

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source

_HFIELD, _MESH, _SDF = 1, 7, 8
_SKYBOX = 2


def report_unused_assets(source: Source) -> None:
    """Report meshes, height fields, materials and textures that no shape uses, all in one finding.

    The sky is no asset of a shape; it is left out like other looks of the world.
    """
    model = source.model
    if not (model.nmesh or model.nhfield or model.nmat or model.ntex):
        return
    shapes = zip(model.geom_type, model.geom_dataid, strict=True) if model.ngeom else ()
    used = {(_HFIELD if kind == _HFIELD else _MESH, data) for kind, data in shapes if kind in {_HFIELD, _MESH, _SDF}}
    materials = {*model.geom_matid} if model.ngeom else set()
    sky = {i for i, kind in enumerate(model.tex_type) if kind == _SKYBOX} if model.ntex else set()
    textures = sky.union(*model.mat_texid) if len(sky) < model.ntex and model.nmat else sky
    candidates = {
        "mesh": _others(model.nmesh, {data for kind, data in used if kind == _MESH}),
        "hfield": _others(model.nhfield, {data for kind, data in used if kind == _HFIELD}),
        "material": _others(model.nmat, materials),
        "texture": _others(model.ntex, textures),
    }
    if any(candidates.values()):
        _report(candidates, source)


def _others(count: int, used: Collection[int]) -> list[int]:
    return [i for i in range(count) if i not in used]


def _report(candidates: dict[str, list[int]], source: Source) -> None:
    """Report the candidates that no element names, such as a site or a geom that only has the size of a mesh."""
    nodes = source.lines.nodes
    is_attached = any(node.tag == "attach" for node in nodes)  # then a prefix may be in front of a name
    found: list[tuple[str, int]] = []
    for kind, indices in candidates.items():
        if indices:
            stated = {node.attributes[kind] for node in nodes if kind in node.attributes}
            ends = tuple(stated) if is_attached else ()
            names = source.names(kind)
            found += [(kind, i) for i in indices if names[i] not in stated and not (ends and names[i].endswith(ends))]
    if found:
        listed = tuple(f"{kind} {source.names(kind)[i]}" for kind, i in found)
        message = "assets that no shape uses are left out: {names}"
        first = source.node(*found[0]) or source.lines.nodes[0]
        source.diagnostics.add(Fate.NOTED, "mjcf-in.unused-asset", message, first.where, names=listed)

"""Mesh files, for tests."""

from __future__ import annotations

import numpy as np
import pytest

from loaders.meshes import MeshData

BOX_CORNERS = [(x, y, z) for z in (0.0, 3.0) for y in (0.0, 2.0) for x in (0.0, 1.0)]
"""A box of 1 x 2 x 3 units, one corner at the origin; vertex ``x + 2 y + 4 z`` in steps."""


BOX_FACES = [
    (0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6),
    (0, 1, 5), (0, 5, 4), (2, 6, 7), (2, 7, 3),
    (0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5),
]  # fmt: skip
"""Counter-clockwise seen from outside."""


def collada(*, asset: str = "", nodes: str = "", triangles: str = "", library: str = "") -> str:
    numbers = " ".join(str(c) for corner in BOX_CORNERS for c in corner)
    indices = " ".join(str(i) for face in BOX_FACES for i in face)
    surfaces = triangles or (
        f"<triangles count='12'><input semantic='VERTEX' source='#v' "
        f"offset='0'/><p>{indices}</p></triangles>"
    )
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>{asset}</asset>{library}
<library_geometries><geometry id="box-mesh" name="box"><mesh>
<source id="s"><float_array id="a" count="24">{numbers}</float_array><technique_common>
<accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{surfaces}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene">{nodes or "<node><instance_geometry url='#box-mesh'/></node>"}
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""


def assert_box(
    data: MeshData | None, low: tuple[float, ...], high: tuple[float, ...], tolerance: float = 1e-12
) -> None:
    """The bounding box is as given, and the triangles enclose its whole volume from outside."""
    assert data is not None
    np.testing.assert_allclose(data.bounds, (low, high), atol=tolerance)
    assert data.is_closed
    assert data.volume == pytest.approx(np.prod(np.subtract(high, low)), rel=tolerance)

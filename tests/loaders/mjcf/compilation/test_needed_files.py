"""The files that MuJoCo decodes: those on which a number of the scene depends."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from loaders.model import Mesh
from tests.support.mjcf_documents import TETRAHEDRON, document, written

INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
MESH = '<geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/>'
CASES = {
    "inferred inertia": (MESH, True),
    "stated inertia": (INERTIAL + MESH, False),
    "no mass": ('<geom size="1"/>' + MESH.replace("/>", ' mass="0"/>'), False),
    "no density": ('<geom size="1"/>' + MESH.replace("/>", ' density="0"/>'), False),
    "mass without density": (MESH.replace("/>", ' density="0" mass="2"/>'), True),
    "fitted shape": (INERTIAL + MESH.replace('"mesh"', '"box"', 1), True),
}


@pytest.mark.parametrize(("body", "is_decoded"), CASES.values(), ids=CASES)
def test_only_a_mesh_that_matters_is_decoded(body: str, is_decoded: bool, tmp_path: Path) -> None:
    """A damaged file is an error exactly if MuJoCo computes something from it."""
    text = document(f"<body>{body}</body>", '<asset><mesh name="m" file="m.stl"/></asset>')
    path = written(tmp_path, text)
    (tmp_path / "m.stl").write_bytes(b"damaged")
    if is_decoded:
        with pytest.raises(loaders.LoadError):
            loaders.load(path, quiet=True)
    else:
        assert len(loaders.load(path, quiet=True).links[0].collisions) == body.count("<geom")


@pytest.mark.parametrize("compiler", ["", 'inertiafromgeom="true"', 'inertiafromgeom="false"'])
@pytest.mark.parametrize("frame", ["", 'scale="2 3 -4"', 'refpos="0.1 0.2 0.3" refquat="1 2 3 4"'])
def test_a_mesh_is_at_the_same_place_whether_it_is_decoded_or_not(
    frame: str, compiler: str, tmp_path: Path
) -> None:
    text = document(
        f"<body>{MESH}</body><body>{INERTIAL}{MESH}</body>",
        f'<compiler {compiler}/><asset><mesh name="m" file="m.obj" {frame}/></asset>',
    ).replace("<body>", f"<body>{INERTIAL if 'false' in compiler else ''}", 1)
    stated = text.replace(f"<body>{MESH}</body>", "")
    whole = loaders.load(written(tmp_path / "whole", text, m_obj=TETRAHEDRON), quiet=True).links[-1]
    alone = loaders.load(written(tmp_path / "alone", stated, m_obj=TETRAHEDRON), quiet=True).links[
        -1
    ]
    (a,), (b,) = whole.collisions, alone.collisions
    assert isinstance(a.geometry, Mesh)
    assert isinstance(b.geometry, Mesh)
    assert a.geometry.scale == b.geometry.scale
    assert a.X_LG.is_close(b.X_LG, 1e-12)


def test_the_cache_of_mujoco_does_not_move_a_mesh(tmp_path: Path) -> None:
    """It holds a decoded file by its name and contents, whatever ``refpos`` the document states."""
    centers = []
    for refpos in ("0 0 0", "1 0 0"):
        asset = f'<asset><mesh name="m" file="m.obj" refpos="{refpos}"/></asset>'
        body = '<body><geom type="mesh" mesh="m"/></body>'
        path = written(tmp_path / refpos.replace(" ", ""), document(body, asset), m_obj=TETRAHEDRON)
        inertia = loaders.load(path, quiet=True).links[0].inertia
        assert inertia is not None
        centers.append(inertia.p_LLcm[0])
    assert centers[0] - centers[1] == pytest.approx(1.0)


def test_a_file_that_cannot_be_read_is_reported_whether_it_is_needed_or_not(tmp_path: Path) -> None:
    text = document(
        f"<body>{INERTIAL}{MESH}</body>", '<asset><mesh name="m" file="m.stl"/></asset>'
    )
    (tmp_path / "m.stl").mkdir()
    with pytest.raises(loaders.LoadError):
        loaders.load(written(tmp_path, text), quiet=True)

"""The MjSpec equals the compiled text, and has bodies that are nested too deeply for XML."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge.lowering.sources import mechanism_of
from bridge.targets.mjcf import export_mjcf, to_mjcf, to_mjspec
from bridge.targets.mjcf.document import build
from bridge.targets.mjcf.spec import folder_name
from bridge.targets.options import MjcfExportOptions
from loaders.diagnostics import ExportError
from tests.support.mjcf_scenes import chain, codes, cone_scene, random_tree
from tests.support.mujoco_oracle import compiled


def test_a_spec_has_the_assets_too():
    assert to_mjspec(cone_scene()).compile().nmesh == 1


def tetrahedron(folder: Path, size: str) -> Path:
    """A model with a tetrahedron whose edges along the axes have this length [m], in a file of a
    fixed name.
    """
    folder.mkdir()
    vertices = f"v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\n"
    (folder / "part.obj").write_text(f"{vertices}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    shape = '<collision name="c"><geometry><mesh><uri>part.obj</uri></mesh></geometry></collision>'
    (folder / "m.sdf").write_text(
        f'<sdf version="1.9"><model name="m"><link name="l">{shape}</link></model></sdf>'
    )
    return folder / "m.sdf"


def longest_edge(model: Any) -> float:
    """The largest distance of two vertices [m]."""
    vertices = model.mesh_vert
    return float(np.linalg.norm(vertices[:, None] - vertices[None], axis=-1).max())


def test_meshes_of_one_name_and_length_keep_their_own_size(tmp_path: Path) -> None:
    """MuJoCo has decoded a file of the same name and length before; the longest edge is a
    diagonal.
    """
    paths = {size: tetrahedron(tmp_path / size, size) for size in ("1.5", "2.5", "3.5")}
    specified = [longest_edge(to_mjspec(path, quiet=True).compile()) for path in paths.values()]
    exported = [
        export_mjcf(path, tmp_path / f"out{size}", quiet=True).model for size, path in paths.items()
    ]
    expected = [math.sqrt(2) * float(size) for size in paths]
    assert specified == pytest.approx(expected, rel=1e-6)
    assert [longest_edge(model) for model in exported] == pytest.approx(expected, rel=1e-6)


def test_the_folder_of_assets_is_the_same_with_hashes_that_are_known_and_without(
    tmp_path: Path,
) -> None:
    built = build(
        mechanism_of(tetrahedron(tmp_path / "model", "1.5"), quiet=True), MjcfExportOptions()
    )
    assert built.digests.keys() == built.assets.keys()
    assert folder_name(built.assets, built.digests) == folder_name(built.assets)


@pytest.mark.slow
def test_a_chain_of_490_links_is_the_longest_that_xml_holds():
    assert compiled(to_mjcf(chain(490))).nbody == 491
    with pytest.raises(ExportError, match=r"nested 491 bodies deep.*to_mjspec") as caught:
        to_mjcf(chain(491))
    assert codes(caught.value.diagnostics) == ["mjcf.too-deep"]


@pytest.mark.slow
def test_a_deeper_chain_is_built_without_xml():
    scene = chain(1000)
    model = to_mjspec(scene).compile()
    assert (model.nbody, model.nv) == (1001, 999 + 6)
    last = model.joint("j999")
    assert (last.damping[0], tuple(last.range), tuple(last.axis)) == (
        0.1,
        (-1.0, 1.0),
        (1.0, 0.0, 0.0),
    )
    assert tuple(last.solimp if hasattr(last, "solimp") else model.jnt_solimp[-1])[:2] == (
        0.9999,
        0.9999,
    )


def test_both_ways_to_build_give_the_same_model():
    scene = random_tree(5, size=6)
    by_text, by_spec = compiled(to_mjcf(scene)), to_mjspec(scene).compile()
    for name in (
        "body_pos",
        "body_quat",
        "body_inertia",
        "body_iquat",
        "jnt_axis",
        "jnt_pos",
        "qpos0",
        "dof_damping",
    ):
        assert np.array_equal(getattr(by_text, name), getattr(by_spec, name)), name

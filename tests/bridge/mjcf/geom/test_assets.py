"""Materials and meshes of the document."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
import pytest
from PIL import Image

import loaders
from bridge.targets.mjcf import to_mjcf
from loaders.diagnostics import Where
from loaders.model import Collision, Link, Material, Mesh, Sphere, Visual
from loaders.pose import IDENTITY
from tests.support.mjcf_scenes import UNIT, link, scene_of
from tests.support.mujoco_oracle import compiled


def test_colors_names_and_transparency_are_seen():
    red = Material(name="red", diffuse=(0.8, 0.1, 0.1, 1.0), specular=(0.5, 0.5, 0.5, 1.0))
    bare = Material(diffuse=(0.1, 0.2, 0.3, 1.0))
    visuals = (
        Visual(name="a", X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=red),
        Visual(
            name="b", X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=bare, transparency=0.75
        ),
    )
    model = compiled(to_mjcf(scene_of(link("l", visuals=visuals))))
    assert np.allclose(model.material("red").rgba, (0.8, 0.1, 0.1, 1.0))
    assert model.material("red").specular[0] == 0.5
    assert model.geom("a").matid[0] == model.material("red").id
    assert np.allclose(model.geom("b").rgba, (0.1, 0.2, 0.3, 0.25))


def test_a_color_of_several_geoms_is_one_material():
    paint, other = (Material(diffuse=(r, 0.2, 0.4, 1.0)) for r in (0.1, 0.3))
    looks = {"a": paint, "b": paint, "c": other}
    visuals = tuple(
        Visual(name=name, X_LG=IDENTITY, geometry=Sphere(radius=0.1), material=look)
        for name, look in looks.items()
    )
    model = compiled(to_mjcf(scene_of(link("l", visuals=visuals))))
    assert (model.nmat, model.geom("a").matid[0], model.geom("b").matid[0]) == (1, 0, 0)
    assert np.allclose(model.mat_rgba[0], (0.1, 0.2, 0.4, 1.0))
    assert model.geom("c").matid[0] == -1
    assert np.allclose(model.geom("c").rgba, (0.3, 0.2, 0.4, 1.0))


def test_each_link_without_its_shape_because_of_a_missing_mesh_is_reported():
    shape = Collision(name="c", X_LG=IDENTITY, geometry=Mesh(uri="nowhere.stl", path=None))
    links = [
        Link(
            name=name,
            model="m",
            X_WL=IDENTITY,
            inertia=UNIT,
            collisions=(dataclasses.replace(shape, where=Where("r.urdf", line)),),
        )
        for name, line in (("a", 3), ("b", 9))
    ]
    entries = to_mjcf(scene_of(*links)).diagnostics
    assert [entry.where.line for entry in entries if entry.code == "mesh.missing"] == [3, 9]


TEXTURED = {
    "m.obj": "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl "
    "skin\n"
    "f 1/1 3/3 2/2\nf 1/1 2/2 4/3\nusemtl plain\nf 1/1 4/3 3/2\nf 2/2 3/3 4/1\n",
    "m.mtl": "newmtl skin\nKd 1 1 1\nmap_Kd skin.png\nnewmtl plain\nKd 0 1 0\n",
}


@pytest.fixture
def textured(tmp_path: Path) -> Path:
    """Return a folder with a mesh of two parts, one of them with a texture."""
    for name, text in TEXTURED.items():
        (tmp_path / name).write_text(text)
    Image.new("RGB", (4, 4), (200, 100, 50)).save(tmp_path / "skin.png")
    return tmp_path


def test_a_color_of_a_urdf_tints_the_texture_of_the_mesh_as_in_pybullet(textured: Path) -> None:
    """PyBullet multiplies the texture of an OBJ file with the color of the URDF."""
    text = """<robot name="r"><link name="l"><visual><geometry><mesh filename="m.obj"/></geometry>
    <material name="paint"><color rgba="1 0.5 0.5 1"/></material></visual></link></robot>"""
    model = compiled(to_mjcf(loaders.load_string(text, format="urdf", base=textured, quiet=True)))
    assert (model.ntex, model.ngeom) == (1, 2)
    materials = [model.geom_matid[i] for i in range(model.ngeom)]
    assert sum((model.mat_texid[i] >= 0).any() for i in materials) == 1
    assert all(np.allclose(model.mat_rgba[i], (1.0, 0.5, 0.5, 1.0)) for i in materials)


@pytest.mark.parametrize("colored", ["", '<color rgba="1 0.5 0.5 1"/>'])
def test_a_mesh_is_looked_up_once_whether_it_has_textures_or_not(
    textured: Path, colored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look-up keeps a record of its conversion in the cache."""
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(textured / "cache"))
    (textured / "plain.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    visual = f"""<visual><geometry><mesh filename="{{}}.obj"/></geometry><material name="m">{colored}</material></visual>"""
    text = (
        f'<robot name="r"><link '
        f'name="l">{visual.format("m")}{visual.format("plain")}</link></robot>'
    )
    to_mjcf(loaders.load_string(text, format="urdf", base=textured, quiet=True))
    assert len(list((textured / "cache" / "obj").glob("*.json"))) == 2


def test_a_color_in_sdformat_replaces_the_texture_of_the_mesh_as_in_gazebo(textured: Path) -> None:
    text = """<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry><mesh><uri>m.obj</uri></mesh>
    </geometry><material><diffuse>1 0 0 1</diffuse></material></visual></link></model></sdf>"""
    model = compiled(to_mjcf(loaders.load_string(text, format="sdf", base=textured, quiet=True)))
    assert (model.ntex, model.ngeom) == (0, 1)


def test_maps_of_a_material_are_layers_with_mujocos_roles(textured: Path) -> None:
    """SDFormat's normal and roughness maps have roles in MuJoCo; its light map has none, and is
    reported.
    """
    maps = "".join(
        f"<{kind}>skin.png</{kind}>" for kind in ("normal_map", "roughness_map", "light_map")
    )
    text = f"""<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry><sphere><radius>1</radius>
    </sphere></geometry><material><diffuse>1 0 0 1</diffuse><pbr><metal>{maps}</metal></pbr></material></visual></link>
    </model></sdf>"""
    mjcf = to_mjcf(loaders.load_string(text, format="sdf", base=textured, quiet=True))
    model = compiled(mjcf)
    roles = {k for k in range(model.mat_texid.shape[1]) if model.mat_texid[0, k] >= 0}
    assert roles == {
        mujoco.mjtTextureRole.mjTEXROLE_ROUGHNESS,
        mujoco.mjtTextureRole.mjTEXROLE_NORMAL,
    }
    assert any("light map" in entry.message for entry in mjcf.diagnostics)

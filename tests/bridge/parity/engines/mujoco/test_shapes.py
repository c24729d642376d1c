"""Shapes of compiled models: their form and surface, and the geoms that each may touch by MuJoCo's
contacts.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from PIL import Image

import bridge
import loaders
from bridge.parity import Comparison, Outcome, compare
from bridge.parity.engines.mujoco import shapes as module
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.mujoco.shapes import roles_in_export, surfaces_in_mujoco, touched_geoms
from loaders import Pose, Scene
from loaders.pose import Array

# The number of geoms that each geom may touch, against the contacts that MuJoCo finds when all of
# them overlap.

TEXT = """<mujoco><option><flag {0}/></option><worldbody>
  <geom size="1"/><geom size="1" contype="2" conaffinity="4"/>
  <body name="fixed"><geom size="1" contype="4" conaffinity="1"/></body>
  <body name="a"><freejoint/><geom size="1"/><geom size="1" contype="6" conaffinity="2"/>
    <body name="b"><joint axis="0 0 1"/><geom size="1" contype="2" conaffinity="3"/>
      <body name="welded"><geom size="1"/></body>
      <body name="c"><joint axis="0 1 0"/><geom size="1" contype="0" conaffinity="0"/><geom size="1"/></body>
    </body></body>
  <body name="d"><freejoint/><geom size="1" contype="7"/></body></worldbody>
  <contact><exclude body1="a" body2="d"/></contact></mujoco>"""


@pytest.mark.parametrize(
    "flag",
    ["", 'filterparent="disable"', 'contact="disable"', 'constraint="disable"'],
)
def test_geoms_are_those_of_the_contacts_of_overlapping_spheres(flag: str) -> None:
    model = mujoco.MjModel.from_xml_string(TEXT.format(flag))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    pairs = {tuple(sorted(contact.geom.tolist())) for contact in data.contact}
    expected = Counter(chain.from_iterable(pairs))
    everything = [True] * model.ngeom
    assert touched_geoms(mujoco, model, everything).tolist() == [
        expected[g] for g in range(model.ngeom)
    ]
    assert bool(expected) == (flag in {"", 'filterparent="disable"'})
    assert not touched_geoms(mujoco, model, [False] * model.ngeom).any()


def test_very_many_geoms_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_GEOMS", 3)
    model = mujoco.MjModel.from_xml_string(TEXT.format(""))
    np.testing.assert_array_equal(touched_geoms(mujoco, model, [True] * 10), np.zeros(10))


# Shapes of compiled models that were written by hand in MJCF.


def test_geoms_are_read_with_their_poses_and_friction() -> None:
    geoms = """
    <geom type="box" size="1 2 3" pos="1 0 0" friction=".4"/><geom type="capsule" size=".5 1"/>
    <geom type="cylinder" size=".5 1"/><geom type="ellipsoid" size="1 2 3"/><geom size=".5"/>
    <geom group="2" contype="0" conaffinity="0" type="box" size="1 1 1" pos="0 0 7"/>"""
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body name='a'>{geoms}</body></worldbody></mujoco>"
    )
    found = surfaces_in_mujoco(mujoco, model, {1: "a"}, roles_in_export(mujoco, model))
    highest = found.supports["a"][:, [0, 2]]
    assert highest.tolist() == [[2.0, 3.0], [0.5, 1.5], [0.5, 1.0], [1.0, 3.0], [0.5, 0.5]]
    assert found.friction["a"] == [0.4, 1.0, 1.0, 1.0, 1.0]
    assert [X.p.tolist() for X in found.visuals["a"]] == [[0.0, 0.0, 7.0]]


def test_the_pose_of_a_mesh_is_that_of_its_file() -> None:
    vertices = "0 0 0 1 0 0 0 2 0 0 0 3"
    model = mujoco.MjModel.from_xml_string(f"""
    <mujoco><asset><mesh name="m" vertex="{vertices}"/></asset><worldbody><body name="a">
    <geom group="2" contype="0" conaffinity="0" type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/>
    <geom type="mesh" mesh="m" pos="1 2 3"/>
    </body></worldbody></mujoco>""")
    found = surfaces_in_mujoco(mujoco, model, {1: "a"}, roles_in_export(mujoco, model))
    assert found.visuals["a"][0].p == pytest.approx((1.0, 2.0, 3.0), abs=1e-6)
    assert np.array(found.supports["a"][0, :6]) == pytest.approx(
        (2.0, 4.0, 6.0, -1.0, -2.0, -3.0), abs=1e-6
    )


def test_what_a_tendon_wraps_around_is_no_shape_of_its_link() -> None:
    """The geoms of an export around which tendons wrap touch nothing and have no mass."""
    tendons = "".join(
        f"<spatial><site site='s'/><geom geom='{geom}'/><site site='t'/></spatial>"
        for geom in ("ball", "rod")
    )
    model = mujoco.MjModel.from_xml_string(f"""
    <mujoco><worldbody><body name="a"><geom type="box" size="1 2 3"/><site name="s" pos="-9 0 0"/>
    <geom name="ball" size=".5" contype="0" conaffinity="0" group="4"/><site name="t" pos="9 0 0"/>
    <geom name="rod" type="cylinder" size=".5 1" contype="0" conaffinity="0" group="4"/>
    </body></worldbody><tendon>{tendons}</tendon></mujoco>""")
    found = surfaces_in_mujoco(mujoco, model, {1: "a"}, roles_in_export(mujoco, model))
    assert found.supports["a"][:, :3].tolist() == [[1.0, 2.0, 3.0]]
    assert len(found.friction["a"]) == 1


def test_a_geom_for_display_or_for_a_tendon_that_may_touch_something_collides() -> None:
    """Neither has masks in an export; one that has them by mistake must show among the shapes."""
    text = """<mujoco><worldbody><site name="s"/><site name="r" pos="1 0 0"/>
    <geom group="2" contype="{0}" conaffinity="0" size="1"/><geom name="g" contype="0" conaffinity="{0}" size=".1"/>
    </worldbody><tendon><spatial><site site="s"/><geom geom="g"/><site site="r"/></spatial></tendon></mujoco>"""
    found = [
        roles_in_export(mujoco, mujoco.MjModel.from_xml_string(text.format(mask)))
        for mask in (0, 1)
    ]
    assert found == [[(False, True), (False, False)], [(True, True), (True, False)]]


# What a compiled model states about its shapes, and about how they are drawn.

GEOM_FORMS_TEXT = """<mujoco><asset><texture name="t" type="2d" file="t.png"/><texture name="u" type="2d" builtin="flat" width="1"
  height="1"/><material name="shiny" texture="t" specular="0.9" shininess="0.3" emission="0.2" rgba="1 0.5 0 1"/>
  <material name="made" texture="u"/><hfield name="h" file="h.png" size="2 3 0.5 0.01"/>
  <mesh name="m" vertex="0 0 0 1 0 0 0 2 0 0 0 3"/></asset>
  <worldbody><geom type="plane" size="3 0 0.1"/><geom type="hfield" hfield="h" pos="9 0 0"/>
  <body name="a" pos="0 0 2"><freejoint/>
    <geom type="box" size=".1 .2 .3" pos=".1 0 0" material="shiny"/><geom type="capsule" size=".1 .2" group="3"/>
    <geom size=".3" rgba="0 1 0 1" contype="0" conaffinity="0"/><geom type="mesh" mesh="m" material="made"/>
  </body>
  <body name="fixed" pos="0 5 0"><geom size=".2"/></body></worldbody></mujoco>"""


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    Image.new("RGB", (2, 2), (9, 8, 7)).save(tmp_path / "t.png")
    Image.fromarray(np.array([[0, 100, 20], [30, 40, 255]], dtype=np.uint8)).save(
        tmp_path / "h.png"
    )
    path = tmp_path / "robot.xml"
    path.write_text(GEOM_FORMS_TEXT)
    return loaders.load(path, quiet=True)


def found(scene: Scene) -> Comparison:
    return compare(scene, engines=("mujoco", "mujoco-native"), levels=("L0",), configurations=1)


def failed(scene: Scene, quantity: str) -> set[str]:
    rows = found(scene).rows
    return {row.where for row in rows if row.quantity == quantity and row.outcome is Outcome.FAILED}


def stated(scene: Scene) -> tuple[dict[str, Array], dict[str, Array]]:
    engine = MujocoEngine(bridge.lower(scene))
    return tuple(
        {label: numbers for (label, _), numbers in each.items()}
        for each in (engine.compiled_statements(), engine.compiled_forms())
    )  # type: ignore[return-value]


def test_a_shape_has_a_form_and_a_drawing_a_color_too(scene: Scene) -> None:
    settings, forms = stated(scene)
    pose = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert settings["shape of a"][:7].tolist() == pytest.approx([6.0, 0.1, 0.2, 0.3, 0.1, 0.0, 0.0])
    assert settings["shape of a (2)"].tolist() == pytest.approx([3.0, 0.1, 0.2, *pose])
    assert settings["drawing of a"][-8:].tolist() == pytest.approx(
        [1.0, 0.5, 0.0, 1.0, 0.2, 0.9, 0.3, 1.0]
    )
    assert settings["drawing of a (2)"].tolist() == pytest.approx(
        [2, 0.3, *pose, 0, 1, 0, 1, 0, 0.5, 0.5, 0]
    )
    assert settings["drawing of a (3)"][-1] == 1.0, "a texture that the document makes is one, too"
    assert settings["shape of world"].tolist() == pytest.approx([0, *pose]), (
        "a plane touches without end"
    )
    assert settings["drawing of world"][:3].tolist() == pytest.approx([0.0, 3.0, 50.0])
    assert forms["drawing of a (3)"][:3].tolist() == pytest.approx([1.0, 2.0, 3.0])
    heights = np.array([30, 40, 255, 0, 100, 20]) / 510.0
    assert forms["shape of world (2)"].tolist() == pytest.approx([2.0, 3.0, *heights])
    assert settings["inertia of fixed"][0] == pytest.approx(4000.0 / 3.0 * np.pi * 0.2**3)


def test_the_export_has_the_shapes_of_the_original(scene: Scene) -> None:
    comparison = found(scene)
    assert comparison.failures == ()
    passed = {row.quantity for row in comparison.rows if row.outcome is Outcome.PASSED}
    assert {"compiled settings", "compiled meshes", "visual shapes"} <= passed


def with_visual(scene: Scene, i: int, change: Callable[[Any], Any]) -> Scene:
    (link,) = [link for link in scene.links if link.name == "a"]
    visuals = (*link.visuals[:i], change(link.visuals[i]), *link.visuals[i + 1 :])
    changed = dataclasses.replace(link, visuals=visuals)
    return dataclasses.replace(scene, links=tuple(changed if k is link else k for k in scene.links))


def resized(visual: Any) -> Any:
    return dataclasses.replace(visual, geometry=loaders.model.Sphere(radius=0.303))


def moved(visual: Any) -> Any:
    return dataclasses.replace(visual, X_LG=visual.X_LG @ Pose.of(p=(1e-3, 0.0, 0.0)))


def recolored(visual: Any) -> Any:
    return dataclasses.replace(
        visual,
        material=dataclasses.replace(visual.material, diffuse=(1.0, 0.5, 0.01, 1.0), texture=None),
    )


@pytest.mark.parametrize(
    ("i", "change", "quantity", "where"),
    [
        (0, recolored, "compiled settings", "drawing of a"),
        (1, resized, "compiled settings", "drawing of a (2)"),
        (1, moved, "compiled settings", "drawing of a (2)"),
        (2, moved, "compiled meshes", "drawing of a (3)"),
    ],
    ids=["a color", "a size", "a place", "the place of a mesh"],
)
def test_a_drawing_that_is_read_wrongly_is_found(
    i: int, change: Callable[[Any], Any], quantity: str, where: str, scene: Scene
) -> None:
    assert failed(with_visual(scene, i, change), quantity) == {where}


def test_a_mesh_and_a_texture_without_files_leave_no_difference(tmp_path: Path) -> None:
    """The reader reports both; MuJoCo compiles the original with a small box in place of the
    mesh.
    """
    path = tmp_path / "robot.xml"
    text = GEOM_FORMS_TEXT.replace('vertex="0 0 0 1 0 0 0 2 0 0 0 3"', 'file="lost.obj"')
    path.write_text(
        text.replace('<hfield name="h" file="h.png"', '<hfield name="h" nrow="2" ncol="2"')
    )
    lost = loaders.load(path, quiet=True)
    assert {"resource.not-found"} <= {entry.code for entry in lost.diagnostics}
    assert found(lost).failures == ()


def test_vertices_without_triangles_are_not_drawn(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 5 5\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    path = tmp_path / "robot.xml"
    geom = '<geom type="mesh" mesh="m" contype="0" conaffinity="0"/>'
    path.write_text(
        f'<mujoco><asset><mesh file="m.obj"/></asset><worldbody>{geom}</worldbody></mujoco>'
    )
    _, forms = stated(loaders.load(path, quiet=True))
    assert forms["drawing of world"][:3].tolist() == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)
    assert failed(loaders.load(path, quiet=True), "compiled meshes") == set()

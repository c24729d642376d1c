"""What documents of several formats hold or lack: filters, rotor inertia, textures, fluids and
published sensors.
"""

from __future__ import annotations

import struct
from itertools import combinations
from pathlib import Path

import mujoco
import numpy as np
import pybullet
import pytest
from PIL import Image

import bridge
import loaders
from bridge.diagnostic_codes import CODES
from bridge.diff.mechanics import mechanical_error
from bridge.targets.elements import (
    report_pairs_kept_apart,
    with_filter_groups,
    without_undrawn_textures,
)
from bridge.targets.report import Report
from loaders import Scene
from loaders import model as m
from loaders.diagnostics import ExportError, Fate
from loaders.model import Buoyancy, FluidDrag, Sensor, Wing
from loaders.pose import IDENTITY
from tests.code_examples import scenes as s
from tests.support.drake_oracle import open_in_drake
from tests.support.scenes import UNIT_BOX, joint, link, scene

# Pairs of links that MuJoCo excludes collide neither in the formats of Drake.

FEET_ONLY = """
<mujoco model="walker">
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" contype="1" conaffinity="0"/>
    <body name="trunk" pos="0 0 1"><freejoint/>
      <geom type="box" size="1 1 1" contype="0" conaffinity="0"/>
      <body name="left"><joint name="l"/><geom type="box" size="1 1 1" contype="2" conaffinity="0"/>
        <body name="left_foot"><joint name="lf"/><geom type="box" size="1 1 1" contype="0" conaffinity="1"/></body>
      </body>
      <body name="right"><joint name="r"/><geom type="box" size="1 1 1" contype="0" conaffinity="2"/>
        <body name="right_foot"><joint name="rf"/><geom type="box" size="1 1 1" contype="0" conaffinity="1"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
"""Links of which only the feet touch the floor, and of the others only the two legs touch each
other.
"""


def _in_mujoco() -> set[frozenset[str]]:
    """The pairs of bodies that MuJoCo lets touch, found by placing all at one point: contacts of
    its own engine.
    """
    model = mujoco.MjModel.from_xml_string(FEET_ONLY)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return {
        frozenset(model.body(model.geom_bodyid[g]).name for g in pair) for pair in data.contact.geom
    }


@pytest.fixture(scope="module")
def filtered_scene() -> loaders.Scene:
    return loaders.load_string(FEET_ONLY, format="mjcf")


@pytest.mark.parametrize("form", ["urdf", "directives"])
def test_the_pairs_that_touch_are_those_of_mujoco(
    form: str, filtered_scene: loaders.Scene, tmp_path: Path
) -> None:
    export = bridge.export_urdf if form == "urdf" else bridge.export_directives
    found = loaders.load(export(filtered_scene, tmp_path / "out", quiet=True).path, quiet=True)
    names = {
        link.name: link.name.rpartition("::")[2].replace("ground", "world") for link in found.links
    }
    pairs = {
        frozenset(names[name] for name in pair) for pair in bridge.lower(found).collidable_pairs()
    }
    assert pairs == _in_mujoco() | {frozenset(("left", "right"))}
    assert _in_mujoco() == {frozenset(("world", f"{side}_foot")) for side in ("left", "right")} | {
        frozenset(("left", "right"))
    }


def test_drake_lets_the_same_pairs_touch(filtered_scene: loaders.Scene, tmp_path: Path) -> None:
    multibody = pytest.importorskip("pydrake.multibody.plant")
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    framework = pytest.importorskip("pydrake.systems.framework")
    plant, graph = multibody.AddMultibodyPlantSceneGraph(framework.DiagramBuilder(), 0.001)
    parsing.Parser(plant).AddModels(
        str(bridge.export_urdf(filtered_scene, tmp_path / "out", quiet=True).path)
    )
    plant.Finalize()
    inspector = graph.model_inspector()
    body = {
        g: plant.GetBodyFromFrameId(inspector.GetFrameId(g)).name()
        for g in inspector.GetAllGeometryIds()
    }
    pairs = {
        frozenset(body[g].replace("ground", "world") for g in pair)
        for pair in inspector.GetCollisionCandidates()
    }
    assert pairs == _in_mujoco()


def test_links_with_the_same_neighbors_share_a_group(filtered_scene: loaders.Scene) -> None:
    groups = with_filter_groups(filtered_scene).filter_groups
    assert {frozenset(group.links) for group in groups} >= {frozenset(("left_foot", "right_foot"))}
    assert sum(len(group.links) for group in groups) == len(
        {name for group in groups for name in group.links}
    )
    excluded = with_filter_groups(filtered_scene).excluded_collision_pairs("drake")
    assert all(
        frozenset(pair) in excluded or frozenset(pair) in _in_mujoco()
        for pair in combinations([link.name for link in filtered_scene.links if link.collisions], 2)
    )


def test_a_scene_by_other_rules_stays_as_it_is() -> None:
    given = s.touching()
    assert with_filter_groups(given) is given


def test_pairs_that_drake_excludes_are_named() -> None:
    report = Report("urdf")
    report_pairs_kept_apart(s.touching(), report, CODES["urdfout.joined-links"])
    assert not report.entries
    report_pairs_kept_apart(s.touching_in_mujoco(), report, CODES["urdfout.joined-links"])
    assert [entry.subjects for entry in report.entries] == [("arm", "base")]


# The reflected inertia of a joint stays in the mass matrix, in every format and for Drake.

WITH_ARMATURE = scene(
    [link("a"), link("b"), link("c")],
    [
        joint("hold", m.WORLD, "a", m.JointType.FIXED, axes=()),
        joint("j", "a", "b", axis={"inertia": 0.3}),
        joint("k", "b", "c", m.JointType.PRISMATIC, axis={"inertia": 0.7}),
    ],
    actuators=(m.Actuator(name="motor", joint="k", gear_ratio=2.0, rotor_inertia=0.1),),
)


@pytest.mark.parametrize(("write", "form"), [(bridge.to_sdf, "sdf"), (bridge.to_urdf, "urdf")])
def test_the_mass_matrix_stays(write: object, form: str, tmp_path: Path) -> None:
    document = write(WITH_ARMATURE)  # type: ignore[operator]
    (warning,) = (entry for entry in document.diagnostics if entry.severity == "warning")
    assert warning.code == f"{form}out.rotor-inertia"
    assert "j (0.3 kg m^2 or kg), k (0.7 kg m^2 or kg)" in warning.message
    path = tmp_path / f"model.{form}"
    path.write_text(document)
    found = loaders.load(path)
    assert mechanical_error(WITH_ARMATURE, found).is_within(1e-12)
    assert str(write(found)) == str(document)  # type: ignore[operator]


@pytest.mark.parametrize(("write", "form"), [(bridge.to_sdf, "sdf"), (bridge.to_urdf, "urdf")])
def test_drake_adds_it_to_its_mass_matrix(write: object, form: str, tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    path = tmp_path / f"model.{form}"
    path.write_text(write(WITH_ARMATURE))  # type: ignore[operator]
    mechanism = bridge.lower(WITH_ARMATURE)
    q = {"j": (0.3,), "k": (0.2,)}
    theirs = open_in_drake(path, loaders.load(path)).mass_matrix(
        {"j": 0.3, "k": 0.2}, mechanism.v_order
    )
    np.testing.assert_allclose(theirs, mechanism.mass_matrix(q), atol=1e-9)


def test_a_joint_without_effort_has_no_actuator_and_is_reported() -> None:
    given = scene(
        [link("a"), link("b")], [joint("j", "a", "b", axis={"inertia": 0.3, "effort": 0.0})]
    )
    assert "sdfout.field" in {entry.code for entry in bridge.to_sdf(given).diagnostics}


# A texture in KTX is left out and reported: PyBullet refuses it, and Drake then does not draw the
# shape at all.

KTX = b"\xabKTX 11\xbb\r\n\x1a\n" + struct.pack(
    "<14I", 0x04030201, 0x1401, 1, 0x1907, 0x8051, 0x1907, 4, 4, 0, 0, 1, 1, 0, 48
)
"""Header of a file in KTX with 4 x 4 pixels of 3 bytes."""


@pytest.fixture
def pictures(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "a.ktx").write_bytes(KTX + bytes((0, 255, 0)) * 16)
    Image.new("RGB", (4, 4), (0, 255, 0)).save(tmp_path / "a.png")
    return str(tmp_path / "a.ktx"), str(tmp_path / "a.png")


def test_pybullet_draws_png_and_refuses_ktx(
    pictures: tuple[str, str], tmp_path: Path, bullet_client: int
) -> None:
    corners = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    (tmp_path / "sheet.obj").write_text(corners + "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n")
    shape = pybullet.createVisualShape(
        pybullet.GEOM_MESH, fileName=str(tmp_path / "sheet.obj"), physicsClientId=bullet_client
    )
    body = pybullet.createMultiBody(baseVisualShapeIndex=shape, physicsClientId=bullet_client)
    colors = []
    for file in pictures:
        texture = pybullet.loadTexture(file, physicsClientId=bullet_client)
        pybullet.changeVisualShape(body, -1, textureUniqueId=texture, physicsClientId=bullet_client)
        look = pybullet.computeViewMatrix((0, 0, 3), (0, 0, 0), (0, 1, 0))
        lens = pybullet.computeProjectionMatrixFOV(30, 1, 0.1, 10)
        image = pybullet.getCameraImage(
            8, 8, look, lens, renderer=pybullet.ER_TINY_RENDERER, physicsClientId=bullet_client
        )
        red, green, blue, _ = np.reshape(image[2], (8, 8, 4))[4, 4]
        colors.append(
            "gray" if red == green == blue else "green" if green > max(red, blue) else "other"
        )
    assert colors == ["gray", "green"]


@pytest.mark.parametrize(
    ("write", "code"), [(bridge.to_sdf, "sdfout.material"), (bridge.to_urdf, "urdfout.material")]
)
def test_a_texture_in_ktx_is_left_out_and_reported(pictures, write, code) -> None:
    for file, lost in zip(pictures, [["texture a.ktx in KTX"], []], strict=True):
        look = m.Material(diffuse=(1.0, 0.0, 0.0, 1.0), texture=file)
        visual = m.Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX, material=look)
        text = write(scene([link("a", visuals=(visual,))]), quiet=True)
        assert [
            list(entry.arguments["properties"]) for entry in text.diagnostics if entry.code == code
        ] == [lost][: len(lost)]
        assert list(text.assets) == ([] if lost else ["a.png"])
        assert "1 0 0 1" in text


def test_ktx_is_known_by_its_content_and_by_its_suffix(
    pictures: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "b.png").write_bytes(KTX)
    (tmp_path / "c.KTX").write_bytes(bytes(16))
    for name in ("b.png", "c.KTX", "none.ktx2"):
        look = m.Material(maps=(("normal_map", str(tmp_path / name)), ("albedo_map", pictures[1])))
        found, lost = without_undrawn_textures(look)
        assert (found.maps, lost) == (look.maps[1:], [f"normal_map {name} in KTX"])
    whole = m.Material(
        texture=pictures[1],
        maps=(("albedo_map", pictures[1]), ("light_map", str(tmp_path / "no.dds"))),
    )
    assert without_undrawn_textures(whole) == (whole, [])


def test_a_color_texture_that_is_also_a_map_is_reported_once(pictures: tuple[str, str]) -> None:
    found, lost = without_undrawn_textures(
        m.Material(texture=pictures[0], maps=(("albedo_map", pictures[0]),))
    )
    assert (found, lost) == (m.Material(), ["albedo_map a.ktx in KTX"])


# No document has a place for the forces of a fluid: each is left out; its finding names its link
# and its values.


def submarine() -> Scene:
    drag = np.zeros((6, 6))
    drag[0, 0] = -2.5
    forces = (
        Buoyancy(link="hull", density=1025.0),
        FluidDrag(link="hull", linear=drag),
        Wing(link="fin", area=0.75),
    )
    return scene([link("hull"), link("fin")], fluid_forces=forces)


@pytest.mark.parametrize("form", ["sdf", "urdf"])
def test_each_force_is_dropped_with_its_link_and_its_values(form: str) -> None:
    wet = (
        submarine()
        if form == "sdf"
        else scene([link("hull")], fluid_forces=submarine().fluid_forces[:2])
    )
    text = getattr(bridge, f"to_{form}")(wet)
    lost = [entry for entry in text.diagnostics if entry.code == f"{form}out.fluid-force"]
    expected = [("hull", "density=1025.0"), ("hull", "00: -2.5"), ("fin", "area=0.75")][
        : len(wet.fluid_forces)
    ]
    assert [(entry.fate, *entry.subjects) for entry in lost] == [
        (Fate.DROPPED, name) for name, _ in expected
    ]
    assert all(value in str(entry) for entry, (_, value) in zip(lost, expected, strict=True))
    assert not loaders.load_string(str(text), format=form, quiet=True).fluid_forces
    with pytest.raises(ExportError):
        getattr(bridge, f"to_{form}")(wet, strict=True)


# Documents have no place for what plugins publish: it is left out and reported, and other sensors
# stay.


def published() -> Scene:
    imu, odometry = (Sensor(name=kind, type=kind, X_LS=IDENTITY) for kind in ("imu", "odometry"))
    state = Sensor(name="j_state", type="joint_state", X_LS=IDENTITY, joint="j")
    return scene(
        [link("a", sensors=(imu, odometry)), link("b")], [joint("j", "a", "b", sensors=(state,))]
    )


@pytest.mark.parametrize("form", ["sdf", "urdf"])
def test_published_sensors_are_dropped_and_others_stay(form: str) -> None:
    text = (
        bridge.to_sdf(published())
        if form == "sdf"
        else bridge.to_urdf(published(), extensions=("gazebo",))
    )
    lost = [entry for entry in text.diagnostics if entry.code == f"{form}out.published-sensor"]
    assert [(entry.fate, entry.subjects) for entry in lost] == [
        (Fate.DROPPED, ("a", "odometry")),
        (Fate.DROPPED, ("j", "j_state")),
    ]
    again = loaders.load_string(str(text), format=form, quiet=True, strict=True)
    assert [[sensor.name for sensor in item.sensors] for item in (*again.links, *again.joints)] == [
        ["imu"],
        [],
        [],
    ]

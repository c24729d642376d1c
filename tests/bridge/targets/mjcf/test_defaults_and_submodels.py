"""Default classes and submodels change the text and not the compiled model."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge import export_mjcf, lower, to_mjcf
from bridge.targets.mjcf.context import MjcfElement, write
from bridge.targets.mjcf.default import DEFAULT, hard, share_softness
from bridge.targets.mjcf.document import build
from bridge.targets.options import MjcfExportOptions
from bridge.targets.target import BUILT_IN
from loaders.model import WORLD
from tests.support.mjcf_documents import BALL, document
from tests.support.mjcf_scenes import hinge, leg, link, scene_of
from tests.support.mujoco_oracle import compiled

# Default classes change the text and not the compiled model.


@pytest.mark.parametrize("actuators", ["none", "motor", "dcmotor", "position", "velocity"])
def test_classes_change_the_text_and_not_the_model(actuators):
    """Every class is written out on its elements, and MuJoCo compiles the same arrays, bit by
    bit.
    """
    toe = hinge("toe", "l3", "l4", lower=0.0, upper=1.0, effort=5.0, velocity=3.0)
    scene = dataclasses.replace(leg(), joints=(*leg().joints[:3], toe))
    factored = build(lower(scene), MjcfExportOptions(actuators=actuators)).root
    flat = build(lower(scene), MjcfExportOptions(actuators=actuators)).root
    classes = {}

    def learn(element, above):
        own = {
            child.tag: {**above.get(child.tag, {}), **child.attributes}
            for child in element.children
        }
        classes[element.attributes.get("class")] = settings = {**above, **own}
        for child in element.children:
            if child.tag == "default":
                learn(child, settings)

    def write_out(element, inherited):
        inherited = element.attributes.pop("childclass", inherited)
        name = element.attributes.pop("class", inherited)
        element.attributes = {**classes.get(name, {}).get(element.tag, {}), **element.attributes}
        for child in element.children:
            write_out(child, inherited)

    (section,) = (e for e in flat.children if e.tag == "default")
    learn(section, {})
    assert len(classes) >= 4
    flat.children.remove(section)
    write_out(flat, None)
    a, b = compiled(write(factored)), compiled(write(flat))
    arrays = [name for name in dir(a) if isinstance(getattr(a, name, None), np.ndarray)]
    assert len(arrays) > 100
    assert [
        name
        for name in arrays
        if not np.array_equal(getattr(a, name), getattr(b, name), equal_nan=True)
    ] == []


def test_an_equality_of_an_mjcf_source_needs_no_class():
    """Two free joints that are coupled: nothing else of the model has a default."""
    text = (
        "<mujoco model='pair'><worldbody><body name='a'><joint name='x' type='slide'/><inertial "
        "pos='0 0 0' mass='1'"
        " diaginertia='1 1 1'/></body><body name='b'><joint name='y' type='slide'/><inertial "
        "pos='0 0 0' mass='1'"
        " diaginertia='1 1 1'/></body></worldbody><equality><joint joint1='x' joint2='y' "
        "solref='0.005 1'/></equality>"
        "</mujoco>"
    )
    model = compiled(bridge.to_mjcf(loaders.load_string(text, format="mjcf"), quiet=True))
    assert model.eq_solref.tolist() == [[0.005, 1.0]]


# A world in several files compiles to the same model as in one piece, and each file reads well.

ROOT = Path(__file__).parents[4]
SHAPE = "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision>"
SUBMODELS_WORLD = f"""<sdf version='1.11'><world name='yard'>
  <model name='slab'><static>true</static><link name='l'>{SHAPE}</link></model>
  <include><uri>{ROOT}/assets/arm/model.sdf</uri><name>left</name><pose>0 1 0 0 0 0</pose></include>
  <model name='box'><pose>3 0 1 0 0 0</pose><link name='l'><inertial><mass>1</mass></inertial>{SHAPE}</link></model>
  <include><uri>{ROOT}/assets/arm/model.sdf</uri><name>right</name><pose>0 -1 0 0 0 0</pose></include>
  <light name='sun' type='directional'><direction>0 0 -1</direction></light>
</world></sdf>"""


@pytest.fixture(scope="module")
def yard() -> loaders.Scene:
    return loaders.load_string(SUBMODELS_WORLD, format="sdf", unsafe_paths=True)


def arrays(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Every array of a model but the lengths of paths, which hold where its files are."""
    found = {name: getattr(model, name) for name in dir(model) if name != "_sizes"}
    return {name: value for name, value in found.items() if isinstance(value, np.ndarray)}


@pytest.mark.parametrize("actuators", ["none", "position"])
def test_several_files_and_one_text_compile_to_the_same_model(
    yard: loaders.Scene, tmp_path: Path, actuators: str
) -> None:
    found = export_mjcf(yard, tmp_path / "yard", actuators=actuators)
    text = to_mjcf(yard, actuators=actuators)
    whole = mujoco.MjModel.from_xml_string(text, text.assets)
    cut = mujoco.MjModel.from_xml_path(str(found.path))
    assert cut.names == whole.names
    a, b = arrays(whole), arrays(cut)
    assert len(a) > 100
    assert [name for name in a if not np.array_equal(a[name], b[name], equal_nan=True)] == []
    mujoco.MjModel.from_xml_path(str(found.path.parent / "scene.xml"))


def test_a_model_of_several_links_has_a_file_and_what_is_its_own_stands_there(
    yard: loaders.Scene, tmp_path: Path
) -> None:
    folder = tmp_path / "yard"
    found = export_mjcf(yard, folder, actuators="motor")
    assert {"left.xml", "right.xml", "yard.xml", "scene.xml"} <= set(found.files)
    left, world = (folder / "left_part.xml").read_text(), (folder / "yard.xml").read_text()
    assert '<body name="left::pedestal"' in left
    assert '<exclude body1="left::pedestal"' in left
    assert 'joint="left::waist"' in left
    assert "right::" not in left
    assert "left::" not in world
    assert (
        world.index("slab::l")
        < world.index('file="left_part.xml"')
        < world.index("box::l")
        < world.index("right_part.xml")
    )
    assert 'file="finger.obj"' in world, "both arms have it"
    assert "`left.xml`" in (folder / "README.md").read_text()


def test_the_file_of_a_model_opens_alone_and_is_the_model_of_the_world(
    yard: loaders.Scene, tmp_path: Path
) -> None:
    folder = tmp_path / "yard"
    found = export_mjcf(yard, folder, actuators="motor")
    world = mujoco.MjModel.from_xml_path(str(found.path))
    for name in ("left", "right"):
        alone = mujoco.MjModel.from_xml_path(str(folder / f"{name}.xml"))
        bodies = [alone.body(i).name for i in range(1, alone.nbody)]
        assert bodies == [n for n in map(name_of(world), range(world.nbody)) if n.startswith(name)]
        assert [alone.body(n).mass.item() for n in bodies] == [
            world.body(n).mass.item() for n in bodies
        ]
        assert alone.nu == world.nu / 2
        assert alone.opt.timestep == world.opt.timestep


def name_of(model: mujoco.MjModel) -> Callable[[int], str]:
    """The name of a body by its index."""
    return lambda i: str(model.body(i).name)


def test_what_ties_two_models_stays_with_the_world(tmp_path: Path) -> None:
    joint = (
        "<joint name='tie' "
        "type='ball'><parent>left::flange</parent><child>right::flange</child></joint>"
    )
    scene = loaders.load_string(
        SUBMODELS_WORLD.replace("</world>", f"{joint}</world>"), format="sdf", unsafe_paths=True
    )
    found = export_mjcf(scene, tmp_path / "yard")
    text = to_mjcf(scene)
    assert "<equality>" in found.path.read_text()
    cut = mujoco.MjModel.from_xml_path(str(found.path))
    whole = mujoco.MjModel.from_xml_string(text, text.assets)
    assert [
        n for n, a in arrays(whole).items() if not np.array_equal(a, arrays(cut)[n], equal_nan=True)
    ] == []


def test_a_model_that_has_gone_leaves_no_file_behind(yard: loaders.Scene, tmp_path: Path) -> None:
    folder = tmp_path / "yard"
    export_mjcf(yard, folder)
    without = (
        SUBMODELS_WORLD[: SUBMODELS_WORLD.index("<model name='box'>")]
        + SUBMODELS_WORLD[SUBMODELS_WORLD.index("  <light") :]
    )
    fewer = loaders.load_string(without, format="sdf", unsafe_paths=True)
    assert "right.xml" in BUILT_IN["mjcf"].stale_files(fewer, folder)
    export_mjcf(fewer, folder)
    assert BUILT_IN["mjcf"].stale_files(fewer, folder) == ()
    assert not (folder / "right.xml").exists()


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    (tmp_path / "yard.sdf").write_text(SUBMODELS_WORLD)
    code = (
        "import sys, bridge; bridge.export_mjcf(sys.argv[1], sys.argv[2], unsafe_paths=True, "
        "actuators='position')"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", code, str(tmp_path / "yard.sdf"), str(tmp_path / seed)]
        subprocess.run(command, env=environment, check=True, timeout=120)
    one, two = (
        sorted(p for p in (tmp_path / seed).rglob("*") if p.is_file()) for seed in ("1", "2")
    )
    assert len(one) == len(two) > 5
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(one, two, strict=True))


def test_the_readme_states_a_version(yard: loaders.Scene, tmp_path: Path) -> None:
    export_mjcf(yard, tmp_path / "yard")
    assert "sdfbridge 0." in (tmp_path / "yard" / "README.md").read_text()


def test_a_scene_that_includes_a_model_keeps_its_own_defaults(tmp_path: Path) -> None:
    found = export_mjcf(ROOT / "assets" / "arm" / "model.sdf", tmp_path / "arm")
    mine = (
        "<body name='mine' pos='0 0 3'><joint name='turn' range='-1 1'/><geom type='box' "
        "size='1 1 1'/></body>"
    )
    scene = found.path.parent / "mine.xml"
    scene.write_text(
        f"<mujoco><include file='{found.path.name}'/><worldbody>{mine}</worldbody></mujoco>"
    )
    model = mujoco.MjModel.from_xml_path(str(scene))
    plain = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{mine}</worldbody></mujoco>")
    assert model.body("mine").mass == plain.body("mine").mass == 8000.0
    assert np.array_equal(model.jnt_solimp[model.joint("turn").id], plain.jnt_solimp[0])
    assert model.body("gripper::palm").mass == 0.6


# Bodies at their reference pose, against the original in MuJoCo.

BODIES = {
    "hinge": (
        f'<body name="a" pos="1 2 3" euler="10 20 30"><joint ref="30" pos="0.1 0.2 0" '
        f'axis="1 2 3"/>{BALL}</body>'
    ),
    "slide": (
        f'<body name="a" euler="10 20 30"><joint type="slide" ref="0.3" axis="1 2 3"/>{BALL}</body>'
    ),
    "chain": (
        '<body name="a" pos="1 0 0"><joint ref="30" axis="1 0 0" pos="0 0.1 0"/>'
        '<joint type="slide" ref="0.2" axis="0 1 0"/>'
        f'<joint ref="-50" axis="0 0 1" pos="0.3 0 0"/>{BALL}</body>'
    ),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_reference_pose_and_the_joints_are_those_of_the_original(body: str) -> None:
    import mujoco

    text = document(body)
    mjcf = bridge.to_mjcf(loaders.load_string(text, format="mjcf", quiet=True), quiet=True)
    original, exported = mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(mjcf)
    hinges = original.jnt_type == int(
        mujoco.mjtJoint.mjJNT_HINGE
    )  # the position of a slide has no meaning
    assert np.allclose(original.jnt_pos[hinges], exported.jnt_pos[hinges], atol=1e-12)
    for field in ("qpos0", "body_pos", "body_quat", "jnt_axis", "dof_invweight0", "dof_M0"):
        assert np.allclose(
            getattr(original, field), getattr(exported, field), rtol=1e-9, atol=1e-12
        ), field


# Classes of joints and actuators: members, names and attributes.


def test_joints_with_the_same_dynamics_share_a_class_named_by_what_their_names_share():
    mjcf = to_mjcf(leg())
    assert '<default class="hip_joint">' in mjcf
    assert '<joint name="FL1_hip_joint" class="hip_joint"/>' in mjcf


def test_actuators_of_a_class_of_joints_are_in_that_class_and_state_only_their_joint():
    mjcf = to_mjcf(leg(), actuators="motor")
    assert '<motor ctrlrange="-20 20"/>' in mjcf
    assert '<motor name="FL1_hip_joint" class="demo" joint="FL1_hip_joint"/>' in mjcf
    mixed = dataclasses.replace(
        leg(),
        joints=(*leg().joints[:3], hinge("toe", "l3", "l4", lower=0.0, upper=1.0, effort=5.0)),
    )
    mjcf = to_mjcf(mixed, actuators="motor")
    assert '<motor name="FL1_hip_joint" class="hip_joint" joint="FL1_hip_joint"/>' in mjcf
    assert '<motor name="toe" joint="toe" ctrlrange="-5 5"/>' in mjcf


def test_classes_of_joints_whose_names_say_nothing_are_named_by_what_tells_them_apart():
    limits = [
        {"damping": 3.0, "friction": 0.1},
        {"damping": 3.0, "friction": 0.2},
        {"damping": 3.0, "friction": 0.2},
    ]
    names = [f"joint_{i}" for i in range(9)]
    joints = [
        hinge(name, WORLD, f"l{i}", effort=9.0 + i, **limits[i // 3])
        for i, name in enumerate(names)
    ]
    joints = [
        dataclasses.replace(j, axes=(dataclasses.replace(j.axes[0], effort=5.0 if i < 6 else 7.0),))
        for i, j in enumerate(joints)
    ]
    mjcf = to_mjcf(scene_of(*(link(f"l{i}") for i in range(9)), joints=joints))
    assert re.findall('<default class="(effort[^"]*)">', mjcf) == [
        "effort_5",
        "effort_5_friction_0.2",
        "effort_7",
    ]


# The softness of constraints is stated once, and by those that differ.

SOFT = {"solref": "0.1 1", "solimp": "0.8 0.9 0.01"}


def limits(*stated: dict[str, str]) -> list[MjcfElement]:
    return [
        MjcfElement("joint", **{f"{name}limit": text for name, text in each.items()})
        for each in stated
    ]


def test_the_most_common_softness_is_that_of_the_class() -> None:
    members = limits(SOFT, {}, SOFT)
    assert share_softness(members, DEFAULT, "limit") == {
        "solreflimit": "0.1 1",
        "solimplimit": "0.8 0.9 0.01",
    }
    assert [member.attributes for member in members] == [
        {},
        {"solreflimit": "0.02 1", "solimplimit": "0.9 0.95 0.001"},
        {},
    ]


def test_constraints_that_state_none_are_hard_where_the_caller_says_so() -> None:
    members = limits({}, SOFT, {})
    assert share_softness(members, hard(0.001), "limit")["solreflimit"] == "0.002 1"
    assert members[0].attributes == {}
    assert members[1].attributes["solimplimit"] == "0.8 0.9 0.01"


def test_a_class_with_another_curve_does_not_shorten_its_members() -> None:
    curved = {"solref": "0.1 1", "solimp": "0.8 0.9 0.01 0.3 4"}
    members = limits(curved, curved, {})
    assert share_softness(members, DEFAULT, "limit")["solimplimit"] == "0.8 0.9 0.01 0.3 4"
    assert members[2].attributes["solimplimit"] == "0.9 0.95 0.001 0.5 2"


def test_the_default_needs_no_class() -> None:
    members = limits({}, {}, SOFT)
    assert share_softness(members, DEFAULT, "limit") == share_softness([], DEFAULT) == {}
    assert members[2].attributes == {"solreflimit": "0.1 1", "solimplimit": "0.8 0.9 0.01"}

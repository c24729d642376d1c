"""Overrides: values of a TOML file in place of those of the source, in every target."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import mujoco
import pybullet
import pytest

import bridge
import loaders
from loaders import LoadError, Scene
from loaders.collision_pairs import excluded_pairs
from loaders.finish.overrides import ACTUATOR_KEYS, AXIS_KEYS, FRICTION_KEYS, KEYS
from tests.support.urdf_robots import HINGE_AND_SLIDE

MJCF = """<mujoco><worldbody><body name="a"><joint name="h" axis="0 1 0" damping="1"/>
<geom name="ball" size=".1"/></body></worldbody><actuator><position name="m" joint="h" kp="10"/></actuator></mujoco>"""


def read(tmp_path: Path, overrides: str, source: str = HINGE_AND_SLIDE, **options: Any) -> Scene:
    name = "r.urdf" if source.startswith("<robot") else "r.xml"
    (tmp_path / name).write_text(source)
    (tmp_path / "o.toml").write_text(overrides)
    return loaders.load(tmp_path / name, overrides=tmp_path / "o.toml", quiet=True, **options)


def compiled(scene: Scene, **options: Any) -> mujoco.MjModel:
    text = bridge.to_mjcf(scene, base="fixed", quiet=True, **options)
    return mujoco.MjModel.from_xml_string(text)


JOINTS = """[joints.h]
armature = 0.125
damping = 2
friction = 0.5
lower = -0.25
upper = 0.75
effort = 7
position = 0.1
p_gain = 100
d_gain = 3
"""


def test_values_of_joints_are_those_of_mujocos_model(tmp_path: Path) -> None:
    model = compiled(read(tmp_path, JOINTS), actuators="position")
    joint, actuator = model.joint("h"), model.actuator("h")
    assert joint.armature == 0.125
    assert (joint.damping[0], joint.frictionloss) == (2.0, 0.5)
    assert joint.range.tolist() == [-0.25, 0.75]
    assert actuator.forcerange.tolist() == [-7.0, 7.0]
    assert (actuator.gainprm[0], actuator.biasprm[:3].tolist()) == (100.0, [0.0, -100.0, -3.0])
    assert model.key("home").qpos[0] == 0.1
    untouched = model.joint("s")
    assert (untouched.armature, untouched.damping[0]) == (0.0, 0.5)


def test_every_target_has_the_values(tmp_path: Path) -> None:
    scene = read(tmp_path, "[joints.h]\ndamping = 2\nupper = 0.75\n[links.base]\nfriction = 0.25")
    urdf = bridge.to_urdf(scene, quiet=True)
    sdf = bridge.to_sdf(scene, quiet=True)
    assert 'damping="2"' in urdf
    assert "<mu>0.25</mu>" in sdf
    for text, kind in ((urdf, "urdf"), (sdf, "sdf")):
        joint = next(j for j in loaders.load_string(text, format=kind).joints if j.name == "h")
        assert (joint.axes[0].damping, joint.axes[0].upper) == (2.0, 0.75)
    client = pybullet.connect(pybullet.DIRECT)
    robot = bridge.load_into_pybullet(scene, physicsClientId=client, quiet=True)
    infos = [pybullet.getJointInfo(robot, i, physicsClientId=client) for i in range(2)]
    limits = {info[1].decode(): info[8:10] for info in infos}
    pybullet.disconnect(client)
    assert limits["h"] == (-1.0, 0.75)


def test_a_pattern_means_every_name_that_it_matches(tmp_path: Path) -> None:
    scene = read(tmp_path, '[joints."*"]\narmature = 0.5\n[joints.s]\narmature = 0.25\n')
    assert [joint.axes[0].inertia for joint in scene.joints] == [0.5, 0.25]
    entry = next(entry for entry in scene.diagnostics if entry.code == "overrides.applied")
    assert (entry.subjects, entry.arguments["old"], entry.arguments["new"]) == (("h",), "0", "0.5")
    assert (Path(entry.where.file).name, entry.where.line) == ("o.toml", 2)


def test_links_choose_collisions_friction_and_pairs(tmp_path: Path) -> None:
    text = '[links.base]\nfriction = 0.25\ngravity = false\n[links.a]\ncollisions = "none"'
    scene = read(tmp_path, text)
    base, a, _ = scene.links
    assert base.collisions[0].surface.friction.mu == base.collisions[0].surface.friction.mu2 == 0.25
    assert not base.gravity
    assert a.collisions == ()


def test_pairs_never_collide(tmp_path: Path) -> None:
    shape = "<collision><geometry><sphere radius='1'/></geometry></collision>"
    links = "".join(f"<link name='{name}'>{shape}</link>" for name in ("a", "b", "c1", "c2"))
    joints = "".join(
        f"<joint name='j{i}' type='continuous'><parent link='{parent}'/><child link='{child}'/></joint>"
        for i, (parent, child) in enumerate((("a", "b"), ("b", "c1"), ("b", "c2")))
    )
    robot = f"<robot name='r'>{links}{joints}</robot>"
    added = excluded_pairs(read(tmp_path, 'exclude = [["a", "c*"], ["c1", "c2"]]', robot))
    before = excluded_pairs(read(tmp_path, "", robot))
    expected = {frozenset(pair) for pair in (("a", "c1"), ("a", "c2"), ("c1", "c2"))}
    assert added - before == expected
    assert before <= added


def test_patterns_for_too_many_pairs_are_refused_before_they_are_made(tmp_path: Path) -> None:
    """40 links have 780 pairs, 5,000 have 12 million."""
    robot = "<robot name='r'>{}</robot>"
    few, many = ("".join(f"<link name='l{i}'/>" for i in range(n)) for n in (40, 5_000))
    scene = read(tmp_path, 'exclude = [["l*", "*"]]', robot.format(few), lenient=True)
    assert len(scene.filter_rules) == 780
    before = time.process_time()
    with pytest.raises(LoadError, match="500000 pairs"):
        read(tmp_path, 'exclude = [["*", "*"]]', robot.format(many), lenient=True)
    assert time.process_time() - before < 10.0


def test_visuals_can_be_the_collisions(tmp_path: Path) -> None:
    shape = "<geometry><sphere radius='{}'/></geometry>"
    robot = f"<robot name='r'><link name='l'><visual name='v'>{shape.format(1)}</visual><collision name='one'>{shape.format(2)}</collision><collision name='two'>{shape.format(3)}</collision></link></robot>"
    chosen = read(tmp_path, '[links.l]\ncollisions = ["tw*"]', robot).links[0].collisions
    assert [shape.name for shape in chosen] == ["two"]
    visuals = read(tmp_path, '[links.l]\ncollisions = "visuals"', robot).links[0].collisions
    assert [getattr(shape.geometry, "radius", None) for shape in visuals] == [1.0]


def test_sites_and_options(tmp_path: Path) -> None:
    text = """[sites.tool]
link = "a"
xyz = [0, 0, 0.5]
rpy = [0, 0, 1]
[options]
time_step = 0.002
gravity = [0, 0, -1.62]
wind = [1, 0, 0]
[options.mujoco]
integrator = "RK4"
density = 1.2
[options.mujoco.flag]
contact = "disable"
"""
    model = compiled(read(tmp_path, text))
    assert model.site("tool").pos.tolist() == [0, 0, 0.5]
    assert (model.opt.timestep, model.opt.gravity[2], model.opt.wind[0]) == (0.002, -1.62, 1.0)
    assert (model.opt.integrator, model.opt.density) == (mujoco.mjtIntegrator.mjINT_RK4, 1.2)
    assert model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONTACT


WRONG = {
    "[joints.hh]\ndamping = 1": ("overrides.name", "h"),
    '[links."gripper_*"]\nfriction = 1': ("overrides.name", ""),
    "[joints.h]\ndampin = 1": ("overrides.key", "damping"),
    "[joint.h]\ndamping = 1": ("overrides.key", "joints"),
    "[joints.h]\ndamping = -1": ("overrides.value", ""),
    '[joints.h]\ndamping = "1"': ("overrides.value", ""),
    "[joints.h]\ndamping = nan": ("overrides.value", ""),
    "[joints]\nh = 1": ("overrides.value", ""),
    "joints = 1": ("overrides.value", ""),
    '[links.a]\ncollisions = ["no"]': ("overrides.name", ""),
    'exclude = [["base"]]': ("overrides.value", ""),
    'exclude = [["base", "c"]]': ("overrides.name", ""),
    "[sites.a]\nlink = 'a'": ("overrides.value", ""),
    "[sites.t]\nxyz = [0, 0, 1]": ("overrides.value", ""),
    "[options]\ntime_step = 0": ("overrides.value", ""),
    "[options.mujoco]\nintegratr = 'RK4'": ("overrides.key", "integrator"),
    "[joints.h\n": ("overrides.syntax", ""),
    "a = " + "[" * 3000: ("overrides.syntax", ""),
    "a = " + "{a = " * 3000: ("overrides.syntax", ""),
    "a = " + "1" * 5000: ("overrides.syntax", ""),
    "a." * 50_000 + "a = 1": ("overrides.syntax", ""),
    "a = 1 # " + "x" * (1 << 20): ("file.too-large", ""),
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: repr(text[:40]))
def test_what_is_wrong_is_an_error_with_a_place(text: str, tmp_path: Path) -> None:
    code, suggestion = WRONG[text]
    with pytest.raises(LoadError) as caught:
        read(tmp_path, text)
    (entry,) = caught.value.diagnostics
    assert entry.code == code
    assert Path(entry.where.file).name == "o.toml"
    assert f"did you mean {suggestion}" in entry.hint if suggestion else True


def test_an_actuator_with_its_own_law_keeps_it(tmp_path: Path) -> None:
    scene = read(tmp_path, "[joints.h]\narmature = 0.5\ndamping = 2", MJCF)
    model = compiled(scene)
    assert (model.joint("h").armature, model.joint("h").damping[0]) == (0.5, 2.0)
    with pytest.raises(LoadError, match="law of its own"):
        read(tmp_path, "[joints.h]\np_gain = 3", MJCF)


@pytest.mark.parametrize("key", [*AXIS_KEYS, *ACTUATOR_KEYS])
def test_every_key_of_a_joint_changes_its_field_alone(key: str, tmp_path: Path) -> None:
    value: Any = [-0.5, 0.5] if key == "control" else 0.5
    before = read(tmp_path, "")
    scene = read(tmp_path, f"[joints.h]\n{key} = {value}")
    item: Any = scene.joints[0].axes[0] if key in AXIS_KEYS else scene.actuators[0]
    found = getattr(item, KEYS["joints"][key].field)
    assert (list(found) if key == "control" else found) == value
    for name in ("links", "frames", "models", "couplings"):
        assert len(getattr(scene, name)) == len(getattr(before, name))
    assert scene.joints[1].axes[0].damping == before.joints[1].axes[0].damping


@pytest.mark.parametrize("key", FRICTION_KEYS)
def test_every_coefficient_of_friction_is_set(key: str, tmp_path: Path) -> None:
    scene = read(tmp_path, f"[links.base]\n{key} = 0.5")
    friction = scene.links[0].collisions[0].surface.friction
    assert getattr(friction, FRICTION_KEYS[key].field) == 0.5


def test_changes_are_in_the_fidelity_report(tmp_path: Path) -> None:
    scene = read(tmp_path, "[joints.h]\narmature = 0.125")
    bridge.export_mjcf(scene, tmp_path / "out", quiet=True)
    report = "".join(path.read_text() for path in (tmp_path / "out").rglob("*.md"))
    assert "overrides.applied" in report

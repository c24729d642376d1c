"""Lenient loading: what it skips it reports, everything else moves as before, and a strict error
says what it would do.

The witness is the same file with the fault corrected by hand.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import loaders
from bridge.lowering.lower import lower
from loaders import Fate, LoadError, Scene

TWO = "<link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link>"
JOINT = (
    "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 "
    "0</xyz></axis></joint>"
)
SPHERE = "<geometry><sphere><radius>1</radius></sphere></geometry>"


def sdf(body: str, version: str = "1.11") -> str:
    return f"<sdf version='{version}'><model name='m'>{TWO}{JOINT}{body}</model></sdf>"


def on_link(body: str) -> str:
    return sdf(f"<link name='c'>{body}</link>")


def visual(material: str) -> str:
    return on_link(f"<visual name='v'>{SPHERE}<material>{material}</material></visual>")


def urdf(body: str) -> str:
    ends = "<parent link='a'/><child link='b'/><origin xyz='0 0 1'/>"
    return (
        f"<robot name='m'><link name='a'/><link name='b'/><joint name='j' "
        f"type='revolute'>{ends}{body}</joint></robot>"
    )


LIMIT = "<limit lower='-1' upper='1' effort='{}' velocity='{}'/>"

FAULTS = {
    "a missing include": (sdf("<include><uri>model://none</uri></include>"), sdf("")),
    "an include without URI": (sdf("<include/>"), sdf("")),
    "a joint to a link of a missing include": (
        sdf(
            "<include><name>n</name><uri>model://none</uri></include>"
            "<joint name='k' type='fixed'><parent>a</parent><child>n::l</child></joint>"
        ),
        sdf(""),
    ),
    "a joint without its parent": (
        sdf("<joint name='k' type='fixed'><parent>x</parent><child>b</child></joint>"),
        sdf(""),
    ),
    "a material script without URI": (
        visual("<script><name>Gazebo/Red</name></script>"),
        visual("<diffuse>1 0 0 1</diffuse>"),
    ),
    "a color above one": (
        visual("<diffuse>2 0 0 1</diffuse>"),
        visual("<diffuse>1 0 0 1</diffuse>"),
    ),
    "an unknown type of sensor": (on_link("<sensor name='s' type='smell'/>"), on_link("")),
    "a pose of three numbers": (on_link("<pose>1 2 3</pose>"), on_link("<pose>1 2 3 0 0 0</pose>")),
    "collisions of one name": (
        on_link(
            f"<collision name='x'>{SPHERE}</collision><collision name='x'>{SPHERE}</collision>"
        ),
        on_link(
            f"<collision name='x'>{SPHERE}</collision><collision "
            f"name='x_collision'>{SPHERE}</collision>"
        ),
    ),
    "an empty link called world": (
        sdf(
            "<link name='world'/><joint name='k' "
            "type='fixed'><parent>world</parent><child>a</child></joint>"
        ),
        sdf("<joint name='k' type='fixed'><parent>world</parent><child>a</child></joint>"),
    ),
    "a heavy link called world": (
        sdf(
            "<link name='world'><inertial><mass>2</mass></inertial></link>"
            "<joint name='k' type='fixed'><parent>world</parent><child>a</child></joint>"
        ),
        sdf(
            "<link name='world_link'><inertial><mass>2</mass></inertial></link>"
            "<joint name='k' type='fixed'><parent>world_link</parent><child>a</child></joint>"
        ),
    ),
    "a joint called world": (
        sdf("<joint name='world' type='fixed'><parent>world</parent><child>a</child></joint>"),
        sdf(
            "<joint name='world_joint' type='fixed'><parent>world</parent><child>a</child></joint>"
        ),
    ),
    "a reserved name": (
        sdf(
            "<frame name='__f__'/><frame name='g'><pose relative_to='__f__'>1 0 0 0 0 "
            "0</pose></frame>"
        ),
        sdf(
            "<frame name='f_frame'/><frame name='g'><pose relative_to='f_frame'>1 0 0 0 0 "
            "0</pose></frame>"
        ),
    ),
    "a negative friction": (
        on_link(
            f"<collision "
            f"name='x'>{SPHERE}<surface><friction><ode><mu>-1</mu></ode></friction></surface></collision>"
        ),
        on_link(f"<collision name='x'>{SPHERE}<surface><friction/></surface></collision>"),
    ),
    "a malformed value that nothing reads": (
        on_link(
            "<sensor name='s' type='camera'><camera><clip><near>x</near></clip></camera></sensor>"
        ),
        on_link(
            "<sensor name='s' type='camera'><camera><clip><near>x</near></clip></camera></sensor>"
        ),
    ),
    "a license before the declaration": ("<!-- c -->\n<?xml version='1.0'?>" + sdf(""), sdf("")),
    "a value without quotes": (sdf("<link name=c/>"), sdf("<link name='c'/>")),
    "a negative effort and velocity": (
        urdf(LIMIT.format(-1, -1)),
        urdf(LIMIT.format("inf", "inf")),
    ),
    "a joint of a URDF without its parent": (
        urdf(LIMIT.format(1, 1)).replace(
            "</robot>",
            "<joint name='k' type='fixed'><parent link='x'/><child link='a'/></joint></robot>",
        ),
        urdf(LIMIT.format(1, 1)),
    ),
    "an impossible inertia": (
        on_link("<inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz></inertia></inertial>"),
        on_link("<inertial><inertia><ixx>2</ixx><iyy>2</iyy><izz>4</izz></inertia></inertial>"),
    ),
}


def load(text: str, **options: bool) -> Scene:
    kind = "urdf" if text.startswith("<robot") else "sdf"
    return loaders.load_string(text, format=kind, quiet=True, **options)


@pytest.fixture(params=FAULTS)
def fault(request: pytest.FixtureRequest) -> tuple[str, str]:
    return FAULTS[request.param]


def test_the_file_is_read_as_if_it_were_corrected(fault: tuple[str, str]) -> None:
    broken, corrected = load(fault[0], lenient=True), load(fault[1], lenient=True)
    found, expected = broken.to_dict(), corrected.to_dict()
    for key in ("links", "joints", "frames", "models"):
        assert str(found[key]) == str(expected[key])
    for one, other in zip(broken.links, corrected.links, strict=True):
        assert [visual.material and visual.material.diffuse for visual in one.visuals] == [
            visual.material and visual.material.diffuse for visual in other.visuals
        ]
        assert [collision.surface for collision in one.collisions] == [
            c.surface for c in other.collisions
        ]
    q = {"j": 0.5}
    poses = zip(
        lower(broken).link_poses(q).items(), lower(corrected).link_poses(q).items(), strict=True
    )
    assert all(
        name == other and np.array_equal(X.to_vector(), Y.to_vector())
        for (name, X), (other, Y) in poses
    )


def test_every_leniency_is_reported(fault: tuple[str, str]) -> None:
    skipped = [
        entry for entry in load(fault[0], lenient=True).diagnostics if entry.fate is Fate.SKIPPED
    ]
    assert skipped
    assert all(entry.severity == "warning" and entry.leniency for entry in skipped)


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "an impossible inertia"])
def test_a_strict_error_says_that_lenient_loading_reads_the_file(name: str) -> None:
    with pytest.raises(LoadError, match="lenient=True") as caught:
        load(FAULTS[name][0])
    expected = [
        entry
        for entry in load(FAULTS[name][0], lenient=True).diagnostics
        if entry.fate is Fate.SKIPPED
    ]
    assert list(caught.value.skipped) == expected
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_strict_loading_keeps_an_impossible_inertia_with_a_warning() -> None:
    scene = load(FAULTS["an impossible inertia"][0])
    assert "model.impossible-inertia" in {entry.code for entry in scene.diagnostics}


BAD_FILES = {
    "no XML": b"hello",
    "empty": b"",
    "truncated": b"<sdf version='1.9'><model name='m'><link name='a'>",
    "mismatched": b"<sdf version='1.9'><model name='m'><link name='a'></model></sdf>",
    "a web page": b"<!DOCTYPE html><html><body><p>404</p></body></html>",
    "binary": bytes(range(256)) * 8,
    "of an unknown format": b"<launch/>",
    "a URDF with a loop": b"<robot name='r'><link name='a'/><link name='b'/>"
    b"<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
    b"<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
    "a cycle": b"<sdf version='1.9'><model name='m'><link name='l'/><include><uri>model://bad</uri></include></model></sdf>",
}
GOOD = "<model name='ok'><link name='l'/></model>"


@pytest.mark.parametrize("name", BAD_FILES)
def test_an_include_that_cannot_be_read_is_left_out_and_the_rest_is_read(
    name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "model.config").write_text("<model><sdf version='1.9'>model.sdf</sdf></model>")
    (folder / "model.sdf").write_bytes(BAD_FILES[name])
    include = "<include><uri>model://bad</uri></include>"
    world = tmp_path / "w.sdf"
    world.write_text(f"<sdf version='1.9'><world name='w'>{include}{GOOD}</world></sdf>")
    with pytest.raises(LoadError, match="lenient=True"):
        loaders.load(world, quiet=True)
    scene = loaders.load(world, lenient=True, quiet=True)
    links = [link.name for link in scene.links]
    assert links == (["m::l", "ok::l"] if name == "a cycle" else ["ok::l"])
    assert any(entry.fate is Fate.SKIPPED for entry in scene.diagnostics)


def test_a_manifest_that_cannot_be_read_is_an_include_that_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "model.config").write_text("<model><name>")
    text = f"<sdf version='1.9'><world name='w'><include><uri>model://bad</uri></include>{GOOD}</world></sdf>"
    (tmp_path / "w.sdf").write_text(text)
    scene = loaders.load(tmp_path / "w.sdf", lenient=True, quiet=True)
    assert [link.name for link in scene.links] == ["ok::l"]


HOPELESS = {
    "links of one name": sdf("<link name='a'/>"),
    "an unknown joint type": sdf(
        "<joint name='k' type='magic'><parent>a</parent><child>b</child></joint>"
    ),
    "a mass that is no number": on_link("<inertial><mass>heavy</mass></inertial>"),
    "a pose relative to nothing": on_link("<pose relative_to='x'>1 2 3 0 0 0</pose>"),
    "no end": "<sdf version='1.11'><model name='m'>",
    "a loop of a URDF": urdf("").replace(
        "</robot>",
        "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
    ),
}


@pytest.mark.parametrize("name", HOPELESS)
def test_what_changes_how_the_rest_moves_is_refused(name: str) -> None:
    with pytest.raises(LoadError) as caught:
        load(HOPELESS[name], lenient=True)
    assert not caught.value.advice
    with pytest.raises(LoadError) as strictly:
        load(HOPELESS[name])
    assert not strictly.value.advice


def test_a_valid_file_is_the_same_in_lenient_loading(assets: Path) -> None:
    for path in (assets / "arm" / "model.sdf", assets / "double_pendulum.urdf"):
        assert (
            loaders.load(path, quiet=True).to_dict()
            == loaders.load(path, quiet=True, lenient=True).to_dict()
        )


def test_strict_and_lenient_exclude_each_other(assets: Path) -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        loaders.load(assets / "double_pendulum.urdf", strict=True, lenient=True)


def test_only_the_include_is_reported_and_not_what_follows_from_it() -> None:
    text = sdf(
        "<include><name>n</name><uri>model://none</uri></include>"
        "<joint name='k' type='fixed'><parent>a</parent><child>n::l</child></joint>"
        "<frame name='f' attached_to='n::l'/><joint name='o' "
        "type='fixed'><parent>n::l</parent><child>a</child></joint>"
    )
    with pytest.raises(LoadError) as caught:
        load(text)
    (finding,) = caught.value.diagnostics
    assert finding.code == "sdf.include-not-found"
    assert "tried" in finding.message
    assert "paths" in finding.hint


def test_the_sdf_files_of_pybullet_are_read(pybullet_robots: Path) -> None:
    files = sorted(pybullet_robots.rglob("*.sdf"))
    assert len(files) > 10
    for path in files:
        assert loaders.load(path, lenient=True, quiet=True).links


@pytest.mark.parametrize(
    ("name", "fixed"),
    [("wsg50_one_motor_gripper", True), ("wsg50_one_motor_gripper_free_base", False)],
)
def test_a_gripper_of_pybullet_hangs_in_the_world_unless_its_base_has_mass(
    name: str, fixed: bool, pybullet_robots: Path
) -> None:
    scene = loaders.load(pybullet_robots / "gripper" / f"{name}.sdf", lenient=True, quiet=True)
    assert any(joint.parent == "world" for joint in scene.joints) == fixed


def test_an_include_whose_manifest_names_a_missing_file_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "iris").mkdir()
    (tmp_path / "iris" / "model.config").write_text(
        "<model><name>iris</name><sdf version='1.9'>iris.sdf</sdf></model>"
    )
    text = sdf("<include><uri>model://iris</uri></include>")
    with pytest.raises(LoadError, match="lenient=True"):
        loaders.load_string(text, format="sdf", paths=[tmp_path])
    scene = loaders.load_string(text, format="sdf", paths=[tmp_path], lenient=True, quiet=True)
    assert scene.to_dict()["links"] == load(sdf("")).to_dict()["links"]


def test_a_mimic_of_an_unknown_joint_lets_the_joint_move() -> None:
    text = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>
    <child link="b"/><mimic joint="gone"/></joint></robot>"""
    with pytest.raises(loaders.LoadError, match="moves independently"):
        loaders.load_string(text, format="urdf")
    scene = loaders.load_string(text, format="urdf", lenient=True, quiet=True)
    assert scene.couplings == ()
    assert [entry.code for entry in scene.diagnostics if entry.fate is Fate.SKIPPED] == [
        "urdf.mimic"
    ]


def test_moments_that_are_no_numbers_have_the_default() -> None:
    text = """<sdf version="1.6"><model name="m"><link name="l"><inertial><mass>3</mass><inertia><ixx>nan</ixx>
    <iyy>2</iyy><izz>2</izz></inertia></inertial></link></model></sdf>"""
    with pytest.raises(loaders.LoadError, match="lenient"):
        loaders.load_string(text, format="sdf")
    inertia = loaders.load_string(text, format="sdf", lenient=True, quiet=True).links[0].inertia
    assert inertia is not None
    assert (inertia.mass, inertia.I_Lcm[0, 0], inertia.I_Lcm[1, 1]) == (3.0, 1.0, 2.0)


@pytest.mark.parametrize("version", ["1.4", "1.6", "1.7", "1.11"])
def test_an_empty_frame_of_a_pose_is_no_warning(version: str) -> None:
    text = f"""<sdf version="{version}"><model name="m"><pose frame="">1 0 0 0 0 0</pose><link name="l"><pose frame=''>
    0 0 1 0 0 0</pose></link></model></sdf>"""
    scene = loaders.load_string(text, format="sdf", strict=True)
    assert scene.links[0].X_WL.p.tolist() == [1.0, 0.0, 1.0]

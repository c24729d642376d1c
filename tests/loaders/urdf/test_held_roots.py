"""A root link whose stated mass is 0 is fixed to the world, as PyBullet's loadURDF fixes it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pybullet
import pytest
from pybullet_data import getDataPath

import bridge
import loaders
from bridge.lowering.transform import mechanism_of
from bridge.targets.mjcf import to_mjcf
from loaders.diagnostics import Diagnostic
from tests.support.mujoco_oracle import compiled

BALL = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
LIMIT = "<limit lower='-1' upper='1' effort='1' velocity='1'/>"


def link(name: str, inertial: str) -> str:
    return f"<link name='{name}'>{inertial}{BALL}</link>"


def inertial(mass: str, moment: str = "1") -> str:
    return (
        f"<inertial><mass value='{mass}'/><inertia ixx='{moment}' ixy='0' ixz='0' iyy='{moment}' "
        f"iyz='0' izz='{moment}'/></inertial>"
    )


def robot(root: str, kind: str = "") -> str:
    """A root link, and one of 2 kg on a joint of a kind."""
    child = (
        link("b", inertial("2"))
        + f"<joint name='j' type='{kind}'><parent link='a'/><child link='b'/>"
        f"<origin xyz='0.5 0 0'/><axis xyz='0 1 0'/>{LIMIT}</joint>"
    )
    return f"<robot name='r'>{link('a', root)}{child if kind else ''}</robot>"


def codes(diagnostics: Iterable[Diagnostic]) -> set[str]:
    return {entry.code for entry in diagnostics}


ROOTS = {
    "mass 0": inertial("0", "0"),
    "mass .0, moments 1": inertial(".0"),
    "no inertial": "",
    "mass 1": inertial("1"),
}
PYBULLET_FILES = (
    "plane.urdf",
    "table/table.urdf",
    "tray/tray.urdf",
    "kuka_iiwa/model.urdf",
    "cartpole.urdf",
    "sphere2red_nocol.urdf",
    "table_square/table_square.urdf",
    "r2d2.urdf",
    "cube_small.urdf",
)


def falls(body: int, client: int) -> bool:
    height = pybullet.getBasePositionAndOrientation(body, client)[0][2]
    for _ in range(24):
        pybullet.stepSimulation(client)
    return bool(pybullet.getBasePositionAndOrientation(body, client)[0][2] < height - 0.01)


def outcomes(file: Path, client: int, **options: Any) -> tuple[tuple[bool, int], tuple[bool, int]]:
    """Whether the base falls, and the number of joints, with loadURDF and here."""
    found = []
    for load in (pybullet.loadURDF, bridge.load_into_pybullet):
        pybullet.resetSimulation(physicsClientId=client)
        pybullet.setGravity(0.0, 0.0, -9.81, client)
        more = {} if load is pybullet.loadURDF else {"quiet": True, **options}
        body = load(str(file), [0, 0, 5], physicsClientId=client, **more)
        found.append((falls(body, client), pybullet.getNumJoints(body, client)))
    return found[0], found[1]


@pytest.mark.parametrize("kind", ["", "fixed", "revolute"])
@pytest.mark.parametrize("root", ROOTS)
def test_a_root_is_held_exactly_where_pybullet_holds_it(
    root: str, kind: str, tmp_path: Path, bullet_client: int
) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(robot(ROOTS[root], kind))
    native, here = outcomes(file, bullet_client)
    assert native == here
    assert here[0] is not root.startswith(("mass 0", "mass .0"))


@pytest.mark.parametrize("name", PYBULLET_FILES)
def test_the_files_of_pybullet_stand_or_fall_as_with_loadurdf(
    name: str, bullet_client: int
) -> None:
    native, here = outcomes(Path(getDataPath(), name), bullet_client)
    assert native == here


@pytest.mark.parametrize("kind", ["", "fixed", "revolute"])
def test_every_target_holds_it(kind: str) -> None:
    scene = loaders.load_string(robot(inertial("0"), kind), format="urdf")
    moving = 1 if kind == "revolute" else 0
    assert len(bridge.lower(scene).v_order) == moving
    assert compiled(to_mjcf(scene, quiet=True)).nv == moving
    for write, reading in ((bridge.to_urdf, "urdf"), (bridge.to_sdf, "sdf")):
        document = write(scene, quiet=True)
        assert [entry for entry in document.diagnostics if "virtual" in str(entry)] == []
        written = loaders.load_string(str(document), format=reading, quiet=True)
        assert len(bridge.lower(written).v_order) == moving


@pytest.mark.parametrize("kind", ["", "fixed", "revolute"])
def test_the_caller_frees_it(kind: str, tmp_path: Path, bullet_client: int) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(robot(inertial("0"), kind))
    assert outcomes(file, bullet_client, useFixedBase=False)[1][0]
    moving = 7 if kind == "revolute" else 6
    assert compiled(to_mjcf(file, base="free", quiet=True)).nv == moving
    assert len(mechanism_of(file, base="free", quiet=True).v_order) == moving


def test_the_finding_has_the_place_and_is_an_assumption_where_links_with_mass_are_welded() -> None:
    (alone,) = loaders.load_string(robot(inertial("0"), "revolute"), format="urdf").diagnostics
    assert (alone.code, alone.severity, alone.subjects) == ("urdf.held-root", "note", ("a",))
    assert alone.where.line == 1
    assert "mass" in alone.where.path
    welded = loaders.load_string(robot(inertial("0"), "fixed"), format="urdf", quiet=True)
    (entry,) = welded.diagnostics
    assert (entry.code, entry.fate, entry.arguments["mass"]) == ("urdf.held-root", "assumed", 2.0)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_no_finding_advises_what_the_caller_did(base: str) -> None:
    scene = loaders.load_string(robot(ROOTS["no inertial"]), format="urdf")
    assert "lower.massless-free-link" in codes(mechanism_of(scene).diagnostics)
    found = mechanism_of(scene, base=base).diagnostics
    assert [entry for entry in found if "base=" in str(entry)] == []
    assert bool(found) is (base == "free")


def test_a_fixed_base_has_no_finding_of_a_free_one(bullet_client: int) -> None:
    scene = loaders.load_string(robot(ROOTS["no inertial"]), format="urdf")
    held = bridge.load_into_pybullet(scene, useFixedBase=True, physicsClientId=bullet_client)
    assert "lower.massless-free-link" not in codes(held.diagnostics)
    assert "lower.massless-free-link" not in codes(to_mjcf(scene, base="fixed").diagnostics)


DIRECTIVES = """
directives:
- add_model: {name: arm, file: "file://arm.urdf"}
- add_model: {name: hand, file: "file://hand.urdf"}
- add_weld: {parent: arm::b, child: hand::a}
"""


def test_a_weld_of_another_document_takes_the_place_of_the_mass_of_0(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(robot(inertial("0"), "revolute"))
    (tmp_path / "hand.urdf").write_text(robot(inertial("0"), "revolute"))
    (tmp_path / "scene.dmd.yaml").write_text(DIRECTIVES.replace("file://", f"file://{tmp_path}/"))
    scene = loaders.load(tmp_path / "scene.dmd.yaml", quiet=True)
    assert [entry.subjects for entry in scene.diagnostics if entry.code == "urdf.held-root"] == [
        ("arm::a",)
    ]
    assert [joint for joint, _ in bridge.lower(scene).v_order] == ["arm::j", "hand::j"]


def test_a_link_that_a_joint_connects_to_the_world_is_no_root() -> None:
    text = robot(inertial("0")).replace(
        "</robot>",
        "<joint name='w' type='prismatic'><parent link='world'/><child link='a'/>"
        f"<axis xyz='0 0 1'/>{LIMIT}</joint></robot>",
    )
    scene = loaders.load_string(text, format="urdf", quiet=True)
    assert [joint.name for joint in scene.joints] == ["w"]
    assert len(bridge.lower(scene).v_order) == 1


WORLD_WITH_ARM = """<sdf version="1.11"><world name="w">
<include>{static}<name>arm</name><uri>arm.urdf</uri></include>{joint}</world></sdf>"""
SLIDER = """<joint name="slider" type="prismatic"><parent>world</parent><child>arm::a</child>
<axis><xyz>0 0 1</xyz></axis></joint>"""


@pytest.mark.parametrize(
    ("static", "joint", "moving"),
    [
        ("", "", ["arm::j"]),
        ("", SLIDER, ["slider", "arm::j"]),
        ("<static>true</static>", "", []),
    ],
)
def test_a_world_that_includes_the_robot_may_hold_it_otherwise(
    static: str, joint: str, moving: list[str], tmp_path: Path
) -> None:
    (tmp_path / "arm.urdf").write_text(robot(inertial("0"), "revolute"))
    world = tmp_path / "world.sdf"
    world.write_text(WORLD_WITH_ARM.format(static=static, joint=joint))
    scene = loaders.load(world, quiet=True)
    assert [name for name, _ in bridge.lower(scene).v_order] == moving
    assert ("urdf.held-root" in codes(scene.diagnostics)) is (moving == ["arm::j"])

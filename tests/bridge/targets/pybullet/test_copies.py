"""A source that is loaded again is not read again, unless a file, an option or the time step changed;
copies stand where they are placed and have what a single load has.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pybullet_data
import pytest

import bridge
import loaders
from bridge.lowering import transform
from bridge.targets.pybullet import load, mesh
from bridge.targets.pybullet.load import load_copies_into_pybullet, load_into_pybullet
from loaders.files.read_file import recorded

ROBOT = """<robot name="r">
  <link name="base"><inertial><mass value="{mass}"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="part.obj"/></geometry></visual></link>
  <link name="arm"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 1"/></joint>
</robot>"""
PART = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n"
TURN = (0.0, 0.6, 0.0, 0.8)


def write(path: Path, text: str, age: float = 10.0) -> None:
    """Write a file that was not changed for some time [s]; newer ones are always read again."""
    path.write_text(text)
    then = time.time() - age
    os.utime(path, (then, then))


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    load.forget_sources()
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(load, "SETTLED", -int(1e12))  # the change of a file's inode cannot be set


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    write(tmp_path / "part.obj", PART)
    write(tmp_path / "r.urdf", ROBOT.format(mass=2))
    return tmp_path / "r.urdf"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that are read."""
    found: list[str] = []
    read = load.mechanism_of

    def counted(source: Any, **options: Any) -> Any:
        found.append(str(source))
        return read(source, **options)

    monkeypatch.setattr(load, "mechanism_of", counted)
    return found


def loaded(path: Any, client: int, *places: Any, **options: Any) -> Any:
    options = {"physicsClientId": client, "quiet": True} | options
    return load_into_pybullet(path, *places, **options)


def test_the_same_source_is_read_once_wherever_it_is_placed(
    bullet_client: int, robot: Path, reads: list[str]
) -> None:
    bodies = [loaded(robot, bullet_client, (k, 0, 0), TURN) for k in range(3)]
    assert len(reads) == 1
    load.forget_sources()
    for k, body in enumerate(bodies):
        fresh = loaded(robot, bullet_client, (k, 0, 0), TURN)
        for link in ("base", "arm"):
            assert body.link_pose(link).is_close(fresh.link_pose(link), 1e-15)
        assert body.diagnostics == fresh.diagnostics
        for link, X_WL in fresh.mechanism.link_poses().items():
            assert body.mechanism.link_poses()[link].is_close(X_WL, 1e-15)
        native = [pybullet.getDynamicsInfo(each, -1, bullet_client)[:5] for each in (body, fresh)]
        assert native[0] == native[1]
        np.testing.assert_array_equal(body.q, fresh.q)


def test_what_is_decided_without_pybullet_is_decided_once(
    bullet_client: int, robot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = ("_plan", "articulate", "urdf_text", "contact_changes", "links_to_hide")
    loaded(robot, bullet_client)

    def again(*_: object, **__: object) -> None:
        raise AssertionError("decided again")

    for name in decisions:
        monkeypatch.setattr(load, name, again)
    assert loaded(robot, bullet_client, (1, 0, 0), TURN).links["arm"] == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: write(folder / "r.urdf", ROBOT.format(mass=3), 5.0),
        lambda folder: write(folder / "part.obj", PART.replace("v 1", "v 2"), 5.0),
        lambda folder: (folder / "part.obj").unlink(),
        lambda folder: os.utime(folder / "part.obj"),
    ],
    ids=["robot", "mesh", "missing", "touched"],
)
def test_a_source_of_which_a_file_changed_is_read_again(
    bullet_client: int, robot: Path, reads: list[str], change: Any
) -> None:
    loaded(robot, bullet_client)
    loaded(robot, bullet_client)
    assert len(reads) == 1
    change(robot.parent)
    body = loaded(robot, bullet_client)
    assert len(reads) == 2
    load.forget_sources()
    fresh = loaded(robot, bullet_client)
    assert body.diagnostics == fresh.diagnostics
    assert (
        pybullet.getDynamicsInfo(body, -1, bullet_client)[0]
        == pybullet.getDynamicsInfo(fresh, -1, bullet_client)[0]
    )
    loaded(robot, bullet_client)
    assert len(reads) == 3


def test_a_file_that_appears_where_it_was_missed_is_read(
    bullet_client: int, robot: Path, reads: list[str]
) -> None:
    (robot.parent / "part.obj").unlink()
    body = loaded(robot, bullet_client)
    assert "resource.not-found" in {entry.code for entry in body.diagnostics}
    write(robot.parent / "part.obj", PART)
    body = loaded(robot, bullet_client)
    assert "resource.not-found" not in {entry.code for entry in body.diagnostics}
    assert len(reads) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"useFixedBase": True},
        {"globalScaling": 2.0},
        {"policy": "sdformat"},
        {"damping": "exact"},
        {"collision_meshes": "hull"},
        {"lenient": True},
        {"paths": ["."]},
    ],
    ids=str,
)
def test_other_options_are_another_source(
    bullet_client: int, robot: Path, reads: list[str], options: dict[str, Any]
) -> None:
    loaded(robot, bullet_client)
    loaded(robot, bullet_client, **options)
    loaded(robot, bullet_client, **options)
    assert len(reads) == 2


def test_another_time_step_or_folder_is_another_source(
    bullet_client: int, robot: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded(robot, bullet_client)
    pybullet.setTimeStep(1e-3, bullet_client)
    loaded(robot, bullet_client)
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(robot.parent))
    loaded(robot, bullet_client)
    monkeypatch.chdir(robot.parent)
    loaded("r.urdf", bullet_client)
    loaded("r.urdf", bullet_client)
    assert len(reads) == 4


def test_what_depends_on_more_than_files_is_read_at_each_load(
    bullet_client: int, robot: Path, reads: list[str]
) -> None:
    for _ in range(2):
        loaded(robot, bullet_client, finder=lambda _: None)
    assert len(reads) == 2


def test_a_file_that_has_just_changed_is_read_again(
    bullet_client: int, robot: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its times may be those of the next change, too."""
    monkeypatch.setattr(load, "SETTLED", int(3600e9))
    for _ in range(2):
        loaded(robot, bullet_client)
    assert len(reads) == 2


def test_the_number_of_sources_that_are_kept_is_limited(
    bullet_client: int, robot: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "_MAX_PREPARED", 2)
    for scale in (1.0, 2.0, 3.0, 1.0):
        loaded(robot, bullet_client, globalScaling=scale)
    assert len(load._PREPARED) == 2
    assert len(reads) == 4


def test_each_load_has_its_findings_warns_and_tells_its_files(
    bullet_client: int, robot: Path, reads: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    (robot.parent / "part.obj").unlink()
    caplog.set_level(logging.INFO, logger="sdfbridge")
    told, texts, files = [], [], []
    for _ in range(2):
        caplog.clear()
        paths: set[str] = set()
        with (
            pytest.warns(loaders.LossWarning) as caught,
            recorded(lambda p, _, to=paths: to.add(p)),
        ):
            body = loaded(robot, bullet_client, quiet=False)
        texts.append([str(warning.message) for warning in caught])
        told.append([record.getMessage() for record in caplog.records])
        files.append(paths)
        assert "resource.not-found" in {entry.code for entry in body.diagnostics}
    assert len(reads) == 1
    assert texts[0] == texts[1]
    assert told[0] == told[1]
    assert files[0] == files[1]
    assert str(robot) in files[0]


WORLD = """<sdf version="1.11"><world name="w">
  <model name="a"><pose>0 0 1 0 0 0</pose><link name="l"/></model>
  <model name="b"><link name="l"/><joint name="j" type="revolute"><parent>world</parent>
    <child>l</child><axis><xyz>1 0 0</xyz></axis></joint></model></world></sdf>"""


@pytest.mark.parametrize("turn", [None, TURN])
def test_a_world_with_joints_to_it_moves_as_a_whole(
    bullet_client: int, tmp_path: Path, reads: list[str], turn: Any
) -> None:
    write(tmp_path / "w.sdf", WORLD)
    loaded(tmp_path / "w.sdf", bullet_client)
    bodies = loaded(tmp_path / "w.sdf", bullet_client, (1, 2, 3), turn)
    assert len(reads) == 1
    load.forget_sources()
    fresh = loaded(tmp_path / "w.sdf", bullet_client, (1, 2, 3), turn)
    for each in (bodies, fresh):
        each.set_positions({"b::j": 0.4})
    for link in ("a::l", "b::l"):
        assert bodies.link_pose(link).is_close(fresh.link_pose(link))
    assert sorted(map(str, bodies.diagnostics)) == sorted(map(str, fresh.diagnostics))


def test_a_fixed_base_that_is_turned_has_its_finding(
    bullet_client: int, robot: Path, reads: list[str]
) -> None:
    loaded(robot, bullet_client, useFixedBase=True)
    moved = loaded(robot, bullet_client, (0, 0, 1), useFixedBase=True)
    turned = loaded(robot, bullet_client, (0, 0, 1), TURN, useFixedBase=True)
    assert len(reads) == 1
    assert "pybullet.rotated-fixed-base" not in {entry.code for entry in moved.diagnostics}
    assert "pybullet.rotated-fixed-base" in {entry.code for entry in turned.diagnostics}
    np.testing.assert_allclose(moved.base_pose()[0], (0, 0, 1), atol=1e-12)


# --- what a body is told of which a server has one already ---------------------------------------


def answers(body: Any, client: int) -> list[Any]:
    """What PyBullet answers about a body whose state nobody has changed, and where it moves to."""
    links = range(-1, pybullet.getNumJoints(body, client))
    found = [
        [getattr(pybullet, name)(body, link, physicsClientId=client) for link in links[first:]]
        for first, name in (
            (0, "getDynamicsInfo"),
            (0, "getAABB"),
            (1, "getJointInfo"),
            (1, "getJointStateMultiDof"),
            (1, "getLinkState"),
        )
    ]
    shapes = [pybullet.getCollisionShapeData(body, link, client) for link in links]
    visuals = pybullet.getVisualShapeData(body, -1, client)
    found += [[shape[1:4] + shape[5:] for own in shapes for shape in own]]
    found += [[shape[1:4] + shape[5:8] for shape in visuals]]
    pybullet.setGravity(0.3, 0.2, -9.8, client)
    for _ in range(200):
        body.step()
    moved = [pybullet.getJointStateMultiDof(body, link, client)[:2] for link in links[1:]]
    end = body.q.tolist()
    body.reset()
    return [*found, moved, end, body.q.round(12).tolist(), dict(body.joints), dict(body.links)]


ROBOTS = (
    "humanoid/humanoid.urdf",
    "quadruped/minitaur.urdf",
    "cartpole.urdf",
    "sphere2.urdf",
    "pr2_gripper.urdf",
    "spherical_joint_limit.urdf",
)
"""With ball joints, damping, dry friction, contact parameters, textures, links without shapes, and
with inertias that no body has.
"""
MORE_ROBOTS = (
    "TwoJointRobot_w_fixedJoints.urdf", "a1/a1.urdf", "aliengo/aliengo.urdf",
    "biped/biped2d_pybullet.urdf", "block.urdf", "cube_collisionfilter.urdf", "cube_rotate.urdf",
    "cube_small.urdf", "differential/diff_ring.urdf", "domino/domino.urdf", "duck_vhacd.urdf",
    "gripper/wsg50_one_motor_gripper_left_finger.urdf", "cube.urdf", "jenga/jenga.urdf",
    "kuka_iiwa/model.urdf", "laikago/laikago_toes.urdf", "lego/lego.urdf",
    "mini_cheetah/mini_cheetah.urdf", "pendulum5.urdf", "plane.urdf", "quadruped/spirit40.urdf",
    "quadruped/vision60.urdf", "r2d2.urdf", "racecar/racecar.urdf", "soccerball.urdf",
    "sphere_with_restitution.urdf", "table/table.urdf", "teddy_vhacd.urdf", "tray/traybox.urdf",
    "sphere_small.urdf",
)  # fmt: skip
"""None whose links meet while it moves: PyBullet's solver treats contacts in an order that depends on
the bodies that were removed, also those of ``loadURDF``.
"""
PLACES = [(None, None), ((0.5, -1, 2), TURN)]


def removed(path: Path, client: int) -> tuple[int, list[Any]]:
    """Load elsewhere; remove these once the body is there."""
    return client, [loaded(path, client, *each) for each in (((3, 4, 5), TURN), PLACES[0])]


def reset(path: Path, client: int) -> tuple[int, list[Any]]:
    loaded(path, client)
    pybullet.resetSimulation(physicsClientId=client)
    return client, []


def other_step(path: Path, client: int) -> tuple[int, list[Any]]:
    """Load at another time step, and return to the first."""
    pybullet.setTimeStep(1e-3, client)
    others = [loaded(path, client)]
    pybullet.setTimeStep(1 / 240, client)
    return client, others


def closed(path: Path, client: int) -> tuple[int, list[Any]]:
    """Load in a server that is closed, whose id the next one gets."""
    loaded(path, client)
    pybullet.disconnect(client)
    return pybullet.connect(pybullet.DIRECT), []


CASES = [
    *((name, removed, place) for name in ROBOTS for place in PLACES),
    *(("cartpole.urdf", before, PLACES[1]) for before in (reset, other_step, closed)),
    *(
        pytest.param(name, before, PLACES[k % 2], marks=pytest.mark.slow)
        for k, name in enumerate(MORE_ROBOTS)
        for before in ((removed, reset, removed, other_step, closed)[k % 5],)
    ),
]


@pytest.mark.parametrize(("name", "before", "place"), CASES)
def test_the_second_body_of_a_source_equals_the_first(
    name: str, before: Any, place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first body of a server, and one after loads of the same source."""
    path = Path(pybullet_data.getDataPath()) / name
    monkeypatch.delenv("SDFBRIDGE_CACHE")
    found = []
    for is_first in (True, False):
        load.forget_sources()
        client = pybullet.connect(pybullet.DIRECT)
        client, others = (client, []) if is_first else before(path, client)
        body = loaded(path, client, *place)
        for other in others:
            other.remove()
        found.append((list(map(str, body.diagnostics)), *answers(body, client)))
        pybullet.disconnect(client)
    for first, second in zip(*found, strict=True):
        assert str(first) == str(second)


def test_a_document_about_which_pybullet_prints_is_silent_each_time(
    bullet_client: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """PyBullet would call the moments of the base bad; the document states none."""
    bad = ROBOT.replace('izz="1"', 'izz="9"', 1).format(mass=2)
    write(tmp_path / "part.obj", PART)
    write(tmp_path / "r.urdf", bad)
    bodies = [loaded(tmp_path / "r.urdf", bullet_client) for _ in range(3)]
    assert len({body.diagnostics for body in bodies}) == 1
    assert "".join(capfd.readouterr()) == ""


def test_the_second_load_calls_few_functions(bullet_client: int, robot: Path) -> None:
    """Of a small object each costs more than a percent of the load."""
    calls = []

    def count(frame: Any, event: str, _: object) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    for _ in range(2):
        loaded(robot, bullet_client)
    sys.setprofile(count)
    try:
        loaded(robot, bullet_client)
    finally:
        sys.setprofile(None)
    assert len(calls) < 70, calls


# --- copies in one call ---------------------------------------------------------------------------


def test_a_hundred_copies_stand_where_they_are_placed(
    bullet_client: int, robot: Path, reads: list[str]
) -> None:
    places = [(k % 10, k // 10, 0.5) for k in range(100)]
    copies: Any = load_copies_into_pybullet(
        robot, places, [TURN] * 100, physicsClientId=bullet_client, quiet=True
    )
    assert len(reads) == 1
    assert pybullet.getNumBodies(bullet_client) == 100
    for copy, place in zip(copies, places, strict=True):
        np.testing.assert_allclose(copy.base_pose()[0], place, atol=1e-12)
        np.testing.assert_allclose(copy.base_pose()[1], TURN, atol=1e-12)
    assert len({id(copy.diagnostics) for copy in copies}) == 100
    copies[3].set_positions({"j": 0.3})
    assert [copy.positions()["j"] for copy in copies[2:5]] == [0.0, 0.3, 0.0]


def test_copies_of_a_scene_are_lowered_once(
    bullet_client: int, robot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, lowered = loaders.load(robot, quiet=True), []
    lower = transform.lower
    monkeypatch.setattr(transform, "lower", lambda scene: lowered.append(1) or lower(scene))
    bridge.load_copies_into_pybullet(
        scene, [(0, 0, 0), (1, 0, 0)], physicsClientId=bullet_client, quiet=True
    )
    assert lowered == [1]


def test_mistakes_in_the_places_of_copies_load_nothing(bullet_client: int, robot: Path) -> None:
    def copies(*arguments: Any, **options: Any) -> None:
        load_copies_into_pybullet(robot, *arguments, physicsClientId=bullet_client, **options)

    with pytest.raises(ValueError, match="expected as many baseOrientations as basePositions, 2"):
        copies([(0, 0, 0), (1, 0, 0)], [TURN])
    with pytest.raises(ValueError, match="invalid basePosition"):
        copies([(0, 0, 0), (1, 0)])
    with pytest.raises(TypeError, match="unknown option 'useFixedbase'"):
        copies([(0, 0, 0)], useFixedbase=True)
    assert pybullet.getNumBodies(bullet_client) == 0


def test_copies_that_fail_leave_nothing_behind(
    bullet_client: int, robot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_plan, calls = load._load_plan, []

    def third_fails(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError("no more")
        return load_plan(*arguments)

    monkeypatch.setattr(load, "_load_plan", third_fails)
    with pytest.raises(RuntimeError, match="no more"):
        load_copies_into_pybullet(
            robot, [(k, 0, 0) for k in range(5)], physicsClientId=bullet_client, quiet=True
        )
    assert pybullet.getNumBodies(bullet_client) == 0


def test_a_server_gets_the_file_of_a_document_once(
    robot: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A server keeps the text of a path; one that has the id of a closed one does not know it."""
    written: list[str] = []
    create = mesh.create_scratch_file

    def counted(path: str, data: bytes) -> bool:
        written.append(path)
        return create(path, data)

    monkeypatch.setattr(mesh, "create_scratch_file", counted)
    counts, bodies = [], []
    for _ in range(2):
        client = pybullet.connect(pybullet.DIRECT)
        pybullet.createMultiBody(physicsClientId=client)
        for place in ((0, 0, 0), (1, 0, 0), (2, 0, 0)):
            body = loaded(robot, client, place)
            counts.append(len(written))
            bodies.append((int(body), body.joints["j"], body.diagnostics))
            assert body.link_pose("arm").p.tolist() == [place[0], 0, 1]
        pybullet.resetSimulation(physicsClientId=client)
        assert loaded(robot, client).links["arm"] == 0
        pybullet.disconnect(client)
    assert counts == [1, 1, 1, 3, 3, 3]  # the robot of a server without bodies is written anyway
    assert bodies[:3] == bodies[3:]
    assert "not found" not in "".join(capfd.readouterr())

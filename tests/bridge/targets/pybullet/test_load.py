"""Arguments of ``loadURDF`` have the effect that they have in PyBullet, mistakes are named, and
visuals are drawn.
"""

from __future__ import annotations

import inspect
import math
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import bridge
import loaders
from bridge import load_into_pybullet
from bridge.targets.pybullet.load import base_pose, find_source
from loaders.model import WORLD
from loaders.pose import IDENTITY
from tests.support.scenes import joint, link, scene
from tests.support.urdf_robots import HINGE_AND_SLIDE

# Arguments of ``loadURDF``, compared with PyBullet on one file; strict loading and misspelled
# options.


@pytest.fixture
def pair(bullet_client, tmp_path):
    """Loads the file with PyBullet's loader and with this one, with the same arguments."""
    path = tmp_path / "robot.urdf"
    path.write_text(HINGE_AND_SLIDE)

    def load(flags=pybullet.URDF_USE_INERTIA_FROM_FILE, **arguments):
        native = pybullet.loadURDF(
            str(path), flags=flags, physicsClientId=bullet_client, **arguments
        )
        return native, load_into_pybullet(
            path, flags=flags, physicsClientId=bullet_client, **arguments
        )

    return load


PLACES = {
    "nowhere": {},
    "moved": {"basePosition": (1, 2, 3)},
    "moved and turned": {"basePosition": (1, 2, 3), "baseOrientation": (0.1, 0.2, 0.3, 0.86**0.5)},
}


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.1])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_placement_and_size_are_those_of_loadurdf(pair, bullet_client, place, fixed, scale):
    """Compare poses of links and centers of mass, masses, limits, efforts and damping."""
    native, ours = pair(useFixedBase=fixed, globalScaling=scale, **PLACES[place])
    for body in (native, ours):
        for index, value in ((0, 0.3), (1, 0.1 * scale)):
            pybullet.resetJointState(body, index, value, physicsClientId=bullet_client)
    for index in (0, 1):
        states = [
            pybullet.getLinkState(body, index, physicsClientId=bullet_client)
            for body in (native, ours)
        ]
        for number in (0, 4, 5):
            np.testing.assert_allclose(states[1][number], states[0][number], atol=1e-6)
        infos = [pybullet.getJointInfo(body, index, bullet_client) for body in (native, ours)]
        np.testing.assert_allclose(infos[1][6:12], infos[0][6:12], rtol=1e-12)
        masses = [
            pybullet.getDynamicsInfo(body, index, bullet_client)[0] for body in (native, ours)
        ]
        assert masses[0] == masses[1]
    boxes = [
        pybullet.getCollisionShapeData(body, -1, bullet_client)[0][3] for body in (native, ours)
    ]
    assert boxes[0] == pytest.approx(boxes[1])


@pytest.mark.parametrize("place", PLACES)
def test_a_free_base_is_asked_and_set_as_with_loadurdf_by_its_center_of_mass(
    pair, bullet_client, place
):
    native, ours = pair(**PLACES[place])
    where = [pybullet.getBasePositionAndOrientation(body, bullet_client) for body in (native, ours)]
    np.testing.assert_allclose(where[1][0], where[0][0], atol=1e-12)
    for body in (native, ours):
        pybullet.resetBasePositionAndOrientation(
            body, (5, 6, 7), where[0 if body == native else 1][1], bullet_client
        )
    links = [
        pybullet.getLinkState(body, 1, physicsClientId=bullet_client)[4] for body in (native, ours)
    ]
    np.testing.assert_allclose(links[1], links[0], atol=1e-6)


def test_a_fixed_base_is_asked_by_its_link_frame(pair, bullet_client):
    """PyBullet's own loader gives the center of mass there, which nothing depends on."""
    native, ours = pair(useFixedBase=True, basePosition=(1, 2, 3))
    assert pybullet.getBasePositionAndOrientation(ours, bullet_client)[0] == (1, 2, 3)
    assert pybullet.getBasePositionAndOrientation(native, bullet_client)[0] == pytest.approx(
        (1.1, 2.2, 3.3)
    )


def test_inertias_grow_with_the_square_of_the_size_as_those_of_shapes_do(pair, bullet_client):
    """``loadURDF`` scales the inertias that it takes from shapes, and leaves those of the file."""
    moments = {}
    for flags in (0, pybullet.URDF_USE_INERTIA_FROM_FILE):
        for scale in (1.0, 2.0):
            bodies = pair(flags=flags, globalScaling=scale)
            moments[flags, scale] = [
                np.sort(pybullet.getDynamicsInfo(b, 0, bullet_client)[2]) for b in bodies
            ]
    np.testing.assert_allclose(
        moments[0, 2.0][0], 4.0 * moments[0, 1.0][0], rtol=0.02
    )  # its margin is not scaled
    np.testing.assert_allclose(moments[2, 2.0][0], moments[2, 1.0][0])
    np.testing.assert_allclose(moments[2, 2.0][1], 4.0 * moments[2, 1.0][1])


# --- flags ----------------------------------------------------------------------------------------


# --- servers --------------------------------------------------------------------------------------


WINDOW = """
import pybullet as p
import loaders
from bridge import load_into_pybullet
from tests.support.scenes import *
client = p.connect(p.GUI, options="--width=320 --height=240")
assert client >= 0
from loaders.model import Visual
shown = link("a", shape=UNIT_BOX, visuals=(Visual(name="v", X_LG=IDENTITY, geometry=UNIT_BOX),))
with load_into_pybullet(scene([shown, link("b")], [joint("j", "a", "b")]), physicsClientId=client) as robot:
    robot.set_positions({"j": 0.4})
    for _ in range(10):
        robot.step()
    assert abs(robot.positions()["j"] - 0.4) < 1e-3
    assert "data:image/png;base64," in robot._repr_html_()
assert p.getNumBodies(client) == 0
p.disconnect(client)
print("shown")
"""


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="there is no Xvfb")
def test_a_window_shows_what_is_loaded(tmp_path):
    """Run in a separate process on a virtual display."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24"],
        pass_fds=(write,),
        stderr=subprocess.DEVNULL,
    )
    try:
        os.close(write)
        display = os.read(read, 16).decode().strip()
        environment = {**os.environ, "DISPLAY": f":{display}", "LIBGL_ALWAYS_SOFTWARE": "1"}
        child = subprocess.run(
            [sys.executable, "-c", WINDOW],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if "cannot connect" in (child.stdout + child.stderr).lower() or "OpenGL" in child.stderr:
            pytest.skip("this display has no OpenGL")
        assert "shown" in child.stdout, child.stdout + child.stderr
    finally:
        os.close(read)
        server.terminate()
        server.wait(10)


def test_a_joint_to_the_world_is_not_undone_by_an_argument(bullet_client):
    """``useFixedBase`` is about links that nothing but a weld, or nothing at all, holds."""
    source = scene([link("a")], [joint("j", WORLD, "a")])
    for fixed in (None, True, False):
        body = load_into_pybullet(source, physicsClientId=bullet_client, useFixedBase=fixed)
        assert list(body.positions()) == ["j"]


# --- strict ---------------------------------------------------------------------------------------


UNREAD = "<robot name='r'><link name='a'/><nonsense/></robot>"
LIMITED = scene([link("a")], [joint("j", WORLD, "a", axis={"velocity": 1.0})])


def test_strict_refuses_what_the_reader_does_not_support(
    bullet_client: int, tmp_path: Path
) -> None:
    """A path is read with ``strict``, so that an unread element of the file is an error."""
    path = tmp_path / "r.urdf"
    path.write_text(UNREAD)
    load_into_pybullet(path, physicsClientId=bullet_client).remove()
    with pytest.raises(loaders.LoadError) as caught:
        load_into_pybullet(path, physicsClientId=bullet_client, strict=True)
    assert "xml.unread" in {entry.code for entry in caught.value.diagnostics}
    assert pybullet.getNumBodies(bullet_client) == 0


def test_strict_refuses_what_was_lost_in_reading_the_scene(bullet_client: int) -> None:
    source = loaders.load_string(UNREAD, format="urdf")
    with pytest.raises(loaders.ExportError) as caught:
        load_into_pybullet(source, physicsClientId=bullet_client, strict=True)
    assert "xml.unread" in {entry.code for entry in caught.value.diagnostics}
    assert pybullet.getNumBodies(bullet_client) == 0


def test_strict_refuses_what_pybullet_does_not_support(bullet_client: int) -> None:
    with pytest.raises(loaders.ExportError) as caught:
        load_into_pybullet(LIMITED, physicsClientId=bullet_client, strict=True)
    assert {entry.code for entry in caught.value.diagnostics} == {"pybullet.velocity-limit"}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("useFixedbase", "useFixedBase"),
        ("collision_policy", "policy"),
        ("stict", "strict"),
        ("packagemap", "package_map"),
    ],
)
def test_a_misspelled_option_is_a_type_error_with_a_suggestion(
    bullet_client: int, wrong: str, right: str
) -> None:
    with pytest.raises(TypeError, match=f"unknown option '{wrong}'") as caught:
        load_into_pybullet(LIMITED, physicsClientId=bullet_client, **{wrong: True})  # type: ignore[arg-type]
    assert right in str(caught.value)


# Arguments in the order of PyBullet's ``loadURDF`` have the same effect, and mistakes are named.


HALF = math.sqrt(0.5)
PLAIN = ([1, 2, 3], [0, 0, HALF, HALF], False, True, pybullet.URDF_USE_INERTIA_FROM_FILE, 2.0)
OF_NUMPY = (
    np.array([1, 2, 3]),
    np.array([0, 0, HALF, HALF]),
    *map(np.int64, (0, 1, 2)),
    np.float32(2),
)


@pytest.mark.parametrize("arguments", [PLAIN, OF_NUMPY], ids=["plain", "numpy"])
def test_positional_arguments_have_the_effect_that_they_have_in_loadurdf(
    bullet_client: int, assets: Path, arguments: tuple[Any, ...]
) -> None:
    path, arguments = str(assets / "double_pendulum.urdf"), (*arguments, bullet_client)
    native, ours = pybullet.loadURDF(path, *arguments), bridge.load_into_pybullet(path, *arguments)
    assert pybullet.getNumBodies(physicsClientId=bullet_client) == 2
    for index in range(pybullet.getNumJoints(native, bullet_client)):
        states = [
            pybullet.getLinkState(body, index, physicsClientId=bullet_client)
            for body in (native, ours)
        ]
        assert states[1][4] == pytest.approx(states[0][4], abs=1e-6)
        assert states[1][5] == pytest.approx(states[0][5], abs=1e-6)


def test_the_first_arguments_are_those_of_loadurdf() -> None:
    parameters = list(inspect.signature(bridge.load_into_pybullet).parameters)
    names = (
        "basePosition baseOrientation useMaximalCoordinates useFixedBase flags globalScaling "
        "physicsClientId"
    )
    assert parameters[1:8] == names.split()


@pytest.mark.parametrize(
    ("position", "orientation", "message"),
    [
        (
            None,
            [0, 0, 0, 0],
            r"quaternion of zeros does not represent a rotation; the identity is \[0, 0, 0, 1\]",
        ),
        (None, [0, 0, 1], "invalid baseOrientation .*; expected a quaternion x, y, z, w"),
        ([0, 0], None, "invalid basePosition .*; expected x, y, z"),
        ([0, 0, math.nan], None, "invalid basePosition .*; expected x, y, z"),
        (["0", "0", "1"], None, "invalid basePosition .*; expected x, y, z"),
        ("up", None, "invalid basePosition 'up'; expected x, y, z"),
        (1.0, None, "invalid basePosition 1.0; expected x, y, z"),
    ],
)
def test_an_impossible_pose_is_refused_before_anything_is_loaded(
    position: Any, orientation: list[float] | None, message: str, bullet_client: int, assets: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        bridge.load_into_pybullet(
            assets / "leg.sdf", position, orientation, physicsClientId=bullet_client
        )
    assert pybullet.getNumBodies(physicsClientId=bullet_client) == 0


def test_no_pose_is_the_identity() -> None:
    assert base_pose(None, None) is IDENTITY


def test_maximal_coordinates_are_refused(bullet_client: int, assets: Path) -> None:
    with pytest.raises(ValueError, match="useMaximalCoordinates is not supported"):
        bridge.load_into_pybullet(
            assets / "leg.sdf", useMaximalCoordinates=True, physicsClientId=bullet_client
        )


def test_a_relative_file_is_searched_in_paths_as_loadurdf_searches_its_path(
    bullet_client: int, pybullet_robots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pybullet.setAdditionalSearchPath(str(pybullet_robots), bullet_client)
    native = pybullet.loadURDF("r2d2.urdf", physicsClientId=bullet_client)
    ours = bridge.load_into_pybullet(
        "r2d2.urdf", paths=[pybullet_robots], physicsClientId=bullet_client
    )
    assert pybullet.getNumJoints(ours, bullet_client) == pybullet.getNumJoints(
        native, bullet_client
    )
    with pytest.raises(
        FileNotFoundError, match="pass the folder that you gave to setAdditionalSearchPath"
    ) as caught:
        bridge.load_into_pybullet("r2d2.urdf", physicsClientId=bullet_client)
    assert isinstance(caught.value, loaders.LoadError)
    with pytest.raises(ValueError, match="not a document; use load_string"):
        bridge.load_into_pybullet("<robot name='r'/>", physicsClientId=bullet_client)


def test_the_present_folder_comes_before_the_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "arm.urdf").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    assert find_source("arm.urdf", [tmp_path / "there"]) == "arm.urdf"
    (tmp_path / "here" / "arm.urdf").unlink()
    assert find_source("arm.urdf", [tmp_path / "there"]) == tmp_path / "there" / "arm.urdf"
    assert find_source("rd://panda_description", ()) == "rd://panda_description"


@pytest.mark.parametrize(
    "load", [bridge.load_into_pybullet, bridge.load_world_into_pybullet], ids=["model", "world"]
)
def test_the_file_may_be_named_as_in_loadurdf(bullet_client: int, assets: Path, load: Any) -> None:
    path = str(assets / "double_pendulum.urdf")
    native = pybullet.loadURDF(fileName=path, physicsClientId=bullet_client)
    loaded = load(fileName=path, physicsClientId=bullet_client)
    ours = loaded if isinstance(loaded, int) else loaded[0]
    assert pybullet.getNumJoints(ours, bullet_client) == pybullet.getNumJoints(
        native, bullet_client
    )
    with pytest.raises(TypeError, match="source and fileName are two names of one argument"):
        load(path, fileName=path, physicsClientId=bullet_client)
    with pytest.raises(TypeError, match="expected a path, a Scene or a Mechanism as the first"):
        load(physicsClientId=bullet_client)


def test_a_single_folder_as_paths_is_refused_as_by_load(
    bullet_client: int, pybullet_robots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder, message = str(pybullet_robots), "expected a list of folders, as in .*pybullet_data'"
    for source in ("r2d2.urdf", pybullet_robots / "r2d2.urdf"):
        with pytest.raises(TypeError, match=message):
            bridge.load_into_pybullet(source, paths=folder, physicsClientId=bullet_client)  # type: ignore[arg-type]


def test_a_missing_file_names_the_folders_that_were_searched(
    bullet_client: int, pybullet_robots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [tmp_path, pybullet_robots]
    with pytest.raises(FileNotFoundError) as caught:
        bridge.load_into_pybullet("r2d3.urdf", paths=folders, physicsClientId=bullet_client)
    assert f"nor in one of paths={tmp_path}, {pybullet_robots} (" in str(caught.value)
    assert "check the name, or add its folder to paths" in str(caught.value)
    assert "setAdditionalSearchPath" not in str(caught.value)


@pytest.mark.parametrize("fixed", [None, True, False])
def test_a_base_without_mass_falls_only_if_it_is_not_held(
    bullet_client: int, pybullet_robots: Path, fixed: bool | None
) -> None:
    """No finding advises to hold a base that is held, by the file or by the caller."""
    robot = bridge.load_into_pybullet(
        pybullet_robots / "plane.urdf",
        useFixedBase=fixed,
        physicsClientId=bullet_client,
        quiet=True,
    )
    falls = [entry for entry in robot.diagnostics if entry.code == "lower.massless-free-link"]
    assert bool(falls) is (fixed is False)
    massless = loaders.load_string("<robot name='r'><link name='l'/></robot>", format="urdf")
    free = bridge.load_into_pybullet(
        massless, useFixedBase=fixed, physicsClientId=bullet_client, quiet=True
    )
    advised = [entry for entry in free.diagnostics if "useFixedBase=True" in entry.hint]
    assert bool(advised) is (fixed is None)


def test_the_warning_says_in_words_what_moves_otherwise(
    bullet_client: int, pybullet_robots: Path
) -> None:
    """Before the codes of the rest: a base without mass falls, and damping is limited or
    diverges.
    """
    path = pybullet_robots / "kuka_iiwa/model.urdf"
    with pytest.warns(loaders.LossWarning) as caught:
        bridge.load_into_pybullet(path, useFixedBase=False, physicsClientId=bullet_client)
    first, *worst = str(caught[0].message).splitlines()
    assert "1 assumed" in first
    assert ": warning: link lbr_iiwa_link_0 moves freely" in worst[0]
    assert "lbr_iiwa_joint_7 (0.5 becomes" in worst[1]
    with pytest.warns(loaders.LossWarning) as caught:
        bridge.load_into_pybullet(path, damping="exact", physicsClientId=bullet_client)
    worst = str(caught[0].message).splitlines()[1:]
    assert "PyBullet computes joint damping explicitly, which is unstable" in worst[0]


def test_the_state_has_a_short_representation(bullet_client: int, assets: Path) -> None:
    robot: Any = bridge.load_into_pybullet(
        assets / "double_pendulum.urdf", physicsClientId=bullet_client
    )
    assert repr(robot.state) == f"<State of PyBullet body {int(robot)}: 4 links>"
    assert len(repr(robot.dynamics)) < 300


# --- one and several ------------------------------------------------------------------------------


def test_a_world_is_always_a_sequence(bullet_client: int, assets: Path) -> None:
    bodies = bridge.load_world_into_pybullet(
        assets / "leg.sdf", [0, 0, 1], physicsClientId=bullet_client
    )
    (body,) = bodies
    assert isinstance(body, bridge.targets.pybullet.PyBulletBody)
    assert bodies[body.name] == body
    assert set(bodies.positions()) == set(body.positions())
    assert bodies.link_pose(next(iter(body.links))).p[2] == pytest.approx(
        body.link_pose(next(iter(body.links))).p[2]
    )


LINK = '<link name="l"/>'


@pytest.mark.parametrize(
    "content",
    [
        f'<model name="m">{LINK}</model>',
        f'<model name="m"><static>true</static>{LINK}</model>',
        f'<world name="w"><model name="m">{LINK}</model></world>',
        (
            f'<world name="w"><model name="m">{LINK}<model '
            f'name="n"><static>true</static></model></model></world>'
        ),
    ],
    ids=["free", "static", "world of one", "nested"],
)
def test_one_body_is_always_a_body_id(content: str, bullet_client: int) -> None:
    scene = loaders.load_string(f'<sdf version="1.11">{content}</sdf>', format="sdf", quiet=True)
    robot = bridge.load_into_pybullet(scene, physicsClientId=bullet_client)
    assert isinstance(robot, bridge.targets.pybullet.PyBulletBody)
    assert pybullet.getNumJoints(robot, bullet_client) == 0
    assert pybullet.getBodyUniqueId(0, bullet_client) == robot


def test_several_bodies_say_how_to_choose_one(bullet_client: int) -> None:
    models = "".join(f'<model name="{name}">{LINK}</model>' for name in ("cup", "table"))
    scene = loaders.load_string(
        f'<sdf version="1.11"><world name="w">{models}</world></sdf>', format="sdf", quiet=True
    )
    robots = bridge.load_into_pybullet(scene, physicsClientId=bullet_client)
    message = r"2 PyBullet bodies have no single id; choose one by number, by the name of its model \(cup, table\)"
    with pytest.raises(TypeError, match=message):
        pybullet.getNumJoints(robots, bullet_client)
    assert pybullet.getNumJoints(robots["cup"], bullet_client) == 0


@pytest.mark.parametrize("load", [bridge.load_into_pybullet, bridge.load_world_into_pybullet])
def test_unknown_names_are_key_errors_that_suggest_the_closest(
    load: object, bullet_client: int, assets: Path
) -> None:
    robot = load(assets / "double_pendulum.urdf", physicsClientId=bullet_client)  # type: ignore[operator]
    with pytest.raises(KeyError) as caught:
        _ = robot.joints["elbo"]
    assert str(caught.value) == "unknown joint 'elbo'; did you mean 'elbow'?"
    with pytest.raises(KeyError, match="unknown link 'zzz'; expected one of: "):
        _ = robot.links["zzz"]
    assert robot.joints.get("elbo") is None
    assert "elbo" not in robot.joints


# --- the page -------------------------------------------------------------------------------------

PAGE = Path(__file__).parents[4] / "docs" / "pybullet.md"
SCRIPTS = re.findall(
    r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)


def script(start: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run the script of the page that imports a module, in the root of the project; return its
    names.
    """
    (text,) = [text for text in SCRIPTS if f"import {start}\n" in text]
    monkeypatch.chdir(PAGE.parents[1])
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(text, names)
    return names


@pytest.mark.usefixtures("servers_of_scripts")
def test_the_script_that_replaces_loadurdf_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    names = script("pybullet_data", monkeypatch)
    assert names["robot"].joints["panda_joint4"] == names["joint"]


@pytest.mark.usefixtures("servers_of_scripts")
def test_environments_of_gymnasium_with_equal_seeds_stay_equal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    names = script("gymnasium as gym", monkeypatch)
    first, second, third, fourth = names["observations"]
    assert (first == third).all()
    assert (second == fourth).all()
    assert not (first == second).any()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice on normalization
        check_env(names["Reach"](), skip_render_check=True)


# What PyBullet draws: its own renderer sees the visuals of a file, and only these.

SPHERE = "<geometry><sphere radius='1'/></geometry>"
COLLISION, VISUAL = f"<collision>{SPHERE}</collision>", f"<visual>{SPHERE}</visual>"


@pytest.fixture
def client() -> Iterator[int]:
    client = pybullet.connect(pybullet.DIRECT)
    yield client
    pybullet.disconnect(physicsClientId=client)


def seen(near: str, far: str, client: int) -> set[int]:
    """Return the indices of the links in a picture of two links, 4 m apart."""
    text = f"""<robot name="r"><link name="near">{near}</link><link name="far">{far}</link>
    <joint name="j" type="continuous"><parent link="near"/><child link="far"/><origin xyz="0 4 0"/></joint></robot>"""
    scene = loaders.load_string(text, format="urdf", quiet=True)
    bridge.load_into_pybullet(scene, physicsClientId=client, quiet=True)
    view = pybullet.computeViewMatrix([15, 2, 0], [0, 2, 0], [0, 0, 1])
    lens = pybullet.computeProjectionMatrixFOV(40, 1, 0.1, 30)
    options = {
        "renderer": pybullet.ER_TINY_RENDERER,
        "flags": pybullet.ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX,
    }
    picture = pybullet.getCameraImage(64, 64, view, lens, **options, physicsClientId=client)
    mask = np.asarray(picture[4]).ravel()
    return {int(value >> 24) - 1 for value in mask[mask >= 0]}


def test_a_link_without_visual_is_not_drawn(client: int) -> None:
    assert seen(COLLISION, COLLISION + VISUAL, client) == {0}


def test_all_visuals_are_drawn(client: int) -> None:
    assert seen(COLLISION + VISUAL, VISUAL, client) == {-1, 0}


def test_a_model_without_any_visual_shows_its_collisions(client: int) -> None:
    assert seen(COLLISION, COLLISION, client) == {-1, 0}

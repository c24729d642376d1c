"""Arguments in the order of PyBullet's ``loadURDF`` have the same effect, and mistakes are
named.
"""

from __future__ import annotations

import inspect
import math
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.targets.pybullet.load import base_pose, find_source
from loaders.pose import IDENTITY

pybullet = pytest.importorskip("pybullet")


def test_positional_arguments_have_the_effect_that_they_have_in_loadurdf(
    bullet_client: int, assets: Path
) -> None:
    path = str(assets / "double_pendulum.urdf")
    half = math.sqrt(0.5)
    arguments = (
        [1, 2, 3],
        [0, 0, half, half],
        False,
        True,
        pybullet.URDF_USE_INERTIA_FROM_FILE,
        2.0,
        bullet_client,
    )
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
    text = str(caught[0].message).removeprefix(f"{path}: ")
    assert text.startswith("link lbr_iiwa_link_0 moves freely")
    assert text.index("lbr_iiwa_joint_7 (0.5 becomes") < text.index("1 assumed")
    with pytest.warns(loaders.LossWarning) as caught:
        bridge.load_into_pybullet(path, damping="exact", physicsClientId=bullet_client)
    text = str(caught[0].message).removeprefix(f"{path}: ")
    assert text.startswith("PyBullet computes joint damping explicitly, which is unstable")


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

PAGE = Path(__file__).parents[3] / "docs" / "pybullet.md"
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

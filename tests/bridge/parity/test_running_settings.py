"""A switch, a setting or a state that is changed in a running engine fails a row, or changes nothing
in a simulation; the engine itself tells which of the two holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
import loaders
from bridge.mechanism import Mechanism
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.quantities.model import RUNNING, running_rows
from bridge.parity.states import random_states
from tests.support.fault_robots import springs
from tests.support.switches import SWITCHES, Change, judged, moved, seen

ASSETS = Path(__file__).parents[3] / "assets"
MODEL = """<mujoco><compiler angle="radian"/><worldbody><geom name="floor" type="plane" size="2 2 1"/>
<body name="box" pos="0 0 0.1"><freejoint/><geom name="side" type="box" size=".1 .1 .1" mass="1"/>
 <body name="arm" pos="0 0 .2"><joint name="j" axis="0 1 0" range="-.5 .5" limited="true"
   damping=".01" frictionloss=".02" stiffness=".1"/>
  <geom name="rod" type="capsule" fromto="0 0 0 0 0 .3" size=".02" mass=".3"/></body>
 <body name="leg" pos=".3 0 .2"><joint name="k" axis="0 1 0"/>
  <geom name="foot" type="capsule" fromto="0 0 0 0 0 .3" size=".02" mass=".3"/></body></body>
</worldbody><equality><joint joint1="k" joint2="j" polycoef="0 1 0 0 0"/></equality>
<actuator><motor joint="j" ctrlrange="-1 1" ctrllimited="true"/></actuator></mujoco>"""
"""A box on a floor, with two arms that are coupled, a stop, a spring, a damper, dry friction and a
motor.
"""
FILES = {"box": "", "gripper": "gripper/model.sdf", "pendulum": "double_pendulum.urdf"}


def _quick(name: str) -> list[Any]:
    """Return the models, of which all but one are slow."""
    return [each if each == name else pytest.param(each, marks=pytest.mark.slow) for each in FILES]


@cache
def model(name: str) -> Mechanism:
    scene = (
        loaders.load(ASSETS / FILES[name], quiet=True)
        if FILES[name]
        else loaders.load_string(MODEL, format="mjcf")
    )
    return bridge.lower(scene)


def failing(name: str, engine: str, change: Change = lambda _: None) -> set[str]:
    return seen(model(name), engine, change, ("L0", "L1"))


STEPS = 1000


@pytest.mark.parametrize("engine", SWITCHES)
@pytest.mark.parametrize("name", _quick("box"))
def test_what_is_switched_in_a_running_engine_fails_a_row_or_does_nothing(
    name: str, engine: str
) -> None:
    assert failing(name, engine) == set()
    found = {each: judged(model(name), engine, each, STEPS) for each in SWITCHES[engine]}
    assert {each: text for each, text in found.items() if text.startswith("missed")} == {}


@pytest.mark.parametrize(
    ("engine", "switch"),
    [
        (engine, name)
        for engine, switches in SWITCHES.items()
        for name, switch in switches.items()
        if switch.row not in {RUNNING, "one step"}
    ],
)
def test_each_row_names_what_the_switch_governs(engine: str, switch: str) -> None:
    """The quantities are those that act, not those that are stated."""
    governing = SWITCHES[engine][switch]
    assert governing.row in failing("box", engine, governing.change)


@pytest.fixture(autouse=True)
def bullets_own_threshold() -> Iterator[None]:
    """Restore the one parameter that all physics servers of a process share, a global of Bullet."""
    yield
    client = pybullet.connect(pybullet.DIRECT)
    pybullet.setPhysicsEngineParameter(contactBreakingThreshold=0.02, physicsClientId=client)
    pybullet.disconnect(client)


@pytest.mark.parametrize("file", ["leg.sdf", "humanoid/humanoid.urdf", "r2d2.urdf"])
def test_the_motion_of_test_bodies_does_not_depend_on_the_model(
    file: str, pybullet_robots: Path
) -> None:
    """The robots of PyBullet touch themselves, and end contacts while test bodies get theirs."""
    folder = ASSETS if file.endswith("sdf") else pybullet_robots
    mechanism = bridge.lower(loaders.load(folder / file, quiet=True))
    for state in random_states(mechanism, 4, 0):
        engine = PyBulletEngine(mechanism)
        engine.set_state(*state)
        running, loaded = engine.running_statements()
        engine.close()
        assert all(np.array_equal(running[key], loaded[key]) for key in loaded)


def test_the_threshold_that_all_servers_of_a_process_share_is_compared_with_bullets_own() -> None:
    """A new server has the changed value too, and PyBullet reports none."""
    for value in (1e-3, 0.019, 0.021, 0.1):
        change = {"contactBreakingThreshold": value}

        def shared(engine: PyBulletEngine, change: dict[str, float] = change) -> None:
            pybullet.setPhysicsEngineParameter(physicsClientId=engine._client, **change)

        assert failing("pendulum", "pybullet", shared) == {RUNNING}, value


@pytest.mark.parametrize("threshold", [0.0, 1e-12, 9e-8, 1.1e-7, 1e-5])
def test_a_threshold_of_the_residual_near_bullets_own_is_seen(threshold: float) -> None:
    """Bullet's own is 1e-7, and PyBullet reports none."""
    change = {"solverResidualThreshold": threshold}

    def set_threshold(engine: PyBulletEngine) -> None:
        pybullet.setPhysicsEngineParameter(physicsClientId=engine._client, **change)

    assert failing("pendulum", "pybullet", set_threshold) == {RUNNING}


def test_restitution_of_a_body_in_a_world_is_seen() -> None:
    """Coefficients of a world are chosen for products, so that no row compares those of the file."""
    models = "".join(
        f"<model name='m{k}'><pose>0 0 {k} 0 0 0</pose><link name='l'><collision name='c'><geometry>"
        "<sphere><radius>.1</radius></sphere></geometry></collision></link></model>"
        for k in range(2)
    )
    text = f"<sdf version='1.10'><world name='w'>{models}</world></sdf>"
    mechanism = bridge.lower(loaders.load_string(text, format="sdf"))

    def bounces(engine: PyBulletEngine) -> None:
        body = int(engine._bodies[-1])
        pybullet.changeDynamics(body, -1, restitution=0.2, physicsClientId=engine._client)

    assert seen(mechanism, "pybullet", lambda _: None, ("L0",)) == set()
    assert seen(mechanism, "pybullet", bounces, ("L0",)) == {RUNNING}


def test_a_scale_by_which_mujoco_ends_its_iterations_is_seen() -> None:
    """It is no array of the compiled model, but one of its statistics."""
    engine = MujocoEngine(model("box"))
    engine.model.stat.meaninertia *= 1e6
    (row,) = (row for row in running_rows({"mujoco": engine}) if not row.passed)
    assert (row.quantity, row.where) == (RUNNING, "meaninertia")


def test_each_array_of_a_compiled_model_that_changes_is_seen() -> None:
    """Among them those that no element states and MuJoCo derives, such as inverse weights."""
    engine = MujocoEngine(model("box"))
    held = {name: getattr(engine.model, name) for name in dir(engine.model)}
    arrays = {n: x for n, x in held.items() if isinstance(x, np.ndarray) and x.size}
    assert {"dof_invweight0", "body_invweight0", "eq_data", "geom_rbound"} <= arrays.keys()

    def differing() -> bool:
        running, opened = engine.running_statements()
        return running.keys() != opened.keys() or any(
            not np.array_equal(running[place], opened[place], equal_nan=True) for place in running
        )

    silent = []
    for name in ("dof_invweight0", "body_invweight0", "eq_data", "geom_rbound", "jnt_margin"):
        before = arrays[name].copy()
        arrays[name][...] = before + 1.0
        silent += [] if differing() else [name]
        arrays[name][...] = before
    assert (silent, differing()) == ([], False)


@pytest.mark.parametrize("callback", ["contactfilter", "sensor"])
def test_a_callback_that_acts_on_all_models_of_the_process_is_seen(callback: str) -> None:
    """A filter of contacts lets the box fall through the floor, and no number of a model shows it."""
    set_callback = getattr(mujoco, f"set_mjcb_{callback}")
    set_callback(lambda *_: 1)
    try:
        assert RUNNING in failing("box", "mujoco")
    finally:
        set_callback(None)


def test_a_setting_that_pybullet_reports_nowhere_is_named_with_its_link() -> None:
    """What it writes of a world holds flags, groups and thresholds of each link."""
    engine = PyBulletEngine(model("pendulum"))
    client, (body, *_) = engine._client, engine._bodies
    link = next(name for name, index in body.links.items() if index == 1)
    for change in (
        {"frictionAnchor": 1}, {"contactProcessingThreshold": 0.0}, {"anisotropicFriction": (1, 1, 2)}
    ):  # fmt: skip
        pybullet.changeDynamics(int(body), 1, physicsClientId=client, **change)
    pybullet.setCollisionFilterGroupMask(int(body), 1, 4, 4, physicsClientId=client)
    running, loaded = engine.running_statements()
    engine.close()
    named = {label.removesuffix(f" of {link}") for label, at in running if at == (link,)}
    assert named == {
        "collisionFlags", "contactProcessingThreshold", "anisotropicFriction",
        "hasAnisotropicFriction", "collisionFilterGroup", "collisionFilterMask",
    }  # fmt: skip
    assert all(not np.array_equal(running[k], loaded[k]) for k in running if k[1])


COUPLED = "<robot name='r'><link name='a'/>{}{}</robot>".format(
    *(
        f"""<link name="{link}"><inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01"
        ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="{joint}" type="revolute">
        <parent link="a"/><child link="{link}"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"
        effort="5" velocity="3"/>{mimic}</joint>"""
        for link, joint, mimic in (("b", "j", ""), ("c", "k", "<mimic joint='j' multiplier='2'/>"))
    )
)


def test_a_follower_beyond_its_stop_does_not_push_its_leader_through_one() -> None:
    """The base hardly has a mass, so that the stop of one arm acts on the other."""
    engine = PyBulletEngine(bridge.lower(loaders.load_string(COUPLED, format="urdf", quiet=True)))
    engine.set_state({"j": 0.9, "k": 1.8}, {})
    found = engine._yielding_stops()
    engine.close()
    assert found == []


def test_the_softness_of_dry_friction_acts_on_one_of_the_robots() -> None:
    """A switch that is idle everywhere proves nothing."""
    change = SWITCHES["mujoco"]["soft dry friction"].change
    assert moved(bridge.lower(springs()), "mujoco", change, 200) > 1e-6

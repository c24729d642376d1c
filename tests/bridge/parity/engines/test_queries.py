"""No query changes the running engine: state, parameters and the motion that follows are the same
with it and without it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pybullet
import pytest

import bridge
import loaders
from bridge.parity.engine import (
    MEMBERS,
    ActuatorTrial,
    Engine,
    EngineMissingError,
    Grip,
    NotReportedError,
    factory_of,
    open_engine,
)
from loaders.model import Collision, Sphere, Surface
from loaders.pose import IDENTITY

INERTIAL = (
    "<inertial><pose>.02 .03 .01 0 0 0</pose><mass>1</mass><inertia><ixx>.02</ixx><iyy>.03</iyy>"
    "<izz>.04</izz></inertia></inertial>"
)
FLOOR = (
    "<model name='floor'><static>true</static><link name='f'><collision name='c'><geometry><plane/>"
    "</geometry></collision></link></model>"
)


def _link(name: str, x: float, more: str = "") -> str:
    return (
        f"<link name='{name}'><pose>{x} 0 .06 0 0 0</pose>{INERTIAL}<collision name='c'><geometry>"
        f"<box><size>.1 .2 .1</size></box></geometry></collision>{more}</link>"
    )


def _joint(name: str, kind: str, parent: str, child: str, more: str = "") -> str:
    return (
        f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>"
        f"{more}</joint>"
    )


def _axis(more: str) -> str:
    return f"<axis><xyz>0 .6 .8</xyz>{more}</axis>"


LIMITED = _axis(
    "<limit><lower>-1</lower><upper>1</upper><effort>5</effort><velocity>4</velocity></limit>"
    "<dynamics><damping>.3</damping><friction>.05</friction></dynamics>"
)
SPRUNG = _axis(
    "<dynamics><spring_stiffness>3</spring_stiffness><spring_reference>.1</spring_reference>"
    "</dynamics>"
)
IMU = "<sensor name='imu' type='imu'/>"
FORCE = "<sensor name='ft' type='force_torque'/>"
BALLS = (
    _link("a", 0.0)
    + "".join(_link(name, x) for name, x in (("b", 0.4), ("c", 0.8)))
    + _joint("hinge", "revolute", "world", "a", LIMITED)
    + _joint("ball", "ball", "a", "b")
    + _joint("knee", "revolute", "b", "c", LIMITED)
)
ROBOTS = {
    "scalars": _link("a", 0.0, IMU)
    + "".join(_link(name, x) for name, x in (("b", 0.4), ("c", 0.8), ("d", 1.2), ("e", 1.6)))
    + _joint("hinge", "revolute", "a", "b", LIMITED + FORCE)
    + _joint("screw", "screw", "b", "c", LIMITED + "<screw_thread_pitch>.1</screw_thread_pitch>")
    + _joint("slide", "prismatic", "c", "d", SPRUNG)
    + _joint(
        "follower", "revolute", "d", "e",
        _axis("<mimic joint='hinge'><multiplier>.5</multiplier><offset>0</offset>"
              "<reference>0</reference></mimic>"),
    ),
    "balls": BALLS,
    "loop": BALLS + _joint("loop", "ball", "a", "c"),
}  # fmt: skip
"""Robots with damping, dry friction, stops, springs, a screw, a coupling and a loop."""
OPEN = sorted(ROBOTS.keys() - {"loop"})
"""Robots that Drake reads, which refuses loops."""
ACTIONS = {
    "set_state", "prepare", "set_step", "step", "start_actuators", "set_controls", "touch", "close",
    "set_solver_iterations", "zero_poses",
}  # fmt: skip
"""Members that change the engine by their documentation."""
TRIAL = ActuatorTrial(
    limit=5.0, commands=(1.0, 9.0), gains=None, position=0.1, displacement=0.1, speed=0.1
)
GRIP = Grip(0.5)
SPRUNG_SHAPE = Collision(
    name="c",
    X_LG=IDENTITY,
    geometry=Sphere(radius=0.1),
    surface=Surface(stiffness=1e4, damping=10.0),
)
ARGUMENTS: Mapping[str, Callable[[int], tuple[Any, ...]]] = {
    "inverse_dynamics": lambda n: (np.linspace(1.0, 2.0, n),),
    "joint_states": lambda _: (["robot::hinge"],),
    "actuator_efforts": lambda _: ({"robot::hinge": TRIAL},),
    "combined_friction": lambda _: (GRIP, GRIP),
    "excess": lambda _: ("robot::b", SPRUNG_SHAPE),
    "bounce": lambda _: (0.5,),
    "resting": lambda _: ("robot::b", SPRUNG_SHAPE),
}
QUERIES = sorted(
    name
    for name in MEMBERS - ACTIONS
    if callable(getattr(Engine, name)) and not name.startswith("_")
)


def opened(name: str, robot: str, folder: Path) -> Engine:
    """An engine with a robot in motion on a floor."""
    text = f"<model name='robot'>{ROBOTS[robot]}</model>"
    path = folder / "world.sdf"
    path.write_text(f"<sdf version='1.11'><world name='w'>{FLOOR}{text}</world></sdf>")
    try:
        factory = factory_of(name)
    except EngineMissingError as error:
        pytest.skip(str(error))
    mechanism = bridge.lower(loaders.load(path, quiet=True))
    engine = open_engine(factory, mechanism, loaders.Search())
    assert engine.refusal == ""
    joints = [str(body.joint) for body in mechanism.bodies if body.primitives]
    engine.set_state(
        {j: (0.2,) for j in joints if j.endswith(("hinge", "slide", "knee"))},
        {j: (0.7,) for j in joints if j.endswith(("hinge", "slide", "knee"))},
    )
    engine.step(5)
    return engine


def in_mujoco(engine: Any) -> Iterator[bytes]:
    """The whole model and the whole state of MuJoCo."""
    model, data = engine.model, engine._data
    buffer = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    yield buffer.tobytes()
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.zeros(size)
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    yield state.tobytes()


def in_pybullet(engine: Any) -> Iterator[object]:
    """All that PyBullet reports of its bodies, constraints and settings, but the forces of the last
    step.
    """
    server = {"physicsClientId": engine._client}
    pybullet.syncBodyInfo(**server)
    yield pybullet.getPhysicsEngineParameters(**server)
    for number in range(pybullet.getNumConstraints(**server)):
        yield pybullet.getConstraintInfo(pybullet.getConstraintUniqueId(number, **server), **server)
    for number in range(pybullet.getNumBodies(**server)):
        body = pybullet.getBodyUniqueId(number, **server)
        yield pybullet.getBasePositionAndOrientation(body, **server)
        yield pybullet.getBaseVelocity(body, **server)
        joints = range(pybullet.getNumJoints(body, **server))
        for index in (-1, *joints):
            yield index, pybullet.getDynamicsInfo(body, index, **server)
            yield index, pybullet.getCollisionShapeData(body, index, **server)
        for index in joints:
            yield pybullet.getJointInfo(body, index, **server)
            yield pybullet.getJointStateMultiDof(body, index, **server)[:2]
            yield pybullet.getJointState(body, index, **server)[:2]


def in_drake(engine: Any) -> Iterator[bytes]:
    """The state and the parameters of Drake's context."""
    context = engine._context
    yield np.asarray(engine._plant.GetPositionsAndVelocities(context)).tobytes()
    for number in range(context.num_numeric_parameter_groups()):
        yield context.get_numeric_parameter(number).get_value().tobytes()


INSIDE: Mapping[str, Callable[[Any], Iterator[object]]] = {
    "mujoco": in_mujoco, "pybullet": in_pybullet, "drake": in_drake,
}  # fmt: skip


def snapshot(engine: Engine) -> list[object]:
    """Everything that the simulator and the engine say of the state."""
    inside = INSIDE.get(engine.name, lambda _: iter(()))
    state: list[object] = list(inside(engine))
    with suppress(NotReportedError):
        state += [engine.velocities().tobytes(), repr(engine.positions())]
    return state


def is_calm(engine: Engine, query: str) -> bool:
    """Whether a query leaves everything as it is."""
    before = snapshot(engine)
    with suppress(NotReportedError):
        arguments = ARGUMENTS.get(query, lambda _: ())(len(engine.velocities()))
        getattr(engine, query)(*arguments)
    return snapshot(engine) == before


@pytest.mark.parametrize(
    ("name", "robot"),
    [
        *itertools.product(("reference", "mujoco", "pybullet", "dart"), ROBOTS),
        *itertools.product(("drake",), OPEN),
        pytest.param("mjx", "balls", marks=pytest.mark.slow),
    ],
)
def test_no_query_changes_the_engine(name: str, robot: str, tmp_path: Path) -> None:
    engine, quiet = (opened(name, robot, tmp_path) for _ in range(2))
    try:
        assert [query for query in QUERIES if not is_calm(engine, query)] == []
        for each in (engine, quiet):
            each.step(100)
        assert snapshot(engine) == snapshot(quiet)
    finally:
        engine.close()
        quiet.close()

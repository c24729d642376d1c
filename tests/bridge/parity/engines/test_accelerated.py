"""MJX and MuJoCo Warp compute what MuJoCo computes, within bounds of their numbers."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, compare
from bridge.parity.bounds.precision import SINGLE, rounding_of_velocity
from bridge.parity.engine import factory_of
from bridge.parity.engines.mujoco.accelerated import _ON_CPU, quiet
from bridge.parity.motion.step import COARSE, step_rows
from bridge.parity.quantities.model import running_rows
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states
from bridge.sensors import CAMERAS, SENSOR_KINDS

ASSETS = Path(__file__).parents[4] / "assets"
ARM = ASSETS / "double_pendulum.urdf"
needs_mjx = pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed")
needs_warp = pytest.mark.skipif(find_spec("mujoco_warp") is None, reason="warp is not installed")
needs_newton = pytest.mark.skipif(find_spec("newton") is None, reason="newton is not installed")
TREE = """<robot name="r"><link name="a">{i}</link><link name="b">{i}</link><link name="c">{i}</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz=".1 .2 .3" rpy=".4 .5 .6"/>
<axis xyz="0 .6 .8"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><origin xyz=".3 0 -.2" rpy=".1 .2 .3"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint></robot>""".replace(
    "{i}",
    '<inertial><origin xyz=".1 .05 -.2" rpy=".3 .2 .1"/><mass value="2"/>'
    '<inertia ixx=".3" iyy=".4" izz=".5" ixy=".05" ixz="0" iyz="0"/></inertial>',
)
"""A free body with a hinge and a slide."""


TWO_HINGES = """<mujoco><option gravity="0 0 -9.8"/><worldbody><body name="a" pos="0 0 1">
<joint name="j" axis="0 1 0"/><inertial pos="0 0 -.5" mass="1" diaginertia=".1 .1 .1"/><body name="b" pos="0 .1 -1">
<joint name="k" axis="0 1 0"/><inertial pos="0 0 -.5" mass="1" diaginertia=".1 .1 .1"/></body></body></worldbody></mujoco>"""


def assert_options_show(engine: Any) -> None:
    """Whether a gravity of 5 m/s^2 and a wind on the device, which the host does not have, show."""
    assert engine.settings().gravity.tolist() == [0.0, 0.0, -5.0]
    failed = [row.where for row in running_rows({engine.name: engine}) if not row.passed]
    assert failed == ["option wind"]


@pytest.mark.slow
@needs_mjx
def test_mjx_computes_and_moves_a_free_tree_as_the_reference_does(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(TREE)
    result = compare(tmp_path / "r.urdf", engines=("mjx",), configurations=4)
    outcomes = {row.quantity: row.outcome for row in result.rows}
    assert not result.failures
    for name in ("link poses", "Jacobians", "mass matrix", "bias forces"):
        assert outcomes[name] is Outcome.PASSED
    assert outcomes["one step"] is Outcome.PASSED
    assert any(gap.quantity == "motion with constraints" for gap in result.gaps)
    # forces act in one row alone: v' - v = h inv(M) f
    mechanism = bridge.lower(loaders.load(tmp_path / "r.urdf"))
    engine, reference = factory_of("mjx")(mechanism), ReferenceEngine(mechanism)
    states = random_states(mechanism, 4, 1)
    q, v = engine.coordinates([states[0]] * 4)
    forces = np.zeros_like(v)
    forces[2] = np.arange(1.0, 9.0)
    _, after = engine.advanced(q, v, forces, 1)
    engine.set_state(*states[0])
    change = engine.model.opt.timestep * np.linalg.solve(engine._of_current_state("M"), forces[2])
    np.testing.assert_allclose(after[2] - after[1], change, rtol=1e-6)
    np.testing.assert_array_equal(after[1], after[0])
    # a number that the device holds otherwise shows
    mass = np.asarray(engine._device_model.body_mass) * 1.01
    engine._device_model = engine._device_model.replace(body_mass=mass)
    engine._current = None
    engine.prepare(states)
    for one in (engine, reference):
        one.set_state(*states[0])
    np.testing.assert_allclose(engine.mass_matrix()[0, 0], 1.01 * reference.mass_matrix()[0, 0])
    options = {"opt.gravity": np.array((0.0, 0.0, -5.0)), "opt.wind": np.array((3.0, 0.0, 0.0))}
    engine._device_model = engine._device_model.tree_replace(options)
    assert_options_show(engine)


@pytest.mark.slow
@needs_mjx
def test_jax_keeps_its_defaults() -> None:
    import jax

    before = jax.numpy.zeros(1).dtype
    factory_of("mjx")(bridge.lower(loaders.load(ARM)))
    assert jax.numpy.zeros(1).dtype == before == np.float32


def test_an_import_imports_neither_jax_nor_warp() -> None:
    code = (
        "import sys, bridge, sdfbridge, bridge.parity.engine, bridge.parity.comparison;"
        "print(*{'jax', 'warp', 'newton', 'mujoco_warp'} & {*sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


@pytest.mark.slow
@needs_warp
def test_warp_differs_by_less_than_rounding_explains(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(TREE)
    result = compare(tmp_path / "r.urdf", engines=("warp",), configurations=200)
    outcomes = {row.quantity: row for row in result.rows}
    assert not result.failures
    for name in ("link poses", "mass matrix", "bias forces", "one step"):
        assert outcomes[name].code == "parity.single-precision", name
        assert outcomes[name].error < 1e-4


@pytest.mark.slow
@needs_warp
def test_a_wrong_number_in_warp_is_more_than_rounding_explains(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(TREE)

    class Heavier(factory_of("warp")):
        name = "heavier"

        def _put(self):
            self.model.body_mass[:] *= 1.05
            return super()._put()

    result = compare(tmp_path / "r.urdf", engines=(Heavier,), levels=("L0", "L1"), configurations=4)
    assert {"mass", "mass matrix", "bias forces"} <= {row.quantity for row in result.failures}
    engine: Any = factory_of("warp")(bridge.lower(loaders.load(tmp_path / "r.urdf")))
    engine._device_model.opt.gravity.assign(np.array([[0.0, 0.0, -5.0]], np.float32))
    engine._device_model.opt.wind.assign(np.array([[3.0, 0.0, 0.0]], np.float32))
    assert_options_show(engine)


GRIPPER = """<robot name="g"><link name="world"/>{}</robot>""".format(
    "".join(
        f'<link name="{name}"><inertial><origin xyz="0 .01 {h / 2}"/><mass value="{m}"/>'
        f'<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="of_{name}" type="continuous"><parent link="{parent}"/><child link="{name}"/>'
        f'<origin xyz="0 0 {place}"/><axis xyz="0 {axis}"/><dynamics damping="{damping}"/></joint>'
        for name, parent, place, axis, h, m, i, damping in (
            ("upper", "world", 0.1, "1 0", 0.4, 4.0, 0.06, 0.1),
            ("fore", "upper", 0.4, "1 0", 0.4, 2.0, 0.03, 0.1),
            ("finger", "fore", 0.4, ".6 .8", 0.02, 0.004, 3e-7, 3e-5),
        )
    )
)
"""An arm with a finger that is a thousand times lighter."""


def planted(name: str, fault: Any) -> Any:
    """MuJoCo Warp with another number in its model."""

    def put(self: Any) -> Any:
        fault(self.model)
        return super(type(self), self)._put()

    return type(name, (factory_of("warp"),), {"name": name, "_put": put})


def heavier(model: Any) -> None:
    model.body_mass[:] *= 1.001


def undamped(model: Any) -> None:
    model.dof_damping[:] = 0.0


def rotor(model: Any) -> None:
    model.dof_armature[-1] += 1e-7


@pytest.mark.slow
@needs_warp
def test_one_step_of_an_arm_with_a_light_finger_is_decided() -> None:
    mechanism = bridge.lower(loaders.load_string(GRIPPER, format="urdf", quiet=True))
    engines = [planted(fault.__name__, fault) for fault in (heavier, undamped, rotor)]
    factories = [("reference", ReferenceEngine), ("warp", factory_of("warp"))]
    for seed in range(4):
        (row,) = step_rows(mechanism, factories, seed)
        assert row.outcome is Outcome.EXPLAINED
        assert row.known_cause.bound < COARSE
    for engine in engines:
        (row,) = step_rows(mechanism, [factories[0], (engine.name, engine)], 0)
        assert row.outcome is Outcome.FAILED, engine.name


def test_the_bound_of_a_step_holds_what_single_precision_makes_of_the_model() -> None:
    """MuJoCo, in double precision, moves a model whose numbers are rounded."""
    mechanism = bridge.lower(loaders.load_string(GRIPPER, format="urdf", quiet=True))
    moved = []
    for rounded in (False, True):
        engine = factory_of("mujoco")(mechanism)
        numbers = ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia")
        for name in numbers if rounded else ():
            getattr(engine.model, name)[:] = getattr(engine.model, name).astype(np.float32)
        moved.append([])
        for state in random_states(mechanism, 8, 0):
            q, v = (
                {k: np.float32(x) for k, x in part.items()} if rounded else part for part in state
            )
            engine.set_step(2e-3)
            engine.set_state(q, v)
            engine.step(1)
            moved[-1].append(engine.velocities())
    changes = np.abs(np.subtract(*moved))
    for state, change in zip(random_states(mechanism, 8, 0), changes, strict=True):
        bound = rounding_of_velocity(mechanism, state, 2e-3, SINGLE)
        assert (change < bound).all()
        assert bound.max() < COARSE


@pytest.mark.slow
@needs_warp
def test_warp_keeps_the_level_of_its_log() -> None:
    import warp

    before = warp.config.log_level
    factory_of("warp")(bridge.lower(loaders.load(ARM)))
    assert warp.config.log_level == before


@pytest.mark.slow
@needs_newton
def test_newton_differs_by_less_than_rounding_and_its_reader_by_gravity(tmp_path: Path) -> None:
    engines = ("newton", "newton-mjcf")
    (tmp_path / "m.xml").write_text(TWO_HINGES)
    result = compare(tmp_path / "m.xml", engines=engines, levels=("L0", "L1"), configurations=4)
    failed = {(row.quantity, row.engines) for row in result.failures}
    ours = {row.quantity: row for row in result.rows if row.engines == ("reference", "newton")}
    assert ours["mass matrix"].error < 1e-5
    assert ours["bias forces"].error < 1e-5
    assert ours["gravity"].error < 1e-6
    assert ("gravity", ("reference", "newton-mjcf")) in failed


# --- sensors --------------------------------------------------------------------------------------

_TYPES = [t for kind in SENSOR_KINDS if kind.mujoco for t in kind.types]
_OF_PLUGINS = {"joint_state", "odometry"}
_ON_LINK = "".join(
    f"<sensor name='{t}' type='{t}'><pose>.1 .2 .3 .3 -.2 .7</pose></sensor>"
    for t in _TYPES
    if t not in _OF_PLUGINS | {"force_torque"}
)
_INERTIAL = "<inertial><pose>.4 0 0 0 0 0</pose><mass>2</mass></inertial>"
SENSORS = f"""<sdf version='1.9'><world name='w'><magnetic_field>1e-5 2e-5 -4e-5</magnetic_field>
<model name='g'><static>true</static><link name='l'><collision name='c'><pose>0 0 -1 0 0 0</pose><geometry><plane/></geometry>
</collision><visual name='v'><pose>0 0 -9 0 0 0</pose><geometry><sphere><radius>.1</radius></sphere></geometry>
<material><diffuse>1 0 0 1</diffuse><specular>1 1 1 1</specular></material></visual><sensor name='still' type='imu'/></link></model>
<model name='m'><pose>0 0 1 0 0 .5</pose><link name='base'>{_INERTIAL}</link><link name='arm'>{_INERTIAL}
<collision name='c'><geometry><sphere><radius>.1</radius></sphere></geometry></collision>{_ON_LINK}</link>
<joint name='w' type='fixed'><parent>world</parent><child>base</child></joint>
<joint name='j' type='revolute'><parent>base</parent><child>arm</child><axis><xyz>0 .6 .8</xyz></axis>
<sensor name='force_torque' type='force_torque'><force_torque><frame>parent</frame></force_torque></sensor></joint>
<plugin filename='gz-sim-joint-state-publisher-system' name='gz::sim::systems::JointStatePublisher'/>
<plugin filename='gz-sim-odometry-publisher-system' name='gz::sim::systems::OdometryPublisher'/></model></world></sdf>"""
"""Every type of sensor of which the export has sensors of MuJoCo, on a link that moves."""
STILL = "g::still_acceleration"


def in_warp(model: Any, data: Any) -> np.ndarray:
    import mujoco_warp

    with quiet():
        held, state = mujoco_warp.put_model(model), mujoco_warp.put_data(model, data)
        mujoco_warp.forward(held, state)
        return np.array(state.sensordata.numpy()[0], dtype=float)


def in_mjx(model: Any, data: Any) -> np.ndarray:
    import jax
    from mujoco import mjx

    with jax.enable_x64(True):
        state = mjx.put_data(model, data, impl="jax")
        forward = jax.jit(mjx.forward, compiler_options=_ON_CPU)
        return np.array(forward(mjx.put_model(model, impl="jax"), state).sensordata)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("read", "tolerance"),
    [
        pytest.param(in_warp, 1e-5, marks=needs_warp),
        pytest.param(in_mjx, 1e-12, marks=needs_mjx),
    ],
)
def test_every_type_of_sensor_reads_as_in_mujoco(read: Any, tolerance: float) -> None:
    """But the accelerometer of a fixed link, and contact sensors, which MJX does not have."""
    mjcf = bridge.to_mjcf(loaders.load_string(SENSORS, format="sdf", quiet=True), quiet=True)
    spec = mujoco.MjSpec.from_string(mjcf)
    written = {s.name.partition("::")[2].removesuffix("_0") for s in spec.sensors}
    for t in set(_TYPES) - set(CAMERAS) - {"multicamera", "logical_camera"} - _OF_PLUGINS:
        assert any(name.startswith(t) for name in written), t
    assert {"j_state_position", "m_odometry_velocity"} <= written
    if read is in_mjx:
        (entry,) = (e for e in mjcf.diagnostics if e.code == "mjcf.mjx")
        assert "contact sensors" in entry.message
        for sensor in [s for s in spec.sensors if s.type == mujoco.mjtSensor.mjSENS_CONTACT]:
            spec.delete(sensor)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = 0.7, 2.0
    mujoco.mj_forward(model, data)
    found = read(model, data)
    still = model.sensor_adr[model.sensor(STILL).id] + np.arange(3)
    (named,) = (e for e in mjcf.diagnostics if e.subjects == ("g::still",))
    assert "MJX and MuJoCo Warp read the reaction" in named.message
    assert found[still] == pytest.approx((0, 0, 9.8), abs=1e-5)
    assert data.sensordata[still].tolist() == [0, 0, 0]
    rest = np.setdiff1d(np.arange(model.nsensordata), still)
    scale = np.maximum(np.abs(data.sensordata), 1.0)
    assert (np.abs(found - data.sensordata) / scale)[rest].max() < tolerance

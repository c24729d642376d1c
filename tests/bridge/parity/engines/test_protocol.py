"""Every engine answers in the coordinates of the mechanism, as Drake and closed forms do."""

from __future__ import annotations

import math
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.mechanism.bodies import PrimitiveKind
from bridge.parity import EngineMissingError, Outcome, compare, engine_names
from bridge.parity import engine as protocol
from bridge.parity.engine import (
    factory_of,
    has_free_or_ball,
    moving_links,
    positions_by_joint,
    scalar_dofs,
    screw_like_joints,
    without_sentinel,
)
from bridge.parity.reference import ReferenceEngine
from bridge.parity.states import random_states, without_solver_effects
from loaders.model import WORLD, JointType
from tests.support.drake_oracle import open_in_drake, pose_error
from tests.support.scenes import joint, link, scene

needs_drake = pytest.mark.skipif(find_spec("pydrake") is None, reason="pydrake is not installed")


# Every engine answers in the coordinates of the mechanism, including ball joints and free bodies,
# as Drake does.

ASSETS = Path(__file__).parents[4] / "assets"

INERTIA = (
    "<inertial><pose>.1 .05 -.2 .3 .2 "
    ".1</pose><mass>{0}</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz><ixy>.05</ixy></inertia></inertial>"
)

CHAIN = (
    "<sdf version='1.11'><model name='m'><pose>.1 .2 .3 .4 .5 .6</pose>"
    + "".join(
        f"<link name='{n}'><pose>{p}</pose>{INERTIA.format(m)}</link>"
        for n, p, m in (
            ("base", "0 0 0 0 0 0", 3),
            ("upper", "0 .1 -.4 .2 0 .1", 2),
            ("lower", ".1 0 -.9 0 .3 0", 1),
        )
    )
    + "<joint name='hip' type='ball'><pose>.02 .03 .2 .1 .2 .3</pose><parent>base</parent><child>upper</child></joint>"
    "<joint name='knee' type='revolute'><parent>upper</parent><child>lower</child>"
    "<axis><xyz>0 .6 .8</xyz></axis></joint>"
    "</model></sdf>"
)


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A free base, a ball that carries a chain, and inertias that lean."""
    path = tmp_path_factory.mktemp("chain") / "chain.sdf"
    path.write_text(CHAIN, encoding="utf-8")
    return path


@needs_drake
@pytest.mark.parametrize("name", ["reference", "mujoco", "pybullet"])
@pytest.mark.parametrize("model", ["chain", "leg.sdf", "double_pendulum.urdf"])
def test_an_engine_answers_what_drake_answers(name: str, model: str, chain: Path) -> None:
    path = chain if model == "chain" else ASSETS / model
    scene = loaders.load(path)
    oracle = open_in_drake(path, scene, gravity=tuple(scene.gravity.tolist()))
    mechanism = bridge.lower(scene)
    engine = factory_of(name)(mechanism)
    try:
        for seed in range(5):
            q, v = oracle.random_positions(seed, scene), oracle.random_velocities(seed)
            engine.set_state(q, v)
            poses = engine.link_poses()
            for each_link, X_WL in oracle.link_poses(q).items():
                assert pose_error(poses[each_link], X_WL) <= 1e-9
            M = oracle.mass_matrix(q, mechanism.v_order)
            assert np.abs(engine.mass_matrix() - M).max() <= 1e-9 * np.abs(M).max()
            bias = oracle.bias_forces(q, v, mechanism.v_order)
            assert np.abs(engine.bias_forces() - bias).max() <= 1e-9 * np.abs(bias).max()
    finally:
        engine.close()


@needs_drake
@pytest.mark.parametrize("name", ["reference", "mujoco", "pybullet"])
def test_an_engine_reports_masses_limits_and_damping_of_the_file(name: str) -> None:
    engine = factory_of(name)(bridge.lower(loaders.load(ASSETS / "arm" / "model.sdf")))
    inertias, joints = engine.inertias(), engine.joint_parameters()
    engine.close()
    assert inertias["forearm"].mass == pytest.approx(1.4, rel=1e-12)
    assert inertias["forearm"].p_LLcm == pytest.approx((0.01, -0.015, 0.12), abs=1e-12)
    elbow = joints["elbow", 0]
    assert (elbow.lower, elbow.upper, elbow.damping) == (-2.4, 2.4, 0.5)
    assert joints["roll", 0].upper == np.inf


@needs_drake
@pytest.mark.parametrize("name", ["reference", "mujoco", "pybullet"])
def test_an_engine_reports_the_mimic_of_the_file(name: str) -> None:
    link = (
        "<link name='{0}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
        "ixz='0' iyz='0'/></inertial></link>"
    )
    joint = (
        "<joint name='{0}' type='continuous'><parent link='{1}'/><child link='{2}'/><axis "
        "xyz='0 0 1'/>{3}</joint>"
    )
    text = (
        "<robot name='r'><link name='world'/>"
        + link.format("a")
        + link.format("b")
        + joint.format("j", "world", "a", "")
        + joint.format("k", "a", "b", "<mimic joint='j' multiplier='-2' offset='.3'/>")
        + "</robot>"
    )
    engine = factory_of(name)(bridge.lower(loaders.load_string(text, format="urdf")))
    couplings = engine.couplings()
    engine.close()
    ((ends, law),) = couplings.items()
    assert ends == (("k", 0), ("j", 0))
    assert law.coefficients == (0.3, -2.0)


ENGINES = ("reference", "mujoco", "pybullet")


@needs_drake
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("model", ["arm/model.sdf", "leg.sdf", "gripper/model.sdf"])
def test_a_jacobian_times_a_velocity_is_how_the_links_move(name: str, model: str) -> None:
    mechanism = without_solver_effects(bridge.lower(loaders.load(ASSETS / model)))
    engine = factory_of(name)(mechanism)
    engine.set_step(1e-6)
    for q, v in random_states(mechanism, 2, seed=1):
        engine.set_state(q, v)
        J, before = engine.jacobians(), engine.link_poses()
        engine.step(1)
        after = engine.link_poses()
        rates = np.array([np.atleast_1d(v[joint])[k] for joint, k in mechanism.v_order])
        for each_link, X in before.items():
            twist = J[each_link] @ rates
            moved = (after[each_link].p - X.p) / 1e-6
            turned = (after[each_link].R - X.R) @ X.R.T / 1e-6
            assert moved == pytest.approx(twist[3:], abs=1e-3)
            assert (turned[2, 1], turned[0, 2], turned[1, 0]) == pytest.approx(
                tuple(twist[:3]), abs=1e-3
            )
    engine.close()


@needs_drake
def test_velocities_are_read_back_as_they_were_given() -> None:
    mechanism = bridge.lower(loaders.load(ASSETS / "leg.sdf"))
    q, v = random_states(mechanism, 1, seed=2)[0]
    given = [np.atleast_1d(v[joint])[k] for joint, k in mechanism.v_order]
    for name in ENGINES:
        engine = factory_of(name)(mechanism)
        engine.set_state(q, v)
        assert engine.velocities() == pytest.approx(given, abs=1e-12), name
        engine.close()


@needs_drake
def test_an_unknown_engine_is_named_with_those_that_there_are() -> None:
    with pytest.raises(
        ValueError, match=r"unknown engine 'ode'; expected one of: reference, mujoco, pybullet"
    ):
        compare(ASSETS / "orthogonal_x.sdf", engines=("ode",))
    assert engine_names()[:3] == ("reference", "mujoco", "pybullet")


@needs_drake
def test_a_missing_engine_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pybullet", None)
    with pytest.raises(EngineMissingError, match="pybullet is not installed; pip install"):
        compare(ASSETS / "orthogonal_x.sdf", engines=("mujoco", "pybullet"))


@needs_drake
def test_without_pybullet_the_default_is_mujoco_against_the_reference_which_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    protocol._log_missing_pybullet.cache_clear()
    monkeypatch.setitem(sys.modules, "pybullet", None)
    for _ in range(2):
        comparison = compare(ASSETS / "orthogonal_x.sdf", levels=STATIC, configurations=1)
        assert comparison.engines == ("mujoco",)
        assert comparison.agreement == "EQUIVALENT"
    (record,) = caplog.records
    assert (
        "PyBullet is not installed, so MuJoCo is compared with the reference only" in record.message
    )
    assert "conda install -c conda-forge pybullet" in record.message


STATIC = ("L0", "L1")


def static(path: Path, *engines: str) -> object:
    return compare(path, engines, levels=STATIC, configurations=3)


@needs_drake
@pytest.mark.parametrize(
    ("engine", "module", "message"),
    [
        ("drake", "pydrake", "drake is not installed; try: pip install drake"),
        ("dart", "dartpy", "dart is not installed; try: pip install 'sdfbridge[dart]'"),
    ],
)
def test_a_missing_engine_is_one_line_with_the_command(
    engine: str, module: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(EngineMissingError, match=f"^{re.escape(message)}$"):
        static(ASSETS / "double_pendulum.urdf", engine)


# The reference integrates by the semi-implicit Euler method; all engines agree with closed forms of
# free motion.

REFERENCE_ENGINE_INERTIA = (
    "<inertial><pose>.1 .2 -.3 0 0 "
    "0</pose><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz></inertia></inertial>"
)


def test_the_reference_swings_a_pendulum_as_semi_implicit_euler_does() -> None:
    text = (
        f"<sdf version='1.11'><model name='m'><link name='a'>{REFERENCE_ENGINE_INERTIA}</link><joint name='j' "
        f"type='revolute'>"
        "<parent>world</parent><child>a</child><axis><xyz>0 1 "
        "0</xyz><dynamics><damping>.3</damping></dynamics></axis>"
        "</joint></model></sdf>"
    )
    engine = ReferenceEngine(bridge.lower(loaders.load_string(text, format="sdf")))
    engine.set_step(1e-3)
    engine.set_state({"j": 0.4}, {"j": 0.2})
    engine.step(500)
    q, v, moment, arm, lean = 0.4, 0.2, 0.4 + 2.0 * (0.1**2 + 0.3**2), 0.0, 0.0
    for _ in range(500):
        arm = 0.1 * math.cos(q) - 0.3 * math.sin(q)  # of the weight about the axis
        lean = (2.0 * 9.8 * arm - 0.3 * v) / moment
        v += 1e-3 * lean
        q += 1e-3 * v
    assert engine.link_poses()["a"].R[0, 2] == pytest.approx(math.sin(q), abs=1e-12)


def test_a_body_without_forces_falls_and_keeps_its_spin() -> None:
    text = (
        f"<sdf version='1.11'><model name='m'><link "
        f"name='a'>{REFERENCE_ENGINE_INERTIA.replace('.1 .2 -.3', '0 0 0')}</link></model></sdf>"
    )
    mechanism = bridge.lower(loaders.load_string(text, format="sdf"))
    for name in ("reference", "mujoco", "pybullet"):
        engine = factory_of(name)(mechanism)
        engine.set_step(1e-3)
        engine.set_state({}, {"a": (1.0, 0.0, 0.0, 0.0, 0.0, 2.0)})
        engine.step(1000)
        X_WA = engine.link_poses()["a"]
        engine.close()
        assert X_WA.p == pytest.approx((1.0, 0.0, -9.8 * 1e-6 * 1000 * 1001 / 2), abs=1e-9), name
        assert X_WA.R[:, 0] == pytest.approx((math.cos(2.0), math.sin(2.0), 0.0), abs=1e-9), name


def test_a_link_whose_mass_and_moments_lie_far_apart_moves_as_in_mujoco() -> None:
    """A kilogram with moments of 1e-9 kg m^2: if both are solved for together, the motion is 2e-9 m
    off.
    """
    moments = "<ixx>1e-9</ixx><iyy>1e-9</iyy><izz>1e-9</izz>"
    inertial = f"<inertial><mass>1</mass><inertia>{moments}</inertia></inertial>"
    text = f"<sdf version='1.11'><model name='m'><link name='a'>{inertial}</link></model></sdf>"
    found = compare(
        loaders.load_string(text, format="sdf"), ("mujoco",), levels=("L2",), configurations=1
    )
    (row,) = (row for row in found.rows if row.quantity == "motion without damping")
    assert row.outcome is Outcome.PASSED


# Scalar degrees of freedom, moving links and limits of a mechanism.

MECHANISM = bridge.lower(
    scene(
        [link("base"), link("nut"), link("arm"), link("tip")],
        [
            joint("weld", WORLD, "base", JointType.FIXED),
            joint("screw", "base", "nut", JointType.SCREW, pitch=0.1),
            joint("ball", "base", "arm", JointType.BALL),
            joint("slide", "arm", "tip", JointType.PRISMATIC),
        ],
    )
)


def test_the_hinge_of_a_screw_stands_for_its_component() -> None:
    dofs = scalar_dofs(MECHANISM)
    kinds = {joint: scalar.primitive.kind for (joint, _), scalar in dofs.items()}
    assert kinds == {"screw": PrimitiveKind.HINGE, "slide": PrimitiveKind.SLIDE}
    for (name, _), scalar in dofs.items():
        body = MECHANISM.bodies[scalar.body]
        assert (body.joint, body.primitives[scalar.number]) == (name, scalar.primitive)


def test_links_that_are_welded_to_the_world_do_not_move() -> None:
    assert moving_links(MECHANISM) == {"nut", "arm", "tip"}
    assert screw_like_joints(MECHANISM) == ["screw"]
    assert has_free_or_ball(MECHANISM)


def test_positions_have_the_names_of_joints() -> None:
    positions = positions_by_joint(MECHANISM, MECHANISM.positions_by_body({"slide": 0.2}))
    assert positions.keys() == {"screw", "ball", "slide"}
    assert positions["slide"] == pytest.approx((0.2,))


@pytest.mark.parametrize(("limit", "expected"), [(1e12, math.inf), (-1e12, -math.inf), (2.0, 2.0)])
def test_a_huge_limit_is_none(limit: float, expected: float) -> None:
    assert without_sentinel(limit) == expected

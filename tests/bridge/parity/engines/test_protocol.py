"""Every engine answers in the coordinates of the mechanism, including ball joints and free bodies,
as Drake does.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import EngineMissingError, compare, engine_names
from bridge.parity import engine as protocol
from bridge.parity.engine import factory_of
from bridge.parity.states import random_states, without_solver_effects

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")
from tests.support.drake_oracle import open_in_drake, pose_error

pytest.importorskip("pydrake")


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
            for link, X_WL in oracle.link_poses(q).items():
                assert pose_error(poses[link], X_WL) <= 1e-9
            M = oracle.mass_matrix(q, mechanism.v_order)
            assert np.abs(engine.mass_matrix() - M).max() <= 1e-9 * np.abs(M).max()
            bias = oracle.bias_forces(q, v, mechanism.v_order)
            assert np.abs(engine.bias_forces() - bias).max() <= 1e-9 * np.abs(bias).max()
    finally:
        engine.close()


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
    assert couplings == {(("k", 0), ("j", 0)): (-2.0, 0.3)}


ENGINES = ("reference", "mujoco", "pybullet")


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
        for link, X in before.items():
            twist = J[link] @ rates
            moved = (after[link].p - X.p) / 1e-6
            turned = (after[link].R - X.R) @ X.R.T / 1e-6
            assert moved == pytest.approx(twist[3:], abs=1e-3)
            assert (turned[2, 1], turned[0, 2], turned[1, 0]) == pytest.approx(
                tuple(twist[:3]), abs=1e-3
            )
    engine.close()


def test_velocities_are_read_back_as_they_were_given() -> None:
    mechanism = bridge.lower(loaders.load(ASSETS / "leg.sdf"))
    q, v = random_states(mechanism, 1, seed=2)[0]
    given = [np.atleast_1d(v[joint])[k] for joint, k in mechanism.v_order]
    for name in ENGINES:
        engine = factory_of(name)(mechanism)
        engine.set_state(q, v)
        assert engine.velocities() == pytest.approx(given, abs=1e-12), name
        engine.close()


def test_an_unknown_engine_is_named_with_those_that_there_are() -> None:
    with pytest.raises(
        ValueError, match=r"unknown engine 'ode'; expected one of: reference, mujoco, pybullet"
    ):
        compare(ASSETS / "orthogonal_x.sdf", engines=("ode",))
    assert engine_names()[:3] == ("reference", "mujoco", "pybullet")


def test_a_missing_engine_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pybullet", None)
    with pytest.raises(EngineMissingError, match="pip install pybullet, or pybullet-arm64"):
        compare(ASSETS / "orthogonal_x.sdf", engines=("mujoco", "pybullet"))


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
    assert "pip install pybullet, or pybullet-arm64" in record.message


STATIC = ("L0", "L1")


def static(path: Path, *engines: str) -> object:
    return compare(path, engines, levels=STATIC, configurations=3)


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

"""A soft coupling of an MJCF source yields in MuJoCo as its settings say."""

from __future__ import annotations

import mujoco
import pytest

import bridge
import loaders
from bridge.parity.bounds.contact import Softness, stated_softness

BODY = (
    "<body name='{0}'><joint name='{0}' type='slide' axis='0 0 1'/><geom size='0.1' mass='1' "
    "{1}/></body>"
)


@pytest.mark.parametrize(
    "settings",
    [
        "",
        "solref='0.005 1' solimp='0.95 0.99'",
        "solref='-400 -40'",
        "solref='0.01 0.5' solimp='0.5 0.5'",
    ],
)
def test_a_constant_force_stretches_a_coupling_by_the_stated_softness(settings: str) -> None:
    """The follower is pulled down by gravity, the leader has none and much more mass."""
    text = (
        f"<mujoco><option gravity='0 0 -9.81' "
        f"timestep='0.0005'/><worldbody>{BODY.format('follower', '')}"
        "<body name='leader' gravcomp='1'><joint name='leader' type='slide' axis='0 0 1'/><geom "
        "size='0.1'"
        " mass='1e6' contype='0'/></body></worldbody><equality><joint joint1='follower' "
        "joint2='leader' "
        f"{settings}/></equality></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(text.replace("<geom", "<geom conaffinity='0'"))
    data = mujoco.MjData(model)
    for _ in range(8000):
        mujoco.mj_step(model, data)
    stretched = abs(data.joint("follower").qpos[0] - data.joint("leader").qpos[0])
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf"))
    (softness,) = stated_softness(mechanism, 0.0005).values()
    expected = softness.stretch * softness.admitted * 9.81
    assert 0.4 * expected < stretched <= 1.001 * expected, "the impedance rises with the violation"


def test_a_source_of_another_format_states_no_softness() -> None:
    assert stated_softness(bridge.lower(loaders.load("assets/double_pendulum.urdf")), 1e-3) == {}


def test_a_time_constant_is_at_least_two_steps() -> None:
    assert Softness.of((("solref", "0.001 1"),), 0.01) == Softness.of((("solref", "0.02 1"),), 0.01)

"""MuJoCo accepts the solver parameters of hard constraints unchanged, and knows the default
ones.
"""

from __future__ import annotations

import mujoco
import pytest

from bridge.targets.mjcf.context import DEFAULT_SOLIMP, DEFAULT_SOLREF, HARD_SOLIMP, hard_solref


def limit(attributes: str) -> mujoco.MjModel:
    joint = f'<joint range="-1 1" {attributes}/><geom size="1"/>'
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body>{joint}</body></worldbody></mujoco>"
    )


def test_the_defaults_are_mujocos() -> None:
    model = limit("")
    assert tuple(model.jnt_solref[0]) == pytest.approx(DEFAULT_SOLREF)
    assert tuple(model.jnt_solimp[0][:3]) == pytest.approx(DEFAULT_SOLIMP)


def test_hard_parameters_are_within_mujocos_bounds() -> None:
    text = " ".join(map(str, HARD_SOLIMP))
    model = limit(f'solimplimit="{text}" solreflimit="{hard_solref(0.002)[0]} 1"')
    assert tuple(model.jnt_solimp[0][:3]) == HARD_SOLIMP
    assert tuple(model.jnt_solref[0]) == (0.004, 1.0)
    assert HARD_SOLIMP[0] <= mujoco.mjMAXIMP

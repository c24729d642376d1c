"""Each setting of MuJoCo that acts on motion or contact acts in PyBullet alike, or the loss has its
name.

MuJoCo itself, which reads the same text, is the witness of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import mujoco
import numpy as np
import pybullet
import pytest

from bridge import load_into_pybullet
from loaders import load_string
from loaders.diagnostics import ExportError
from loaders.engine_settings import SETTINGS, Effect, full_name
from tests.support.mujoco_settings import CASES, edited

STEPS = 400
MODEL = """<mujoco><compiler angle="radian"/><option timestep=".001" gravity="0 0 {g}" {option}><flag {flag}/></option>
<worldbody>{world}</worldbody>{rest}</mujoco>"""
ARM = '<body name="a"><joint name="j" axis="0 1 0" {}/><geom size=".1" pos=".3 0 0"/></body>'
TWO = ARM.format("") + (
    '<body name="b" pos="0 2 0"><joint name="k" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>'
)
FLOOR = '<geom type="plane" size="5 5 .1" {}/>'
BOX = (
    '<body name="a" pos="0 0 .1"><joint name="j" type="slide" axis="1 0 0"/>'
    '<joint name="z" type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1" {}/></body>'
)
DROPPED_BALL = FLOOR.format("") + (
    '<body name="a" pos="0 0 .15"><joint name="j" type="slide" axis="0 0 1"/><geom size=".1"/></body>'
)
NESTED = (
    '<body name="a"><joint name="k" axis="0 1 0"/><geom size=".1"/><body name="b" pos=".3 0 0">'
    '<joint name="j" type="slide" axis="1 0 0"/><geom size=".1"/></body></body>'
)


class Case(NamedTuple):
    """A model in which a setting acts, and the velocity at which its joint ``j`` starts."""

    world: str
    option: str = ""
    flag: str = ""
    rest: str = ""
    gravity: float = 0.0
    velocity: float = 1.0
    tolerance: float = 1e-3

    def text(self, *, with_setting: bool = True) -> str:
        flag, option = (self.flag, self.option) if with_setting else ("", "")
        return MODEL.format(
            g=self.gravity, option=option, flag=flag, world=self.world, rest=self.rest
        )


OBEYED = {
    "flag/limit": Case(ARM.format('range="-.1 .1"'), flag='limit="disable"'),
    "flag/damper": Case(ARM.format('damping="2"'), flag='damper="disable"'),
    "flag/spring": Case(ARM.format('stiffness="5"'), flag='spring="disable"'),
    "flag/passive": Case(
        ARM.format('stiffness="5" damping="2"').replace('"a"', '"a" gravcomp="1"'),
        flag='spring="disable" damper="disable"',
        gravity=-9.81,
    ),
    "flag/frictionloss": Case(ARM.format('frictionloss="1"'), flag='frictionloss="disable"'),
    "flag/equality": Case(
        TWO,
        flag='equality="disable"',
        rest='<equality><joint joint1="k" joint2="j" polycoef="0 2 0 0 0"/></equality>',
    ),
    "flag/constraint": Case(
        ARM.format('range="-.1 .1" frictionloss=".2"'), flag='constraint="disable"'
    ),
    "flag/contact": Case(DROPPED_BALL, flag='contact="disable"', gravity=-9.81, velocity=0.0),
    "flag/filterparent": Case(NESTED, flag='filterparent="disable"', velocity=-1.0, tolerance=0.04),
    "flag/override": Case(
        FLOOR.format("") + BOX.format(""),
        flag='override="enable"',
        option='o_friction=".02 .02"',
        gravity=-9.81,
        velocity=2.0,
        tolerance=0.03,
    ),
}
"""Settings that PyBullet obeys, each with a model that moves otherwise without it."""
SLIDING = {
    "geom/condim": ('condim="1"', 'condim="1"'),
    "geom/condim of one shape": ("", 'condim="1" friction=".4"'),
    "geom/priority": ("", 'priority="1" friction=".05"'),
    "geom/priority of the floor": ('priority="1" friction=".05"', ""),
    "geom/priority and condim": ("", 'priority="1" condim="1"'),
}
"""Surfaces of the floor and of a box that slides on it."""


@pytest.fixture(autouse=True)
def client() -> Iterator[int]:
    number = pybullet.connect(pybullet.DIRECT)
    yield number
    pybullet.disconnect(number)


def in_mujoco(text: str, velocity: float) -> dict[str, float]:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.joint("j").qvel[:] = velocity
    mujoco.mj_step(model, data, STEPS)
    return {model.joint(k).name: float(data.qpos[k]) for k in range(model.njnt)}


def in_pybullet(text: str, velocity: float) -> dict[str, float]:
    body = load_into_pybullet(load_string(text, format="mjcf"), quiet=True)
    body.apply_physics()
    body.set_velocities({"j": velocity})
    for _ in range(STEPS):
        body.step()
    return {name: float(np.ravel(value)[0]) for name, value in body.positions().items()}


def difference(a: dict[str, float], b: dict[str, float]) -> float:
    return max(abs(a[name] - b[name]) for name in a)


@pytest.mark.parametrize("path", OBEYED)
def test_pybullet_moves_as_mujoco_does(path: str) -> None:
    case = OBEYED[path]
    try:
        wanted = in_mujoco(case.text(), case.velocity)
    except ValueError as error:
        pytest.skip(f"MuJoCo {mujoco.__version__} does not know the flag: {error}")
    without = in_mujoco(case.text(with_setting=False), case.velocity)
    assert difference(wanted, without) > 5.0 * case.tolerance
    assert difference(wanted, in_pybullet(case.text(), case.velocity)) < case.tolerance


@pytest.mark.parametrize("name", SLIDING)
def test_boxes_slide_as_in_mujoco(name: str) -> None:
    floor, box = SLIDING[name]
    case = Case(FLOOR.format(floor) + BOX.format(box), gravity=-9.81, velocity=2.0)
    text = case.text()
    assert difference(in_mujoco(text, 2.0), in_pybullet(text, 2.0)) < 0.03


def reported(text: str) -> list[str]:
    """The warnings of a load."""
    body = load_into_pybullet(load_string(text, format="mjcf"), quiet=True)
    return [entry.message for entry in body.diagnostics if entry.severity == "warning"]


RESOLVED = {*OBEYED, "body/gravcomp", "option/actuatorgroupdisable", "option/o_friction"}
RESOLVED |= {"flag/actuation", "flag/clampctrl", "geom/condim", "geom/priority"}


@pytest.mark.parametrize("path", [path for path in CASES if path not in RESOLVED])
def test_a_loss_has_the_name_of_the_setting(path: str) -> None:
    before, after = CASES[path]
    try:
        mujoco.MjModel.from_xml_string(edited(after))
    except ValueError as error:
        pytest.skip(f"MuJoCo {mujoco.__version__} does not know the setting: {error}")
    name = f"{full_name(path)}="
    assert [name in message for message in reported(edited(after))].count(True) == 1
    if path not in {"geom/solmix"}:
        assert not any(name in message for message in reported(edited(before)))
    with pytest.raises(ExportError, match=full_name(path)):
        load_into_pybullet(load_string(edited(after), format="mjcf"), strict=True)


@pytest.mark.parametrize(
    "edits", [{"flag": 'actuation="disable"'}, {"option": 'actuatorgroupdisable="1"'}]
)
def test_actuators_that_are_switched_off_have_no_law(edits: dict[str, str]) -> None:
    assert any("actuators with the laws" in message for message in reported(edited({})))
    assert not any("actuators with the laws" in message for message in reported(edited(edits)))


def test_no_setting_that_acts_is_a_note() -> None:
    names = {f"{full_name(path)}=" for path in SETTINGS}
    accurate = {
        f"{full_name(path)}="
        for path, meaning in SETTINGS.items()
        if meaning.effect in {Effect.ACCURACY, Effect.NONE}
    }
    text = MODEL.format(
        g=0, option='integrator="RK4" cone="elliptic" density="9"', flag='energy="enable"',
        world=ARM.format('range="-1 1" solreflimit=".3 1"'), rest="",
    )  # fmt: skip
    body = load_into_pybullet(load_string(text, format="mjcf"), quiet=True)
    notes = " ".join(entry.message for entry in body.diagnostics if entry.severity == "note")
    named = {name for name in names if name in notes}
    assert named == {"option integrator=", "option cone=", "option/flag energy="}
    assert named <= accurate

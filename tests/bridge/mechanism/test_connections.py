"""Constraints that hold two bodies together; MuJoCo says how many motions they prevent."""

from __future__ import annotations

import mujoco
import pytest

import bridge
from bridge.mechanism.bodies import held_together
from loaders import load_string

TEXT = """<mujoco><worldbody>
<body name="a"><freejoint/><geom size=".1"/></body>
<body name="b" pos="1 0 0"><freejoint/><geom size=".1"/></body>
</worldbody><equality>{equality}</equality></mujoco>"""


@pytest.mark.parametrize(
    ("equality", "prevented"),
    [
        ('<connect body1="a" body2="b" anchor=".5 0 0"/>', 3),
        ('<weld body1="a" body2="b"/>', 6),
        ('<weld body1="a" body2="b" active="false"/>', 0),
        ('<connect body1="a" body2="b" anchor=".5 0 0"/><weld body1="a"/>', 9),
        ("", 0),
    ],
)
def test_constraints_that_hold_are_those_of_mujoco(equality: str, prevented: int) -> None:
    text = TEXT.format(equality=equality)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mechanism = bridge.lower(load_string(text, format="mjcf", quiet=True))
    held = list(held_together(mechanism.constraints))
    assert (
        sum(6 if type(each.element).__name__ == "WeldConstraint" else 3 for each in held)
        == data.ne
        == prevented
    )

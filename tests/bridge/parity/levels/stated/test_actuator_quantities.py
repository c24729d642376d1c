"""Actuators of running engines answer commands as the file states; a wrong gain, limit or motor is
found.
"""

from __future__ import annotations

from typing import Any

import pytest

import bridge
import loaders
from bridge.parity import Outcome, compare
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.mujoco.native import MujocoNative
from tests.support.actuated_model import sdf

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")


def rows(text: str, *engines: Any, format: str = "sdf") -> Any:
    scene = loaders.load_string(text, format=format)
    found = compare(scene, engines or ("mujoco", "pybullet"), levels=("L0",), configurations=1)
    named = ("actuator efforts", "actuator laws")
    return {
        (row.quantity, row.engines[-1]): row for row in found.rows if row.quantity in named
    }, found


@pytest.mark.parametrize("text", [sdf(), sdf(effort="1e17"), sdf(gains="")])
def test_sound_engines_answer_commands_with_the_stated_efforts(text: str) -> None:
    found, _ = rows(text)
    assert [row.outcome for row in found.values()] == [Outcome.PASSED] * 2
    assert {quantity for quantity, _ in found} == {"actuator efforts"}


def test_a_joint_whose_child_carries_its_parent_is_driven_in_its_own_direction() -> None:
    weld = "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"
    scene = loaders.load_string(sdf(weld=weld), format="sdf")
    assert next(body for body in bridge.lower(scene).bodies if body.joint == "ja").reversed
    found, _ = rows(sdf(weld=weld))
    assert {row.outcome for row in found.values()} == {Outcome.PASSED}


class FaultyMujoco(MujocoEngine):
    """MuJoCo with a change of the compiled export with actuators."""

    change: Any = staticmethod(lambda model: None)

    def compile_with(self, actuators: Any) -> Any:
        model = super().compile_with(actuators)
        type(self).change(model)
        return model


def weak(model: Any) -> None:
    model.actuator_gainprm[:, 0] *= 1.001


def strong(model: Any) -> None:
    model.actuator_ctrlrange *= 2.0
    model.actuator_forcerange *= 2.0
    model.jnt_actfrcrange *= 2.0


def elsewhere(model: Any) -> None:
    model.actuator_trnid[0, 0] = model.actuator_trnid[1, 0]


@pytest.mark.parametrize("change", [weak, strong, elsewhere])
def test_a_wrong_actuator_of_mujoco_is_found_and_its_joint_named(change: Any) -> None:
    found, result = rows(
        sdf(), type("mujoco", (FaultyMujoco,), {"change": staticmethod(change)}), "pybullet"
    )
    row = found["actuator efforts", "mujoco"]
    assert (row.outcome, row.where in {"ja", "jc"}) == (Outcome.FAILED, True)
    assert {other.quantity for other in result.failures} == {"actuator efforts"}


LAW = (
    "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='.1'/></body></worldbody>"
    "<actuator><position name='p' joint='j' kp='30' kv='2' ctrlrange='-1 1'/></actuator></mujoco>"
)


def test_a_law_of_an_mjcf_file_is_a_gap_unless_mujoco_has_it_twice(tmp_path: Any) -> None:
    _, result = rows(LAW, format="mjcf")
    assert "actuator laws" in {gap.quantity for gap in result.gaps}
    path = tmp_path / "m.xml"
    path.write_text(LAW, encoding="utf-8")
    both = compare(path, ("mujoco", "mujoco-native"), levels=("L0",), configurations=1)
    assert "actuator laws" not in {gap.quantity for gap in both.gaps}
    assert {
        r.outcome
        for r in both.rows
        if r.quantity == "actuator laws" and "reference" not in r.engines
    } == {Outcome.PASSED}

    class Weaker(MujocoNative):
        def actuator_laws(self) -> Any:
            self.model.actuator_gainprm[:] *= 0.9
            return super().actuator_laws()

    wrong = compare(path, ("mujoco", Weaker), levels=("L0",), configurations=1)
    assert {(row.quantity, row.where) for row in wrong.failures} == {("actuator laws", "p")}

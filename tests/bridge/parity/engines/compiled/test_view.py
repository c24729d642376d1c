"""Names of what elements of a compiled model refer to."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from bridge.parity.engines.mujoco.compiled_model import (
    View,
    actuator_numbers,
    actuator_rows,
    numbered,
    numbers,
)

MODEL = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1' name='g' pos='1 2 3'/>"
    "<body name='b'><geom size='1'/><site name='s' pos='0 0 2'/></body></body></worldbody>"
    "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon></mujoco>"
)
KINDS: Mapping[str, Mapping[int, str]] = {
    "mjtObj": {
        int(m.value): name.removeprefix("mjOBJ_").lower()
        for name, m in mujoco.mjtObj.__members__.items()
    }
}


def view() -> View:
    return View(
        model=MODEL,
        kinds=KINDS,
        links={1: "link"},
        joints={0: "hinge"},
        solid=(True, True),
        drawn=(True, True),
        name_of=lambda kind, index: f"{kind} {index}!",
        options={},
    )


def number(kind: str) -> int:
    return int(getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"))


def test_a_body_without_a_link_belongs_to_the_next_one_towards_the_world() -> None:
    assert [view().link(body) for body in (0, 1, 2)] == ["world", "link", "link"]


def test_an_element_is_named_by_its_link_and_placed_by_its_pose() -> None:
    label, pose = view().item(number("site"), 0)
    assert (label, pose[:3].tolist()) == ("site of link", [0.0, 0.0, 2.0])
    assert view().item(number("joint"), 0)[0] == "joint hinge"
    assert view().item(number("tendon"), 0)[0] == "tendon tendon 0!"
    assert view().item(number("body"), 1)[0] == "body link"
    assert view().item(number("unknown"), -1)[0] == ""


def test_numbers_of_arrays_that_a_version_lacks_are_left_out() -> None:
    np.testing.assert_array_equal(
        numbers(MODEL, 0, "jnt_margin", "jnt_nothing", "jnt_axis"), [0.0, 0.0, 0.0, 1.0]
    )
    assert numbers(MODEL, 0, "jnt_nothing").size == 0


def test_labels_that_were_there_before_have_numbers() -> None:
    assert numbered(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]


def test_an_actuator_has_rows_for_its_controls_and_its_outputs() -> None:
    class Model:
        """The second actuator has two controls and three outputs."""

        actuator_ctrladr, actuator_ctrlnum = np.array([0, 1]), np.array([1, 2])
        actuator_outadr, actuator_outnum = np.array([0, 1]), np.array([1, 3])
        actuator_ctrlrange = np.array([[0, 1], [2, 3], [4, 5]])
        actuator_gear, actuator_dyntype = np.arange(4.0), np.array([7, 8])

    rows = [list(actuator_rows(Model(), 1, field)) for field in ("ctrlrange", "gear", "dyntype")]
    assert rows == [[1, 2], [1, 2, 3], [1]]
    found = actuator_numbers(Model(), 1, "dyntype", "ctrlrange", "missing", "gear")
    assert found.tolist() == [8, 2, 3, 4, 5, 1, 2, 3]
    assert list(actuator_rows(object(), 1, "ctrlrange")) == [1], (
        "older versions have one control for each actuator"
    )

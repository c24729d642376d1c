"""Each driven joint has one actuator, named after it."""

from __future__ import annotations

import bridge
from loaders import model as m
from tests.support.scenes import joint, link, scene
from tests.support.sdf_writer import read


def test_names_limits_and_further_actuators() -> None:
    drives = (m.Actuator(name="x", joint="j", effort=5.0), m.Actuator(name="y", joint="k"))
    given = scene(
        [link("a"), link("b")],
        [joint("j", m.WORLD, "a"), joint("k", "a", "b", axis={"effort": 0.0})],
        actuators=drives,
    )
    codes = {entry.code for entry in bridge.to_sdf(given).diagnostics}
    assert codes == {"sdfout.actuator", "sdfout.actuator-property"}
    assert [(a.name, a.joint, a.effort) for a in read(given).actuators] == [("j", "j", 5.0)]


def test_a_source_without_actuators_reports_those_that_a_reader_adds() -> None:
    given = scene(
        [link("a"), link("b")],
        [joint("j", m.WORLD, "a"), joint("k", "a", "b", axis={"effort": 0.0})],
    )
    assert [actuator.name for actuator in read(given).actuators] == ["j"]
    added = [
        entry for entry in bridge.to_sdf(given).diagnostics if entry.code == "sdfout.added-actuator"
    ]
    assert [entry.subjects for entry in added] == [("j",)]

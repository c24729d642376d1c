"""An actuator's limit becomes that of a joint without one; one without a joint is left out."""

from __future__ import annotations

import dataclasses

import bridge
from loaders import model as m
from tests.code_examples import scenes as s
from tests.support.urdf_writer import read


def test_the_limit_of_an_actuator() -> None:
    found = read(s.driven(effort=5.0))
    assert (found.joints[0].axes[0].effort, found.actuators[0].effort) == (5.0, 5.0)


def test_an_actuator_of_a_tendon_is_left_out() -> None:
    given = dataclasses.replace(s.hinge(), actuators=(m.Actuator(name="pull", joint="", tendon="t"),))
    urdf = bridge.to_urdf(given)
    assert "<transmission" not in urdf
    assert [entry.code for entry in urdf.diagnostics] == ["urdfout.actuator"]

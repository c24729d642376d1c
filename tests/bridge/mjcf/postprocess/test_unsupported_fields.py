"""Fields that MJCF cannot hold are reported with field, value, subjects and place, and only if they
are stated.
"""

from __future__ import annotations

import dataclasses

from bridge.targets.mjcf import to_mjcf
from loaders.diagnostics import Diagnostic, Fate
from loaders.model import Friction, Physics
from loaders.scene import Scene
from tests.support.mjcf_scenes import ball, link, one_joint, scene_of, z_axis


def findings(scene: Scene, code: str) -> list[Diagnostic]:
    return [entry for entry in to_mjcf(scene).diagnostics if entry.code == f"mjcf.{code}"]


def test_a_velocity_limit_is_reported_at_its_joint() -> None:
    (entry,) = findings(one_joint(z_axis(velocity=2.0)), "velocity-limit")
    assert (entry.fate, entry.subjects, entry.where.line) == (Fate.DROPPED, ("elbow",), 20)
    assert (entry.arguments["field"], entry.arguments["value"]) == ("velocity", "2")
    assert (
        entry.message
        == "joint elbow: velocity = 2 is left out; MuJoCo does not support velocity limits"
    )


def test_a_default_value_is_not_reported() -> None:
    assert findings(one_joint(z_axis()), "velocity-limit") == []


def test_findings_of_one_rule_share_their_template() -> None:
    scene = scene_of(
        *(link(name, collisions=(ball("c", friction=Friction(mu_static=0.9)),)) for name in "ab")
    )
    entries = findings(scene, "static-friction")
    assert [entry.subjects for entry in entries] == [("a", "a::c"), ("b", "b::c")]
    assert len({entry.template for entry in entries}) == 1


def test_an_invalid_time_step_states_the_one_that_is_used() -> None:
    (entry,) = findings(
        dataclasses.replace(one_joint(), physics=Physics(time_step=0.0)), "time-step"
    )
    assert entry.message == "invalid time step 0 s; using 0.001 s"

"""Documents have no place for what plugins publish: it is left out and reported, and other sensors
stay.
"""

from __future__ import annotations

import pytest

import bridge
import loaders
from loaders import Scene
from loaders.diagnostics import Fate
from loaders.model import Sensor
from loaders.pose import IDENTITY
from tests.support.scenes import joint, link, scene


def published() -> Scene:
    imu, odometry = (Sensor(name=kind, type=kind, X_LS=IDENTITY) for kind in ("imu", "odometry"))
    state = Sensor(name="j_state", type="joint_state", X_LS=IDENTITY, joint="j")
    return scene(
        [link("a", sensors=(imu, odometry)), link("b")], [joint("j", "a", "b", sensors=(state,))]
    )


@pytest.mark.parametrize("form", ["sdf", "urdf"])
def test_published_sensors_are_dropped_and_others_stay(form: str) -> None:
    text = (
        bridge.to_sdf(published())
        if form == "sdf"
        else bridge.to_urdf(published(), extensions=("gazebo",))
    )
    lost = [entry for entry in text.diagnostics if entry.code == f"{form}out.published-sensor"]
    assert [(entry.fate, entry.subjects) for entry in lost] == [
        (Fate.DROPPED, ("a", "odometry")),
        (Fate.DROPPED, ("j", "j_state")),
    ]
    again = loaders.load_string(str(text), format=form, quiet=True, strict=True)
    assert [[sensor.name for sensor in item.sensors] for item in (*again.links, *again.joints)] == [
        ["imu"],
        [],
        [],
    ]

"""Gearboxes in URDF: one joint mimics the other."""

from __future__ import annotations

import pytest

import bridge
import loaders
from loaders.diagnostics import ExportError
from loaders.scene import Scene
from tests.code_examples.scenes import geared


def velocities(scene: Scene) -> dict[str, float]:
    """Return the velocity of each joint while ``left`` has 1 rad/s."""
    mechanism = bridge.lower(scene)
    (coupling,) = mechanism.couplings
    names = [name for name, _ in mechanism.v_order]
    return {names[coupling.leader]: 1.0, names[coupling.follower]: coupling.multiplier}


def test_the_joints_of_a_gearbox_turn_as_before() -> None:
    found = loaders.load_string(bridge.to_urdf(geared(), quiet=True), format="urdf", quiet=True)
    assert velocities(found) == velocities(geared()) == {"left": 1.0, "right": -2.0}


def test_a_gearbox_without_hinges_is_left_out_and_named() -> None:
    urdf = bridge.to_urdf(geared(reference="left"), quiet=True)
    assert "mimic" not in urdf
    assert [
        entry.subjects for entry in urdf.diagnostics if entry.code == "urdfout.idle-gearbox"
    ] == [("gears",)]


def test_a_gearbox_does_not_hold_its_links_together(tmp_path) -> None:
    scene = geared()
    joints = tuple(joint for joint in scene.joints if joint.name == "gears")
    free = loaders.Scene(name="m", models=scene.models, links=scene.links, joints=joints)
    with pytest.raises(ExportError, match="3"):
        bridge.to_urdf(free, quiet=True)
    assert (
        len(list(bridge.export_urdf(free, tmp_path / "out", quiet=True).path.parent.glob("*.urdf")))
        == 3
    )

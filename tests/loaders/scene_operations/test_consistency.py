"""Scenes that were changed in Python: each target refuses names and numbers that no model has, with
one clear error.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from loaders import ExportError, Scene
from loaders.finish.validation import require_consistent
from loaders.inertia import SpatialInertia
from loaders.pose import Pose

ARM = loaders.load("assets/double_pendulum.urdf", quiet=True)


def into_pybullet(scene: Scene) -> None:
    """Load a scene into a server of its own."""
    pybullet = pytest.importorskip("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    try:
        bridge.load_into_pybullet(scene, physicsClientId=client)
    finally:
        pybullet.disconnect(client)


TARGETS: dict[str, Callable[[Scene], Any]] = {
    "mechanism": bridge.lower,
    "MJCF": bridge.to_mjcf,
    "SDFormat": bridge.to_sdf,
    "URDF": bridge.to_urdf,
    "PyBullet": into_pybullet,
}


def with_link(**fields: Any) -> Scene:
    """The arm, with other fields of its last link."""
    return dataclasses.replace(
        ARM, links=(*ARM.links[:-1], dataclasses.replace(ARM.links[-1], **fields))
    )


def with_joint(**fields: Any) -> Scene:
    """The arm, with other fields of its last joint."""
    return dataclasses.replace(
        ARM, joints=(*ARM.joints[:-1], dataclasses.replace(ARM.joints[-1], **fields))
    )


LAST = ARM.links[-1].name
ROUNDED = (
    Pose.from_xyz_rpy((0.0, 0.0, 0.0), (0.3, 0.1, 0.2)).R.astype(np.float32).astype(np.float64)
)
SCENES = {
    "unknown parent": (with_joint(parent="nothing"), "'nothing' is the parent of joint elbow"),
    "link twice": (
        dataclasses.replace(ARM, links=(*ARM.links, ARM.links[-1])),
        f"2 links of the scene are named {LAST}",
    ),
    "mass that is no number": (
        with_link(inertia=SpatialInertia.of(np.nan)),
        f"link {LAST} is not finite",
    ),
    "axis that is not a unit vector": (
        with_joint(
            axes=(dataclasses.replace(ARM.joints[-1].axes[0], xyz=np.array((0.0, 0.6, 0.7))),)
        ),
        "an axis of joint elbow is not a unit vector",
    ),
    "rotation of single precision": (
        with_link(X_WL=Pose(R=ROUNDED, p=np.zeros(3))),
        f"the rotation of the pose of link {LAST} is not orthogonal",
    ),
    "mirror": (
        with_joint(X_PJ=Pose(R=np.diag((1.0, 1.0, -1.0)), p=np.zeros(3))),
        "the rotation of the pose of joint elbow is not orthogonal, or mirrors",
    ),
    "place that is infinite": (
        with_link(X_WL=Pose.of(p=(np.inf, 0.0, 0.0))),
        f"link {LAST} is not finite",
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("change", SCENES)
def test_every_target_refuses_a_scene_that_is_not_consistent(change: str, target: str) -> None:
    scene, message = SCENES[change]
    with pytest.raises(ExportError, match=message) as error:
        TARGETS[target](scene)
    assert "report a bug" not in str(error.value)


def test_all_errors_are_listed() -> None:
    joint = dataclasses.replace(ARM.joints[-1], parent="one", child="two")
    scene = dataclasses.replace(
        with_link(inertia=SpatialInertia.of(np.inf)), joints=(*ARM.joints[:-1], joint)
    )
    with pytest.raises(ExportError) as error:
        require_consistent(scene)
    assert [entry.code for entry in error.value.diagnostics] == ["model.unknown-name"] * 2 + [
        "model.bad-number"
    ]


def test_what_readers_return_is_consistent() -> None:
    for path in ("assets/arm/model.sdf", "assets/leg.sdf", "assets/double_pendulum.urdf"):
        require_consistent(loaders.load(path, quiet=True))

"""Names of primitive joints."""

from __future__ import annotations

import pytest

from bridge.lowering import lower
from bridge.mechanism.target_names import primitive_names
from loaders.model import WORLD, JointType
from tests.support.scenes import joint, link, scene


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (JointType.REVOLUTE, ("j",)),
        (JointType.FIXED, ()),
        (JointType.BALL, ("j",)),
        (JointType.UNIVERSAL, ("j_1", "j_2")),
        (JointType.REVOLUTE2, ("j_1", "j_2")),
        (JointType.PLANAR, ("j_x", "j_y", "j_theta")),
        (JointType.SCREW, ("j", "j_slide")),
    ],
)
def test_each_primitive_has_the_name_of_the_joint_with_a_suffix(kind: JointType, names: tuple[str, ...]) -> None:
    (body,) = lower(scene([link("a")], [joint("j", WORLD, "a", kind)])).bodies
    assert primitive_names(body) == names

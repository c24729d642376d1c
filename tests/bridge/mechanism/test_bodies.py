"""Properties of bodies."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.lowering import lower
from bridge.mechanism.bodies import primitive_names
from loaders.model import WORLD, JointType
from tests.support.scenes import joint, link, scene


def test_a_body_has_the_velocities_of_its_joint() -> None:
    mechanism = lower(scene([link("a"), link("b")], [joint("j", "a", "b", JointType.UNIVERSAL)]))
    a, b = mechanism.bodies
    assert (a.name, a.nv, a.dofs) == ("a", 6, tuple(("a", k) for k in range(6)))
    assert (b.name, b.nv, b.dofs) == ("b", 2, (("j", 0), ("j", 1)))
    assert a.dofs + b.dofs == mechanism.v_order


def test_only_a_kinematic_link_without_a_joint_is_a_kinematic_body() -> None:
    alone = dataclasses.replace(link("alone"), kinematic=True)
    carried = dataclasses.replace(link("carried"), kinematic=True)
    bodies = lower(scene([alone, carried, link("free")], [joint("j", WORLD, "carried")])).bodies
    assert {body.name: body.is_kinematic for body in bodies} == {"alone": True, "carried": False, "free": False}


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

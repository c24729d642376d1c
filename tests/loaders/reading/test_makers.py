"""Fast making of the objects of a scene."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from loaders.diagnostics import Diagnostic, Fate, FindingList, Where
from loaders.model import Collision, Joint, JointAxis, Link, Material, Sphere, Surface, Visual
from loaders.model.joint import JointType
from loaders.model.settings import Z_AXIS
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.speed import maker

NAMED = {"name": "a", "X_LG": IDENTITY, "geometry": Sphere(radius=1.0)}
STATED: dict[type[Any], dict[str, Any]] = {
    Collision: NAMED,
    Diagnostic: {"code": "c", "fate": Fate.NOTED, "template": "t"},
    Joint: {
        "name": "j",
        "type": JointType.FIXED,
        "parent": "a",
        "child": "b",
        "X_PJ": IDENTITY,
        "X_CJ": IDENTITY,
    },
    JointAxis: {"xyz": Z_AXIS, "lower": -1.0},
    Link: {"name": "a", "model": "m", "X_WL": IDENTITY},
    Material: {"name": "red"},
    Pose: {"R": IDENTITY.R, "p": IDENTITY.p},
    Scene: {"name": "world"},
    Surface: {"restitution": 0.5},
    Visual: NAMED,
    Where: {"file": "a.xml", "line": 3},
}


@pytest.mark.parametrize("kind", STATED)
def test_an_object_is_that_of_the_frozen_class(kind: type[Any]) -> None:
    made, plain = maker(kind)(**STATED[kind]), kind(**STATED[kind])
    assert type(made) is kind
    values = [[getattr(item, field.name) for field in fields(kind)] for item in (made, plain)]
    assert values[0] == values[1]
    assert repr(made) == repr(plain)
    with pytest.raises(FrozenInstanceError):
        setattr(made, fields(kind)[0].name, None)
    with pytest.raises((AttributeError, TypeError)):  # slots
        object.__setattr__(made, "other", 1)
    for twin in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(twin) is kind


def test_objects_that_are_compared_by_value_are_equal() -> None:
    assert maker(Material)(name="red") == Material(name="red")
    assert hash(maker(Material)(name="red")) == hash(Material(name="red"))


def test_fields_may_be_given_in_order_as_for_the_class() -> None:
    assert maker(Where)("a.xml", 3, path="/mujoco") == Where("a.xml", 3, "/mujoco")
    with pytest.raises(TypeError, match="positional"):
        maker(Material)("red")  # type: ignore[misc]


def test_no_two_objects_share_what_a_factory_makes() -> None:
    first, second = (maker(Diagnostic)("c", Fate.NOTED, "t") for _ in range(2))
    assert first.arguments == {}
    assert first.arguments is not second.arguments


def test_the_last_step_of_a_class_is_taken() -> None:
    assert type(maker(Scene)(name="world").diagnostics) is FindingList


def test_a_required_field_is_required() -> None:
    with pytest.raises(TypeError, match="X_WL"):
        maker(Link)(name="a", model="m")  # type: ignore[call-arg]

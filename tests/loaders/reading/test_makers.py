"""Fast making of the objects of a scene."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from loaders.model import Collision, Joint, JointAxis, Link, Material, Sphere, Surface, Visual
from loaders.model.common import Z_AXIS
from loaders.model.joints import JointType
from loaders.reading.makers import maker
from loaders.spatial import IDENTITY

NAMED = {"name": "a", "X_LG": IDENTITY, "geometry": Sphere(radius=1.0)}
STATED: dict[type[Any], dict[str, Any]] = {
    Collision: NAMED,
    Joint: {"name": "j", "type": JointType.FIXED, "parent": "a", "child": "b", "X_PJ": IDENTITY, "X_CJ": IDENTITY},
    JointAxis: {"xyz": Z_AXIS, "lower": -1.0},
    Link: {"name": "a", "model": "m", "X_WL": IDENTITY},
    Material: {"name": "red"},
    Surface: {"restitution": 0.5},
    Visual: NAMED,
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


def test_a_required_field_is_required() -> None:
    with pytest.raises(TypeError, match="X_WL"):
        maker(Link)(name="a", model="m")  # type: ignore[call-arg]

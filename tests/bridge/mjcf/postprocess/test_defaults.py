"""Default classes change the text and not the compiled model."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import bridge
import loaders
from bridge import lower
from bridge.targets.mjcf.context import write
from bridge.targets.mjcf.document import build
from bridge.targets.options import MjcfExportOptions
from tests.support.mjcf_scenes import hinge, leg
from tests.support.mujoco_oracle import compiled


@pytest.mark.parametrize("actuators", ["none", "motor", "dcmotor", "position", "velocity"])
def test_classes_change_the_text_and_not_the_model(actuators):
    """Every class is written out on its elements, and MuJoCo compiles the same arrays, bit by
    bit.
    """
    toe = hinge("toe", "l3", "l4", lower=0.0, upper=1.0, effort=5.0, velocity=3.0)
    scene = dataclasses.replace(leg(), joints=(*leg().joints[:3], toe))
    factored = build(lower(scene), MjcfExportOptions(actuators=actuators)).root
    flat = build(lower(scene), MjcfExportOptions(actuators=actuators)).root
    classes = {}

    def learn(element, above):
        own = {
            child.tag: {**above.get(child.tag, {}), **child.attributes}
            for child in element.children
        }
        classes[element.attributes.get("class")] = settings = {**above, **own}
        for child in element.children:
            if child.tag == "default":
                learn(child, settings)

    def write_out(element, inherited):
        inherited = element.attributes.pop("childclass", inherited)
        name = element.attributes.pop("class", inherited)
        element.attributes = {**classes.get(name, {}).get(element.tag, {}), **element.attributes}
        for child in element.children:
            write_out(child, inherited)

    (section,) = (e for e in flat.children if e.tag == "default")
    learn(section, {})
    assert len(classes) >= 4
    flat.children.remove(section)
    write_out(flat, None)
    a, b = compiled(write(factored)), compiled(write(flat))
    arrays = [name for name in dir(a) if isinstance(getattr(a, name, None), np.ndarray)]
    assert len(arrays) > 100
    assert [
        name
        for name in arrays
        if not np.array_equal(getattr(a, name), getattr(b, name), equal_nan=True)
    ] == []


def test_an_equality_of_an_mjcf_source_needs_no_class():
    """Two free joints that are coupled: nothing else of the model has a default."""
    text = (
        "<mujoco model='pair'><worldbody><body name='a'><joint name='x' type='slide'/><inertial "
        "pos='0 0 0' mass='1'"
        " diaginertia='1 1 1'/></body><body name='b'><joint name='y' type='slide'/><inertial "
        "pos='0 0 0' mass='1'"
        " diaginertia='1 1 1'/></body></worldbody><equality><joint joint1='x' joint2='y' "
        "solref='0.005 1'/></equality>"
        "</mujoco>"
    )
    model = compiled(bridge.to_mjcf(loaders.load_string(text, format="mjcf"), quiet=True))
    assert model.eq_solref.tolist() == [[0.005, 1.0]]

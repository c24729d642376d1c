"""MJCF documents for the codes about what only MJCF has."""

from __future__ import annotations

import dataclasses
from typing import Any

import loaders
from loaders import Scene
from loaders.model import EngineElement
from tests.support.code_example import Example, exporting, loading_into_pybullet, lowering
from tests.support.mjcf_documents import BALL, document

TWO = (
    f'<body name="a"><joint name="j"/>{BALL}<site name="s"/></body>'
    f'<body name="b" pos="2 0 0"><joint name="k" type="slide"/>{BALL}<site name="t"/></body>'
)
PATH = '<site site="s"/><site site="t"/>'
FREE = f'<body name="a"><joint name="j" type="free" damping="1"/>{BALL}</body>'


def scene(body: str = TWO, outside: str = "") -> Scene:
    return loaders.load_string(document(body, outside), format="mjcf", quiet=True)


def in_pybullet(outside: str, *subjects: str, body: str = TWO) -> Example:
    return loading_into_pybullet(scene(body, outside), *subjects)


def tendon(attributes: str = "") -> str:
    return f'<tendon><spatial name="t" {attributes}>{PATH}</spatial></tendon>'


def uneven() -> Scene:
    """A free joint that is damped in translation only."""
    model = scene(FREE)
    (joint,) = model.joints
    first, second = joint.axes
    axes = (first, dataclasses.replace(second, damping=0.0))
    return dataclasses.replace(model, joints=(dataclasses.replace(joint, axes=axes),))


def with_missing_collision() -> Scene:
    model = scene(PAIRED, PAIR)
    (pair,) = model.contact_pairs
    return dataclasses.replace(
        model, contact_pairs=(dataclasses.replace(pair, collision_A="none"),)
    )


def without_site() -> Scene:
    """A sensor on a site that is not in the scene."""
    element = EngineElement(
        engine="mujoco", name="n", section="sensor", tag="gyro", references=(("site", "gone"),)
    )
    return dataclasses.replace(scene(), engine_elements=(element,))


PAIRED: Any = "".join(
    f'<body name="{n}"><freejoint/><geom name="g{n}" size="1"/></body>' for n in "ab"
)
PAIR = '<contact><pair geom1="ga" geom2="gb"/></contact>'
WELD = '<equality><weld name="w" body1="a" body2="b" active="false" solref="0.1 1"/></equality>'

EXAMPLES = {
    "lower.tendon-inertia": lowering(scene(TWO, tendon('armature="1"')), "t"),
    "mjcf.mujoco-element": exporting(without_site(), "n", "gone"),
    "mjcf.contact-pair": exporting(with_missing_collision(), "a", "b"),
    "mjcf.free-joint": exporting(uneven(), "a"),
    "pybullet.contact-pair": in_pybullet(PAIR, "a", "b", body=PAIRED),
    "pybullet.control-range": in_pybullet(
        '<actuator><motor name="m" joint="j" ctrlrange="-1 1"/></actuator>', "m"
    ),
    "pybullet.floating-dynamics": in_pybullet("", "j", body=FREE),
    "pybullet.inactive-constraint": in_pybullet(WELD, "a", "b"),
    "pybullet.mujoco-settings": in_pybullet(
        "", "j", body=f'<body name="a"><joint name="j" margin="1"/>{BALL}</body>'
    ),
    "pybullet.mujoco-element": in_pybullet(
        '<equality><joint name="e" joint1="j"/></equality>', "e"
    ),
    "pybullet.mujoco-sensor": in_pybullet('<sensor><clock name="c"/></sensor>', "c"),
    "pybullet.mujoco-solver": in_pybullet(
        "",
        "j",
        body='<body name="a"><joint name="j" frictionloss="1" solreffriction=".1 1"/>'
        f"{BALL}</body>",
    ),
    "pybullet.stated-tendon": in_pybullet(tendon(), "t"),
}

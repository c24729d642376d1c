"""Settings of MuJoCo: those that differ from its defaults, and whether an export has them."""

from __future__ import annotations

import numpy as np
import pytest

from loaders.mjcf.settings import text_of, unless
from tests.support.mjcf_documents import BALL, read
from tests.support.mjcf_round_trip import compiled

JOINT = '<body><joint range="-1 1" {}/>' + BALL + "</body>"
GEOM = '<body><joint/><geom size="0.1" mass="1" {}/></body>'
STATED = {
    "jnt_margin": JOINT.format('margin="0.1"'),
    "jnt_solref": JOINT.format('solreflimit="0.1 0.5"'),
    "jnt_solimp": JOINT.format('solimplimit="0.8 0.9 0.01"'),
    "dof_solref": JOINT.format('solreffriction="-100 -5" frictionloss="1"'),
    "jnt_actfrcrange": JOINT.format('actuatorfrcrange="-1 2"'),
    "geom_condim": GEOM.format('condim="6"'),
    "geom_friction": GEOM.format('friction="0.5 0.1 0.2"'),
    "geom_priority": GEOM.format('priority="2"'),
    "geom_solmix": GEOM.format('solmix="3"'),
    "geom_solref": GEOM.format('solref="0.1 2"'),
    "geom_margin": GEOM.format('margin="0.1"'),
    "geom_gap": GEOM.format('margin="0.1" gap="0.05"'),
    "body_gravcomp": f'<body gravcomp="0.5"><joint/>{BALL}</body>',
}


@pytest.mark.parametrize(("array", "body"), STATED.items())
def test_an_export_has_what_the_source_states(array: str, body: str) -> None:
    original, exported = compiled(body)
    assert np.array_equal(getattr(original, array)[-1], getattr(exported, array)[-1])


def test_adhesion_and_surface_velocity_are_those_of_each_geom() -> None:
    import mujoco

    if not hasattr(mujoco.MjModel, "geom_adhesion"):
        return  # an older version refuses the attributes
    geoms = '<geom size="1" name="{}" adhesion="{}" surfacevel="0 {} 0 0 0 0"/>'
    body = f"<body><joint/>{geoms.format('a', 2, 3)}{geoms.format('b', 4, 5)}</body>"
    pair = '<contact><pair geom1="floor" geom2="a" adhesion="3"/></contact>'
    original, exported = compiled(f'<geom name="floor" type="plane" size="1 1 1"/>{body}', pair)
    for array in ("geom_adhesion", "geom_surfacevel", "pair_adhesion"):
        stated, found = (
            getattr(model, array).reshape(getattr(model, array).shape[0], -1)
            for model in (original, exported)
        )
        assert np.array_equal(stated[stated.any(axis=1)], found[found.any(axis=1)]), (
            array
        )  # what is drawn has none


def test_the_limit_of_a_ball_joint() -> None:
    original, exported = compiled(f'<body><joint type="ball" range="0 30"/>{BALL}</body>')
    assert original.jnt_range.tolist() == exported.jnt_range.tolist()
    assert exported.jnt_limited[0] == 1


def test_defaults_are_left_out() -> None:
    scene = read(JOINT.format(""))
    assert scene.joints[0].engine_settings == ()
    assert scene.links[0].collisions[0].surface.engine_settings == ()


def test_numbers_are_exact() -> None:
    values = [1.0, 0.1 + 0.2, 1e-300]
    assert [float(word) for word in text_of(values).split()] == values
    assert list(unless("x", [1.0], [1.0])) == []

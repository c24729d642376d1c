"""Several joints in a body, there and back."""

from __future__ import annotations

import pytest

from tests.support.mjcf_documents import BALL
from tests.support.mjcf_round_trip import compiled, differences

X, Y, Z = ("1 0 0", "0 1 0", "0 0 1")
BODIES = {
    "three hinges": "".join(
        f'<joint axis="{axis}" pos="0.1 0 0.2" damping="0.1"/>' for axis in (X, Y, Z)
    ),
    "slides and a hinge": (
        f'<joint type="slide" axis="{X}"/><joint type="slide" axis="{Z}"/><joint axis="{Y}"/>'
    ),
    "references": (
        f'<joint axis="{X}" ref="20"/><joint type="slide" axis="{Y}" ref="0.4"/><joint '
        f'axis="{Z}" ref="9"/>'
    ),
    "slide and ball": (
        f'<joint type="slide" axis="{X}"/><joint type="ball" armature="0.1" stiffness="2"/>'
    ),
}


@pytest.mark.parametrize("joints", BODIES.values(), ids=BODIES)
def test_the_joints_of_a_body_stay_in_it(joints: str) -> None:
    child = f'<body pos="0 0 1"><joint axis="{Y}"/>{BALL}</body>'
    body = f'<body name="b" pos="1 2 3" euler="10 20 30">{joints}{BALL}{child}</body>'
    original, exported = compiled(body)
    assert (original.nbody, original.njnt) == (exported.nbody, exported.njnt)
    assert max(differences(body).values()) < 1e-9


def test_dynamics_of_free_and_ball_joints() -> None:
    free = (
        f'<body><joint type="free" damping="1" armature="0.5" stiffness="3" '
        f'frictionloss="0.1"/>{BALL}</body>'
    )
    ball = (
        f'<body pos="1 0 0"><joint type="ball" damping="1" armature="0.5" '
        f'stiffness="3"/>{BALL}</body>'
    )
    assert max(differences(free).values()) < 1e-9
    assert max(differences(ball).values()) < 1e-9

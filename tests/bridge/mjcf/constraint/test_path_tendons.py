"""Tendons, there and back."""

from __future__ import annotations

import pytest

from tests.support.mjcf_documents import BALL
from tests.support.mjcf_round_trip import differences

BODY = (
    f'<site name="o" pos="0 0 1"/><body name="a"><joint name="j"/><joint name="k" '
    f'type="slide"/>{BALL}'
    '<geom name="w" type="cylinder" size="0.1 0.3" pos="0 0 0.6"/><geom name="u" size="0.05" '
    'pos="0.3 0 0.6"/>'
    '<site name="s" pos="1 0 0"/><site name="side" pos="0 0.3 0.6"/></body>'
)
SPRING = 'stiffness="30" damping="2" springlength="0.1 0.2" frictionloss="0.3"'
TENDONS = {
    "sum": (
        f'<fixed {SPRING} armature="0.4"><joint joint="j" coef="2"/><joint joint="k" '
        f'coef="-3"/></fixed>'
    ),
    "path": f'<spatial {SPRING} armature="0.4"><site site="o"/><site site="s"/></spatial>',
    "wrapped": (
        f'<spatial {SPRING}><site site="o"/><geom geom="w" sidesite="side"/><site '
        f'site="s"/></spatial>'
    ),
    "around a sphere": (
        f'<spatial {SPRING}><site site="o"/><geom geom="u"/><site site="s"/></spatial>'
    ),
    "pulley": '<spatial stiffness="9"><site site="o"/><site site="s"/><pulley divisor="2"/><site '
    'site="side"/>'
    '<site site="o"/></spatial>',
    "limited": (
        '<spatial range="0 0.2" solreflimit="0.1 1"><site site="o"/><site site="s"/></spatial>'
    ),
}


@pytest.mark.parametrize("tendon", TENDONS.values(), ids=TENDONS)
def test_an_export_moves_as_the_original(tendon: str) -> None:
    assert max(differences(BODY, f"<tendon>{tendon}</tendon>").values()) < 1e-9

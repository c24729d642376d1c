"""Actuators of every kind, there and back."""

from __future__ import annotations

import pytest

from tests.support.mjcf_documents import BALL
from tests.support.mjcf_round_trip import differences

BODY = (
    f'<site name="o" pos="0 0 1"/><body name="a"><joint name="j" axis="0 1 0" range="-90 '
    f'90"/>{BALL}'
    f'<site name="s" pos="1 0 0"/><body name="b" pos="0 0 1"><joint name="k" '
    f'type="ball"/>{BALL}</body></body>'
    f'<body name="f" pos="0 3 0" euler="20 30 0"><freejoint name="free"/>{BALL}</body>'
)
TENDON = '<tendon><spatial name="t"><site site="o"/><site site="s"/></spatial></tendon>'
ACTUATORS = {
    "motor": '<motor joint="j" gear="3" ctrlrange="-1 1" forcerange="-0.5 0.2"/>',
    "position": '<position joint="j" kp="10" dampratio="1" inheritrange="1"/>',
    "velocity": '<velocity joint="j" kv="4"/>',
    "filter": '<position joint="j" kp="10" timeconst="0.1"/>',
    "integrator": '<intvelocity joint="j" kp="10" actrange="-1 1"/>',
    "damper": '<damper joint="j" kv="4" ctrlrange="0 1"/>',
    "cylinder": '<cylinder joint="j" area="2" timeconst="0.2"/>',
    "muscle": '<muscle joint="j" lengthrange="0.5 1.5" force="10"/>',
    "general": '<general joint="j" gainprm="2" biastype="affine" biasprm="0.1 -3 -4"/>',
    "tendon": '<motor tendon="t" gear="-2"/>',
    "site": '<motor site="s" gear="1 2 3 4 5 6"/>',
    "site in another": '<position site="s" refsite="o" gear="1 0 0 0 0 0" kp="5"/>',
    "ball": '<motor joint="k" gear="1 2 3 0 0 0"/>',
    "ball in its parent": '<motor jointinparent="k" gear="1 2 3 0 0 0"/>',
    "free joint with another name than its body": '<motor joint="free" gear="1 2 3 4 5 6"/>',
    "free joint in its parent": '<motor jointinparent="free" gear="1 2 3 4 5 6"/>',
    "slider and crank": '<motor cranksite="s" slidersite="o" cranklength="2"/>',
}


@pytest.mark.parametrize("actuator", ACTUATORS.values(), ids=ACTUATORS)
def test_an_export_acts_as_the_original(actuator: str) -> None:
    assert max(differences(BODY, f"{TENDON}<actuator>{actuator}</actuator>").values()) < 1e-9

"""What a scene does not hold is in its diagnostics."""

from __future__ import annotations

import pytest

from tests.support.mjcf_documents import BALL, read

BODY = f'<body name="b"><joint name="j"/>{BALL}</body>'
LOST = {
    '<equality><joint joint1="j"/></equality>': "mjcf-in.not-carried",
    '<actuator><motor joint="j"/></actuator>': "mjcf-in.not-carried",
    '<sensor><jointpos joint="j"/></sensor>': "mjcf-in.not-carried",
    '<option density="1.2"/>': "mjcf-in.fluid",
}


@pytest.mark.parametrize(("section", "code"), LOST.items())
def test_a_section_that_is_not_carried_is_reported(section: str, code: str) -> None:
    assert [entry.code for entry in read(BODY, section).diagnostics] == [code]


@pytest.mark.parametrize(
    "joint", ['<joint armature="1"/>', '<joint type="free" damping="1"/>', '<joint type="ball" stiffness="1"/>']
)
def test_a_property_of_a_joint_that_is_not_carried_is_reported(joint: str) -> None:
    assert [entry.code for entry in read(f"<body>{joint}{BALL}</body>").diagnostics] == ["mjcf-in.joint-dynamics"]


def test_partial_gravity_compensation() -> None:
    assert [e.code for e in read(f'<body gravcomp="0.5">{BALL}</body>').diagnostics] == ["mjcf-in.gravcomp"]

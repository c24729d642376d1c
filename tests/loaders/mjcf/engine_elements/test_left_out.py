"""What a document states without a place in a scene is noted, and what has one is not."""

from __future__ import annotations

import pytest

import loaders
from tests.support.mjcf_documents import BALL, document

BODY = f'<body name="a"{{}}><joint name="j"{{}}/>{BALL}<site name="s"{{}}/></body>'
STATED = {
    "body/user": (BODY.format(' user="1"', "", ""), ""),
    "body/sleep": (BODY.format(' sleep="never"', "", ""), ""),
    "body/simple": (BODY.format(' simple="false"', "", ""), ""),
    "camera/user": ('<camera user="1"/>', ""),
    "compiler/discardvisual": ("", '<compiler discardvisual="true"/>'),
    "texture/rgb1": (
        "",
        (
            '<asset><texture name="t" type="2d" builtin="flat" rgb1="1 0 0" width="8" '
            'height="8"/></asset>'
        ),
    ),
    "texture/mark": ("", '<default><texture mark="edge"/></default>'),
    "flexcomp/material": (
        (
            '<flexcomp name="f" type="grid" dim="1" count="3 1 1" spacing="1 1 1" mass="1" '
            'material="w"/>'
        ),
        '<asset><material name="w"/></asset>',
    ),
    "joint/group": (BODY.format("", ' group="2"', ""), ""),
    "site/rgba": (BODY.format("", "", ' rgba="1 0 0 1"'), ""),
    "visual": ("", '<visual><global fovy="60"/></visual>'),
    "statistic": ("", '<statistic extent="2"/>'),
    "numeric": ("", '<custom><numeric name="n" data="1"/></custom>'),
    "text": ("", '<custom><text name="t" data="x"/></custom>'),
    "spatial/width": (
        BODY.format("", "", "") + f'<body name="b">{BALL}<site name="t" pos="1 0 0"/></body>',
        '<tendon><spatial width="0.1"><site site="s"/><site site="t"/></spatial></tendon>',
    ),
    "size/nconmax": ("", '<size nconmax="100"/>'),
    "size/nuser_sensor": ("", '<size nuser_sensor="1"/>'),
    "key/time": (BODY.format("", "", ""), '<keyframe><key time="2"/></keyframe>'),
    "motor/user": (BODY.format("", "", ""), '<actuator><motor joint="j" user="1"/></actuator>'),
}


def noted(body: str, outside: str) -> list[str]:
    scene = loaders.load_string(document(body, outside), format="mjcf", quiet=True)
    entries = [entry for entry in scene.diagnostics if entry.code == "mjcf-in.not-carried"]
    return [name for entry in entries for name in entry.arguments["names"]]


@pytest.mark.parametrize(("name", "stated"), STATED.items(), ids=STATED)
def test_what_changes_no_motion_is_noted(name: str, stated: tuple[str, str]) -> None:
    assert name in noted(*stated)


def test_what_is_carried_is_not_noted() -> None:
    body = (
        '<body name="a"><joint name="j" damping="1" range="0 1"/><geom size="1" friction="2" '
        'rgba="1 0 0 1"/></body>'
    )
    assert noted(body, '<actuator><motor joint="j" gear="2" group="1"/></actuator>') == []

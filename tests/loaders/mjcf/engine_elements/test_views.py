"""Modes of lights and cameras."""

from __future__ import annotations

from tests.support.mjcf_documents import BALL, read


def test_a_view_that_turns_with_its_body_has_no_mode() -> None:
    scene = read(f'<body name="b">{BALL}<light/><light mode="targetbody" target="b"/></body>')
    assert [(light.target, light.engine_settings) for light in scene.lights] == [
        (None, ()),
        ("b", (("mujoco", (("mode", "targetbody"),)),)),
    ]

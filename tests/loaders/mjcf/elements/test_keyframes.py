"""Keyframes."""

from __future__ import annotations

from tests.support.mjcf_documents import BALL, read


def test_a_keyframe_is_by_name_and_the_rest_is_noted() -> None:
    body = f'<body name="a"><freejoint name="f"/>{BALL}</body><body><joint name="j"/>{BALL}</body>'
    section = '<keyframe><key name="k" qpos="1 2 3 1 0 0 0 0.7" qvel="0 0 0 0 0 0 0.1"/></keyframe>'
    scene = read(body, section)
    (key,) = scene.keyframes
    assert (key.name, key.joints, key.positions) == ("k", ("j",), ((0.7,),))
    assert [entry.arguments["stated"] for entry in scene.diagnostics] == [("qvel", "qpos of f")]

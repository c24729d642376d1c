"""Names and places of a compiled model."""

from __future__ import annotations

from tests.support.mjcf_documents import BALL, read


def test_a_number_that_is_taken_gets_an_underscore() -> None:
    scene = read(f'<body>{BALL}</body><body name="body_1">{BALL}</body>')
    assert [link.name for link in scene.links] == ["_body_1", "body_1"]


def test_replicas_share_the_line_of_their_template() -> None:
    scene = read(f'\n<replicate count="2" offset="1 0 0">\n<body name="r">{BALL}</body></replicate>')
    assert [link.name for link in scene.links] == ["r0", "r1"]
    assert [link.where.line for link in scene.links] == [3, 3]

"""Hints about elements that their parent may not have, against the schema of libsdformat as
documented.
"""

from __future__ import annotations

from loaders.node import home_of


def test_an_element_is_not_sent_to_where_it_is() -> None:
    assert home_of("link", "self_collide") == "it belongs into `<model>`"
    assert home_of("world", "physics") == ""


def test_several_homes_are_alternatives() -> None:
    assert home_of("model", "gravity") == "it belongs into `<world>` or `<link>`"


def test_elements_of_one_other_program_name_it() -> None:
    assert "PyBullet" in home_of("robot", "deformable")
    assert home_of("sphere", "size") == "a sphere has a `<radius>`"

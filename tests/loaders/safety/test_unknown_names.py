"""Errors about names that do not exist."""

from __future__ import annotations

import pytest

from loaders.text import NameIndex, UnknownNameError, unknown_name


def test_the_error_is_a_key_error_and_a_value_error_whose_text_is_a_sentence() -> None:
    error = unknown_name("joint", "elbo", ["elbow", "shoulder"])
    assert isinstance(error, KeyError)
    assert isinstance(error, ValueError)
    assert str(error) == "unknown joint 'elbo'; did you mean 'elbow'?"


def test_names_are_listed_if_none_is_close() -> None:
    assert str(unknown_name("link", "z", ["a", "b"])) == "unknown link 'z'; expected one of: a, b"
    assert str(unknown_name("link", "z", [])) == "unknown link 'z'; expected one of: none"
    assert str(unknown_name("link", "zz", map(str, range(12)))).endswith("8, 9 and 2 more")


def test_an_index_by_name_raises_it() -> None:
    index = NameIndex("joint", {"elbow": 1})
    assert index["elbow"] == 1
    with pytest.raises(UnknownNameError, match="did you mean 'elbow'"):
        index["elbo"]


def test_an_index_states_why_a_known_name_is_not_in_it() -> None:
    index = NameIndex("joint", {"elbow": 1}, {"wrist": "closes a kinematic loop"})
    with pytest.raises(UnknownNameError, match=r"^the joint 'wrist' closes a kinematic loop$"):
        index["wrist"]

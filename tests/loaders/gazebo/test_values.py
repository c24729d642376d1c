"""Values of a plugin's elements."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loaders.gazebo.items import flag_of, label_of, number_of, text_of, vector_of
from loaders.node import Node
from tests.support.xml_nodes import root_of

PLUGIN = (
    "<plugin filename=' a.so ' name='n'><x> 1.5 </x><v>1 2 3</v><w>1 "
    "2</w><t>True</t><s>word</s></plugin>"
)


@pytest.mark.parametrize(
    ("read", "tag", "value"),
    [
        (text_of, "s", "word"),
        (text_of, "none", ""),
        (number_of, "x", 1.5),
        (number_of, "s", None),
        (flag_of, "t", True),
        (flag_of, "s", False),
        (vector_of, "w", None),
        (vector_of, "s", None),
    ],
)
def test_a_value_is_read_or_unset(
    read: Callable[[Node, str], object], tag: str, value: object
) -> None:
    assert read(root_of(PLUGIN)[0], tag) == value


def test_a_vector_has_three_numbers() -> None:
    vector = vector_of(root_of(PLUGIN)[0], "v")
    assert vector is not None
    assert vector.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("attributes", "label"), [("filename=' a.so ' name='n'", "a.so"), ("name='n'", "n"), ("", "?")]
)
def test_a_plugin_is_called_by_its_file(attributes: str, label: str) -> None:
    assert label_of(root_of(f"<plugin {attributes}/>")[0]) == label

"""Elements without a place in the scene: reported once, checked, and flattened to parameters."""

from __future__ import annotations

from loaders.diagnostics import Diagnostics
from loaders.node import Node
from loaders.sdf import codes
from loaders.sdf.unmodeled import flat_parameters, mark_read, report_ignored
from loaders.xml import parse


def element(text: str) -> Node:
    root = parse(text.encode(), "f.sdf", Diagnostics())
    assert root is not None
    return root


def test_an_ignored_element_is_reported_once_with_its_content() -> None:
    node = element("<link><battery name='b'><voltage>12</voltage></battery></link>")
    report_ignored(node, {"battery": codes.NOT_MECHANICAL})
    node.report_unread()
    assert [entry.code for entry in node.diagnostics] == ["sdf.not-mechanical"]


def test_a_wrong_value_in_an_ignored_element_is_an_error() -> None:
    node = element("<link><battery name='b'><voltage>high</voltage></battery></link>")
    mark_read(node)
    assert [entry.code for entry in node.diagnostics] == ["xml.not-a-number"]


def test_parameters_are_attributes_and_texts_with_their_paths_in_document_order() -> None:
    node = element(
        "<sensor><pose/><camera name='c'><clip><near>1</near></clip></camera><topic> t "
        "</topic></sensor>"
    )
    parameters = flat_parameters(node, "pose")
    assert parameters == (("camera@name", "c"), ("camera/clip/near", "1"), ("topic", "t"))
    node.mark("pose")
    node.report_unread()
    assert not list(node.diagnostics)

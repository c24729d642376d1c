"""Documents are well-formed and plain."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from bridge.targets.xml import add, root_element, text_of, write


def test_a_document_with_namespaces_comments_and_odd_characters() -> None:
    root = root_element("sdf", version="1.12")
    add(root, "drake:joint", name='a"<b>\x01')
    add(root, "x", (0.1, -0.0, 2.0))
    text = write(root, ["a -- b", "c-"])
    parsed = ET.fromstring(text)
    assert parsed[0].tag == "{http://drake.mit.edu}joint"
    assert parsed[0].get("name") == 'a"<b>_'
    assert "<x>0.1 0 2</x>" in text
    assert "<!-- a - - b -->" in text


def test_a_namespace_that_is_not_used_is_not_declared() -> None:
    assert write(root_element("robot")) == '<?xml version="1.0"?>\n<robot/>\n'


def test_values() -> None:
    assert [text_of(value) for value in (np.bool_(False), np.int64(3))] == ["false", "3"]  # type: ignore[arg-type]
    assert [text_of(value) for value in (True, 1, 1e-20, "x", (1.0, 2.5))] == [
        "true",
        "1",
        "1e-20",
        "x",
        "1 2.5",
    ]

"""The text that MuJoCo gets."""

from __future__ import annotations

import re

from loaders.diagnostics import Diagnostics
from loaders.mjcf.document import Contents, LineMap
from loaders.node import Node
from loaders.xml import parse


def contents_of(root: Node) -> Contents:
    nodes = list(root.walk())
    return Contents.of(nodes, {node.tag for node in nodes})


def test_each_element_has_a_line_of_its_own_and_keeps_its_attributes() -> None:
    diagnostics = Diagnostics()
    first = parse(b'<mujoco>\n\n<a x="1 &lt; &quot;2&quot;"/><b/></mujoco>', "one.xml", diagnostics)
    second = parse(b"<mujoco>\n<c/></mujoco>", "two.xml", diagnostics)
    assert first is not None
    assert second is not None
    lines = LineMap()
    texts = [lines.write(root, contents_of(root)) for root in (first, second)]
    for number, text in enumerate(texts):
        for i, line in enumerate(text.splitlines(), start=1):
            node, opening = lines.node(i), re.search(r"<(\w+)", line)
            assert opening is None or (node is not None and node.tag == opening[1]), (number, i)
    again = parse(texts[0].encode(), "again.xml", diagnostics)
    assert again is not None
    assert again.children[0].attributes == first.children[0].attributes
    assert lines.node(0) is lines.node(99) is None

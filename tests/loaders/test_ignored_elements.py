"""Known elements without a counterpart in the model."""

from __future__ import annotations

from loaders.diagnostics import Code, Diagnostics, Fate
from loaders.node import report_ignored
from loaders.xml import parse


def test_each_ignored_element_is_reported_once_with_its_subtree_read() -> None:
    diagnostics = Diagnostics()
    root = parse(b"<link name='l'><fog a='1'><deep/></fog><fog/><other/></link>", "f", diagnostics)
    assert root is not None
    root.mark("@name")
    fog = Code("test.fog", Fate.NOTED, "ignored <{tag}>: it is fog", meaning="Fog.")
    report_ignored(root, {"fog": fog})
    root.report_unread()
    entries = [(entry.code, entry.message, entry.subjects) for entry in diagnostics]
    assert entries[:2] == [("test.fog", "ignored <fog>: it is fog", ("l",))] * 2
    assert [entry[0] for entry in entries[2:]] == ["xml.unread"]

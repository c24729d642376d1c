"""Findings are listed by file and line, as compilers do, whatever the order in which they were
found.
"""

from __future__ import annotations

import pytest

import loaders
from loaders.diagnostics import Diagnostic, Fate, Where, by_place, folded


def finding(file: str, line: int, code: str = "sdf.x", message: str = "m") -> Diagnostic:
    return Diagnostic(code, Fate.INVALID, message, Where(file, line))


def test_files_keep_their_order_and_lines_rise() -> None:
    found = [
        finding("b", 7),
        finding("a", 3),
        finding("b", 2),
        finding("a", 0),
        finding("a", 1),
        finding("", 0),
    ]
    assert [(entry.where.file, entry.where.line) for entry in by_place(found)] == [
        ("b", 2),
        ("b", 7),
        ("a", 0),
        ("a", 1),
        ("a", 3),
        ("", 0),
    ]


def test_findings_of_one_line_keep_their_order() -> None:
    found = [finding("a", 1, message=text) for text in "cab"]
    assert [entry.message for entry in by_place(found)] == ["c", "a", "b"]


def test_the_first_lines_of_a_kind_are_shown_and_the_rest_is_counted() -> None:
    shown, hidden = folded(
        [*(finding("a", line) for line in (9, 5, 7)), finding("a", 8, "sdf.y")], 2
    )
    assert [entry.where.line for entry in shown] == [5, 7, 8]
    assert hidden == [("sdf.x", 1)]


def test_an_error_lists_the_lines_of_the_file_from_its_start() -> None:
    sdf = """<sdf version="1.9"><model name="m"><link name="a">
    <collision name="c"><geometry><box><size>1 1</size></box></geometry></collision></link>
    <joint name="j" type="hinge"><parent>a</parent><child>b</child></joint>
    <link name="d"><pose relative_to="e"/></link></model></sdf>"""
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load_string(sdf, format="sdf")
    lines = [
        int(text.split(":")[1]) for text in str(caught.value).splitlines() if ": error:" in text
    ]
    assert lines == sorted(lines)
    assert set(lines) == {2, 3, 4}


def test_lost_poses_and_shapes_come_first() -> None:
    shown, _ = folded(
        [
            finding("a", 1),
            finding("a", 9, "xml.unread-pose"),
            finding("a", 5, "urdf.quaternion-version"),
        ],
        2,
    )
    assert [entry.where.line for entry in shown] == [5, 9, 1]

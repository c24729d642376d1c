"""Texts for people that need no simulator: numbers with nouns, documents, and warnings in a
notebook.
"""

from __future__ import annotations

import re
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import pytest

import loaders
from loaders.diagnostics import LossWarning
from loaders.text import counted, document

ROOT = Path(__file__).parents[2]
LOSSY = "<robot name='r'><link name='a'/><unknown/></robot>"


@pytest.mark.parametrize(
    ("count", "noun", "expected"),
    [
        (0, "model", "0 models"),
        (1, "body", "1 body"),
        (2, "body", "2 bodies"),
        (2, "key", "2 keys"),
        (3, "box", "3 boxes"),
        (2, "mesh", "2 meshes"),
        (1, "invalid piece", "1 invalid piece"),
    ],
)
def test_a_noun_agrees_with_its_number(count: int, noun: str, expected: str) -> None:
    assert counted(count, noun) == expected


def test_no_text_counts_things_with_a_fixed_plural() -> None:
    """A length is followed by a noun through `counted` alone, unless it is more than one."""
    fixed = re.compile(r"\{len\([^{}]*\)\} [a-z]+s\b")
    by_hand = re.compile(r"""['"]s['"] \* \(|['"]['"] if \w+ == 1 else ['"]s""")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for folder in ("bridge", "loaders")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if fixed.search(line) or by_hand.search(line)
    ]
    assert not [line for line in found if "if len(" not in line and "else f" not in line]


def test_a_document_is_colored_and_its_markup_is_text() -> None:
    shown = document('<a b="&lt;script>">\n</a>\n' + "<c/>\n" * 1000)
    assert re.search(r"&lt;<b [^>]*>a</b>", shown)
    assert "<script" not in shown
    assert "and 602 more lines" in shown


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What a notebook shows below a cell."""
    found: list[dict[str, str]] = []

    def display(data: dict[str, str], **_: Any) -> None:
        found.append(data)

    shell = types.SimpleNamespace(kernel=object())
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: shell  # type: ignore[attr-defined]
    part = types.ModuleType("IPython.display")
    part.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", part)
    return found


def test_a_notebook_shows_losses_in_one_line_that_opens(shown: list[dict[str, str]]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaders.load_string(LOSSY, format="urdf")
    assert not caught
    (data,) = shown
    assert data["text/html"].startswith("<details")
    assert "xml.unread" in data["text/html"]


def test_filters_of_warnings_hold_in_a_notebook_too(shown: list[dict[str, str]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        loaders.load_string(LOSSY, format="urdf")
    assert not shown
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossWarning)
        with pytest.raises(LossWarning):
            loaders.load_string(LOSSY, format="urdf")


def test_a_notebook_shows_of_a_refused_file_the_line_of_the_user_and_the_reasons() -> None:
    """A traceback of this project would hide them."""
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load_string("<robot name='r'>", format="urdf")
    *calls, reasons = caught.value._render_traceback_()
    assert [call for call in calls if "loaders" in call.partition(" in ")[0]] == [
        call for call in calls if "test_notebook_lines" in call
    ]
    assert len(calls) == 1
    assert reasons == f"LoadError: {caught.value}"

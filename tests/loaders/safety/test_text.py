"""Text that is safe to print on a terminal. Unicode's categories are the witness."""

from __future__ import annotations

import json
import unicodedata

import loaders
from loaders.diagnostics import Diagnostic, Fate
from loaders.text import MAX_MESSAGE, printable, shortened


def test_no_control_character_and_no_surrogate_remains() -> None:
    for code in range(0x11000):
        kind = unicodedata.category(chr(code))
        shown = printable(chr(code))
        if kind in {"Cc", "Cs", "Zl", "Zp"}:
            assert shown.isascii()
            assert shown.isprintable()
        elif kind[0] in "LN":
            assert shown == chr(code)


def test_overrides_of_the_direction_of_writing_are_escaped() -> None:
    assert printable("a\u202eb") == "a\\u202eb"


def test_lines_and_tabs_remain_where_a_text_has_several() -> None:
    assert printable("a\n\tb\x1b[2J", lines=True) == "a\n\tb\\x1b[2J"


def test_a_long_text_is_shortened() -> None:
    assert shortened("abcdef", 3) == "abc... (3 more characters)"
    assert shortened("abc", 3) == "abc"


def test_a_diagnostic_controls_no_terminal_and_has_an_end() -> None:
    entry = Diagnostic(
        "a.b", Fate.INVALID, "{name}", arguments={"name": "\x1b[2J\x9b\nfake: error" + "x" * 10**6}
    )
    assert printable(str(entry)) == str(entry)
    assert printable(repr(entry)) == repr(entry)
    assert len(str(entry)) < MAX_MESSAGE + 200
    assert len(str(loaders.LoadError((entry,) * 10_000))) < 250 * (MAX_MESSAGE + 200)


def test_escapes_in_json_are_those_of_json() -> None:
    text = "".join(map(chr, range(0x300)))
    shown = printable(json.dumps(text, ensure_ascii=False), lines=True)
    assert json.loads(shown) == text
    assert "\x9b" not in shown

"""Text for terminals, Markdown and notebooks, and messages about unknown names and options."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import TypedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bridge
import loaders
from loaders.diagnostics import Diagnostic, Diagnostics, Fate, Where
from loaders.limits import MAX_COMPARISONS, budgeted
from loaders.text import (
    MAX_CELL,
    MAX_LENGTH,
    MAX_MESSAGE,
    MAX_ROWS,
    NameIndex,
    UnknownNameError,
    card,
    check_flag,
    check_option_names,
    closest,
    code,
    details,
    findings_table,
    plain,
    printable,
    shortened,
    summary_of,
    table,
    unknown_name,
)
from tests.support.markdown_page import MarkdownPage
from tests.support.web_page import WebPage, is_inert

# Text that Markdown shows as it is. A parser of CommonMark with the tables of GitHub is the
# witness.

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](y)",
    "[x]: y",
    "a|b`c",
    "``` x",
    "`a`",
    "# a",
    "- a",
    "-",
    "---",
    "1. a",
    "> a",
    "+ a",
    "*a* **b**",
    "_a_ __b__",
    "~~a~~",
    "&lt;b&gt;",
    "\\*a\\*",
    "<a><b>",
    "<a|b>",
    "`<a>`",
    "a\n# b",
    "a\n\nb",
    "http:<x>",
)
"""Names that are markup if they are written raw."""
TEXTS = st.sampled_from(HOSTILE) | st.text(
    st.sampled_from("ab1 <>[]()!|`*_~$&;#-+=.:/\\\n\"'\u202e"), max_size=12
)


def words(text: str) -> str:
    """Return what a page shows of a text."""
    return " ".join(printable(text).split())


@pytest.mark.parametrize("text", HOSTILE)
def test_each_of_these_names_is_markup_if_it_is_raw(text: str) -> None:
    page = MarkdownPage(f"{text}\n\n| a | b |\n|---|---|\n| {text} | c |\n")
    assert page.is_markup or page.words != words(f"{text} a b {text} c")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TEXTS)
def test_tags_as_code_are_shown_as_they_are(text: str) -> None:
    shown = MarkdownPage(f"{plain(text, tags=True)}\n\n- {plain(text, tags=True)}\n")
    assert not shown.is_markup
    assert shown.words == words(f"{text} {text}")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TEXTS)
def test_plain_text_is_shown_as_it_is_in_paragraphs_items_and_cells(text: str) -> None:
    shown = MarkdownPage(
        f"{plain(text)}\n\n- {plain(text)}\n\n| a | b |\n|---|---|\n| {plain(text)} | c |\n"
    )
    assert not shown.is_markup
    assert shown.words == words(f"{text} {text} a b {text} c")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TEXTS)
def test_code_is_shown_as_it_is_in_sentences_and_cells(text: str) -> None:
    shown = MarkdownPage(
        f"See {code(text)} there.\n\n| a | b |\n|---|---|\n| {code(text, cell=True)} | c |\n"
    )
    assert not shown.is_markup
    assert shown.words == words(f"See {text} there. a b {text} c")


@pytest.mark.parametrize(
    "text", ["left_knee_joint", "a < b & c > d", "[m] and [x]", "-1.5", "2.5 kg", "C:\\models"]
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


# Text that is safe to print on a terminal. Unicode's categories are the witness.


def test_no_control_character_and_no_surrogate_remains() -> None:
    for each_code in range(0x11000):
        kind = unicodedata.category(chr(each_code))
        shown = printable(chr(each_code))
        if kind in {"Cc", "Cs", "Zl", "Zp"} or each_code in {0xFFFE, 0xFFFF}:  # not in XML
            assert shown.isascii()
            assert shown.isprintable()
        elif kind[0] in "LN":
            assert shown == chr(each_code)


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


# Cards for notebooks: what is text stays text, and nothing is loaded or run.

CARDS_HOSTILE = "<script>alert(1)</script><img src=x onerror='a'>\"'&\x1b[0m\u202e"


def finding(fate: Fate, message: str = "m", hint: str = "") -> Diagnostic:
    return Diagnostic("sdf.x", fate, message.replace("{", "{{"), Where("a.sdf", 3), hint=hint)


def test_names_are_text_in_every_part_of_a_card() -> None:
    inner = table([CARDS_HOSTILE], [[CARDS_HOSTILE]]) + details(
        CARDS_HOSTILE, findings_table([finding(Fate.DROPPED, CARDS_HOSTILE, CARDS_HOSTILE)])
    )
    text = card(CARDS_HOSTILE, [CARDS_HOSTILE], inner, png=b"\x89PNG")
    assert is_inert(text)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert WebPage(text).text.count("<script>alert(1)</script>") >= 6


def test_what_is_not_inert_is_found() -> None:
    assert not is_inert("<img src='http://a/b.png'>")
    assert not is_inert("<b onclick='x'>")
    assert is_inert("<b>&lt;script&gt;</b>")


def test_every_tag_is_closed() -> None:
    text = card("t", ["a", ""], table(["h"], [["c"]]), details("d", "x"))
    assert all(
        text.count(f"<{tag}") == text.count(f"</{tag}>")
        for tag in set(WebPage(text).tags) - {"img"}
    )


def test_long_tables_and_cells_are_cut_and_say_so() -> None:
    text = table(["h"], [["x" * 1000]] * (MAX_ROWS + 7))
    assert text.count("<tr>") == MAX_ROWS + 2
    assert "and 7 more" in text
    assert "x" * MAX_CELL not in text


def test_findings_are_counted_and_errors_come_first() -> None:
    findings = [
        finding(Fate.NOTED, "third"),
        finding(Fate.DROPPED, "second", "add it"),
        finding(Fate.INVALID, "first"),
    ]
    assert summary_of(findings) == "1 error, 1 warning, 1 note"
    words = WebPage(findings_table(findings)).text
    assert words.index("first") < words.index("second (add it)") < words.index("third")
    assert "a.sdf:3" in words
    assert summary_of([]) == "no diagnostics"


def test_a_list_of_diagnostics_shows_itself() -> None:
    assert "first" in Diagnostics([finding(Fate.INVALID, "first")])._repr_html_()


# Suggestions for misspelt names.


def test_the_closest_name_is_suggested() -> None:
    assert closest("inertiall", ["collision", "inertial"]) == "inertial"
    assert closest("zzz", ["collision", "inertial"]) == ""


def test_long_names_and_many_names_are_not_compared() -> None:
    """The standard library's comparison takes minutes for one pair of these."""
    long = "ab" * 100_000
    assert closest(long, [long + "c"] * 100) == ""
    assert closest("ab", [long] * 1000) == ""
    assert closest("name", [f"{'x' * MAX_LENGTH}{i}" for i in range(10**5)]) == ""


def test_a_load_with_thousands_of_misspelt_names_makes_some_suggestions_only() -> None:
    names = [f"link_{i:03}_{'x' * 40}" for i in range(300)]
    cost = len(names[0]) * sum(map(len, names))
    with budgeted():
        made = sum(bool(closest(f"lonk_{i % 300:03}_{'x' * 40}", names)) for i in range(10))
    assert made == MAX_COMPARISONS // cost
    assert closest("lonk_001_" + "x" * 40, names) == names[1]


# Errors about names that do not exist.


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


# Check of option names: unknown names are refused, with the closest known name.


class Options(TypedDict, total=False):
    """Options of a function."""

    paths: list[str]
    strict: bool


def test_known_options_pass() -> None:
    check_option_names({"strict": True, "paths": [], "depth": 2}, Options, {"depth"})
    check_option_names({}, Options)
    check_option_names({}, None)


def test_an_excluded_option_is_unknown() -> None:
    with pytest.raises(TypeError, match=r"^unknown option 'strict'; expected one of: paths$"):
        check_option_names({"strict": True}, Options, excluded={"strict"})


EXPORTS = {
    "fetch": bridge.to_mjcf,
    "unsafe_paths": bridge.to_mjcf,
    "lenient": bridge.to_mjcf,
    "allow_xacro": bridge.to_mjcf,
    "quiet": bridge.to_mjcf,
    "model_config": bridge.to_sdf,
    "couplings": bridge.to_urdf,
    "transmissions": bridge.to_urdf,
    "ros2_control": bridge.to_urdf,
    "write_srdf": bridge.to_urdf,
}
"""A function that takes each true-or-false option of loading and of exports."""


@pytest.mark.parametrize(("option", "export"), EXPORTS.items(), ids=EXPORTS)
def test_options_of_type_bool_are_true_or_false_in_every_function(
    option: str, export: Callable[..., str]
) -> None:
    with pytest.raises(TypeError, match=rf"^{option} = 'no'; expected True or False$"):
        export("assets/leg.sdf", **{option: "no"})


def test_options_of_other_types_may_be_words() -> None:
    check_option_names({"paths": "no"}, Options)
    check_option_names({"paths": "no"}, None, {"paths"})


def test_a_misspelled_option_is_refused_with_the_closest_name() -> None:
    with pytest.raises(TypeError, match=r"^unknown option 'strickt'; did you mean 'strict'\?$"):
        check_option_names({"strickt": True}, Options)


def test_an_unknown_option_that_resembles_none_lists_all() -> None:
    with pytest.raises(TypeError, match=r"^unknown option 'zzz'; expected one of: paths, strict$"):
        check_option_names({"zzz": 1}, Options)


@pytest.mark.parametrize("call", [loaders.load, loaders.resolve])
def test_the_functions_of_loaders_check_their_options(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TypeError, match="did you mean 'package_map'"):
        call("assets/leg.sdf", package_maps={})


def test_load_string_checks_its_options() -> None:
    with pytest.raises(TypeError, match="did you mean 'unsafe_paths'"):
        loaders.load_string("<sdf/>", format="sdf", unsafe_path=True)  # type: ignore[call-arg]


@pytest.mark.parametrize("value", [True, False, np.True_, 0, 1])
def test_a_flag_is_true_or_false(value: object) -> None:
    check_flag("strict", value)
    check_option_names({"strict": value}, Options)


@pytest.mark.parametrize("value", ["no", "", None, 2, [], b"no"])
def test_other_values_of_a_flag_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"^strict = .*; expected True or False$"):
        check_option_names({"strict": value}, Options)

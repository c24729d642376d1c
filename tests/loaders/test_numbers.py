"""Numbers in text, against C's strtod, and the findings about unusual ones."""

from __future__ import annotations

import ctypes
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.numbers import parse_number, plain_number, plain_numbers
from tests.support.xml_nodes import root_of

# Syntax of numbers, against C's strtod.

WORDS = st.text("0123456789+-.eExXpPaAfFiInNtTyY", min_size=1, max_size=8)


def strtod(word: str) -> tuple[float, int]:
    libc = ctypes.CDLL(None)
    libc.strtod.restype = ctypes.c_double
    text = ctypes.create_string_buffer(word.encode())
    end = ctypes.c_char_p()
    value = libc.strtod(text, ctypes.byref(end))
    rest = ctypes.cast(end, ctypes.c_char_p).value or b""
    return value, len(word) - len(rest)


@given(WORDS)
def test_numbers_are_read_as_by_strtod(word: str) -> None:
    value, length = strtod(word)
    number = parse_number(word)
    if length == 0:
        assert number is None
    else:
        assert number is not None
        assert number[1] == word[:length]
        assert number[0] == value or math.isnan(number[0]) == math.isnan(value) is True


@given(st.text("0123456789+-.eEx_infaINFA \t\n٣", max_size=8))
def test_a_plain_number_is_one_that_strtod_reads_to_the_end(text: str) -> None:
    value = plain_number(text)
    word = text.strip(" \t\n")
    if value is not None:
        assert strtod(word) == (value, len(word))
        assert math.isfinite(value)
    elif word.isascii() and set(word) <= set("0123456789."):
        assert strtod(word)[1] < len(word) or word == ""


def test_plain_numbers_are_as_many_as_asked_for() -> None:
    assert plain_numbers(" 1\n-2.5e-3 .5 ", 3) == (1.0, -2.5e-3, 0.5)
    for text in ("1 2", "1 2 3 4", "1 2 x", "1 2 1_0", "1 2 nan", "inf -inf 1", "1 2 ٣", "1 2 0x1"):
        assert plain_numbers(text, 3) is None


@pytest.mark.parametrize(
    ("word", "number"), [("1,5", None), ("0x1p3", (8.0, "0x1p3")), ("2m", (2.0, "2")), ("m", None)]
)
def test_lists_and_units(word: str, number: tuple[float, str] | None) -> None:
    assert parse_number(word) == number


def test_a_hexadecimal_number_that_is_too_large_is_infinite_as_in_c() -> None:
    strtod = ctypes.CDLL(None).strtod
    strtod.restype = ctypes.c_double
    for word in ("0x1p99999", "-0x1p99999", "0x1p-99999", "0x1.8p1"):
        assert parse_number(word) == (strtod(word.encode(), None), word)


# Numbers that are not plain, against C's strtod, and the findings about them.


@pytest.mark.parametrize(
    ("text", "value", "codes"),
    [
        ("0x10", 16.0, []),
        ("1.5f", 1.5, ["xml.trailing-text"]),
        ("2 3", 2.0, ["xml.trailing-text"]),
        ("nan", 7.0, ["xml.not-finite"]),
        ("1,5", 7.0, ["xml.not-a-number"]),
        ("-1", 7.0, ["xml.out-of-range"]),
        (" ", 7.0, []),
    ],
)
def test_a_number_is_what_strtod_reads_or_the_default(
    text: str, value: float, codes: list[str]
) -> None:
    root, found = root_of(f"<a><n>{text}</n></a>")
    assert root.number("n", 7.0, minimum=0.0) == value
    assert [entry.code for entry in found] == codes


@pytest.mark.parametrize(
    ("text", "values", "codes"),
    [
        ("1 2", (7.0, 8.0, 9.0), ["xml.not-a-vector"]),
        ("0,0,1", (7.0, 8.0, 9.0), ["xml.not-a-number"]),
        ("1 x", (7.0, 8.0, 9.0), ["xml.not-a-number"]),
        ("1 2 3 4", (1.0, 2.0, 3.0), ["xml.trailing-text"]),
        ("1 x 3", (7.0, 8.0, 9.0), ["xml.not-a-number"]),
        ("0x1 2 3", (1.0, 2.0, 3.0), []),
    ],
)
def test_a_vector_has_the_first_numbers_or_the_default(
    text: str, values: tuple[float, ...], codes: list[str]
) -> None:
    root, found = root_of(f"<a v='{text}'/>")
    assert root.numbers("@v", 3, (7.0, 8.0, 9.0)) == values
    assert [entry.code for entry in found] == codes


def test_the_error_about_numbers_with_commas_says_how_to_separate_them() -> None:
    root, found = root_of("<a v='0,0,1'/>")
    root.numbers("@v", 3, (0.0, 0.0, 0.0))
    assert [entry.hint for entry in found] == ["separate numbers by spaces"]

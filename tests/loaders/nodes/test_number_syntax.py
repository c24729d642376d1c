"""Syntax of numbers, against C's strtod."""

from __future__ import annotations

import ctypes
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.numbers import parse_number, plain_number, plain_numbers

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

"""Syntax of numbers in source files, as in C's strtod."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from loaders import codes

_NUMBER = re.compile(
    r"[+-]?(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|(?:[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]))"
)
_MAX = sys.float_info.max
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch


def whole_number(digits: str | bytes) -> int:
    """Return a number of decimal digits, of which the first 18 count: Python refuses more than
    4,300.
    """
    return int(digits[:18])


def plain_number(text: str) -> float | None:
    """Return a finite decimal number, perhaps with space around it; None for any other text.

    Nearly every number in a file is plain. Python's own parser is faster than the expression for
    C's syntax; of what it accepts, only underscores and digits of other scripts are no numbers in
    C.
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if -_MAX <= value <= _MAX and text.isascii() and "_" not in text else None


def plain_numbers(text: str, count: int) -> tuple[float, ...] | None:
    """Return finite decimal numbers separated by space; None for any other text, or another
    count.
    """
    try:
        values = tuple(map(float, text.split()))
    except ValueError:
        return None
    are_plain = (
        len(values) == count and math.isfinite(sum(values)) and text.isascii() and "_" not in text
    )
    return values if are_plain else None


def plain_values(texts: Sequence[str]) -> tuple[float, ...] | None:
    """Return the finite decimal number of each text; None if one is any other text."""
    try:
        values = tuple(map(float, texts))
    except ValueError:
        return None
    joined = "".join(texts)
    return values if math.isfinite(sum(values)) and joined.isascii() and "_" not in joined else None


def parse_number(word: str) -> tuple[float, str] | None:
    """Return the number at the start of a word, and the part of the word that it is; None if there
    is none.

    A number followed by a comma is not a number: the word is a list, or has a decimal comma.
    """
    if _DECIMAL(word):
        return float(word), word
    match = _NUMBER.match(word)
    if match is None or word[match.end() : match.end() + 1] == ",":
        return None
    digits = match.group()
    return _hexadecimal(digits) if "x" in digits.lower() else float(digits), digits


def _hexadecimal(digits: str) -> float:
    """Return a hexadecimal number; one that is too large is infinite, as for strtod."""
    try:
        return float.fromhex(digits)
    except OverflowError:
        return float("-inf" if digits.startswith("-") else "inf")


class NumberElement(Protocol):
    """An element of a source file."""

    tag: str

    @property
    def report(self) -> Callable[..., None]:
        """Function that records a finding about this element; see `loaders.node.Node.report`."""

    @property
    def invalid(self) -> Callable[..., None]:
        """Function that records that this element is invalid; see `loaders.node.Node.invalid`."""


def unusual_number(
    node: NumberElement, key: str, text: str, minimum: float, *, inf: bool
) -> float | None:
    """Return a number that is not plain, or out of range, as far as it is valid; report what is
    wrong with it.

    Args:
        node: The element that findings refer to.
        key: The key of the value.
        text: The text of the value.
        minimum: Smallest valid value.
        inf: Whether infinite values are valid.
    """
    words = text.split()
    if not words:
        return None
    value = _parse(node, words[0], inf)
    if value is not None and len(words) > 1:
        node.report(codes.XML_TRAILING_TEXT, text=text, value=words[0])
    if value is not None and value < minimum:
        name = f"{key[1:]} of <{node.tag}>" if key[0] == "@" else f"<{node.tag}>"
        node.report(codes.XML_OUT_OF_RANGE, name=name, value=value, minimum=minimum)
        return None
    return value


def unusual_numbers(
    node: NumberElement, text: str, count: int, *, inf: bool
) -> tuple[float, ...] | None:
    """Return numbers that are not plain, or not as many as expected; None if they are too few;
    report what is wrong.

    Args:
        node: The element that findings refer to.
        text: The text of the value.
        count: The number of numbers.
        inf: Whether infinite values are valid.
    """
    words = text.split()
    parsed = [_parse(node, word, inf) for word in words]
    values = tuple(value for value in parsed if value is not None)
    if len(words) < count and len(values) == len(words):
        node.report(codes.XML_NOT_A_VECTOR, count=count, text=text)
    elif len(words) > count:
        node.report(codes.XML_TRAILING_TEXT_NUMBERS, count=count, words=len(words))
    return values[:count] if len(values) >= count else None


def _parse(node: NumberElement, word: str, inf: bool) -> float | None:
    """Return one word as a number, as C's strtod parses it in the C locale; None with a diagnostic
    if it cannot.
    """
    number = parse_number(word)
    if number is None:
        hint = "separate numbers by spaces" if "," in word else ""
        node.report(codes.XML_NOT_A_NUMBER, hint=hint, tag=node.tag, word=word)
        return None
    value, digits = number
    if digits != word:
        node.report(codes.XML_TRAILING_TEXT_IN_WORD, word=word, digits=digits)
    if math.isnan(value) or (math.isinf(value) and not inf):
        node.report(codes.XML_NOT_FINITE, tag=node.tag, word=word)
        return None
    return value

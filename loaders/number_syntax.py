"""Syntax of numbers in source files: that of C's strtod in the C locale."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"[+-]?(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|(?:[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]))"
)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch


def parse_number(word: str) -> tuple[float, str] | None:
    """Return the number at the start of a word, and the part of the word that it is; None if there is none.

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

"""Numbers that are not plain: the rest of the syntax of C's strtod, and what is wrong with other texts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from loaders.diagnostics import Fate

from .number_syntax import parse_number


class NumberElement(Protocol):
    """An element of a source file."""

    tag: str

    @property
    def report(self) -> Callable[..., None]:
        """Function that records a finding about this element; see `loaders.node.Node.report`."""

    @property
    def invalid(self) -> Callable[..., None]:
        """Function that records that this element is invalid; see `loaders.node.Node.invalid`."""


def unusual_number(node: NumberElement, key: str, text: str, minimum: float, *, inf: bool) -> float | None:
    """Return a number that is not plain, or out of range, as far as it is valid; report what is wrong with it.

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
        message = "expected one number, not {text!r}; using {value}"
        node.report(Fate.ASSUMED, "xml.trailing-text", message, text=text, value=words[0])
    if value is not None and value < minimum:
        template = "{name} is {value:g}; expected at least {minimum:g}"
        name = f"{key[1:]} of <{node.tag}>" if key[0] == "@" else f"<{node.tag}>"
        node.invalid("xml.out-of-range", template, name=name, value=value, minimum=minimum)
        return None
    return value


def unusual_numbers(node: NumberElement, text: str, count: int, *, inf: bool) -> tuple[float, ...] | None:
    """Return numbers that are not plain, or not as many as expected; None if they are too few; report what is wrong.

    Args:
        node: The element that findings refer to.
        text: The text of the value.
        count: The number of numbers.
        inf: Whether infinite values are valid.
    """
    words = text.split()
    values = tuple(value for word in words if (value := _parse(node, word, inf)) is not None)
    if len(words) < count and len(values) == len(words):
        node.invalid("xml.not-a-vector", "expected {count} numbers, not {text!r}", count=count, text=text)
    elif len(words) > count:
        message = "expected {count} numbers, not {words}; using the first {count}"
        node.report(Fate.ASSUMED, "xml.trailing-text", message, count=count, words=len(words))
    return values[:count] if len(values) >= count else None


def _parse(node: NumberElement, word: str, inf: bool) -> float | None:
    """Return one word as a number, as C's strtod parses it in the C locale; None with a diagnostic if it cannot."""
    number = parse_number(word)
    if number is None:
        hint = "separate numbers by spaces" if "," in word else ""
        message = "expected a number in <{tag}>, not {word!r}"
        node.invalid("xml.not-a-number", message, hint=hint, tag=node.tag, word=word)
        return None
    value, digits = number
    if digits != word:
        node.report(
            Fate.ASSUMED, "xml.trailing-text", "{word!r} is not a number; using {digits}", word=word, digits=digits
        )
    if math.isnan(value) or (math.isinf(value) and not inf):
        node.invalid("xml.not-finite", "expected a finite number in <{tag}>, not {word!r}", tag=node.tag, word=word)
        return None
    return value

"""Checks of keyword options, shared by all public functions that take a typed set of options."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .safety.suggestions import closest


def check_option_names(given: Iterable[str], allowed: Collection[str]) -> None:
    """Check that every given option exists.

    Args:
        given: Names of the options of one call.
        allowed: Names of the options that the function takes.

    Raises:
        TypeError: if an option is unknown; the message suggests the closest name.
    """
    unknown = [name for name in given if name not in allowed]
    if unknown:
        raise TypeError("; ".join(_describe_unknown_option(name, sorted(allowed)) for name in unknown))


def _describe_unknown_option(name: str, allowed: list[str]) -> str:
    close = closest(name, allowed)
    advice = f"did you mean {close!r}?" if close else f"expected one of: {', '.join(allowed)}"
    return f"unknown option {name!r}; {advice}"


def check_option_value(name: str, value: str, known: Collection[str]) -> None:
    """Check that an option has one of the values that exist.

    Args:
        name: Name of the option.
        value: Its value.
        known: The values that exist.

    Raises:
        ValueError: if it has another value.
    """
    if value not in known:
        raise ValueError(f"unknown value {value!r} of {name}; expected one of: {', '.join(known)}")

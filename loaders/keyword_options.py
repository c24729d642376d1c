"""Checks of keyword options, shared by all public functions that take a typed set of options."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .safety.suggestions import closest


def check_option_names(
    given: Mapping[str, object], kind: type | None, others: Collection[str] = (), *, excluded: Collection[str] = ()
) -> None:
    """Check that every given option exists, and that those that are true or false are either.

    Args:
        given: The options of one call.
        kind: Typed dictionary of the options that the function takes; None if it takes none but ``others``.
        others: Names of further options that the function takes.
        excluded: Names of options in ``kind`` that the function does not take.

    Raises:
        TypeError: if an option is unknown, with the closest name in the message, or neither true nor false.
    """
    types = {} if kind is None else kind.__annotations__
    unknown = [name for name in given if name in excluded or not (name in types or name in others)]
    if unknown:
        allowed = sorted((types.keys() | set(others)) - set(excluded))
        raise TypeError("; ".join(_describe_unknown_option(name, allowed) for name in unknown))
    for name in given:
        if name in types and _is_flag(types[name]):
            check_flag(name, given[name])


def _is_flag(annotation: object) -> bool:
    """Return whether the type of an option, which may be stated by its name, is `bool`."""
    return getattr(annotation, "__forward_arg__", annotation) in (bool, "bool")


def check_flag(name: str, value: object) -> None:
    """Check that an option is true or false; a word such as ``"no"`` would count as true.

    Args:
        name: Name of the option.
        value: Its value: a `bool` of Python or NumPy, or 0 or 1.

    Raises:
        TypeError: if it is something else.
    """
    if value is True or value is False:
        return
    if isinstance(value, str | bytes) or not any(value == known for known in (True, False)):
        raise TypeError(f"{name} = {value!r}; expected True or False")


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

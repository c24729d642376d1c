"""Errors of libraries that parse untrusted files: whatever they raise becomes one error of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .limits import LimitError

MAX_REASON = 300
"""Largest number of characters of a library's message that is repeated."""


@contextmanager
def raised_as(error: type[Exception], problem: str) -> Iterator[None]:
    """Turn every exception of a block, lack of memory and too deep recursion included, into an error of one type.

    Args:
        error: The type of error; an exception that has it already passes, and so does a `LimitError`.
        problem: Beginning of the message.

    Raises:
        Exception: of the given type, with the type and the message of the original exception.
    """
    cause: Exception | None = None
    try:
        yield
    except (error, LimitError):
        raise
    except Exception as raised:  # noqa: BLE001  (a parser of damaged files may raise anything)
        cause = raised
    if cause is not None:
        raise error(f"{problem}: {describe_exception(cause)}") from cause


def describe_exception(cause: BaseException) -> str:
    """Return the type and the beginning of the message of an exception."""
    return describe_error(type(cause).__name__, str(cause))


def describe_error(kind: str, text: str) -> str:
    """Return the type and the beginning of the message of an exception.

    Args:
        kind: Name of its type.
        text: Its message; may be empty.
    """
    shown = text if len(text) <= MAX_REASON else f"{text[:MAX_REASON]}..."
    return f"{kind}: {shown}" if text else kind

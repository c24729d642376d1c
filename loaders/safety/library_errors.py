"""Errors of libraries that parse untrusted files: whatever they raise becomes one error of ours."""

from __future__ import annotations

from contextlib import AbstractContextManager

from .limits import LimitError

MAX_REASON = 300
"""Largest number of characters of a library's message that is repeated."""


class _RaisedAs:
    """A block whose exceptions become one error; a class, as a generator takes 2 us."""

    __slots__ = ("_error", "_problem")

    def __init__(self, error: type[Exception], problem: str) -> None:
        self._error, self._problem = error, problem

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, cause: BaseException | None, _trace: object) -> None:
        if isinstance(cause, Exception) and not isinstance(cause, (self._error, LimitError)):
            raise self._error(f"{self._problem}: {describe_exception(cause)}") from cause


def raised_as(error: type[Exception], problem: str) -> AbstractContextManager[None]:
    """Turn every exception of a block, lack of memory and too deep recursion included, into an error of one type.

    Args:
        error: The type of error; an exception that has it already passes, and so does a `LimitError`.
        problem: Beginning of the message.

    Raises:
        Exception: of the given type, with the type and the message of the original exception.
    """
    return _RaisedAs(error, problem)


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

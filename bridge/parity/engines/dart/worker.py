"""A process that runs DART, which can crash: pickled requests on stdin, pickled replies on stdout.

A request is the number of an engine, the name of a method and its arguments. Both ends are this
package, so that pickles are safe here.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO

from .simulation import DartSimulation

OPEN, CLOSE = "open", "close"
"""Requests that open and close an engine; all others are methods of `DartSimulation`."""
Request = tuple[int, str, tuple[Any, ...]]
_RAISED = (
    RuntimeError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, ImportError,
    MemoryError,
)  # fmt: skip


def main() -> None:
    """Reply to requests until stdin is closed."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keeps what DART prints out of the replies
    serve(sys.stdin.buffer, replies)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Reply to each request with whether it succeeded, and the answer or the message of the error.

    Args:
        requests: The stream of requests.
        replies: The stream of replies.
    """
    engines: dict[int, DartSimulation] = {}
    while True:
        try:
            request: Request = pickle.load(requests)  # noqa: S301 - written by `DartProcess`
        except EOFError:
            return
        try:
            reply = True, _answer(engines, *request)
        except _RAISED as error:
            reply = False, f"{type(error).__name__}: {error}"
        pickle.dump(reply, replies)
        replies.flush()


def _answer(
    engines: dict[int, DartSimulation], number: int, method: str, arguments: Sequence[Any]
) -> Any:
    if method == OPEN:
        mechanism, as_exported = arguments
        engines[number] = DartSimulation(mechanism, as_exported=as_exported)
        return None
    if method == CLOSE:
        return engines.pop(number, None) and None
    return getattr(engines[number], method)(*arguments)


if __name__ == "__main__":
    main()

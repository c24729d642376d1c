"""Errors that end a command, and interruption."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SUCCESS, DIFFERENT, USAGE, MISSING, INCOMPLETE, ALIKE, UNREADABLE, INTERRUPTED = (
    0, 1, 2, 3, 4, 5, 6, 130,
)  # fmt: skip
"""Exit status: fine; the model has errors or engines differ; wrong usage; an engine, or one of two
files, is missing; nothing differs, but not everything that the model states was compared; two files
differ but move alike; one of two files cannot be read; Ctrl-C."""


class CommandError(Exception):
    """A command cannot be executed.

    Attributes:
        status: The exit status.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class UsageError(CommandError):
    """The words of the command line are wrong; the message says what was expected.

    Attributes:
        usage: The synopsis of the command; empty if the mistake does not lie in the words
            themselves.
    """

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message, USAGE)
        self.usage = usage


_PERIOD = 1.0
"""Time after which an interruption is repeated [s]."""


class Interruption:
    """The state of the interruption of a command.

    Attributes:
        requested: Whether the user has interrupted the command.
        is_over: Whether the command has ended, so that nothing is left to be interrupted.
    """

    def __init__(self) -> None:
        self.requested = self.is_over = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """Raise `KeyboardInterrupt`, now and again after a while until the command is over.

        Modules in C may discard the first one while they are imported, or turn it into an
        `ImportError`.

        Raises:
            KeyboardInterrupt: unless the command is over.
        """
        if self.is_over:
            return
        self.requested = True
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self)
            signal.setitimer(signal.ITIMER_REAL, _PERIOD)
        raise KeyboardInterrupt


@contextmanager
def interruptible(interruption: Interruption) -> Iterator[None]:
    """Repeat an interruption of the block until it ends; a caller's own treatment of signals is
    left alone.

    Args:
        interruption: Treats the signal.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, interruption)
    try:
        yield
    finally:
        interruption.is_over = True
        if interruption.requested and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)

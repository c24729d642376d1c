"""Interruption of a command, also where a library that is being imported discards it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_PERIOD = 1.0
"""Time after which an interruption is repeated [s]."""


class Interruption:
    """The state of the interruption of a command.

    Attributes:
        requested: Whether the user has interrupted the command.
    """

    def __init__(self) -> None:
        self.requested = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """Raise `KeyboardInterrupt`, now and again after a while.

        Modules in C may discard the first one while they are imported, or turn it into an `ImportError`.

        Raises:
            KeyboardInterrupt: always.
        """
        self.requested = True
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self)
            signal.setitimer(signal.ITIMER_REAL, _PERIOD)
        raise KeyboardInterrupt


@contextmanager
def interruptible(interruption: Interruption) -> Iterator[None]:
    """Repeat an interruption of the block until it ends; a caller's own treatment of signals is left alone.

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
        if interruption.requested and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)

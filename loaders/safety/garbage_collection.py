"""Pause of the cyclic garbage collector during a load.

A load makes some hundred thousand objects, which all live until its end. The collector, which starts whenever enough
objects are new, visits them many times and frees none; for a robot of 5,000 links this takes 40 % of the time.
Objects outside cycles are freed as ever during a pause, and `loaders.node.Node.free` breaks the cycles of a tree.
"""

from __future__ import annotations

import gc
import os
import threading
from contextlib import AbstractContextManager


class _Pauses:
    """The pauses that have begun and not ended, in all threads; the collector runs again when the last one ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._resume = False

    def __enter__(self) -> None:
        """Stop the collector."""
        with self._lock:
            if not self._count:
                self._resume = gc.isenabled()
                gc.disable()
            self._count += 1

    def __exit__(self, *_: object) -> None:
        """Start the collector if this is the last pause and it ran before the first one."""
        with self._lock:
            self._count -= 1
            if not self._count and self._resume:
                gc.enable()

    def after_fork(self) -> None:
        """End the pauses of the other threads, which a child process does not have."""
        self._lock = threading.Lock()
        if self._count:
            self._count = 0
            if self._resume:
                gc.enable()


_PAUSES = _Pauses()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PAUSES.after_fork)


def collector_paused() -> AbstractContextManager[None]:
    """Pause the cyclic garbage collector, in all threads, until the end of the block, whatever happens in it.

    Blocks may be nested, and may overlap in several threads. A collector that the caller has turned off stays off.
    """
    return _PAUSES

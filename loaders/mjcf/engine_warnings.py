"""Collection of MuJoCo's warnings, which it would write to a file ``MUJOCO_LOG.TXT`` in the working folder."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

Handler = Callable[[str], None]


class _Collection:
    """The blocks of all threads; MuJoCo has one handler for the process, which the last block gives back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0
        self._before: Handler | None = None
        self._local = threading.local()

    def begin(self, mujoco: Any, messages: list[str]) -> list[str] | None:
        """Collect the warnings of this thread; return the list that collected them before."""
        outer: list[str] | None = getattr(self._local, "messages", None)
        with self._lock:
            if not self._blocks:
                self._before = mujoco.get_mju_user_warning()
                mujoco.set_mju_user_warning(self._hear)
            self._blocks += 1
        self._local.messages = messages
        return outer

    def end(self, mujoco: Any, outer: list[str] | None) -> None:
        """End a block."""
        self._local.messages = outer
        with self._lock:
            self._blocks -= 1
            if not self._blocks:
                mujoco.set_mju_user_warning(self._before)
                self._before = None

    def _hear(self, text: str) -> None:
        messages = getattr(self._local, "messages", None)
        before = self._before
        if messages is not None:
            messages.append(text)
        elif before is not None:
            before(text)
        else:
            warnings.warn(text, RuntimeWarning, stacklevel=2)


_COLLECTION = _Collection()


class _Block:
    """A block whose warnings are collected; a class, as a generator takes 2 us."""

    __slots__ = ("_messages", "_mujoco", "_outer")

    def __init__(self, mujoco: Any, messages: list[str]) -> None:
        self._mujoco, self._messages = mujoco, messages

    def __enter__(self) -> None:
        self._outer = _COLLECTION.begin(self._mujoco, self._messages)

    def __exit__(self, *_: object) -> None:
        _COLLECTION.end(self._mujoco, self._outer)


def engine_warnings(mujoco: Any, messages: list[str]) -> AbstractContextManager[None]:
    """Append the warnings of MuJoCo's code in the block to a list. Blocks may be nested, and overlap in threads.

    Args:
        mujoco: The module.
        messages: The list.
    """
    return _Block(mujoco, messages)

"""Deferred imports of functions, and of the public names of a package.

A load imports only the readers of the formats that it meets, and a notebook what it draws. Each use
is a declaration at the top of a module, so that the order of the packages is checked as for
imports.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property  # noqa: PLC0414 - for other modules
else:

    class cached_property:  # noqa: N801 - named as that of the standard library
        """The property of Python 3.12 that is computed once. That of Python 3.11 has a lock for all
        instances, which a child process finds locked if another thread computed one at the fork.
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            """Take the name of the attribute."""
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """Return the value, which takes the place of the property in the instance."""
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.compute(instance)
            return value


_PATIENCE = 0.05
"""Time for which a fork waits for one lock before it gives back the others [s]."""
_MAX_WAIT = 10.0
"""Longest wait before a fork for imports of which none begins or ends [s]."""


def _wait_for_imports() -> None:
    """Wait for the modules that other threads import, which a child process could never import:
    their locks stay locked in it.
    """
    locks: dict[str, Any] = getattr(sys.modules["_frozen_importlib"], "_module_locks", {})
    own, seen, end = (None, threading.get_ident()), {""}, math.inf
    while seen and time.monotonic() < end:
        owners = {n: getattr(reference(), "owner", None) for n, reference in list(locks.items())}
        held = {name for name, owner in owners.items() if owner not in own}
        if held != seen:
            seen, end = held, time.monotonic() + _MAX_WAIT
        if held:
            time.sleep(0.001)


_LOCKS: list[Any] = []
_held: list[Any] = []


def hold_at_fork(*locks: Any) -> None:
    """Let a fork of this process wait for locks, which a child process could never get if another
    thread held them.
    """
    _LOCKS.extend(locks)


def _before_fork() -> None:
    while not all(map(_is_taken, list(_LOCKS))):  # another thread may take them in another order
        _after_fork()
        time.sleep(0.001)
    _wait_for_imports()


def _is_taken(lock: Any) -> bool:
    is_taken: bool = lock.acquire(timeout=_PATIENCE)
    if is_taken:
        _held.append(lock)
    return is_taken


def _after_fork() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


class Deferred:
    """A function that calls another one, and imports its module for that.

    Attributes:
        target: The module and the name of the other one: ``loaders.urdf:read``.
    """

    __slots__ = ("target",)

    def __init__(self, target: str) -> None:
        self.target = target

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Return the result of the other function."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)(*arguments, **options)


def on_demand(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that imports public names when they are first used.

    Args:
        package: The name of the package.
        homes: The module of each of these names, relative to the package: ``.document``.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name], package), name)
        setattr(sys.modules[package], name, found)  # the next use finds it without this function
        return found

    return get

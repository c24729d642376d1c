"""Tasks of the caller: a function, its name, its code, its modules, and its values."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import os
import pickle
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from .isolation.worker import digest_of
from .results import BatchOutcome

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Place of an object in memory, which differs between runs."""


def name_of_function(function: Callable[..., Any]) -> str:
    """Return the name of a function, the same in every run."""
    return _ADDRESS.sub("", str(getattr(function, "__qualname__", function)))


def code_of(function: Callable[..., Any]) -> str:
    """Return a hash of the file that defines a function; empty if there is none."""
    whole = _unwrapped(function)
    with suppress(TypeError, OSError):
        file = inspect.getsourcefile(whole if inspect.isroutine(whole) else type(whole))
        return hashlib.sha256(Path(str(file)).read_bytes()).hexdigest()
    return ""


def modules_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the modules that a function needs: its own, or those that its script has imported."""
    whole = _unwrapped(function)
    module = str(getattr(whole, "__module__", None) or "")
    if module and module != "__main__":
        return (module,)
    names = getattr(whole, "__globals__", {}).values()
    return tuple(sorted({value.__name__ for value in names if isinstance(value, ModuleType)}))


def _unwrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of a partial one."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def file_of(source: str, base: Path) -> dict[str, str | None]:
    """Return the hash of a source that is a file, keyed by its path; nothing for other sources."""
    path = os.path.join(base, source)
    with suppress(ValueError):
        return {path: digest_of(path)} if os.path.isfile(path) else {}
    return {}


def pickled(call: tuple[Any, ...]) -> bytes:
    """Return a call as bytes; functions of a script, which has no name to import, need cloudpickle.

    Raises:
        TypeError: if the function or an argument cannot be pickled.
    """
    function = call[0]
    try:
        import cloudpickle as pickler
    except ImportError:
        pickler = pickle
        if getattr(_unwrapped(function), "__module__", "") == "__main__":
            raise TypeError(
                f"task {name_of_function(function)} is defined in the script itself; define it in a module that can be "
                "imported, or install cloudpickle: pip install 'sdfbridge[batch]'"
            ) from None
    try:
        return bytes(pickler.dumps(call))
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"task {name_of_function(function)} or its source cannot be pickled: {error}") from error


def value_of(data: bytes, *, is_stored: bool) -> dict[str, Any]:
    """Return the fields of a result that a value means: the value, or why it cannot be used.

    Args:
        data: The value, pickled.
        is_stored: Whether the value is written into a line of JSON.
    """
    try:
        value = pickle.loads(data)  # noqa: S301 - made by our own process
    except Exception as error:  # noqa: BLE001  (a class of the caller may raise anything)
        return {"outcome": BatchOutcome.ERROR, "detail": f"the value cannot be unpickled: {error}"}
    if is_stored:
        try:
            value = json.loads(json.dumps(value))
        except (TypeError, ValueError, RecursionError) as error:
            detail = f"the value cannot be written as JSON: {error}; return numbers, text, lists and dictionaries"
            return {"outcome": BatchOutcome.ERROR, "detail": detail}
    return {"value": value}

"""Batches: many models on any executor, each in a separate process, resumable, with one page to
look at.

Each public name is imported when it is first used, so that the inputs of commands need no engine.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .folder import merge, results_of
    from .results import BatchOutcome, BatchResult
    from .run_batch import batch

__all__ = ["BatchOutcome", "BatchResult", "batch", "merge", "results_of"]

_HOMES = {
    "BatchOutcome": ".results",
    "BatchResult": ".results",
    "batch": ".run_batch",
    "merge": ".folder",
    "results_of": ".folder",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return list(__all__)

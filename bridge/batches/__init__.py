"""Batches: many models on any executor, each in a separate process, resumable, with one page to
look at.

Each public name is imported when it is first used, so that the inputs of commands need no engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.deferred import on_demand

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


__getattr__ = on_demand(__name__, _HOMES)


def __dir__() -> list[str]:
    return list(__all__)

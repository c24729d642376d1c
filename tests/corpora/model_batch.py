"""The same task for many models: a batch whose results are in the order of the models.

With the variable ``SDFBRIDGE_JOURNAL``, the name of a folder, the batch is kept there: a script
that was interrupted does what is missing and what has changed.
"""

from __future__ import annotations

import base64
import importlib.util
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import bridge
from bridge.batches import BatchResult
from bridge.batches.run_batch import available_cores

SECONDS = 180.0
"""Time limit of one model [s]."""
MEMORY = 8.0
"""Memory limit of one model [GiB]."""
WITNESS = (
    ("pydrake.multibody.parsing", "pydrake.multibody.plant")
    if importlib.util.find_spec("pydrake")
    else ()
)
"""Modules of Drake, whose import is slow."""
T = TypeVar("T")
M = TypeVar("M")


def do_all(
    task: Callable[[M], T],
    models: Sequence[M],
    blank: Callable[[M, str], T],
    *,
    seconds: float = SECONDS,
    memory: float = MEMORY,
) -> list[T]:
    """Do a task with every model, each in a separate process.

    Args:
        task: A function of a module.
        models: Its arguments, which differ as text.
        blank: Returns the result of a model whose process failed, given the model and the reason.
        seconds: Time limit of one model.
        memory: Memory limit of one model [GiB].
    """
    found = dict(do_each(task, models, blank, seconds=seconds, memory=memory))
    return [found[str(model)] for model in models]


def do_each(
    task: Callable[[M], T],
    models: Sequence[M],
    blank: Callable[[M, str], T],
    *,
    seconds: float = SECONDS,
    memory: float = MEMORY,
) -> Iterator[tuple[str, T]]:
    """Do a task with every model, each in a separate process, and yield each name and result once
    it is there.

    Args:
        task: A function of a module.
        models: Its arguments, which differ as text.
        blank: Returns the result of a model whose process failed, given the model and the reason.
        seconds: Time limit of one model.
        memory: Memory limit of one model [GiB].
    """
    by_name = {str(model): model for model in models}
    with ThreadPoolExecutor(available_cores()) as pool:
        options: dict[str, Any] = {
            "timeout": seconds,
            "memory": memory,
            "preload": (task.__module__, *WITNESS),
        }
        results = bridge.batch(models, _Packed(task), executor=pool, **options, **_journal(task))
        for result in _counted(results, len(models)):
            model = by_name[result.source]
            yield (
                result.source,
                unpacked(result.value) if result.ok else blank(model, failure(result)),
            )


@dataclass(frozen=True)
class _Packed:
    """A task whose results are text, as the lines of a batch need it."""

    task: Callable[[Any], Any]

    def __call__(self, model: Any) -> str:
        return base64.b64encode(pickle.dumps(self.task(model))).decode("ascii")

    def __repr__(self) -> str:
        return f"{self.task.__module__}.{self.task.__qualname__}"


def unpacked(text: str) -> Any:
    """Return the result of a task."""
    return pickle.loads(base64.b64decode(text))


def _journal(task: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the options of a batch that is kept."""
    folder = os.environ.get("SDFBRIDGE_JOURNAL")
    return (
        {}
        if not folder
        else {"out": Path(folder) / f"{task.__module__}.{task.__qualname__}", "resume": True}
    )


def failure(result: BatchResult) -> str:
    """Return why there is no result: the end of a traceback, a signal, or a limit."""
    words = (
        result.log.strip().splitlines()[-1:]
        if result.outcome == "error"
        else [f"{result.outcome} {result.detail}"]
    )
    return " ".join(words)


def _counted(results: Iterator[BatchResult], total: int) -> Iterator[BatchResult]:
    """Yield results, and say now and then how many there are."""
    for number, result in enumerate(results, 1):
        if number % 50 == 0:
            sys.stderr.write(f"{number} of {total}\n")
        yield result

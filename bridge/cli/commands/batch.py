"""batch, with its progress."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bridge.batches import batch as run_batch
from bridge.batches import merge
from bridge.batches.inputs import expand_inputs, in_shard
from bridge.batches.report import Totals
from bridge.batches.run_batch import dask_executor
from bridge.batches.worker import ForkMissingError, check_fork
from bridge.cli.errors import MISSING, CommandError, UsageError
from bridge.cli.inputs import search, writing_to
from bridge.cli.json_report import VERSION
from bridge.cli.options import task_options
from bridge.cli.output import Output
from bridge.output import FolderInUseError
from loaders.text import counted, printable

if TYPE_CHECKING:
    from bridge.batches import BatchResult


_INTERVAL = 10.0
"""Time between two lines where there is no terminal [s]."""


class BatchProgress:
    """The progress of a batch on standard error; nothing with ``-q``.

    Attributes:
        done: Number of models with a result.
        failed: Number of models that failed.
    """

    def __init__(self, output: Output, task: str, total: int) -> None:
        """Show no progress yet.

        Args:
            output: Where lines are written.
            task: Name of the task.
            total: Number of models.
        """
        self.output, self.task, self.total = output, task, total
        self.done = self.failed = self.resumed = 0
        self._begin = self._said = time.monotonic()

    def __enter__(self) -> Self:
        self.output.status(f"{self.task}: {self._line()}")
        return self

    def __exit__(self, *_error: object) -> None:
        if sys.stderr.isatty():
            self.output.progress(f"{self.task}: {self._line()}")

    def add(self, result: BatchResult) -> None:
        """Count a result, and name it if it failed."""
        self.done += 1
        self.resumed += result.resumed
        if result.status:
            self.failed += 1
            self._say_failure(result)
        self.output.status(f"{self.task}: {self._line()}")
        if not sys.stderr.isatty() and time.monotonic() - self._said > _INTERVAL:
            self._said = time.monotonic()
            self.output.progress(self._line())

    def _rate(self) -> float:
        """Models per second, without those of an earlier run."""
        return (self.done - self.resumed) / max(time.monotonic() - self._begin, 1e-6)

    def _line(self) -> str:
        rate = self._rate()
        left = f", {(self.total - self.done) / rate:.0f} s left" if rate > 0.0 else ""
        return f"{self.done} of {self.total}, {rate:.1f}/s{left}, {self.failed} failed"

    def _say_failure(self, result: BatchResult) -> None:
        detail = f", {result.detail}" if result.detail else ""
        self.output.progress(printable(f"{result.source}: {result.outcome}{detail}"))


_REPORTS = ("index.html", "results.jsonl", "summary.md", "junit.xml", "results.sarif")


def batch(options: Namespace, output: Output) -> int:
    """Do the task with each model, and write the results and reports.

    Returns:
        The exit status of the worst model.

    Raises:
        UsageError: if an input names no model, if an option belongs to another task, or if the
        folder is in use.
        CommandError: if this system cannot isolate models.
        ImportError: if Dask is asked for and not installed.
    """
    try:
        with writing_to(options.out):
            totals = _merge(options) if options.task == "merge" else _run(options, output)
    except ForkMissingError as error:
        raise CommandError(str(error), MISSING) from error
    except FolderInUseError as error:
        raise UsageError(
            f"another batch writes {options.out}; wait for its end, or choose another folder"
        ) from error
    _show(options, output, totals)
    return totals.status


def _run(options: Namespace, output: Output) -> Totals:
    check_fork()
    sources = list(in_shard(expand_inputs(options.inputs, xacro=options.xacro), options.shard))
    totals = Totals()
    with (
        _executor(options) as executor,
        BatchProgress(output, options.task, len(sources)) as progress,
    ):
        results = run_batch(
            sources,
            options.task,
            executor=executor,
            jobs=None if executor is not None else options.jobs,
            timeout=options.timeout,
            memory=options.memory,
            out=options.out,
            resume=options.resume,
            force=options.force,
            **_load_options(options),
            **task_options(options),
        )
        for result in results:
            totals.add(result)
            progress.add(result)
    return totals


def _merge(options: Namespace) -> Totals:
    return merge([Path(folder) for folder in options.inputs], options.out, force=options.force)


@contextmanager
def _executor(options: Namespace) -> Iterator[Executor | None]:
    if options.dask is None:
        yield None
        return
    try:
        executor, close = dask_executor(options.dask, options.jobs)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot use the Dask scheduler {options.dask}: {error}") from error
    try:
        yield executor
    finally:
        close()


def _load_options(options: Namespace) -> dict[str, Any]:
    """Return the options of `loaders.load`, and ``thumbnails``, that the command line states."""
    stated: dict[str, Any] = {
        "strict": options.strict,
        "lenient": options.lenient,
        "allow_xacro": options.xacro,
        "xacro_args": dict(options.xacro_arg),
        "srdf": options.srdf,
        "overrides": options.overrides,
        "up_axis": options.up_axis,
        **search(options),
    }
    drawn = {} if options.thumbnails is None else {"thumbnails": options.thumbnails}
    return drawn | {name: value for name, value in stated.items() if value}


def _show(options: Namespace, output: Output, totals: Totals) -> None:
    files = [str(options.out / name) for name in _REPORTS]
    if options.json:
        report = {
            "sdfbridge": VERSION,
            "command": "batch",
            "task": options.task,
            "error": None,
            "files": files,
        }
        output.json(report | totals.to_dict())
        return
    counts = ", ".join(f"{count} {outcome}" for outcome, count in totals.ordered()) or "no models"
    output.data(f"{counted(totals.models, 'model')}: {counts}")
    output.progress(f"wrote {', '.join(files)}")

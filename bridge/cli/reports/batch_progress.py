"""Progress of a batch on a terminal: a bar with rate, time left and failures; elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from bridge.cli.output import Output
from loaders.safety.text import printable

if TYPE_CHECKING:
    from bridge.batches import BatchResult

_INTERVAL = 10.0
"""Time between two lines where there is no terminal [s]."""


class BatchProgress:
    """The progress of a batch on standard error; nothing with ``-q``.

    Attributes:
        done: Number of models with a result.
        failed: Number of models that are not fine.
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
        self._bar: Any = None
        self._item: Any = None

    def __enter__(self) -> Self:
        if self.output.verbosity >= 0 and sys.stderr.isatty():
            self._bar = _bar()
            self._item = self._bar.add_task(self.task, total=self.total, failed=0, rate="")
            self._bar.start()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def add(self, result: BatchResult) -> None:
        """Count a result, and name it if it is not fine."""
        self.done += 1
        self.resumed += result.resumed
        if result.status:
            self.failed += 1
            self._say_failure(result)
        if self._bar is not None:
            self._bar.update(self._item, completed=self.done, failed=self.failed, rate=f"{self._rate():.1f}/s")
        elif time.monotonic() - self._said > _INTERVAL:
            self._said = time.monotonic()
            self.output.progress(self._line())

    def _rate(self) -> float:
        """Models per second, without those of an earlier run."""
        return (self.done - self.resumed) / max(time.monotonic() - self._begin, 1e-6)

    def _line(self) -> str:
        rate = self._rate()
        left = f", {(self.total - self.done) / rate:.0f} s left" if rate > 0.0 else ""
        return f"{self.done} of {self.total}, {rate:.1f}/s{left}, {self.failed} not fine"

    def _say_failure(self, result: BatchResult) -> None:
        if self.output.verbosity < 0:
            return
        text = printable(f"{result.source}: {result.outcome}" + (f", {result.detail}" if result.detail else ""))
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            self.output.progress(text)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]} not fine"),
        console=Console(stderr=True),
    )

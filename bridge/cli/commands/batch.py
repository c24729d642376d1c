"""``sdfbridge batch``: check, convert or compare many models, and write one page about all of them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bridge.batches import batch as run_batch
from bridge.batches import merge
from bridge.batches.executors import dask_executor
from bridge.batches.inputs import expand_inputs, in_shard
from bridge.batches.isolation.worker import ForkMissingError, check_fork
from bridge.batches.reports.totals import Totals
from bridge.cli.batch_options import task_options
from bridge.cli.errors import MISSING, CommandError, UsageError
from bridge.cli.inputs import search, writing_to
from bridge.cli.output import Output
from bridge.cli.reports.batch_progress import BatchProgress
from bridge.cli.reports.json_report import VERSION
from bridge.output import FolderInUseError

_REPORTS = ("index.html", "results.jsonl", "summary.md", "junit.xml", "results.sarif")


def batch(options: Namespace, output: Output) -> int:
    """Do the task with each model, and write the results and reports.

    Returns:
        The exit status of the worst model.

    Raises:
        UsageError: if an input names no model, if an option belongs to another task, or if the folder is in use.
        CommandError: if this system cannot isolate models.
        ImportError: if Dask is asked for and not installed.
    """
    try:
        with writing_to(options.out):
            totals = _merge(options) if options.task == "merge" else _run(options, output)
    except ForkMissingError as error:
        raise CommandError(str(error), MISSING) from error
    except FolderInUseError as error:
        raise UsageError(f"another batch writes {options.out}; wait for its end, or choose another folder") from error
    _show(options, output, totals)
    return totals.status


def _run(options: Namespace, output: Output) -> Totals:
    check_fork()
    sources = list(in_shard(expand_inputs(options.inputs, xacro=options.xacro), options.shard))
    totals = Totals()
    with _executor(options) as executor, BatchProgress(output, options.task, len(sources)) as progress:
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
            thumbnails=not options.no_thumbnails,
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
    """Return the options of `loaders.load` that the command line states."""
    stated: dict[str, Any] = {
        "strict": options.strict,
        "lenient": options.lenient,
        "allow_xacro": options.xacro,
        "xacro_args": dict(options.xacro_arg),
        "srdf": options.srdf,
        **search(options),
    }
    return {name: value for name, value in stated.items() if value}


def _show(options: Namespace, output: Output, totals: Totals) -> None:
    files = [str(options.out / name) for name in _REPORTS]
    if options.json:
        report = {"sdfbridge": VERSION, "command": "batch", "task": options.task, "error": None, "files": files}
        output.json(report | totals.to_dict())
        return
    counts = ", ".join(f"{count} {outcome}" for outcome, count in totals.ordered()) or "no models"
    output.data(f"{totals.models} model{'s' * (totals.models != 1)}: {counts}")
    output.progress(f"wrote {', '.join(files)}")

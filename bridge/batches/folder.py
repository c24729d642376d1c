"""The folder of a batch, and merging of shards."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

from bridge.output import (
    MANIFEST,
    SEAL,
    Form,
    Journal,
    OutputFolderError,
    check_file,
    exclusive_use,
    line_at,
    remove_aside,
    set_aside,
    whole_lines,
    write_file,
    write_folder,
    write_sealed,
)

from .report import Totals, check_reports, totals_of, write_reports
from .results import BatchResult

RESULTS = "results.jsonl"
"""The findings: one line for each model, sorted by source at the end."""
RUNS = "runs.jsonl"
"""The course of the work: one line for each run of a model, in the order in which they ended."""
PREVIOUS = "results.previous.jsonl"
"""The findings of the earlier batch, from the beginning of a batch that does not resume it to the
end of that one."""
SETTINGS = "batch.json"
"""The statement of the batch. A folder with this file belongs to a batch."""
_HASH = "results"
"""Member of the statement that is the SHA-256 of the findings, from the end of a batch to the
beginning of the next."""
_FORMAT = 1


class ResultFolder:
    """An output folder that one batch writes.

    Attributes:
        path: The folder.
    """

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, Any],
        *,
        resume: bool,
        force: bool = False,
        keep_runs: bool = False,
    ) -> None:
        """Prepare the folder.

        Args:
            path: The folder.
            settings: Task, options and version, which the reports state.
            resume: Whether to keep the results of an earlier batch.
            force: Whether to write into a folder with other files.
            keep_runs: Whether to keep the lines about earlier runs although results are not kept.

        Raises:
            OutputFolderError: if the folder has files, but no batch wrote it; or files that were
            edited since.
            FolderInUseError: if another batch writes it.
            OSError: if it cannot be written.
        """
        self.path = path
        self.settings = {"sdfbridge": _FORMAT, **settings}
        self._force = force
        check_result_folder(path, resume=resume, force=force)
        self._stack = ExitStack()
        self._offsets: dict[str, int] = {}
        self._previous: dict[str, int] = {}
        with ExitStack() as stack:
            stack.enter_context(exclusive_use(path))
            if not resume:
                set_aside(path / RESULTS, PREVIOUS)
            self._state(self.settings)
            self._results = stack.enter_context(Journal(path / RESULTS, keep=resume))
            self._runs = stack.enter_context(Journal(path / RUNS, keep=resume or keep_runs))
            self._previous = dict(_sources(path / RESULTS))
            self._stack = stack.pop_all()

    def previous(self, source: str) -> BatchResult | None:
        """Return the result of an earlier run; None if there is none."""
        begin = self._previous.get(source)
        if begin is None:
            return None
        with suppress(ValueError):
            return BatchResult.from_line(line_at(self._results.path, begin))
        return None

    def keep(self, source: str) -> None:
        """Let the result of an earlier run be that of this one."""
        self._offsets[source] = self._previous[source]

    def add(self, result: BatchResult) -> None:
        """Write a new result."""
        self._offsets[result.source] = self._results.append(result.to_line())
        self._runs.append(result.run_line())

    def results(self) -> Iterator[BatchResult]:
        """Yield the results of this batch, sorted by source."""
        return map(BatchResult.from_line, self._lines())

    def _lines(self) -> Iterator[bytes]:
        with open(self._results.path, "rb") as stream:
            for _, begin in sorted(self._offsets.items()):
                stream.seek(begin)
                yield stream.readline().rstrip(b"\n")

    def finish(self) -> None:
        """Sort the results, without those of sources that are no longer in the batch, and write the
        reports.
        """
        self._results.close()
        self._runs.close()
        write_file(self.path / RESULTS, (line + b"\n" for line in self._lines()))
        remove_aside(self.path / RESULTS, PREVIOUS)
        self._state({**self.settings, _HASH: _hash(self.path / RESULTS)})
        self._offsets = dict(_sources(self.path / RESULTS))
        write_reports(self.path, self.settings, self.results, force=self._force)

    def _state(self, content: Mapping[str, Any]) -> None:
        text = json.dumps(content, indent=1, sort_keys=True) + "\n"
        write_sealed(self.path / SETTINGS, text.encode(), Form.JSON, force=self._force)

    def close(self) -> None:
        """Put the results on the disk and let others write the folder."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def check_result_folder(path: Path, *, resume: bool = False, force: bool = False) -> None:
    """Raise an error if a folder has files that no batch wrote, or reports or results that were
    edited since.

    Args:
        path: The folder.
        resume: Whether the results are kept, so that it does not matter if they were edited.
        force: Whether that does not matter.

    Raises:
        OutputFolderError: if it has such files, or is a file.
    """
    if path.exists() and not path.is_dir():
        raise OutputFolderError(f"{path} is a file, not a folder; choose another output folder")
    if not force and path.is_dir() and any(path.iterdir()) and not (path / SETTINGS).is_file():
        raise OutputFolderError(
            f"{path} has files that no batch wrote; choose another folder, or use force (--force)"
        )
    check_file(path / SETTINGS, force=force)
    check_reports(path, force=force)
    stated = _stored(path).get(_HASH)
    if (
        not (force or resume)
        and stated
        and (path / RESULTS).is_file()
        and _hash(path / RESULTS) != stated
    ):
        raise OutputFolderError(
            f"the results {path / RESULTS} are not replaced: they were edited since they were "
            "written; choose another folder, resume, or overwrite with force (--force)"
        )


def stored_settings(path: Path) -> dict[str, Any]:
    """Return what a folder says about the batch that wrote it; nothing if none did."""
    return {name: value for name, value in _stored(path).items() if name not in {SEAL, _HASH}}


def _stored(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        content = json.loads((path / SETTINGS).read_bytes())
        return content if isinstance(content, dict) else {}
    return {}


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sources(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the source of each whole line, and where the line begins."""
    for begin, line in whole_lines(path):
        with suppress(ValueError, KeyError, TypeError):
            yield str(json.loads(line)["source"]), begin


def merge(
    folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], *, force: bool = False
) -> Totals:
    """Join the results of batches with the same task and options, such as the shards of one, and
    write its reports.

    Reports and pictures of the models are copied. A source with a result in several folders
    has that of the last folder that names it.

    Args:
        folders: The folders of the batches.
        out: The folder to write.
        force: Whether to write into a folder that holds other files.

    Returns:
        The numbers over all results.

    Raises:
        ValueError: if a folder is not that of a batch, or of a batch with another task or other
        options.
        OutputFolderError: if the folder to write holds files that no batch wrote, or is one of
        those to read.
        OSError: if a file cannot be read or written.
    """
    places = [Path(folder) for folder in folders]
    target = Path(out)
    settings = _common_settings(places)
    if any(place.resolve() == target.resolve() for place in places):
        raise OutputFolderError(
            f"{target} is one of the folders to merge; choose another output folder"
        )
    with ResultFolder(target, settings, resume=False, force=force) as merged:
        for place in places:
            for result in results_of(place):
                merged.add(result)
                _copy(result, place, target, force=force)
        merged.finish()
        return totals_of(merged.results())


def results_of(folder: str | os.PathLike[str]) -> Iterator[BatchResult]:
    """Yield the results in the folder of a batch, or of an interrupted one; of several about a
    source, the last one.
    """
    path = Path(folder) / RESULTS
    latest: dict[str, int] = {}
    for begin, line in whole_lines(path):
        with suppress(ValueError):
            latest[BatchResult.from_line(line).source] = begin
    wanted = set(latest.values())
    for begin, line in whole_lines(path):
        if begin in wanted:
            yield BatchResult.from_line(line)


def _common_settings(places: Sequence[Path]) -> dict[str, Any]:
    """Return what all folders say about their batch."""
    settings: dict[str, Any] = {}
    for place in places:
        stored = stored_settings(place)
        if not stored:
            raise ValueError(f"{place} is not the folder of a batch; expected one with batch.json")
        if settings and stored != settings:
            raise ValueError(
                f"{place} and {places[0]} are of batches with another task, other options or "
                f"versions"
            )
        settings = stored
    return settings


def _copy(result: BatchResult, place: Path, target: Path, *, force: bool) -> None:
    """Copy the report of a model, with the folder that it lies in, and its picture."""
    if result.report:
        folder = Path(result.report).parent
        files = {
            path.relative_to(place / folder).as_posix(): path.read_bytes()
            for path in sorted((place / folder).rglob("*"))
            if path.is_file() and path.name != MANIFEST
        }
        if files:
            write_folder(target / folder, files, force=force)
    if result.thumbnail and (place / result.thumbnail).is_file():
        check_file(target / result.thumbnail, force=force)
        write_file(
            target / result.thumbnail, (place / result.thumbnail).read_bytes(), make_folder=True
        )

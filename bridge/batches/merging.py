"""`merge`: one folder from those of the shards of a batch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from bridge.output import MANIFEST, OutputFolderError, check_file, whole_lines, write_file, write_folder

from .folder import RESULTS, ResultFolder, stored_settings
from .reports.totals import Totals, totals_of
from .results import BatchResult


def merge(folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], *, force: bool = False) -> Totals:
    """Join the results of batches with the same task and options, such as the shards of one, and write its reports.

    Reports and pictures of the models are copied. A source of which several folders have a result has that of the last
    folder that names it.

    Args:
        folders: The folders of the batches.
        out: The folder to write.
        force: Whether to write into a folder that holds other files.

    Returns:
        The numbers over all results.

    Raises:
        ValueError: if a folder is not that of a batch, or of a batch with another task or other options.
        OutputFolderError: if the folder to write holds files that no batch wrote, or is one of those to read.
        OSError: if a file cannot be read or written.
    """
    places = [Path(folder) for folder in folders]
    target = Path(out)
    settings = _common_settings(places)
    if any(place.resolve() == target.resolve() for place in places):
        raise OutputFolderError(f"{target} is one of the folders to merge; choose another output folder")
    with ResultFolder(target, settings, resume=False, force=force) as merged:
        for place in places:
            for result in results_of(place):
                merged.add(result)
                _copy(result, place, target, force=force)
        merged.finish()
        return totals_of(merged.results())


def results_of(folder: str | os.PathLike[str]) -> Iterator[BatchResult]:
    """Yield the results in the folder of a batch, or of an interrupted one; of several about a source, the last one.

    Args:
        folder: The folder.
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
            raise ValueError(f"{place} and {places[0]} are of batches with another task, other options or versions")
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
        write_file(target / result.thumbnail, (place / result.thumbnail).read_bytes(), make_folder=True)

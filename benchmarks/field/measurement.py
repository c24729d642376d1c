"""The task of the batch: the stages of one file, until one ends the sequence, with the processor
time of each.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.field.stages import STAGES


@dataclass(frozen=True)
class File:
    """A file of a repository."""

    path: Path
    root: Path

    def __str__(self) -> str:
        return f"{self.repository}/{self.path.relative_to(self.root)}"

    @property
    def repository(self) -> str:
        """The owner and the name of the repository; its folder is called ``owner+name``."""
        return self.root.name.replace("+", "/")


@dataclass(frozen=True)
class Measurement:
    """Measure a file.

    Attributes:
        stages: Names of the stages.
    """

    stages: tuple[str, ...] = tuple(name for name, _ in STAGES)

    def __call__(self, file: File) -> dict[str, Any]:
        """Return the merged results of the stages, with the processor time of each.

        The first stage gets the file and its repository; the others get what the first one returns
        as ``state``. A result with the key ``end`` ends the sequence. An exception of a stage is a
        result too.
        """
        row: dict[str, Any] = {
            "repository": file.repository,
            "file": str(file.path.relative_to(file.root)),
        }
        arguments: tuple[Any, ...] = (file.path, file.root)
        for name, stage in STAGES:
            if name not in self.stages:
                continue
            start = time.process_time()
            try:
                result = stage(*arguments)
            except (Exception, SystemExit) as error:  # noqa: BLE001  # a crash is a result
                return row | {"crash": f"{name}: {type(error).__name__}: {error}"[:500]}
            if "state" in result:
                arguments = (result.pop("state"),)
            row |= result | {f"{name} [s]": round(time.process_time() - start, 3)}
            if result.get("end"):
                break
        return row

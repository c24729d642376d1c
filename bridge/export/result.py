"""Results of exports: a document as text, and a folder of files."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from bridge.output import MANIFEST
from loaders.diagnostics import Diagnostic


class Document(str):
    """An exported document: a string, with its assets, diagnostics and changed names."""

    assets: dict[str, bytes]
    """Contents of each asset file, by its name in the folder ``assets``."""
    diagnostics: tuple[Diagnostic, ...]
    """The findings of the export: what the format cannot carry, or carries with an error."""
    names: dict[str, str]
    """Names in the document by canonical name, where they differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The result of an export to a folder.

    Attributes:
        path: The file of the model.
        files: Every file, by its path in the folder.
        diagnostics: The findings of lowering and export; those of the reader are in ``Scene.diagnostics``.
    """

    path: Path
    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    def __str__(self) -> str:
        return str(self.path)


def stale(files: Mapping[str, bytes], out_dir: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the files of a folder that are missing, superfluous, or differ from what an export would write.

    Args:
        files: Content of each file that the export would write, by its path in the folder.
        out_dir: The folder to compare with.
    """
    folder = Path(out_dir)
    existing = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    existing.pop(MANIFEST, None)
    differing = {file for file, data in files.items() if file not in existing or existing[file].read_bytes() != data}
    return tuple(sorted(differing | _superfluous(existing, files)))


def _superfluous(existing: Collection[str], files: Collection[str]) -> set[str]:
    return set(existing) - set(files)

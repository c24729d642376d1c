"""Names of exported files."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

DOCUMENTS = {
    ".sdf": "sdf",
    ".world": "sdf",
    ".urdf": "urdf",
    ".xml": "mjcf",
    ".mjcf": "mjcf",
    ".dmd.yaml": "directives",
    ".dmd.yml": "directives",
}
"""Formats that can be written as one file, by suffix."""
_MAX_NAME = 100
"""Longest name of a model's file, without suffix; a longer one is cut and ends with a hash of the whole."""


def file_name(name: str) -> str:
    """Return the name of a file for a model, without the suffix of its source; never ``scene``, never too long."""
    plain = re.sub(r"[^\w.-]+", "_", re.sub(r"\.(urdf|sdf)$", "", name), flags=re.ASCII).strip("._") or "model"
    if len(plain) > _MAX_NAME:
        plain = f"{plain[: _MAX_NAME - 9]}_{hashlib.sha256(plain.encode()).hexdigest()[:8]}"
    return f"{plain}_model" if plain.lower() == "scene" else plain


def is_named_as_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path that is no folder yet has a suffix of letters, such as ``.xml``; ``arm_1.2`` has none."""
    place = Path(path)
    return place.suffix[1:].isalpha() and not place.is_dir()


def check_folder_name(path: str | os.PathLike[str]) -> None:
    """Refuse the name of a file for the folder of an export.

    Args:
        path: The folder.

    Raises:
        TypeError: if it is not a path.
        ValueError: if it is named as a file, see `is_named_as_file`.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"out_dir: expected the path of a folder, not {path!r}")
    if is_named_as_file(path):
        place = Path(path)
        raise ValueError(
            f"{place} is named as a file, but an export is a folder; expected a name such as {place.with_suffix('')}, "
            "or a folder that exists. The command sdfbridge convert writes one file"
        )

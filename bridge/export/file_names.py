"""Names of exported files."""

from __future__ import annotations

import hashlib
import re

_MAX_NAME = 100
"""Longest name of a model's file, without suffix; a longer one is cut and ends with a hash of the whole."""


def file_name(name: str) -> str:
    """Return the name of a file for a model, without the suffix of its source; never ``scene``, never too long."""
    plain = re.sub(r"[^\w.-]+", "_", re.sub(r"\.(urdf|sdf)$", "", name), flags=re.ASCII).strip("._") or "model"
    if len(plain) > _MAX_NAME:
        plain = f"{plain[: _MAX_NAME - 9]}_{hashlib.sha256(plain.encode()).hexdigest()[:8]}"
    return f"{plain}_model" if plain.lower() == "scene" else plain

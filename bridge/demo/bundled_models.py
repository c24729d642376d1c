"""Location of the bundled models: in the installed package, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path


def assets_dir() -> Path:
    """Return the folder of the bundled models.

    Raises:
        FileNotFoundError: if the installation does not contain them.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_assets", package.parent / "assets"):
        if (folder / "arm").is_dir():
            return folder
    raise FileNotFoundError("the bundled models are not installed; install sdfbridge from its checkout or wheel")

"""The models that come with the package: in its folder once it is installed, beside it in a checkout."""

from __future__ import annotations

from pathlib import Path


def assets_dir() -> Path:
    """The folder of the bundled models.

    Raises:
        FileNotFoundError: if they were left out of the installation.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_assets", package.parent / "assets"):
        if (folder / "arm").is_dir():
            return folder
    raise FileNotFoundError("the bundled models are not installed; install sdfbridge from its checkout or wheel")

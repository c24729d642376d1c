"""What every command that reads a file makes of its options."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import loaders


def search(options: Namespace) -> loaders.Search:
    """Where to look for what the file names."""
    return {
        "package_map": dict(_package(text) for text in options.package),
        "paths": options.path,
        "unsafe_paths": options.unsafe_paths,
    }


def _package(text: str) -> tuple[str, Path]:
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise ValueError(f"--package takes NAME=DIR, not {text!r}")
    return name, Path(folder)


def load(options: Namespace) -> loaders.Scene:
    """The scene of the file that a command is given."""
    srdf, xacro = options.srdf, options.xacro
    return loaders.load(options.file, strict=options.strict, srdf=srdf, allow_xacro=xacro, **search(options))

"""The origin of an export: the source, its hash, and the version of this program."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from bridge.installed_packages import own_version
from loaders.files import FileError, file_of, is_readable, main_file, read, read_start
from loaders.safety.markdown import code
from loaders.safety.text import printable
from loaders.scene import Scene

WRITTEN_BY = "Written by sdfbridge "
"""Beginning of the comment at the top of an exported model."""
_ORIGIN = re.compile(
    rb"^(?:<\?xml[^\n]*\n)?(?:<!--|#) Written by sdfbridge \S+ from ([^\n]+?)(?:; see README|\.(?: -->)?\n)"
)
_HEAD = 1000
"""Length of the beginning of a file that has the comment [bytes]."""


def origin_comment(scene: Scene, *, alone: bool = False) -> str:
    """Return the line at the top of a file that names the program and the source.

    Args:
        scene: The exported scene.
        alone: Whether the file has no README and no report beside it.
    """
    origin = f"{WRITTEN_BY}{own_version()} from {printable(_first_source(scene))}"
    return f"{origin}." if alone else f"{origin}; see README.md and FIDELITY.md."


def derivation(scene: Scene, function: str, name: str, options: Mapping[str, object]) -> list[str]:
    """Return the section of README.md that states how the model was made.

    Args:
        scene: The exported scene.
        function: Name of the function that exports it.
        name: Name of the model's file, without suffix.
        options: The options that differ from their defaults.
    """
    source = source_file(scene)
    changed = [f'{key}="{value}"' if isinstance(value, str) else f"{key}={value}" for key, value in options.items()]
    call = ", ".join([f'"{source}"', f'"{name}"', *changed])
    return [
        "## Derivation",
        "",
        "| | |",
        "|---|---|",
        f"| source | {code(source, cell=True)} |",
        f"| SHA-256 of the source | {_hash(scene)} |",
        f"| written by | sdfbridge {own_version()} |",
        f"| command | {code(f'bridge.{function}({call})', cell=True)} |",
    ]


def _first_source(scene: Scene) -> str:
    """Return the name of the file from which a scene was first written, so that a second writing is the same text."""
    if scene.source and is_readable(scene.source, option="text_file_bytes"):
        found = _ORIGIN.search(read_start(scene.source, _HEAD, option="text_file_bytes"))
        if found is not None:
            return found[1].decode(errors="replace")
    return source_file(scene)


def source_file(scene: Scene) -> str:
    """Return the name of the file that a scene was read from.

    A model in an archive has the name of the archive, followed by its path in there if it is not the main model.

    Args:
        scene: The scene.
    """
    path, file = Path(scene.source), Path(file_of(scene.source))
    if path == file:
        return path.name or "a scene in memory"
    with suppress(FileError):
        if main_file(str(file)) == scene.source:
            return file.name
    return path.relative_to(file.parent).as_posix()


def _hash(scene: Scene) -> str:
    file = file_of(scene.source)
    option = "text_file_bytes" if file == scene.source else "mesh_file_bytes"
    is_known = bool(file) and is_readable(file, option=option)
    return f"`{hashlib.sha256(read(file, option=option)).hexdigest()}`" if is_known else "none"

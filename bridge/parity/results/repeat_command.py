"""The command that repeats a comparison."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Any

DEFAULT_CONFIGURATIONS = 20
"""Number of random states of a comparison that does not state it."""
_FLAGS = {
    "strict": "--strict",
    "lenient": "--lenient",
    "unsafe_paths": "--unsafe-paths",
    "allow_xacro": "--xacro",
    "fetch": "--fetch",
}
"""Flag for each option of `loaders.load` that is true or false."""
_PYTHON_ONLY = ("schemes", "finder")
"""Options of `loaders.load` that the command line does not have."""


def load_words(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of the command line for options of `loaders.load`.

    The command line has none for ``schemes`` and ``finder``.

    Args:
        options: The options by name.
    """
    yield from (flag for name, flag in _FLAGS.items() if options.get(name))
    for name, folder in (options.get("package_map") or {}).items():
        yield from ("--package", f"{name}={os.fspath(folder)}")
    for name, value in (options.get("xacro_args") or {}).items():
        yield from ("--xacro-arg", f"{name}:={value}")
    for folder in options.get("paths") or ():
        yield from ("--path", os.fspath(folder))
    if options.get("srdf") is not None:
        yield from ("--srdf", os.fspath(options["srdf"]))


def repeat_command(
    source: str,
    engines: Collection[str],
    levels: Collection[str],
    environment: Mapping[str, str],
    details: Mapping[str, Any],
) -> str:
    """Return the command that repeats a comparison; a comment names options that the command line does not have.

    Args:
        source: The file; empty if there is none.
        engines: The names of the engines.
        levels: The levels, if they are not the default ones.
        environment: Seed and number of configurations.
        details: The options of the load, the chosen positions, and the treatment of the base and of inertias.
    """
    words = ["--engines", ",".join(engines), "--seed", environment["seed"]]
    words += ["--level", ",".join(levels)] if levels else []
    configurations = environment.get("configurations", str(DEFAULT_CONFIGURATIONS))
    words += ["--configurations", configurations] if configurations != str(DEFAULT_CONFIGURATIONS) else []
    words += ["--base", details["base"]] if details.get("base", "as_is") != "as_is" else []
    words += ["--inertia", "repair"] if details.get("inertia") == "repair" else []
    words += load_words(details.get("load_options", {}))
    for joint, position in details.get("positions", {}).items():
        words += ["--set", setting(joint, position)]
    lacking = [name for name in _PYTHON_ONLY if details.get("load_options", {}).get(name)]
    note = f"  # and, from Python only: {', '.join(lacking)}" if lacking else ""
    return f"sdfbridge compare {shlex.quote(source) if source else 'FILE'} {shlex.join(words)}{note}"


def setting(joint: str, position: Any) -> str:
    """Return a joint position as the command line takes it."""
    numbers = position if isinstance(position, list | tuple) else (position,)
    return f"{joint}={','.join(repr(float(x)) for x in numbers)}"

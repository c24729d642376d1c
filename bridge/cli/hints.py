"""Hints of diagnostics in the words of the command line: options of Python become options of the command."""

from __future__ import annotations

import dataclasses
import re

from loaders.diagnostics import Diagnostic

_EXPORTING = ("convert", "view")
"""Commands with the options of `bridge.export_mjcf`."""
EXPORT_OPTIONS = ("actuators", "base", "inertia", "policy", "collision_meshes", "contacts")
"""Options of `bridge.export_mjcf` that take a word."""
_COMPARED = ("inertia",)
"""Those that ``compare`` has too."""
_WORD = re.compile(rf'\b({"|".join(EXPORT_OPTIONS)})="(\w+)"')
_LIMIT = re.compile(r"\blimits=Limits\((\w+)=\.\.\.\)")
_OTHERS = (
    (re.compile(r"\ballow_xacro=True"), "--xacro"),
    (re.compile(r"\bxacro_args=\{'(\w+)': \.\.\.\}"), r"\1:=VALUE"),
    (re.compile(r"\bfetch=True"), "--fetch"),
    (re.compile(r"\bunsafe_paths=True"), "--unsafe-paths"),
    (re.compile(r"\bstrict=True"), "--strict"),
    (re.compile(r"\blenient=True"), "--lenient"),
    (re.compile(r"\bforce=True"), "--force"),
    (re.compile(r"\bpackage_map\b"), "--package NAME=DIR"),
    (re.compile(r"(?<![-\w])paths\b"), "--path"),
    (re.compile(r"\bsrdf=(?:\.\.\.)?"), "--srdf "),
)


def in_command_words(text: str, command: str) -> str:
    """Return a text with the options of a command in place of those of Python.

    Args:
        text: The text, such as ``use inertia="repair"``.
        command: The command that prints it. Where it lacks an option, the command that has it is named.
    """

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        words = f"--{name.replace('_', '-')} {value}"
        known = command in _EXPORTING or (command == "compare" and name in _COMPARED)
        return words if known else f"sdfbridge convert {words}"

    text = _LIMIT.sub(r"--limit \1=N", _WORD.sub(option, text))
    for pattern, words in _OTHERS:
        text = pattern.sub(words, text)
    return text


def with_command_words(entry: Diagnostic, command: str) -> Diagnostic:
    """Return a diagnostic whose hint is in the words of the command line.

    Args:
        entry: The diagnostic.
        command: The command that prints it.
    """
    if not entry.hint:
        return entry
    return dataclasses.replace(entry, hint=in_command_words(entry.hint, command))

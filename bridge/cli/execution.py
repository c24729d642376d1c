"""Execution of one command: its errors become a message, a report and an exit status."""

from __future__ import annotations

import importlib
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence

from bridge import codes
from loaders import codes as loader_codes
from loaders.diagnostics import Diagnostic, ModelError
from loaders.limits import leaving_out
from loaders.urdf import codes as urdf_codes

from .errors import DIFFERENT, MISSING, SUCCESS, UNREADABLE, USAGE, CommandError
from .json_report import failure_report
from .output import Output, discard, with_command_words

_MISSING_PACKAGE = frozenset({codes.MESH_NO_COACD, urdf_codes.XACRO_NOT_INSTALLED})
"""Codes of errors that the installation of a package mends."""

_NO_FILE = frozenset({loader_codes.FILE_UNREADABLE})
"""Codes of a file that is not there."""

_COMMANDS = {
    "batch": "bridge.cli.commands.batch:batch",
    "check": "bridge.cli.commands.check:check",
    "compare": "bridge.cli.commands.compare:compare",
    "completion": "bridge.cli.commands.doctor:completion",
    "convert": "bridge.cli.commands.convert:convert",
    "demo": "bridge.cli.commands.doctor:demo",
    "doctor": "bridge.cli.commands.doctor:doctor",
    "explain": "bridge.cli.commands.check:explain",
    "fix": "bridge.cli.commands.check:fix",
    "graph": "bridge.cli.commands.info:graph",
    "info": "bridge.cli.commands.info:info",
    "print": "bridge.cli.commands.info:print_",
    "replay": "bridge.cli.commands.compare:replay",
    "resolve": "bridge.cli.commands.info:resolve",
    "view": "bridge.cli.commands.view:view",
}
"""Module and function of each command; a command imports only what it needs."""


def execute(options: Namespace, words: Sequence[str]) -> int:
    """Run the command of the options and return its exit status.

    Args:
        options: The options that the parser returns.
        words: The words of the command line, to repeat the command.
    """
    output = Output(options.verbose - options.quiet, command=options.command)
    options.words = tuple(words)
    try:
        return _run(options, output)
    except BrokenPipeError:  # the reader closed what a command writes by itself: not an error
        discard(sys.stdout)
        return SUCCESS
    finally:
        output.status("")


def _run(options: Namespace, output: Output) -> int:
    try:
        module, _, function = _COMMANDS[options.command].partition(":")
        command: Callable[[Namespace, Output], int] = getattr(
            importlib.import_module(module), function
        )
        with leaving_out(getattr(options, "lenient", False)):
            status = command(options, output)
    except ModelError as error:
        output.diagnostics(error.diagnostics, all_kinds=True)
        output.advice(getattr(error, "advice", ""))
        if all(entry.severity != "error" for entry in error.diagnostics):
            output.error("refused by --strict, for which every warning is an error")
        return _failure(options, output, _status_of(error, options), diagnostics=error.diagnostics)
    except CommandError as error:
        return _failure(options, output, error.status, str(error))
    except ValueError as error:
        return _failure(options, output, USAGE, str(error))
    except ImportError as error:
        return _failure(options, output, MISSING, str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        return _failure(options, output, DIFFERENT, _text(error))
    return status


def _status_of(error: ModelError, options: Namespace) -> int:
    """Return the exit status of a model that cannot be read: whether something must be installed,
    and of two files whether one does not exist, which is not to differ.
    """
    errors = [entry for entry in error.diagnostics if entry.severity == "error"]
    if errors and all(entry.is_one_of(_MISSING_PACKAGE) for entry in errors):
        return MISSING
    if getattr(options, "other", None) is None:
        return DIFFERENT
    files = {entry.where.file for entry in errors if entry.is_one_of(_NO_FILE)}
    return MISSING if any(not os.path.exists(file) for file in files) else UNREADABLE


def _failure(
    options: Namespace,
    output: Output,
    status: int,
    error: str = "",
    diagnostics: Sequence[Diagnostic] = (),
) -> int:
    """Write the error, in the form for programs too that is asked for; return the status."""
    if error:
        output.error(error)
    entries = [with_command_words(entry, options.command) for entry in diagnostics]
    form = "json" if options.json else getattr(options, "format", None)
    if form == "json":
        file = getattr(options, "file", None)
        files = getattr(options, "files", None) or ([file] if file else [])
        output.json(failure_report(options.command, status, files, entries, error))
    elif form in {"github", "sarif", "junit"}:
        module = importlib.import_module("bridge.cli.commands.check")
        output.data(module.failure(form, entries, error, status))
    return status


def _text(error: OSError) -> str:
    """Return an error of the operating system in words."""
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"cannot use {os.fsdecode(error.filename)}: {error.strerror}"

"""Errors that end a command with a message and an exit status."""

from __future__ import annotations

SUCCESS, DIFFERENT, USAGE, MISSING, INCOMPLETE, ALIKE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
"""Exit status: fine; the model has errors or engines differ; wrong usage; an engine is missing; nothing differs, but
not everything that the model states was compared; two files differ but move alike; Ctrl-C."""


class CommandError(Exception):
    """A command cannot be executed.

    Attributes:
        status: The exit status.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class UsageError(CommandError):
    """The words of the command line are wrong; the message says what was expected.

    Attributes:
        usage: The synopsis of the command; empty if the mistake does not lie in the words themselves.
    """

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message, USAGE)
        self.usage = usage

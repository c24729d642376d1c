"""The parser of the command line: commands, their options, and messages about words that it does
not know.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from bridge.installed_packages import own_version

from .errors import SUCCESS, USAGE, UsageError
from .json_report import failure_report

_DESCRIPTION = (
    "Load SDFormat, URDF, MJCF and Drake directives into PyBullet and MuJoCo, and "
    "verify that both simulators agree."
)
_EPILOG = "sdfbridge COMMAND --help lists the options of a command."
_CHOICE = re.compile(r"argument (\S+): invalid choice: '([^']*)' \(choose from (.*)\)$", re.DOTALL)
"""argparse's message about an unknown command or value."""

_XACRO_ARGUMENT = re.compile(r"[A-Za-z_]\w*:=")
"""The beginning of an argument of xacro, as the tools of ROS take it."""

_GIVEN = "_given"
"""Attribute of the options during parsing: the names of those that are given."""

COMMANDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("demo", "convert, draw and compare the bundled arm", ("add_demo_options",)),
    ("check", "read files and report every problem", ("add_check_options",)),
    ("info", "show models, links, joints and frames", ("add_load_options", "add_info_options")),
    ("graph", "draw links and joints as a graph", ("add_load_options", "add_graph_options")),
    ("resolve", "list the files that a model refers to, and where they were found",
        ("add_load_options",)),
    ("convert", "write a model as MJCF, SDFormat, URDF or Drake directives",
        ("add_load_options", "add_convert_options")),
    ("print", "print a model as one SDFormat document, composed and resolved",
        ("add_load_options",)),
    ("view", "show models in a web browser, or one in MuJoCo's viewer",
        ("add_load_options", "add_view_options", "add_mjcf_options")),
    ("compare", "compare simulators on a model, or two files",
        ("add_load_options", "add_compare_options")),
    ("replay", "move a model as a log commands, and compare with what was measured",
        ("add_load_options", "add_replay_options")),
    ("batch", "check, convert or compare many models",
        ("add_batch_options", "add_reading_options")),
    ("explain", "print the meaning, the remedy and the message of a finding",
        ("add_explain_options",)),
    ("fix", "show, or write, repairs of what is wrong with certainty", ("add_fix_options",)),
    ("doctor", "list installed versions", ()),
    ("completion", "print the script that completes words in a shell", ("add_completion_options",)),
)  # fmt: skip
"""Name and help text of each command, and the functions of `options` that add its options."""


class _Parser(argparse.ArgumentParser):
    """A parser that raises an error with a suggestion, and never exits by itself."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.register("action", None, _Once)

    def error(self, message: str) -> NoReturn:
        found = _CHOICE.match(message)
        if found:
            argument, word, known = found[1], found[2], re.findall(r"[\w.-]+", found[3])
            noun = "command" if argument == "COMMAND" else f"value of {argument}:"
            message = (
                f"unknown {noun} {word!r}{_suggestion(word, known) or '; '}expected one of: "
                f"{', '.join(known)}"
            )
        missing = message.removeprefix("one of the arguments ").removesuffix(" is required")
        if missing != message:
            message = f"an argument is missing; expected one of: {missing}"
        raise UsageError(message, self.format_usage())


class _Version(argparse.Action):
    """The option that prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        """Print the version, and exit."""
        sys.stdout.write(f"{parser.prog} {own_version()}\n")
        parser.exit()


class _Once(argparse._StoreAction):
    """An option with one value, which is refused if it is given twice, since only one of its values
    could count.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: Any = None,
    ) -> None:
        """Store the value.

        Raises:
            argparse.ArgumentError: if the option is given twice.
        """
        given = vars(namespace).setdefault(_GIVEN, set())
        if self.option_strings and self.dest in given:
            several = (
                "; separate several values by commas" if "," in str(self.metavar or "") else ""
            )
            raise argparse.ArgumentError(self, f"given twice; expected it once{several}")
        given.add(self.dest)
        super().__call__(parser, namespace, values, option_string)


def make_parser(words: Collection[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands.

    Args:
        words: The words after the program's name; a command that is not among them gets no options,
            whose module is imported only then. By default, all commands get theirs.
    """
    parser = _Parser(prog="sdfbridge", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="show program's version number and exit"
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, help_text, argument_groups in COMMANDS:
        subparser = subparsers.add_parser(name, help=help_text, description=help_text)
        if words is None or name in words:
            groups = importlib.import_module(".options", __package__)
            for function in (*argument_groups, "add_output_options"):
                getattr(groups, function)(subparser)
        subparser.usage = f"%(prog)s [OPTION ...] {_positionals(subparser)}".rstrip()
    return parser


def _positionals(parser: argparse.ArgumentParser) -> str:
    """Return the words of a command that are not options, or have to be given; its other options
    are listed with their help.
    """
    words = [action for action in parser._actions if not action.option_strings or action.required]
    formatter = argparse.HelpFormatter("", width=1000)
    formatter.add_usage(None, words, (), "")
    return formatter.format_help().strip()


def parse(words: Sequence[str]) -> argparse.Namespace | int:
    """Return the options that the words state; an exit status if there is nothing to run.

    Args:
        words: The words after the program's name.
    """
    parser = make_parser(words)
    try:
        options, unknown = parser.parse_known_args(_with_xacro_options(words))
        if unknown:
            _refuse(unknown, parser, options.command)
    except UsageError as error:
        return _report(error, words)
    except SystemExit as leaving:  # after --help or --version
        return leaving.code if isinstance(leaving.code, int) else SUCCESS
    if options.command is None:
        parser.print_help()
        return SUCCESS
    vars(options).pop(_GIVEN, None)
    return options


def _with_xacro_options(words: Sequence[str]) -> list[str]:
    """Return the words with each ``name:=value`` that has no option behind the others, with
    ``--xacro-arg``.
    """
    end = words.index("--") if "--" in words else len(words)
    others: list[str] = []
    arguments: list[str] = []
    for word in words[:end]:
        if _XACRO_ARGUMENT.match(word) and others[-1:] != ["--xacro-arg"]:
            arguments += ["--xacro-arg", word]
        else:
            others.append(word)
    return [*others, *arguments, *words[end:]]


def _refuse(
    unknown: Sequence[str], parser: argparse.ArgumentParser, command: str | None
) -> NoReturn:
    """Raise an error about words that no option takes."""
    subparser = subparsers_of(parser)[command] if command else parser
    known = [option for action in subparser._actions for option in action.option_strings]
    word = next((word for word in unknown if word.startswith("-")), unknown[0])
    noun = "option" if word.startswith("-") else "argument"
    suggestion = _suggestion(word.partition("=")[0], known) if noun == "option" else ""
    if word in known:
        suggestion = f"; write it after the command: sdfbridge {command} {word}"
    raise UsageError(f"unknown {noun} {word!r}{suggestion}".rstrip(), subparser.format_usage())


def subparsers_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    (action,) = (
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )
    return dict(action.choices)


def _suggestion(word: str, known: Sequence[str]) -> str:
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}? " if close else ""


def _report(error: UsageError, words: Sequence[str]) -> int:
    command = next((word for word in words if not word.startswith("-")), "")
    output = importlib.import_module(".output", __package__).Output()
    output.error(str(error))
    sys.stderr.write(error.usage)
    if command in {name for name, *_ in COMMANDS}:
        sys.stderr.write(f"sdfbridge {command} --help lists the options\n")
    if "--json" in words:
        report = failure_report(command, USAGE, error=str(error))
        sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return USAGE

"""The command line: ``sdfbridge``, also ``python -m bridge``.

Exit status: 0 success; 1 the model has errors, the engines differ, or the output is out of date; 2 wrong usage; 3 an
engine or display is missing.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bridge import parity
from bridge.parity.results.verdict import DEFAULT_LEVELS
from loaders.diagnostics import ModelError

from .options import add_export_options, add_load_options, add_output_options
from .output import Output

DIFFERENT, USAGE, MISSING = 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Args:
        arguments: The words after the program's name; by default those of the process.
    """
    options = _parser().parse_args(arguments)
    output = Output(options.verbose - options.quiet)
    try:
        status: int = _run(options, output)
    except ModelError as error:
        output.diagnostics(error.diagnostics)
        return DIFFERENT
    except parity.EngineMissingError as error:
        output.error(str(error))
        return MISSING
    except (ValueError, ImportError) as error:
        output.error(str(error))
        return USAGE
    except BrokenPipeError:  # the reader closed the pipe, as `head` does: not an error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        output.error(str(error))
        return DIFFERENT
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sdfbridge",
        description="Load SDFormat and URDF robots into PyBullet and MuJoCo, and verify that both simulators agree.",
    )
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, module, help_text, argument_groups in _COMMANDS:
        subparser = subparsers.add_parser(name, help=help_text, description=help_text)
        for add_arguments in (*argument_groups, add_output_options):
            add_arguments(subparser)
        subparser.set_defaults(run=(module, name))
    return parser


def _run(options: argparse.Namespace, output: Output) -> int:
    """Run the chosen command; only its module is imported."""
    module, name = options.run
    status: int = getattr(importlib.import_module(f".{module}", __name__), name)(options, output)
    return status


def _add_convert_arguments(parser: argparse.ArgumentParser) -> None:
    folder = parser.add_mutually_exclusive_group(required=True)
    folder.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="folder to write")
    folder.add_argument("-o", "--out", type=Path, metavar="DIR", help="folder to write, as an option")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the folder is out of date")


def _add_compare_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("comparison")
    text = "engines to compare (default: mujoco,pybullet, of those that are installed)"
    group.add_argument("--engines", default="", metavar="A,B", help=text)
    text = "levels to compare, L0 to L4 (default: %(default)s)"
    group.add_argument("--level", default=",".join(DEFAULT_LEVELS), metavar="L0,L1", help=text)
    group.add_argument("--seed", type=int, default=0, help="seed of the random states")
    group.add_argument("--configurations", type=int, default=20, metavar="N", help="number of random states")
    text = "inertias that are not physical: refuse them, or repair them for all engines"
    group.add_argument("--inertia", choices=("keep", "repair"), default="keep", help=text)
    text = "joint position to compare and draw, such as elbow=0.5 or elbow=30deg"
    group.add_argument("--set", action="append", default=[], metavar="JOINT=VALUE", help=text)
    text = "write report.html, results.json and junit.xml"
    group.add_argument("--report", type=Path, metavar="DIR", help=text)


def _add_demo_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="folder to write; replaces --out")
    parser.add_argument("-o", "--out", type=Path, default=Path("out/demo"), metavar="DIR", help="folder to write")


_COMMANDS = (
    ("demo", "demo", "convert, draw and compare the bundled arm", (_add_demo_arguments,)),
    ("check", "check", "read a file and report every problem", (add_load_options,)),
    ("info", "info", "show models, links and joints as a tree", (add_load_options,)),
    ("graph", "info", "show links and joints as a graph in DOT", (add_load_options,)),
    ("resolve", "resolve", "list the files that a model refers to, and where they were found", (add_load_options,)),
    (
        "convert",
        "convert",
        "write a model as a folder of MJCF files",
        (add_load_options, _add_convert_arguments, add_export_options),
    ),
    ("view", "view", "open MuJoCo's viewer on a model", (add_load_options, add_export_options)),
    ("compare", "compare", "compare simulators on a model", (add_load_options, _add_compare_arguments)),
    ("doctor", "doctor", "list installed versions", ()),
)
"""Name, module, help text and groups of arguments of each command."""

"""The command line: ``sdfbridge``, also ``python -m bridge``.

Exit status: 0 all is well; 1 the model has errors, or the engines differ; 2 wrong usage; 3 an engine is missing.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bridge.parity.engines.protocol import EngineMissingError
from bridge.parity.results.verdict import DEFAULT_LEVELS
from loaders.diagnostics import ModelError
from loaders.scene_queries.excluded_pairs import POLICIES

from . import commands, compare, convert
from .output import Output

DIFFERENT, USAGE, MISSING = 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = _parser().parse_args(arguments)
    output = Output(options.verbose - options.quiet)
    try:
        status: int = options.run(options, output)
    except ModelError as error:
        output.diagnostics(error.diagnostics)
        return DIFFERENT
    except EngineMissingError as error:
        output.error(str(error))
        return MISSING
    except (ValueError, ImportError) as error:
        output.error(str(error))
        return USAGE
    except BrokenPipeError:  # whoever read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        output.error(str(error))
        return DIFFERENT
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sdfbridge", description="SDFormat and URDF robots in PyBullet and MuJoCo, and the proof that both agree."
    )
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, run, help_text, takes_file, more in _COMMANDS:
        sub = subparsers.add_parser(name, help=help_text, description=help_text, parents=[_common(takes_file)])
        more(sub)
        sub.set_defaults(run=run)
    return parser


def _common(takes_file: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    if takes_file:
        parser.add_argument("file", help="SDFormat, URDF, xacro or Drake directives; rd://NAME is a robot description")
        parser.add_argument("--package", action="append", default=[], metavar="NAME=DIR", help="where a package is")
        parser.add_argument("--path", action="append", default=[], type=Path, metavar="DIR", help="a folder to search")
        parser.add_argument("--strict", action="store_true", help="anything that is lost is an error")
        parser.add_argument("--unsafe-paths", action="store_true", help="read files outside the model's folders")
        parser.add_argument("--xacro", action="store_true", help="run xacro, which evaluates code in the file")
        parser.add_argument("--srdf", type=Path, metavar="FILE", help="MoveIt's file with the pairs that never touch")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="tell notes too")
    parser.add_argument("-q", "--quiet", action="count", default=0, help="tell errors only")
    return parser


def _nothing(_parser: argparse.ArgumentParser) -> None:
    """No further arguments."""


def _convert(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="the folder to write")
    where.add_argument("-o", "--out", type=Path, metavar="DIR", help="the same")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if the folder is out of date")
    _choices(parser)


def _choices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--actuators", choices=("none", "motor", "dcmotor", "position", "velocity"), default="none")
    how = "links that nothing holds: free, as the file says, or fixed to the world; or free those that the world holds"
    parser.add_argument("--base", choices=("as_is", "fixed", "free"), default="as_is", help=how)
    parser.add_argument("--inertia", choices=("keep", "repair", "from_geometry", "error"), default="keep")
    how = "which links may touch where no filter says so: the rule of one simulator"
    parser.add_argument("--collision-policy", choices=tuple(POLICIES), default="drake", help=how)
    how = "how meshes collide: as the file says, all as convex hulls, or taken apart into convex parts"
    parser.add_argument("--collision-meshes", choices=("as_is", "hull", "decompose"), default="as_is", help=how)
    how = "where friction and stiffness of contacts stand: on each geom, or on each pair that may touch"
    parser.add_argument("--contacts", choices=("geoms", "pairs"), default="geoms", help=how)


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engines", default="mujoco,pybullet", metavar="A,B", help="what to compare")
    parser.add_argument("--level", default=",".join(DEFAULT_LEVELS), metavar="L0,L1", help="how deep to look, up to L4")
    parser.add_argument("--seed", type=int, default=0, help="of the random states")
    parser.add_argument("--configurations", type=int, default=20, metavar="N", help="number of random states")
    how = "what no body can have is refused, or repaired for all engines"
    parser.add_argument("--inertia", choices=("keep", "repair"), default="keep", help=how)
    parser.add_argument(
        "--set", action="append", default=[], metavar="JOINT=VALUE", help="a position to compare and draw"
    )
    parser.add_argument("--report", type=Path, metavar="DIR", help="write report.html, results.json and junit.xml")


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="as --out")
    parser.add_argument("-o", "--out", type=Path, default=Path("out/demo"), metavar="DIR", help="the folder to write")


_COMMANDS = (
    ("demo", commands.demo, "the main job on the bundled arm: MJCF, pictures, verdict", False, _demo),
    ("check", commands.check, "read a file and report every problem", True, _nothing),
    ("info", commands.info, "models, links and joints as a tree, or in the conformance format", True, _nothing),
    ("graph", commands.graph, "links and joints as a graph in DOT", True, _nothing),
    ("resolve", commands.resolve, "the files that a model names, and where they were found", True, _nothing),
    ("convert", convert.convert, "write a model as a folder of MJCF", True, _convert),
    ("view", convert.view, "open MuJoCo's viewer on a model", True, _choices),
    ("compare", compare.compare, "compare simulators on a model", True, _compare),
    ("doctor", commands.doctor, "what is installed", False, _nothing),
)
"""Name, function, help, whether it takes a file, and further arguments."""

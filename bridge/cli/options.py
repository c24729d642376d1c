"""Options of the commands. This module imports no reader and no engine, so that ``--help`` is fast."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import values

_FILE = "SDFormat, URDF, xacro, MJCF or Drake directives; a folder with model.config; - for standard input; rd://NAME"
FORMATS = ("text", "json", "github", "sarif")
"""Forms in which `check` reports."""
_OF_MJCF = {
    "actuators": "none",
    "base": "as_is",
    "policy": None,
    "collision_meshes": "as_is",
    "contacts": "geoms",
    "inertia": "keep",
}
"""Options of the export to MJCF with their defaults."""


def add_output_options(parser: ArgumentParser) -> None:
    """Add the options that choose what a command prints."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print machine-readable output, on errors too")
    group.add_argument("-v", "--verbose", action="count", default=0, help="print notes and every warning")
    group.add_argument("-q", "--quiet", action="count", default=0, help="print errors only")


def add_load_options(parser: ArgumentParser) -> None:
    """Add the file to read and the options of `loaders.load`."""
    parser.add_argument("file", type=values.name, help=_FILE)
    add_reading_options(parser)


def add_check_options(parser: ArgumentParser) -> None:
    """Add the files to read, the options of `loaders.load`, and the form of the report."""
    text = f"{_FILE}; a folder means all model files in it"
    parser.add_argument("files", nargs="+", type=values.name, metavar="file", help=text)
    add_reading_options(parser)
    text = "form of the report: text, JSON, annotations of GitHub Actions, or SARIF 2.1.0"
    parser.add_argument("--format", choices=FORMATS, help=text)


def add_reading_options(parser: ArgumentParser) -> None:
    """Add the options of `loaders.load`."""
    group = parser.add_argument_group("reading")
    text = "folder of a package"
    group.add_argument("--package", action="append", default=[], type=values.package, metavar="NAME=DIR", help=text)
    group.add_argument(
        "--path", action="append", default=[], type=values.folder, metavar="DIR", help="folder to search"
    )
    errors = group.add_mutually_exclusive_group()
    errors.add_argument("--strict", action="store_true", help="treat anything lost or approximated as an error")
    text = "leave out, or assume, what is invalid but not essential; each finding says what"
    errors.add_argument("--lenient", action="store_true", help=text)
    group.add_argument("--fetch", action="store_true", help="download models of Gazebo Fuel into its local cache")
    group.add_argument("--unsafe-paths", action="store_true", help="read files outside the model's folders")
    group.add_argument("--xacro", action="store_true", help="run xacro, which evaluates code in the file")
    text = "argument of xacro, such as name:=ur5e, which may also stand alone"
    group.add_argument(
        "--xacro-arg", action="append", default=[], type=values.xacro_argument, metavar="NAME:=VALUE", help=text
    )
    text = "limit of a load, by its name in the page on security, such as elements; may be repeated"
    group.add_argument("--limit", action="append", default=[], type=values.limit, metavar="NAME=N", help=text)
    group.add_argument(
        "--srdf", type=values.path, metavar="FILE", help="MoveIt's file with the pairs that never collide"
    )


def add_info_options(parser: ArgumentParser) -> None:
    """Add the options of ``info``."""
    text = "print the pose of every link, joint and frame in the world, as x y z [m] roll pitch yaw [rad]"
    parser.add_argument("--frames", action="store_true", help=text)


def add_graph_options(parser: ArgumentParser) -> None:
    """Add the options of ``graph``."""
    text = "file to write; its suffix selects the format (default: standard output)"
    parser.add_argument("-o", "--out", type=values.path, metavar="FILE", help=text)
    text = "format of the graph (default: that of the file's suffix, else dot)"
    parser.add_argument("--format", choices=("dot", "svg", "png"), help=text)
    add_force_option(parser)


def add_convert_options(parser: ArgumentParser) -> None:
    """Add the options of ``convert``."""
    folder = parser.add_mutually_exclusive_group(required=True)
    folder.add_argument("folder", nargs="?", type=values.path, metavar="OUT", help="folder or file to write")
    folder.add_argument("-o", "--out", type=values.path, metavar="OUT", help="folder or file, as an option")
    text = "format to write (default: that of the suffix .sdf, .urdf, .xml or .dmd.yaml of the output, else mjcf)"
    parser.add_argument("--to", choices=("mjcf", "sdf", "urdf", "directives"), help=text)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the folder is out of date")
    add_force_option(parser)


def add_force_option(parser: Any) -> None:
    """Add the permission to overwrite files in an output folder that this command did not write, or not like that."""
    parser.add_argument("--force", action="store_true", help="overwrite files that were edited or written by others")


def add_base_option(group: Any) -> None:
    """Add the treatment of links that no joint holds."""
    text = "links that no joint holds: as the file says, fixed to the world, or free"
    group.add_argument("--base", choices=("as_is", "fixed", "free"), default="as_is", help=text)


def add_compare_options(parser: ArgumentParser) -> None:
    """Add the options of ``compare``."""
    text = "second file: print what differs between both files, instead of comparing engines on one"
    parser.add_argument("other", nargs="?", metavar="OTHER", help=text)
    group = parser.add_argument_group("comparison of two files")
    text = "name of an item in the second file, where it differs; may be repeated"
    group.add_argument("--map", action="append", default=[], type=values.renaming, metavar="A=B", help=text)
    text = "how items whose name the other file lacks are matched: by their places in the tree of joints, or not at all"
    group.add_argument("--match", choices=("structure", "name"), default="structure", help=text)
    group = parser.add_argument_group("comparison")
    text = "engines to compare (default: mujoco,pybullet, of those that are installed)"
    group.add_argument("--engines", type=values.names, metavar="A,B", help=text)
    text = "levels to compare, L0 to L4 (default: %(default)s)"
    group.add_argument("--level", type=values.levels, default="L0,L1,L2", metavar="L0,L1", help=text)
    group.add_argument("--seed", type=values.natural, default=0, metavar="N", help="seed of the random states")
    text = "number of random states (default: %(default)s)"
    group.add_argument("--configurations", type=values.positive, default=20, metavar="N", help=text)
    add_base_option(group)
    text = "inertias that are not physical: refuse them, or repair them for all engines"
    group.add_argument("--inertia", choices=("keep", "repair"), default="keep", help=text)
    text = "joint position to compare and draw, such as elbow=0.5 or elbow=30deg"
    group.add_argument(
        "--set", action="append", default=[], type=values.joint_position, metavar="JOINT=VALUE", help=text
    )
    text = "folder to write with report.html, results.json and junit.xml"
    group.add_argument("--report", type=values.path, metavar="DIR", help=text)
    add_force_option(group)


def add_view_options(parser: ArgumentParser) -> None:
    """Add the options of ``view``."""
    parser.add_argument("others", nargs="*", type=values.name, metavar="FILE", help="further models, with --browser")
    group = parser.add_argument_group("browser")
    text = "show the models in a web browser, with sliders for their joints, until the command is interrupted"
    group.add_argument("--browser", action="store_true", help=text)
    text = "port of the page on this machine (default: %(default)s, or the next free one)"
    group.add_argument("--port", type=values.natural, default=8080, metavar="N", help=text)
    group.add_argument("--no-open", action="store_true", help="print the address of the page, and open no browser")
    text = "write the view as a page that needs no server and no network, instead of showing it"
    group.add_argument("--html", type=values.path, metavar="FILE", help=text)
    add_force_option(group)


def add_demo_options(parser: ArgumentParser) -> None:
    """Add the options of ``demo``."""
    parser.add_argument("folder", nargs="?", type=values.path, metavar="DIR", help="folder to write; replaces --out")
    parser.add_argument(
        "-o", "--out", type=values.path, default=Path("out/demo"), metavar="DIR", help="folder to write"
    )
    add_force_option(parser)


def add_completion_options(parser: ArgumentParser) -> None:
    """Add the shell of ``completion``."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="shell that reads the script")


def add_export_options(parser: ArgumentParser) -> None:
    """Add the options of `bridge.export_mjcf`."""
    group = parser.add_argument_group("MJCF")
    text = "actuators of the driven joints: none, or a model of the drive"
    choices: tuple[str, ...] = ("none", "motor", "dcmotor", "position", "velocity")
    group.add_argument("--actuators", choices=choices, default="none", help=text)
    add_base_option(group)
    text = "inertias that are not physical: refuse them, repair them, or compute them from the collisions"
    choices = ("keep", "repair", "from_geometry", "error")
    group.add_argument("--inertia", choices=choices, default="keep", help=text)
    text = "default rule for the pairs of links that may collide: that of one simulator (mujoco for MJCF, else drake)"
    choices = ("drake", "sdformat", "mujoco", "pybullet")
    group.add_argument("--policy", choices=choices, help=text)
    text = "how meshes collide: as the file says, as convex hulls, or decomposed into convex parts"
    choices = ("as_is", "hull", "decompose")
    group.add_argument("--collision-meshes", choices=choices, default="as_is", help=text)
    text = "write friction and stiffness of contacts on each geom, or on each pair of geoms that may collide"
    group.add_argument("--contacts", choices=("geoms", "pairs"), default="geoms", help=text)


def add_document_options(parser: ArgumentParser) -> None:
    """Add the options of `bridge.export_sdf`."""
    group = parser.add_argument_group("SDFormat")
    text = "version of SDFormat, 1.7 to 1.12, or lowest: the lowest that has all that is written (default: 1.12)"
    choices = ("1.12", "1.11", "1.10", "1.9", "1.8", "1.7", "lowest")
    group.add_argument("--sdf-version", choices=choices, metavar="VERSION", help=text)
    text = "write model.config beside the model, by which Gazebo finds it"
    group.add_argument("--model-config", action="store_true", default=None, help=text)
    _add_urdf_options(parser)
    text = "format of the models that directives assemble: sdf, one for each model, or urdf, one for each tree"
    parser.add_argument_group("directives").add_argument("--models", choices=("sdf", "urdf"), help=text)


def _add_urdf_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("URDF")
    text = "extensions that may be written: drake, gazebo, pybullet, separated by commas, or none (default: all)"
    group.add_argument("--extensions", type=values.extensions, metavar="A,B", help=text)
    text = "joints of several degrees of freedom as Drake's, or as chains of revolute and prismatic ones"
    group.add_argument("--joints", choices=("all", "plain"), help=text)
    text = "frames that become massless links: those of links that moved to their joints, all, or none"
    group.add_argument("--frame-links", choices=("moved", "all", "none"), help=text)
    text = "leave out couplings"
    group.add_argument("--no-couplings", dest="couplings", action="store_false", default=None, help=text)
    text = "leave out actuators"
    group.add_argument("--no-transmissions", dest="transmissions", action="store_false", default=None, help=text)
    text = "write <ros2_control> with the interfaces of the driven joints"
    group.add_argument("--ros2-control", action="store_true", default=None, help=text)
    text = "URIs of meshes: relative, or package:// with a package.xml"
    group.add_argument("--meshes", choices=("relative", "package"), help=text)
    text = "write an SRDF file with the pairs of links that never collide"
    group.add_argument("--write-srdf", action="store_true", default=None, help=text)


def export_options(options: Namespace) -> dict[str, Any]:
    """Return the keywords of `bridge.export_mjcf`."""
    return {
        "actuators": options.actuators,
        "base": options.base,
        "inertia": options.inertia,
        "policy": options.policy,
        "collision_meshes": options.collision_meshes,
        "contacts": options.contacts,
        "strict": options.strict,
    }


def stated_mjcf_option(options: Namespace, but: Sequence[str] = ()) -> str:
    """Return the first option of the export to MJCF that has another value than its default; empty if none has.

    Args:
        options: The options of the command line.
        but: Names of options that may be stated.
    """
    stated = (key for key, default in _OF_MJCF.items() if key not in but and getattr(options, key) != default)
    return next((f"--{key.replace('_', '-')}" for key in stated), "")

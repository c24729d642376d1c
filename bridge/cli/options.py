"""Options of all commands, and types of their values; imports no reader, and of the targets their
declarations alone.
"""

from __future__ import annotations

import math
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bridge.targets.options import Option
from bridge.targets.target import MJCF, Target, targets

from .errors import UsageError

LEVELS = ("L0", "L1", "L2", "L3", "L4")
"""The levels of a comparison."""


def name(text: str) -> str:
    """Return the name of a file or folder.

    Raises:
        ArgumentTypeError: if it is empty, as a variable of the shell may be.
    """
    if not text.strip():
        raise ArgumentTypeError("the name is empty; expected a file or a folder")
    return text


def path(text: str) -> Path:
    """Return the path of a file or folder, which need not exist; see `name`."""
    return Path(name(text))


def folder(text: str) -> Path:
    """Return a folder that exists.

    Raises:
        ArgumentTypeError: if there is none.
    """
    place = path(text)
    if not place.is_dir():
        problem = "is not a folder" if place.exists() else "does not exist"
        raise ArgumentTypeError(f"{text} {problem}; expected a folder that exists")
    return place


def _invalid(text: str, expected: str) -> ArgumentTypeError:
    return ArgumentTypeError(f"invalid value {text!r}; expected {expected}")


def package(text: str) -> tuple[str, Path]:
    """Return a package's name and its folder, from ``NAME=DIR``.

    Raises:
        ArgumentTypeError: if it has another form, or if there is no such folder.
    """
    package_name, equals, place = text.partition("=")
    if not (package_name and equals and place):
        raise _invalid(text, "NAME=DIR, such as my_robot=src/my_robot")
    return package_name, folder(place)


def renaming(text: str) -> tuple[str, str]:
    """Return two names, from ``A=B``.

    Raises:
        ArgumentTypeError: if it has another form.
    """
    first, equals, second = text.partition("=")
    if not (first and equals and second):
        raise _invalid(text, "A=B, such as elbow=joint_2")
    return first, second


def xacro_argument(text: str) -> tuple[str, str]:
    """Return the name and the value of an argument of xacro, from ``NAME:=VALUE``.

    Raises:
        ArgumentTypeError: if it has another form.
    """
    name, assignment, value = text.partition(":=")
    if not (name and assignment):
        raise _invalid(text, "NAME:=VALUE, such as name:=ur5e")
    return name, value


def positive(text: str) -> int:
    """Return a whole number of at least 1."""
    return _whole(text, 1)


def natural(text: str) -> int:
    """Return a whole number of at least 0."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise _invalid(text, f"a whole number of at least {least}")
    return number


def positive_number(text: str) -> float:
    """Return a positive number.

    Raises:
        ArgumentTypeError: if it is something else.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < math.inf:
        raise _invalid(text, "a positive number")
    return number


def shard(text: str) -> tuple[int, int]:
    """Return the number of a shard and the number of shards, from ``I/N``.

    Raises:
        ArgumentTypeError: if there is no such shard.
    """
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise _invalid(text, "I/N with I from 1 to N, such as 2/4")
    return int(number), int(count)


def limit(text: str) -> tuple[str, int]:
    """Return a limit's name and its value, from ``NAME=N``.

    Raises:
        ArgumentTypeError: if it has another form.
    """
    option, equals, number = text.partition("=")
    if not (option and equals):
        raise _invalid(text, "NAME=N, such as elements=2000000")
    return option, positive(number)


def levels(text: str) -> tuple[str, ...]:
    """Return levels that are separated by commas, such as ``L0,L1`` or ``0,1``.

    Raises:
        ArgumentTypeError: if a level is unknown.
    """
    named = tuple(f"L{word}" if word.isdigit() else word.upper() for word in names(text))
    for level in named:
        if level not in LEVELS:
            raise ArgumentTypeError(
                f"unknown level {level!r}; expected one or more of: {', '.join(LEVELS)}"
            )
    return named


def several(entry: Option, text: str) -> tuple[str, ...]:
    """Return values of an option that are separated by commas; ``none`` means an empty list.

    Args:
        entry: The option.
        text: The values.

    Raises:
        ArgumentTypeError: if one is unknown.
    """
    if text == "none":
        return ()
    found = names(text)
    for word in found:
        if entry.choices and word not in entry.choices:
            raise ArgumentTypeError(
                f"unknown {entry.item} {word!r}; expected none, or some of: "
                f"{', '.join(entry.choices)}"
            )
    return found


def of_names(entry: Option, text: str) -> tuple[str, str]:
    """Return a pattern of names and a choice, from ``NAMES=CHOICE``; a choice alone is that of all.

    Args:
        entry: The option.
        text: The value.

    Raises:
        ArgumentTypeError: if the choice is unknown.
    """
    pattern, equals, word = text.rpartition("=")
    if word not in entry.choices or (equals and not pattern):
        raise ArgumentTypeError(
            f"invalid value {text!r}; expected {entry.metavar}, with one of: "
            f"{', '.join(entry.choices)}"
        )
    return pattern or "*", word


def names(text: str) -> tuple[str, ...]:
    """Return one or more names that are separated by commas, each once.

    Raises:
        ArgumentTypeError: if there is none.
    """
    found = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not found:
        raise _invalid(text, "one or more names, separated by commas")
    return found


def joint_position(text: str) -> tuple[str, float | tuple[float, ...]]:
    """Return ``joint=value``: several numbers are separated by commas, and a number of degrees ends
    with ``deg``.

    Raises:
        ArgumentTypeError: if it has another form.
    """
    joint, equals, value = text.rpartition("=")
    try:
        numbers = tuple(_angle(part) for part in value.split(","))
    except ValueError:
        numbers = ()
    if not (joint and equals and numbers and all(map(math.isfinite, numbers))):
        raise _invalid(text, "JOINT=VALUE, such as elbow=0.5 or elbow=30deg")
    return joint, numbers if len(numbers) > 1 else numbers[0]


def _angle(text: str) -> float:
    degrees = text.strip().removesuffix("deg")
    return math.radians(float(degrees)) if degrees != text.strip() else float(text)


TASKS = ("check", "convert", "compare", "merge")
_INPUTS = (
    "file; folder, which means all models in it; pattern, such as 'models/**/*.urdf'; @FILE for "
    "the lines of a file; rd://NAME, erd://NAME or menagerie://NAME; for merge: folders of batches"
)
_COMPARE = {
    "engines": "engines",
    "level": "levels",
    "seed": "seed",
    "configurations": "configurations",
}
"""Options of the command that ``compare`` takes, and their names in Python."""


_CHECK = frozenset({"ignore", "select", "baseline"})
"""Options of the command that ``check`` takes."""


def _flag(group: Any, *names: str, help: str) -> None:
    group.add_argument(*names, action="store_true", help=help)


def _repeated(group: Any, flag: str, kind: Callable[[str], Any], metavar: str, help: str) -> None:
    """Add an option that may be repeated."""
    group.add_argument(flag, action="append", default=[], type=kind, metavar=metavar, help=help)


def add_batch_options(parser: ArgumentParser) -> None:
    """Add the task, the inputs and the options of ``batch``."""
    parser.add_argument(
        "task",
        choices=TASKS,
        metavar="TASK",
        help="check, convert or compare each model; merge joins the results of shards",
    )
    parser.add_argument("inputs", nargs="+", type=name, metavar="INPUT", help=_INPUTS)
    parser.add_argument(
        "-o", "--out", required=True, type=path, metavar="DIR", help="folder to write"
    )
    group = parser.add_argument_group("running")
    text = "number of processes (default: number of cores)"
    group.add_argument("-j", "--jobs", type=positive, metavar="N", help=text)
    text = "keep the results in DIR whose files, options and versions are unchanged"
    group.add_argument("--resume", action="store_true", help=text)
    text = "largest time of one model (default: %(default)g)"
    group.add_argument(
        "--timeout", type=positive_number, default=300.0, metavar="SECONDS", help=text
    )
    text = "largest memory of one model (default: %(default)g)"
    group.add_argument("--memory", type=positive_number, default=4.0, metavar="GB", help=text)
    group.add_argument(
        "--shard", type=shard, metavar="I/N", help="do part I of N parts of the inputs"
    )
    text = "Dask cluster that does the work: the address of its scheduler, or local"
    group.add_argument("--dask", type=name, metavar="ADDRESS", help=text)
    text = "draw a picture of each model (default: for convert and compare)"
    group.add_argument("--thumbnails", action=BooleanOptionalAction, help=text)
    _flag(group, "--force", help="write into a folder that holds other files")
    _add_task_options(parser)


def _add_task_options(parser: ArgumentParser) -> None:
    _add_selection_options(parser.add_argument_group("check"))
    group = parser.add_argument_group("compare")
    group.add_argument("--engines", type=names, metavar="A,B", help="engines to compare")
    group.add_argument("--level", type=levels, metavar="L0,L1", help="levels to compare, L0 to L4")
    group.add_argument("--seed", type=natural, metavar="N", help="seed of the random states")
    group.add_argument(
        "--configurations", type=positive, metavar="N", help="number of random states"
    )
    known = targets()
    group = parser.add_argument_group("convert")
    text = f"format to write (default: {MJCF.name})"
    group.add_argument("--to", choices=tuple(known), help=text)
    add_target_options(parser, known.values())


def task_options(options: Namespace) -> dict[str, Any]:
    """Return the options of the task that the command line states.

    Raises:
        UsageError: if an option applies to another target.
        ValueError: if an option belongs to another task.
    """
    known = targets()
    of_convert = {"to": "--to"} | {
        entry.key: entry.flag for target in known.values() for entry in flags_of(target)
    }
    of_compare = {*_COMPARE, "inertia", *_OF_COMPARE} - {"base"}
    own = {"compare": of_compare, "convert": of_convert.keys(), "check": _CHECK}.get(
        options.task, set()
    )
    flags = {name: f"--{name}" for name in (*_COMPARE, *_CHECK)} | of_convert
    for name, flag in flags.items():
        if name not in own and getattr(options, name) not in (None, []):
            raise ValueError(f"batch {options.task} has no option {flag}")
    if options.task == "convert":
        stated = {} if options.to is None else {"to": options.to}
        return stated | target_options(options, known[options.to or MJCF.name], known)
    if options.task == "compare" and options.inertia not in {None, "keep", "repair"}:
        raise ValueError(f"unknown value {options.inertia!r} of --inertia; expected keep or repair")
    keywords = {name: _COMPARE.get(name, name) for name in own}
    values = {key: getattr(options, name) for name, key in keywords.items()}
    return {key: value for key, value in values.items() if value not in (None, [])}


_FILE = (
    "SDFormat, URDF, xacro, MJCF or Drake directives; a folder with model.config; - for "
    "standard input; rd://NAME, erd://NAME or menagerie://NAME"
)
FORMATS = ("text", "json", "github", "sarif")
"""Forms of reports of findings."""


def add_output_options(parser: ArgumentParser) -> None:
    """Add the options that choose what a command prints."""
    group = parser.add_argument_group("output")
    _flag(group, "--json", help="print machine-readable output, on errors too")
    group.add_argument(
        "-v", "--verbose", action="count", default=0, help="print notes and every warning"
    )
    group.add_argument("-q", "--quiet", action="count", default=0, help="print errors only")


def add_load_options(parser: ArgumentParser) -> None:
    """Add the file to read and the options of `loaders.load`."""
    parser.add_argument("file", type=name, help=_FILE)
    add_reading_options(parser)


def add_check_options(parser: ArgumentParser) -> None:
    """Add the files to read, the options of `loaders.load`, and the form of the report."""
    text = f"{_FILE}; a folder means all model files in it"
    parser.add_argument("files", nargs="*", type=name, metavar="file", help=text)
    add_reading_options(parser)
    _add_rule_options(parser)
    text = "form of the report: text, JSON, annotations of GitHub Actions, or SARIF 2.1.0"
    parser.add_argument("--format", choices=FORMATS, help=text)
    text = (
        "also report the links that may collide and overlap at some of N random positions within "
        "the limits of the joints"
    )
    parser.add_argument("--positions", type=positive, metavar="N", help=text)
    text = "seed of the random positions (default: %(default)s)"
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help=text)


def _add_rule_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("rules")
    text = "list the codes of all findings with their meanings, and read no file"
    group.add_argument("--rules", action="store_true", help=text)
    _add_selection_options(group)
    text = "write the findings as the baseline, and end with status 0"
    group.add_argument("--write-baseline", action="store_true", help=text)
    text = "check only the models that consist of a file that differs from this state in git"
    group.add_argument("--changed-since", type=name, metavar="REF", help=text)


def _add_selection_options(group: Any) -> None:
    text = "code, or beginning of codes such as robot, that is not reported; may be repeated"
    group.add_argument("--ignore", action="append", default=[], metavar="CODE", help=text)
    text = "code, or beginning of codes, that alone is reported beside errors; may be repeated"
    group.add_argument("--select", action="append", default=[], metavar="CODE", help=text)
    text = "file with findings that are known; a new one is an error"
    group.add_argument("--baseline", type=path, metavar="FILE", help=text)


def add_explain_options(parser: ArgumentParser) -> None:
    """Add the codes of ``explain``."""
    text = "code of a finding, such as robot.degrees, or its beginning, such as robot"
    parser.add_argument("codes", nargs="+", metavar="CODE", help=text)


def add_fix_options(parser: ArgumentParser) -> None:
    """Add the file of ``fix``, where to search for its meshes, and whether it is written."""
    parser.add_argument("file", type=name, help="URDF, SDFormat or MJCF")
    parser.add_argument("--write", action="store_true", help="write the repairs into the file")
    add_search_options(parser.add_argument_group("reading"))


def add_search_options(group: Any) -> None:
    """Add the options that say where to search for the files of a model."""
    text = "folder of a package"
    _repeated(group, "--package", package, "NAME=DIR", text)
    _repeated(group, "--path", folder, "DIR", "folder to search")
    _flag(group, "--unsafe-paths", help="read files outside the model's folders")
    text = "limit of a load, by its name in the page on security, such as elements; may be repeated"
    _repeated(group, "--limit", limit, "NAME=N", text)
    _flag(group, "--fetch", help="download models of Gazebo Fuel into its local cache")
    text = "server that --fetch may ask beside those of Gazebo Fuel, by https"
    _repeated(group, "--fetch-host", str, "HOST[:PORT]", text)


def add_reading_options(parser: ArgumentParser) -> None:
    """Add the options of `loaders.load`."""
    group = parser.add_argument_group("reading")
    add_search_options(group)
    errors = group.add_mutually_exclusive_group()
    _flag(errors, "--strict", help="treat anything lost or approximated as an error")
    text = "leave out, or assume, what is invalid but not essential; each finding says what"
    errors.add_argument("--lenient", action="store_true", help=text)
    _flag(group, "--xacro", help="run xacro, which evaluates code in the file")
    text = "argument of xacro, such as name:=ur5e, which may also stand alone"
    _repeated(group, "--xacro-arg", xacro_argument, "NAME:=VALUE", text)
    group.add_argument(
        "--srdf", type=path, metavar="FILE", help="MoveIt's file with the pairs that never collide"
    )
    text = "TOML file with values that replace those of the source, by link and joint"
    group.add_argument("--overrides", type=path, metavar="FILE", help=text)
    text = (
        "up axis of COLLADA files: found for each robot, as the files state it, or always z "
        "(default: auto)"
    )
    group.add_argument("--up-axis", choices=("auto", "stated", "z"), default="auto", help=text)


def add_info_options(parser: ArgumentParser) -> None:
    """Add the options of ``info``."""
    text = (
        "print the pose of every link, joint and frame in the world, as x y z [m] roll pitch "
        "yaw [rad]"
    )
    _flag(parser, "--frames", help=text)


def add_graph_options(parser: ArgumentParser) -> None:
    """Add the options of ``graph``."""
    text = "file to write; its suffix selects the format (default: standard output)"
    parser.add_argument("-o", "--out", type=path, metavar="FILE", help=text)
    text = "format of the graph (default: that of the file's suffix, else dot)"
    parser.add_argument("--format", choices=("dot", "svg", "png"), help=text)
    add_force_option(parser)


def add_convert_options(parser: ArgumentParser) -> None:
    """Add the options of ``convert``."""
    folder = parser.add_mutually_exclusive_group(required=True)
    folder.add_argument(
        "folder", nargs="?", type=path, metavar="OUT", help="folder or file to write"
    )
    folder.add_argument(
        "-o", "--out", type=path, metavar="OUT", help="folder or file, as an option"
    )
    known = targets()
    usual = [target.suffixes[0] for target in known.values() if target.suffixes]
    text = (
        f"format to write (default: that of the suffix {', '.join(usual[:-1])} or {usual[-1]} of "
        f"the output, else {MJCF.name})"
    )
    parser.add_argument("--to", choices=tuple(known), help=text)
    _flag(parser, "--check", help="write nothing; exit with 1 if the folder is out of date")
    add_force_option(parser)
    add_target_options(parser, known.values())


def add_force_option(parser: Any) -> None:
    """Add `--force`, which overwrites files that were edited or that another program wrote."""
    _flag(parser, "--force", help="overwrite files that were edited or written by others")


_OF_COMPARE = ("base", "overlaps", "exclude", "exclude_samples", "exclude_seed")
"""Options of exports to MJCF that ``compare`` has too."""


def add_compare_options(parser: ArgumentParser) -> None:
    """Add the options of ``compare``."""
    text = "second file: print what differs between both files, instead of comparing engines on one"
    parser.add_argument("other", nargs="?", metavar="OTHER", help=text)
    group = parser.add_argument_group("comparison of two files")
    text = "name of an item in the second file, where it differs; may be repeated"
    _repeated(group, "--map", renaming, "A=B", text)
    text = (
        "how items whose name the other file lacks are matched: by their places in the tree of "
        "joints, or not at all"
    )
    group.add_argument("--match", choices=("structure", "name"), default="structure", help=text)
    text = "form of the report: text, JSON, annotations of GitHub Actions, SARIF 2.1.0, or JUnit"
    group.add_argument("--format", choices=(*FORMATS, "junit"), help=text)
    group = parser.add_argument_group("comparison")
    text = "engines to compare (default: mujoco,pybullet, of those that are installed)"
    group.add_argument("--engines", type=names, metavar="A,B", help=text)
    text = "levels to compare, L0 to L4 (default: %(default)s)"
    group.add_argument("--level", type=levels, default="L0,L1,L2", metavar="L0,L1", help=text)
    group.add_argument(
        "--seed", type=natural, default=0, metavar="N", help="seed of the random states"
    )
    text = "number of random states (default: %(default)s)"
    group.add_argument("--configurations", type=positive, default=20, metavar="N", help=text)
    for entry in flags_of(MJCF):
        if entry.name in _OF_COMPARE:
            _add_option(group, entry, entry.choices, default=entry.default)
    text = "inertias that are not physical: refuse them, or repair them for all engines"
    group.add_argument("--inertia", choices=("keep", "repair"), default="keep", help=text)
    text = "joint position to compare and draw, such as elbow=0.5 or elbow=30deg"
    _repeated(group, "--set", joint_position, "JOINT=VALUE", text)
    text = "folder to write with report.html, results.json and junit.xml"
    group.add_argument("--report", type=path, metavar="DIR", help=text)
    add_force_option(group)


def gains(text: str) -> tuple[str, tuple[float, float]]:
    """Return a joint and the gains of its controller, from ``JOINT=P,D``.

    Raises:
        ArgumentTypeError: if it has another form.
    """
    joint, equals, values = text.rpartition("=")
    try:
        p, d = map(float, values.split(","))
    except ValueError:
        p = d = math.nan
    if not (joint and equals and 0.0 <= p < math.inf and 0.0 <= d < math.inf):
        raise ArgumentTypeError(
            f"invalid value {text!r}; expected JOINT=P,D with gains of position and velocity, such "
            f"as elbow=40,2"
        )
    return joint, (p, d)


def add_replay_options(parser: ArgumentParser) -> None:
    """Add the options of ``replay``."""
    parser.add_argument(
        "log", type=path, metavar="LOG", help="recorded motion: a .csv, .npz or .mcap file"
    )
    group = parser.add_argument_group("replay")
    text = "engines to move (default: mujoco,pybullet, of those that are installed)"
    group.add_argument("--engines", type=names, metavar="A,B", help=text)
    text = (
        "commands that act: efforts, positions with velocities, velocities alone, or all that the "
        "log has (default: %(default)s)"
    )
    group.add_argument(
        "--controller",
        choices=("auto", "effort", "position", "velocity"),
        default="auto",
        help=text,
    )
    text = "gains of position and velocity of a joint's controller; may be repeated"
    _repeated(group, "--gains", gains, "JOINT=P,D", text)
    text = "joint of a name in the log, or JOINT.command_effort of a column; may be repeated"
    _repeated(group, "--map", renaming, "NAME=JOINT", text)
    text = "time step [s] (default: that of the model, at most 0.002)"
    group.add_argument("--step", type=positive_number, metavar="SECONDS", help=text)
    text = "further initial states, from which the motion is repeated (default: %(default)s)"
    group.add_argument("--starts", type=natural, default=0, metavar="N", help=text)
    text = "scatter of the positions of --starts about the measured ones (default: %(default)s)"
    group.add_argument("--scatter", type=positive_number, default=1e-3, metavar="RAD", help=text)
    text = "HTML page to write, with the curves of all joints"
    group.add_argument("--report", type=path, metavar="FILE", help=text)
    text = "TOML file to write, with the overrides that the first cause proposes"
    group.add_argument("--write-overrides", type=path, metavar="FILE", help=text)
    _flag(group, "--no-causes", help="do not try changes of the model that may explain the errors")
    text = "whether free bases are fixed, since a log of joints does not tell how they move"
    group.add_argument("--base", choices=("as_is", "fixed", "free"), default="fixed", help=text)


def add_view_options(parser: ArgumentParser) -> None:
    """Add the options of ``view``."""
    parser.add_argument(
        "others", nargs="*", type=name, metavar="FILE", help="further models, with --browser"
    )
    group = parser.add_argument_group("browser")
    text = (
        "show the models in a web browser, with sliders for their joints, until the command is "
        "interrupted"
    )
    _flag(group, "--browser", help=text)
    text = "port of the page on this machine (default: %(default)s, or the next free one)"
    group.add_argument("--port", type=natural, default=8080, metavar="N", help=text)
    _flag(group, "--no-open", help="print the address of the page, and open no browser")
    text = "lay the further models over the first one, orange and half transparent"
    group.add_argument("--overlay", action="store_true", help=text)
    text = (
        "let the model move freely in several simulators for some seconds, and show the motions "
        "with one slider of time, beside each other or with --overlay"
    )
    group.add_argument("--motion", type=positive_number, metavar="SECONDS", help=text)
    text = "simulators of --motion (default: mujoco,pybullet, of those that are installed)"
    group.add_argument("--engines", type=names, metavar="A,B", help=text)
    text = "write the view as a page that needs no server and no network, instead of showing it"
    group.add_argument("--html", type=path, metavar="FILE", help=text)
    add_force_option(group)


def add_demo_options(parser: ArgumentParser) -> None:
    """Add the options of ``demo``."""
    parser.add_argument(
        "folder", nargs="?", type=path, metavar="DIR", help="folder to write; replaces --out"
    )
    parser.add_argument(
        "-o", "--out", type=path, default=Path("out/demo"), metavar="DIR", help="folder to write"
    )
    add_force_option(parser)


def add_completion_options(parser: ArgumentParser) -> None:
    """Add the shell of ``completion``."""
    parser.add_argument(
        "shell", choices=("bash", "zsh", "fish"), help="shell that reads the script"
    )


def add_mjcf_options(parser: ArgumentParser) -> None:
    """Add the options of `bridge.export_mjcf`."""
    add_target_options(parser, (MJCF,))


def add_target_options(parser: ArgumentParser, known: Iterable[Target]) -> None:
    """Add the options of targets, in a group for each; an option of several is in the first group.

    Args:
        parser: The parser.
        known: The targets.
    """
    known = tuple(known)
    choices: dict[str, dict[str, None]] = {}
    for entry in (entry for target in known for entry in flags_of(target)):
        choices.setdefault(entry.key, {}).update(dict.fromkeys(entry.choices))
    for target in known:
        group = parser.add_argument_group(target.title)
        for entry in flags_of(target):
            if entry.key in choices:
                _add_option(group, entry, tuple(choices.pop(entry.key)))


def _add_option(
    group: Any, entry: Option, choices: tuple[str, ...], *, default: Any = None
) -> None:
    """Add the flag of an option; its value is ``default`` if it is not given."""
    about: dict[str, Any] = {"dest": entry.key, "default": default}
    about["help"] = entry.help.replace("%", "%%")
    if isinstance(entry.default, bool):
        about["action"] = "store_false" if entry.default else "store_true"
    elif entry.of_names:
        about |= {"type": partial(of_names, entry), "metavar": entry.metavar, "action": "append"}
    elif isinstance(entry.default, tuple):
        about |= {"type": partial(several, entry), "metavar": entry.metavar}
    else:
        about |= {"type": type(entry.default), "metavar": entry.metavar}
        about["choices"] = choices or None
    group.add_argument(entry.flag, **about)


def flags_of(target: Target) -> list[Option]:
    """Return the options of a target that the command line has."""
    return [entry for entry in target.options.declared() if entry.flag]


def _last_wins(entries: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the entries as a mapping in the order of their last statement."""
    found: dict[str, str] = {}
    for pattern, word in entries:
        found.pop(pattern, None)
        found[pattern] = word
    return found


def given_flags(options: Namespace, target: Target) -> list[Option]:
    """Return the options of a target that the command line states."""
    return [entry for entry in flags_of(target) if getattr(options, entry.key) is not None]


def target_options(
    options: Namespace, target: Target, known: Mapping[str, Target]
) -> dict[str, Any]:
    """Return the keywords of the options of a target that the command line states.

    Args:
        options: The options of the command line.
        target: The target.
        known: All targets.

    Raises:
        UsageError: if an option, or its value, applies to another target.
    """
    own = {entry.key for entry in flags_of(target)}
    for other in known.values():
        for entry in given_flags(options, other):
            if entry.key not in own:
                raise UsageError(
                    f"{entry.flag} applies to --to {other.name}; expected that, or no such option"
                )
    found = {}
    for entry in given_flags(options, target):
        value = getattr(options, entry.key)
        found[entry.name] = _last_wins(value) if entry.of_names else value
        if isinstance(value, str) and entry.choices and value not in entry.choices:
            raise UsageError(
                f"{entry.flag} {value} does not apply to --to {target.name}; expected "
                f"{' or '.join(entry.choices)}"
            )
    return found

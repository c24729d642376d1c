"""Options of ``batch``. This module imports no reader and no engine, so that ``--help`` is fast."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from . import values

TASKS = ("check", "convert", "compare", "merge")
_INPUTS = (
    "file; folder, which means all models in it; pattern, such as 'models/**/*.urdf'; @FILE for the lines of a file; "
    "rd://NAME; for merge: folders of batches"
)
_COMPARE = {"engines": "engines", "level": "levels", "seed": "seed", "configurations": "configurations"}
"""Options of the command that ``compare`` takes, and their names in Python."""
_CONVERT = ("to", "actuators", "base", "policy", "collision_meshes", "contacts")


def add_batch_options(parser: ArgumentParser) -> None:
    """Add the task, the inputs and the options of ``batch``."""
    parser.add_argument("task", choices=TASKS, help="what to do with each model; merge joins the results of shards")
    parser.add_argument("inputs", nargs="+", type=values.name, metavar="INPUT", help=_INPUTS)
    parser.add_argument("-o", "--out", required=True, type=values.path, metavar="DIR", help="folder to write")
    _add_running_options(parser)
    _add_task_options(parser)


def _add_running_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("running")
    text = "number of processes (default: number of cores)"
    group.add_argument("-j", "--jobs", type=values.positive, metavar="N", help=text)
    text = "keep the results in DIR of which neither files, options nor versions changed"
    group.add_argument("--resume", action="store_true", help=text)
    text = "largest time of one model (default: %(default)g)"
    group.add_argument("--timeout", type=values.positive_number, default=300.0, metavar="SECONDS", help=text)
    text = "largest memory of one model (default: %(default)g)"
    group.add_argument("--memory", type=values.positive_number, default=4.0, metavar="GB", help=text)
    group.add_argument("--shard", type=values.shard, metavar="I/N", help="do part I of N parts of the inputs")
    text = "Dask cluster that does the work: the address of its scheduler, or local"
    group.add_argument("--dask", type=values.name, metavar="ADDRESS", help=text)
    group.add_argument("--no-thumbnails", action="store_true", help="draw no pictures of the models")
    group.add_argument("--force", action="store_true", help="write into a folder that holds other files")


def _add_task_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("compare")
    group.add_argument("--engines", type=values.names, metavar="A,B", help="engines to compare")
    group.add_argument("--level", type=values.levels, metavar="L0,L1", help="levels to compare, L0 to L4")
    group.add_argument("--seed", type=values.natural, metavar="N", help="seed of the random states")
    group.add_argument("--configurations", type=values.positive, metavar="N", help="number of random states")
    group = parser.add_argument_group("convert")
    group.add_argument("--to", choices=("mjcf", "sdf", "urdf"), help="format to write (default: mjcf)")
    choices: tuple[str, ...] = ("none", "motor", "dcmotor", "position", "velocity")
    group.add_argument("--actuators", choices=choices, help="actuators of the driven joints")
    group.add_argument("--base", choices=("as_is", "fixed", "free"), help="links that no joint holds")
    choices = ("drake", "sdformat", "mujoco", "pybullet")
    group.add_argument("--policy", choices=choices, help="default rule for the pairs of links that may collide")
    group.add_argument("--collision-meshes", choices=("as_is", "hull", "decompose"), help="how meshes collide")
    group.add_argument("--contacts", choices=("geoms", "pairs"), help="where friction and stiffness are written")
    choices = ("keep", "repair", "from_geometry", "error")
    text = "convert and compare: inertias that are not physical"
    group.add_argument("--inertia", choices=choices, help=text)


def task_options(options: Namespace) -> dict[str, Any]:
    """Return the options of the task that the command line states.

    Raises:
        ValueError: if an option belongs to another task.
    """
    known = {"compare": {**_COMPARE, "inertia": "inertia"}, "convert": {name: name for name in (*_CONVERT, "inertia")}}
    own = known.get(options.task, {})
    for name in {name for names in known.values() for name in names} - set(own):
        if getattr(options, name) is not None:
            raise ValueError(f"batch {options.task} has no option --{name.replace('_', '-')}")
    stated = {key: getattr(options, name) for name, key in own.items() if getattr(options, name) is not None}
    if options.task == "compare" and stated.get("inertia") not in {None, "keep", "repair"}:
        raise ValueError(f"unknown value {stated['inertia']!r} of --inertia; expected keep or repair")
    return stated

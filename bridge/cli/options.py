"""Options that several commands share, and what they mean for the library."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

import loaders

POLICIES = ("drake", "sdformat", "mujoco", "pybullet")
"""The keys of `loaders.scene_queries.excluded_pairs.POLICIES`, which are not imported to show a help text."""


def add_output_options(parser: ArgumentParser) -> None:
    """Add the options that choose what a command prints."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print machine-readable output")
    group.add_argument("-v", "--verbose", action="count", default=0, help="print notes and every warning")
    group.add_argument("-q", "--quiet", action="count", default=0, help="print errors only")


def add_load_options(parser: ArgumentParser) -> None:
    """Add the file to read and the options of `loaders.load`."""
    parser.add_argument("file", help="SDFormat, URDF, xacro or Drake directives; rd://NAME is a robot description")
    group = parser.add_argument_group("reading")
    group.add_argument("--package", action="append", default=[], metavar="NAME=DIR", help="folder of a package")
    group.add_argument("--path", action="append", default=[], type=Path, metavar="DIR", help="folder to search")
    group.add_argument("--strict", action="store_true", help="treat anything lost or approximated as an error")
    group.add_argument("--unsafe-paths", action="store_true", help="read files outside the model's folders")
    group.add_argument("--xacro", action="store_true", help="run xacro, which evaluates code in the file")
    group.add_argument("--srdf", type=Path, metavar="FILE", help="MoveIt's file with the pairs that never collide")


def add_export_options(parser: ArgumentParser) -> None:
    """Add the options of `bridge.export_mjcf`."""
    group = parser.add_argument_group("MJCF")
    text = "actuators of the driven joints: none, or a model of the drive"
    choices: tuple[str, ...] = ("none", "motor", "dcmotor", "position", "velocity")
    group.add_argument("--actuators", choices=choices, default="none", help=text)
    text = "links that no joint holds: as the file says, fixed to the world, or free"
    group.add_argument("--base", choices=("as_is", "fixed", "free"), default="as_is", help=text)
    text = "inertias that are not physical: refuse them, repair them, or compute them from the collisions"
    choices = ("keep", "repair", "from_geometry", "error")
    group.add_argument("--inertia", choices=choices, default="keep", help=text)
    text = "default rule for the pairs of links that may collide: that of one simulator"
    group.add_argument("--policy", choices=POLICIES, default="drake", help=text)
    text = "how meshes collide: as the file says, as convex hulls, or decomposed into convex parts"
    choices = ("as_is", "hull", "decompose")
    group.add_argument("--collision-meshes", choices=choices, default="as_is", help=text)
    text = "write friction and stiffness of contacts on each geom, or on each pair of geoms that may collide"
    group.add_argument("--contacts", choices=("geoms", "pairs"), default="geoms", help=text)


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


def search(options: Namespace) -> loaders.Search:
    """Return where to search for the files that a model refers to."""
    return {
        "package_map": dict(_package(text) for text in options.package),
        "paths": options.path,
        "unsafe_paths": options.unsafe_paths,
    }


def _package(text: str) -> tuple[str, Path]:
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise ValueError(f"invalid --package {text!r}; expected NAME=DIR")
    return name, Path(folder)


def load_scene(options: Namespace) -> loaders.Scene:
    """Load the file of the command line.

    Raises:
        LoadError: if the file is invalid.
    """
    return loaders.load(
        options.file,
        strict=options.strict,
        srdf=options.srdf,
        allow_xacro=options.xacro,
        quiet=True,  # the commands print the diagnostics
        **search(options),
    )

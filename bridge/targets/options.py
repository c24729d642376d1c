"""The options of the targets, each declared once: default, values, help and flag.

The checks of keywords, the command line, its completion and the README of an export follow from the
declaration. The module imports neither NumPy nor a target, so that ``--help`` answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from bridge.choices import (
    AS_STATED,
    Base,
    CollisionMeshes,
    CollisionShape,
    Exclude,
    Exclusion,
    Fit,
    Overlaps,
    Shapes,
)
from loaders.text import check_flag, check_option_value, check_whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """The declaration of an option.

    Attributes:
        name: Keyword of the functions of the target.
        default: Its default: a word, a flag, a number, or a tuple of words.
        help: What it means, in the help of the commands.
        choices: The values that it may have; empty for any.
        flag: Its flag on the command line; empty if it has none.
        metavar: What stands for its value in the help.
        item: What one value of a tuple is called in messages.
        least: The smallest value, of a number.
        of_folder: Values that need a folder, and cannot be written as one file.
        of_names: Whether it is a mapping from names or patterns to one of the choices; the flag
            then states one entry and may be repeated.
    """

    name: str
    default: Any
    help: str = ""
    choices: tuple[str, ...] = ()
    flag: str = ""
    metavar: str | None = None
    item: str = ""
    least: int = 0
    of_folder: tuple[Any, ...] = ()
    of_names: bool = False

    @property
    def key(self) -> str:
        """The name of its value among the options of a command."""
        return self.flag.removeprefix("--").removeprefix("no-").replace("-", "_")

    def check(self, value: Any) -> None:
        """Refuse a value that the option cannot have.

        Raises:
            TypeError: if it is neither true nor false, or not a sequence, where that is expected.
            ValueError: if it is not one of the choices, or too small.
        """
        if isinstance(self.default, bool):
            check_flag(self.name, value)
        elif isinstance(self.default, int):
            check_whole_number(self.name, value, self.least)
        elif not self.choices or self.of_names:  # what uses a mapping checks it
            return
        elif not isinstance(self.default, tuple):
            check_option_value(self.name, value, self.choices)
        elif isinstance(value, str):
            raise TypeError(
                f"expected a sequence of {self.name}, such as ({value!r},), not a string"
            )
        else:
            for word in value:
                check_option_value(self.item, word, self.choices)


def option(default: Any, text: str = "", *, flag: str | None = None, **declaration: Any) -> Any:
    """Return the field of a dataclass that declares an option.

    Args:
        default: Its default.
        text: What it means, in the help of the commands.
        flag: Its flag on the command line, by default that of its name; empty for none. An option
            that is true by default is switched off there.
        declaration: Other attributes of `Option`; the choices follow from a type of words.
    """
    about = {"help": text, **declaration} | ({} if flag is None else {"flag": flag})
    return field(default=default, metadata=about)


def changed_options(options: ExportOptions) -> Mapping[str, Any]:
    """Return the options that differ from their defaults, but not ``strict``."""
    values = ((entry, getattr(options, entry.name)) for entry in options.declared())
    return {entry.name: value for entry, value in values if value != entry.default}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """The options of an export, checked, with their defaults; base of those of each target."""

    strict: bool = False
    """Whether anything lost or approximated is an error; it concerns reading too."""

    @classmethod
    @cache  # every engine that opens an export asks for its options
    def declared(cls) -> tuple[Option, ...]:
        """Return the options of the class, but not ``strict``, which all functions share."""
        hints = get_type_hints(cls)
        found: list[Option] = []
        for entry in fields(cls):
            if entry.name == "strict":
                continue
            words = entry.name.replace("_", "-")
            flag = f"--no-{words}" if entry.default is True else f"--{words}"
            hint = hints[entry.name]
            choices = get_args(hint) if get_origin(hint) is Literal else ()
            stated = {"flag": flag, "choices": choices, **entry.metadata}
            found.append(Option(name=entry.name, default=entry.default, **stated))
        return tuple(found)

    def __post_init__(self) -> None:
        for entry in self.declared():
            entry.check(getattr(self, entry.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedOptions(ExportOptions):
    """The options of all targets of this package: which pairs of links collide, and as what."""

    exclude: Exclude = option(
        "as_is",
        "pairs of links that do not collide: as the file says, or also those that are "
        "adjacent, or touch always or never at random positions (sampled)",
    )
    exclude_samples: int = option(
        AS_STATED.samples,
        f"number of random positions of --exclude sampled (default: {AS_STATED.samples})",
        metavar="N",
        least=1,
    )
    exclude_seed: int = option(
        AS_STATED.seed,
        f"seed of the random positions of --exclude sampled (default: {AS_STATED.seed})",
        metavar="N",
    )

    shapes: Shapes = option(
        None,
        "shape of the collision meshes of links, such as 'finger*=box', or that of all links: mesh "
        "(as the file says), hull, parts (separate convex parts), decompose (by coacd), a fitted "
        "box, capsule, cylinder or sphere, or none; may be repeated, the last that matches counts",
        flag="--shape",
        choices=get_args(CollisionShape),
        metavar="LINKS=SHAPE",
        of_names=True,
    )
    fit: Fit = option("contain", "fitted shapes contain the mesh, or are the closest to it")

    @property
    def exclusion(self) -> Exclusion:
        """The choice of the pairs."""
        return Exclusion(exclude=self.exclude, samples=self.exclude_samples, seed=self.exclude_seed)


Repair = Literal["keep", "repair"]
"""Treatments of inertias that are not physical, in files that Drake and Gazebo read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOptions(SharedOptions):
    """The options of SDFormat, URDF and directives."""

    inertia: Repair = option(
        "keep",
        "inertias that are not physical: keep writes them as they are, repair writes the nearest "
        "physical ones",
    )


_LEAST_VERTICES = 4
"""Smallest number of vertices of a hull."""
Actuators = Literal["none", "motor", "dcmotor", "position", "velocity", "stated"]
Contacts = Literal["geoms", "pairs"]
Program = Literal["any", "ros2_control"]
MjcfInertia = Literal["keep", "repair", "from_geometry", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MjcfExportOptions(SharedOptions):
    """Options of `bridge.export_mjcf`."""

    actuators: Actuators = option(
        "none", "actuators of the driven joints: none, or a model of the drive"
    )
    base: Base = option(
        "as_is", "links that no joint holds: as the file says, fixed to the world, or free"
    )
    inertia: MjcfInertia = option(
        "keep",
        "inertias that are not physical: keep refuses them, repair replaces each by the nearest "
        "physical one, from_geometry computes them from the collisions, error also refuses links "
        "without inertia",
    )
    policy: str = option(
        "neighbors",
        "default rule for the pairs of links that may collide: that of one simulator, or "
        "neighbors (the default is that of the file's format, and neighbors for URDF)",
        choices=("neighbors", "drake", "sdformat", "mujoco", "pybullet"),
    )
    overlaps: Overlaps = option(
        "exclude",
        "links of a URDF that overlap initially: exclude them from contact, or keep them colliding",
    )
    collision_meshes: CollisionMeshes = option(
        "as_is",
        "how meshes collide: as the file says, as convex hulls, or decomposed into convex parts",
    )
    maxhullvert: int = option(
        0,
        "largest number of vertices of the hulls of meshes, at least 4 (MuJoCo's maxhullvert); "
        "0 for any",
        metavar="N",
    )
    contacts: Contacts = option(
        "geoms",
        "write friction and stiffness of contacts on each geom, or on each pair of geoms that "
        "may collide",
    )

    program: Program = option(
        "any",
        "program that runs the model: ros2_control writes the names, sites and actuators that "
        "mujoco_ros2_control finds, and the <mujoco_inputs> of a URDF",
        flag="--for",
    )

    def __post_init__(self) -> None:
        ExportOptions.__post_init__(self)
        if not isinstance(self.maxhullvert, int) or 0 != self.maxhullvert < _LEAST_VERTICES:
            raise ValueError(
                f"invalid maxhullvert {self.maxhullvert!r}; expected 0, or at least "
                f"{_LEAST_VERTICES} vertices"
            )


World = Literal["auto", "always", "never"]
VERSIONS = ("1.12", "1.11", "1.10", "1.9", "1.8", "1.7")
"""Versions of SDFormat that can be written, newest first."""
LOWEST = "lowest"
"""Stands for the lowest version that has every element of the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SdfExportOptions(RepairOptions):
    """Options of `bridge.export_sdf`."""

    world: World = option("auto", flag="")
    version: str = option(
        VERSIONS[0],
        "version of SDFormat, 1.7 to 1.12, or lowest: the lowest that has all that is written "
        f"(default: {VERSIONS[0]})",
        flag="--sdf-version",
        choices=(*VERSIONS, LOWEST),
        metavar="VERSION",
    )
    model_config: bool = option(
        False, "write model.config beside the model, so that Gazebo finds it", of_folder=(True,)
    )

    def __post_init__(self) -> None:
        ExportOptions.__post_init__(self)
        if self.model_config and self.world == "always":
            raise ValueError(
                "model.config describes a model; expected world='auto' or 'never' beside "
                "model_config"
            )


Extension = Literal["drake", "gazebo", "pybullet"]
EXTENSIONS: tuple[Extension, ...] = get_args(Extension)
"""The extensions of a URDF."""
Joints = Literal["all", "plain"]
FrameLinks = Literal["moved", "all", "none"]
Meshes = Literal["relative", "package"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UrdfExportOptions(RepairOptions):
    """Options of `bridge.export_urdf`."""

    extensions: Sequence[Extension] = option(
        EXTENSIONS,
        "extensions that may be written: drake, gazebo, pybullet, separated by commas, or none "
        "(default: all)",
        choices=EXTENSIONS,
        metavar="A,B",
        item="extension",
    )
    joints: Joints = option(
        "all",
        "joints of several degrees of freedom as Drake's, or as chains of revolute and "
        "prismatic ones",
    )
    frame_links: FrameLinks = option(
        "moved",
        "frames that become massless links: those of links that moved to their joints, all, "
        "or none",
    )
    couplings: bool = option(True, "leave out couplings")
    transmissions: bool = option(True, "leave out actuators")
    ros2_control: bool = option(
        False, "write <ros2_control> with the interfaces of the driven joints"
    )
    meshes: Meshes = option(
        "relative",
        "URIs of meshes: relative, or package:// with a package.xml",
        of_folder=("package",),
    )
    write_srdf: bool = option(
        False, "write an SRDF file with the pairs of links that never collide", of_folder=(True,)
    )


Models = Literal["sdf", "urdf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectivesExportOptions(RepairOptions):
    """Options of `bridge.export_directives`."""

    models: Models = option(
        "sdf",
        "format of the models that directives assemble: sdf, one for each model, or urdf, one "
        "for each tree",
    )

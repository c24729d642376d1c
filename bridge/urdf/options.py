"""Options of the export to URDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from bridge.lowering.inputs import split_options
from loaders import LoadOptions
from loaders.keyword_options import check_option_value

Inertia = Literal["keep", "repair"]
Extension = Literal["drake", "gazebo", "pybullet"]
EXTENSIONS: tuple[Extension, ...] = get_args(Extension)
Joints = Literal["all", "plain"]
FrameLinks = Literal["moved", "all", "none"]
Meshes = Literal["relative", "package"]


class UrdfOptions(LoadOptions, total=False):
    """Keywords of `bridge.to_urdf`, which documents them; each may be omitted."""

    extensions: Sequence[Extension]
    inertia: Inertia
    joints: Joints
    frame_links: FrameLinks
    couplings: bool
    transmissions: bool
    ros2_control: bool
    meshes: Meshes
    write_srdf: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The keywords of `UrdfOptions` that concern the export, checked, with their defaults."""

    extensions: Sequence[Extension] = EXTENSIONS
    inertia: Inertia = "keep"
    joints: Joints = "all"
    frame_links: FrameLinks = "moved"
    couplings: bool = True
    transmissions: bool = True
    ros2_control: bool = False
    meshes: Meshes = "relative"
    write_srdf: bool = False
    strict: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.extensions, str):
            raise TypeError(f"expected a sequence of extensions, such as ({self.extensions!r},), not a string")
        choices = {"inertia": Inertia, "joints": Joints, "frame_links": FrameLinks, "meshes": Meshes}
        values: list[tuple[str, str, tuple[str, ...]]] = [("extension", value, EXTENSIONS) for value in self.extensions]
        values += [(key, getattr(self, key), get_args(choice)) for key, choice in choices.items()]
        for key, value, known in values:
            check_option_value(key, value, known)

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[Options, LoadOptions]:
        """Separate the options of the export from those of `loaders.load`.

        Raises:
            TypeError: if an option is unknown.
            ValueError: if an option has an unknown value.
        """
        options, load_options = split_options(cls, keywords, UrdfOptions)
        return cls(**options), load_options

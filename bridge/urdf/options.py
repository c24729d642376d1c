"""Options of the export to URDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, cast, get_args

from loaders import LoadOptions
from loaders.option_names import check_option_names

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
            if value not in known:
                raise ValueError(f"unknown {key} {value!r}; expected one of: {', '.join(known)}")

    @classmethod
    def split(cls, keywords: Mapping[str, Any]) -> tuple[Options, LoadOptions]:
        """Separate the options of the export from those of `loaders.load`.

        Raises:
            TypeError: if an option is unknown.
            ValueError: if an option has an unknown value.
        """
        check_option_names(keywords, UrdfOptions.__optional_keys__)
        names = {field.name for field in fields(cls)} & keywords.keys()
        load_names = keywords.keys() & LoadOptions.__optional_keys__
        options = cls(**{name: keywords[name] for name in names})
        return options, cast(LoadOptions, {name: keywords[name] for name in load_names})

"""A hostile input, and helpers to write one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

INERTIA = (
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
)
SECRET = "top-secret"
FINE = ""
"""Code of a step that succeeds, and of which no code is demanded."""

Content = str | bytes | Callable[[], bytes]
"""What a file holds; a function makes it when the case is built: compressing takes time."""
Builder = Callable[[Path], str]
"""Writes the files of a case into a folder, and returns the name of the main file."""


@dataclass(frozen=True)
class Hostile:
    """A case.

    Attributes:
        build: Writes the files.
        load: Code that loading must report; with ``!`` in front the load must fail with it. Empty:
            it must succeed.
        mjcf: The same for the export to MJCF.
        bullet: The same for loading into PyBullet.
        file: Name of the file that the finding must be about; empty for any.
        options: Options of the load.
    """

    build: Builder
    load: str = FINE
    mjcf: str = FINE
    bullet: str = FINE
    file: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def expected(self) -> dict[str, str]:
        """Return the code of each step; none after a load that must fail."""
        steps = {"load": self.load, "mjcf": self.mjcf, "bullet": self.bullet}
        return {"load": self.load} if self.load.startswith("!") else steps


def everywhere(code: str) -> dict[str, str]:
    """Return the arguments of a case in which both engines report a code."""
    return {"mjcf": code, "bullet": code}


def sdf(body: str) -> str:
    """Return a model."""
    return f"<sdf version='1.11'><model name='m'>{body}</model></sdf>"


def link(content: str = "", name: str = "a") -> str:
    """Return a link with an inertia."""
    return f"<link name='{name}'>{INERTIA}{content}</link>"


def shape(geometry: str) -> str:
    """Return a model with a collision and a visual of a shape."""
    both = f"<geometry>{geometry}</geometry>"
    return sdf(link(f"<collision name='c'>{both}</collision><visual name='v'>{both}</visual>"))


def text(content: str | bytes, name: str = "robot.sdf", **files: Content) -> Builder:
    """Return a builder of one file, and of others beside it; two underscores in a keyword stand for
    a dot.
    """

    def build(folder: Path) -> str:
        for key, data in {
            name: content,
            **{key.replace("__", "."): data for key, data in files.items()},
        }.items():
            made = data() if callable(data) else data
            (folder / key).write_bytes(made.encode() if isinstance(made, str) else made)
        return name

    return build


def mesh(name: str, data: str | bytes, *, scale: str = "1 1 1", **files: str | bytes) -> Builder:
    """Return a builder of a model with a mesh file."""
    body = shape(f"<mesh><uri>{name}</uri><scale>{scale}</scale></mesh>")
    return text(body, **{name.replace(".", "__"): data, **files})


def texture(name: str, data: Content) -> Builder:
    """Return a builder of a box with a texture file."""
    look = f"<material><pbr><metal><albedo_map>{name}</albedo_map></metal></pbr></material>"
    body = f"<visual name='v'><geometry><box><size>1 1 1</size></box></geometry>{look}</visual>"
    return text(sdf(link(body)), **{name.replace(".", "__"): data})


def terrain(name: str, data: Content, size: str = "10 10 1", sampling: str = "1") -> Builder:
    """Return a builder of terrain from an image file."""
    height = f"<heightmap><uri>{name}</uri><size>{size}</size><sampling>{sampling}</sampling></heightmap>"
    both = f"<collision name='c'><geometry>{height}</geometry></collision>"
    body = f"<static>true</static><link name='a'>{both}</link>"
    return text(sdf(body), **{name.replace(".", "__"): data})


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n{}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
"""An OBJ file, with a place before the faces."""

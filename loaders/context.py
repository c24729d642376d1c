"""Context of a load, passed to every reader: search for files, permissions, diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loaders.scene import Scene

from .diagnostics import Diagnostics
from .reading.makers import maker
from .resources import Resources

MAX_INCLUDE_DEPTH = 32
"""Largest number of files that include one another."""


def element_count(scene: Scene) -> int:
    """Return the number of elements that a scene adds to the one that includes it."""
    shapes = sum(len(link.collisions) + len(link.visuals) + len(link.sensors) for link in scene.links)
    return shapes + sum(map(len, (scene.links, scene.joints, scene.frames, scene.models, scene.lights)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Context of one load; immutable but for ``diagnostics``, to which readers append, and ``resources.lookups``."""

    resources: Resources
    """Search for the files that a model names."""
    diagnostics: Diagnostics
    """Findings of the load."""
    read_file: Callable[[Path, Context], Scene | None]
    """Reader of a file of any format, by which one format includes another without importing its reader."""
    files: tuple[Path, ...] = ()
    """The files being read, outermost first."""
    allow_xacro: bool = False
    """Whether xacro may run; it evaluates Python code in the file."""
    xacro_args: Mapping[str, str] = field(default_factory=dict)
    """Arguments of xacro, by name."""

    def inside(self, path: Path) -> Context:
        """Return the context for the content of a file."""
        return _Context(
            resources=self.resources,
            diagnostics=self.diagnostics,
            read_file=self.read_file,
            files=(*self.files, path),
            allow_xacro=self.allow_xacro,
            xacro_args=self.xacro_args,
        )

    @property
    def including(self) -> tuple[Path, ...]:
        """Real paths of the files being read, outermost first, to detect include cycles."""
        return tuple(Path(self.resources.real_paths(file)) for file in self.files)


_Context = maker(Context)

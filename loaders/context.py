"""What every reader is handed: where to look for files, what it may do, and where to report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from loaders.scene import Scene

from .diagnostics import Diagnostics
from .resources import Resources

MAX_INCLUDE_DEPTH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Passed down from `loaders.load`; readers change nothing in it but append to ``diagnostics``."""

    resources: Resources
    diagnostics: Diagnostics
    read_file: Callable[[Path, Context], Scene | None]
    """Reads a file of any format: how one format includes another without knowing it."""
    including: tuple[Path, ...] = ()
    """The real paths of the files being read, outermost first: guards against include cycles."""
    allow_xacro: bool = False

    def inside(self, path: Path) -> Context:
        """The context for a file that is included from here."""
        return replace(self, including=(*self.including, path))

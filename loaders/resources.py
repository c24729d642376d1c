"""URIs and names in files, to files on this machine; never over the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Where files may be found, as the caller said."""

    package_map: Mapping[str, Path] = field(default_factory=dict)
    """Folder of each package or model that is known by name."""
    paths: Sequence[Path] = ()
    """Folders to search, in order."""
    unsafe_paths: bool = False
    """Whether a file outside the model's folder, its packages and the given folders may be read."""

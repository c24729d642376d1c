"""Read SDFormat, URDF and Drake's model directives into one canonical model, a `Scene`.

Each public name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .deferred import on_demand

if TYPE_CHECKING:
    from .context import Lookup
    from .diagnostics import (
        Diagnostic,
        ExportError,
        Fate,
        LoadError,
        LossWarning,
        ModelError,
        Where,
    )
    from .formats import LoadOptions, Search, load, load_string, resolve
    from .inertia import SpatialInertia
    from .limits import Limits
    from .model import WORLD
    from .pose import Pose
    from .scene import Scene

__all__ = [
    "WORLD", "Diagnostic", "ExportError", "Fate", "Limits", "LoadError", "LoadOptions", "Lookup",
    "LossWarning", "ModelError", "Pose", "Scene", "Search", "SpatialInertia", "Where", "load",
    "load_string", "resolve",
]  # fmt: skip

_HOMES = {
    "WORLD": ".model",
    "Limits": ".limits",
    "LossWarning": ".diagnostics",
    "Lookup": ".context",
    "Pose": ".pose",
    "Scene": ".scene",
    "SpatialInertia": ".inertia",
    **dict.fromkeys(
        ("Diagnostic", "ExportError", "Fate", "LoadError", "ModelError", "Where"), ".diagnostics"
    ),
    **dict.fromkeys(("LoadOptions", "Search", "load", "load_string", "resolve"), ".formats"),
}
"""Modules of the public names, which are imported on first use."""


_found = on_demand(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    value = globals()[name] = _found(name)
    return value


def __dir__() -> list[str]:
    """Return the public names only."""
    return sorted(__all__)

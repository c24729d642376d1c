"""Proof: whether simulators run the same robot, in numbers, with the worst error and where it is.

Each public name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .comparison import Comparison
    from .engine import (
        BaseEngine,
        Engine,
        EngineMissingError,
        JointParameters,
        NotReportedError,
        default_engines,
        engine_names,
    )
    from .motion.recording import record_motion, view_motion
    from .two_models import compare
    from .verdict import Level, Outcome, Row, Verdict

__all__ = [
    "BaseEngine", "Comparison", "Engine", "EngineMissingError", "JointParameters", "Level",
    "NotReportedError", "Outcome", "Row", "Verdict", "compare", "default_engines", "engine_names",
    "record_motion", "view_motion",
]  # fmt: skip

_OF_ENGINES = (
    "BaseEngine", "Engine", "EngineMissingError", "JointParameters", "NotReportedError",
    "default_engines", "engine_names",
)  # fmt: skip
_HOMES = {
    "Comparison": ".comparison",
    "compare": ".two_models",
    **dict.fromkeys(("record_motion", "view_motion"), ".motion.recording"),
    **dict.fromkeys(_OF_ENGINES, ".engine"),
    **dict.fromkeys(("Level", "Outcome", "Row", "Verdict"), ".verdict"),
}
"""Modules of the public names, which are imported on first use."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return list(__all__)

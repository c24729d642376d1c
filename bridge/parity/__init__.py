"""Proof: whether simulators run the same robot, in numbers, with the worst error and where it is.

Each public name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.deferred import on_demand

if TYPE_CHECKING:
    from bridge.parity.motion.trajectory import record_motion

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
    from .two_models import compare
    from .verdict import Level, Outcome, Row, Verdict

__all__ = [
    "BaseEngine", "Comparison", "Engine", "EngineMissingError", "JointParameters", "Level",
    "NotReportedError", "Outcome", "Row", "Verdict", "compare", "default_engines", "engine_names",
    "record_motion",
]  # fmt: skip

_HOMES = dict.fromkeys(__all__, ".engine") | {
    "Comparison": ".comparison",
    "compare": ".two_models",
    "record_motion": ".motion.trajectory",
    **dict.fromkeys(("Level", "Outcome", "Row", "Verdict"), ".verdict"),
}
"""Modules of the public names, which are imported on first use."""


__getattr__ = on_demand(__name__, _HOMES)


def __dir__() -> list[str]:
    return list(__all__)

"""MuJoCo's format MJCF as a target: a mechanism as a document, as a ``mujoco.MjSpec``, and as a
folder of files.

Each function and class is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.choices import Base
from bridge.targets.options import Actuators, Contacts
from bridge.targets.options import MjcfInertia as Inertia
from loaders.deferred import on_demand

if TYPE_CHECKING:
    from bridge.targets.mjcf.joint import PassiveForces, passive_forces

    from .context import MjcfOptions
    from .folder import Mjcf, MjcfExport, export_mjcf, to_mjcf, to_mjspec

__all__ = [
    "Actuators", "Base", "Contacts", "Inertia", "Mjcf", "MjcfExport", "MjcfOptions",
    "PassiveForces", "export_mjcf", "passive_forces", "to_mjcf", "to_mjspec",
]  # fmt: skip

__getattr__ = on_demand(
    __name__,
    {
        "MjcfOptions": ".context",
        "PassiveForces": ".joint",
        "passive_forces": ".joint",
        **dict.fromkeys(("Mjcf", "MjcfExport", "export_mjcf", "to_mjcf", "to_mjspec"), ".folder"),
    },
)


def __dir__() -> list[str]:
    return list(__all__)

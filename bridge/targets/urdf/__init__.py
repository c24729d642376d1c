"""URDF as a target: a scene as a document, and as a folder of files.

Each public name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.deferred import on_demand

if TYPE_CHECKING:
    from bridge.targets.urdf.normal_form import UrdfOptions

    from .document import Urdf, export_urdf, to_urdf

__all__ = ["Urdf", "UrdfOptions", "export_urdf", "to_urdf"]

__getattr__ = on_demand(
    __name__, dict.fromkeys(__all__, ".document") | {"UrdfOptions": ".normal_form"}
)


def __dir__() -> list[str]:
    return list(__all__)

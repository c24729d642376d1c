"""SDFormat as a target: a scene as a document, and as a folder of files.

Each public name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.deferred import on_demand

if TYPE_CHECKING:
    from bridge.targets.sdf.normal_form import SdfOptions

    from .document import Sdf, export_sdf, printed_sdf, to_sdf

__all__ = ["Sdf", "SdfOptions", "export_sdf", "printed_sdf", "to_sdf"]

__getattr__ = on_demand(
    __name__, dict.fromkeys(__all__, ".document") | {"SdfOptions": ".normal_form"}
)


def __dir__() -> list[str]:
    return list(__all__)

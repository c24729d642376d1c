"""Target PyBullet.

`load_into_pybullet` does not use PyBullet's own SDF reader, and PyBullet never reads the user's
file: the loader writes one canonical URDF document for each body, and disables what PyBullet adds
by default. Each public name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.deferred import on_demand

if TYPE_CHECKING:
    from .body import Bodies, PyBulletBody
    from .load import load_copies_into_pybullet, load_into_pybullet, load_world_into_pybullet

__all__ = [
    "Bodies", "PyBulletBody", "load_copies_into_pybullet", "load_into_pybullet",
    "load_world_into_pybullet",
]  # fmt: skip

__getattr__ = on_demand(
    __name__,
    {
        "Bodies": ".body",
        "PyBulletBody": ".body",
        "load_copies_into_pybullet": ".load",
        "load_into_pybullet": ".load",
        "load_world_into_pybullet": ".load",
    },
)


def __dir__() -> list[str]:
    return list(__all__)

"""Replace inertias that no rigid body can have by the nearest ones that a body can have."""

from __future__ import annotations

import dataclasses
from typing import Any

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import Link
from loaders.scene import Scene
from loaders.spatial import SpatialInertia

REPAIRED_INERTIA = (
    "the inertia of link {link} is not physical: {defects}; "
    "using mass {mass:g} kg and principal moments {moments} kg m^2"
)
"""Template of the finding about one link; `repair_arguments` returns its arguments."""


def repair_arguments(link: Link, inertia: SpatialInertia) -> dict[str, Any]:
    """Return the arguments of `REPAIRED_INERTIA`.

    Args:
        link: The link.
        inertia: Its inertia as the source states it.
    """
    repaired = inertia.repaired()
    moments = tuple(f"{moment:.6g}" for moment in repaired.principal_axes()[1])
    return {"link": link.name, "defects": tuple(inertia.defects()), "mass": repaired.mass, "moments": moments}


def with_repaired_inertia(scene: Scene, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the nearest physical inertia for each link whose own is not physical.

    Args:
        scene: The scene to repair; it is returned itself if there is nothing to repair.
        diagnostics: Receives one finding for each link that is repaired.
    """
    repaired: dict[str, SpatialInertia] = {}
    for link in scene.links:
        if link.inertia is not None and link.inertia.defects():
            diagnostics.add(
                Fate.REPAIRED,
                "lower.repaired-inertia",
                REPAIRED_INERTIA,
                link.where,
                subjects=(link.name,),
                **repair_arguments(link, link.inertia),
            )
            repaired[link.name] = link.inertia.repaired()
    if not repaired:
        return scene
    links = tuple(dataclasses.replace(link, inertia=repaired.get(link.name, link.inertia)) for link in scene.links)
    return dataclasses.replace(scene, links=links)

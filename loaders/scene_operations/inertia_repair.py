"""Repair of inertias that no rigid body can have, in lenient loading."""

from __future__ import annotations

import dataclasses

import numpy as np

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import Link
from loaders.scene import Scene
from loaders.spatial import SpatialInertia


def repair_inertias(scene: Scene, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the nearest physical inertia for each link whose own is not physical.

    Args:
        scene: The scene.
        diagnostics: Record for one finding for each link that is repaired, with the size of the change.
    """
    repaired: dict[str, SpatialInertia] = {}
    for link in scene.links:
        if link.inertia is not None and link.inertia.defects():
            repaired[link.name] = link.inertia.repaired()
            _report(link, link.inertia, repaired[link.name], diagnostics)
    if not repaired:
        return scene
    links = tuple(dataclasses.replace(link, inertia=repaired.get(link.name, link.inertia)) for link in scene.links)
    return dataclasses.replace(scene, links=links)


def _report(link: Link, stated: SpatialInertia, used: SpatialInertia, diagnostics: Diagnostics) -> None:
    largest = float(np.abs(stated.I_Lcm).max())
    change = float(np.abs(used.I_Lcm - stated.I_Lcm).max())
    diagnostics.add(
        Fate.SKIPPED,
        "model.repaired-inertia",
        _MESSAGE,
        link.where,
        hint="correct the inertia",
        subjects=(link.name,),
        leniency="the inertia of link {link} is changed by {percent:.3g} %",
        link=link.name,
        defects=tuple(stated.defects()),
        mass=used.mass - stated.mass,
        change=change,
        percent=100.0 * change / largest if largest else 0.0,
    )


_MESSAGE = (
    "the inertia of link {link} is not physically valid: {defects}; using the nearest valid one, whose mass differs by "
    "{mass:.3g} kg and whose moments differ by at most {change:.3g} kg m^2 ({percent:.3g} % of the largest)"
)

"""What keeps MJX from taking a model, told without importing it; MuJoCo Warp 4.0 takes all that is written here.

As of MJX 3.17 with its own backend (JAX); ``docs/make_accelerators_table.py`` asks the real ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from loaders.diagnostics import Fate

_ROUND = frozenset({"cylinder", "ellipsoid"})
_FLAT = frozenset({"box", "mesh", "hfield"})
"""MJX has no function for a round shape against a flat one."""


def accelerators(context: Context) -> None:
    """Note what MJX refuses: one entry for a model, with every reason."""
    reasons = [*_shapes(context), *_sensors(context), *_wind(context)]
    if reasons:
        context.report(
            Fate.NOTED,
            "mjx",
            "MJX (3.17) does not take the model: {names}; MuJoCo Warp does",
            hint="use MuJoCo Warp, or change what is named",
            names="; ".join(reasons),
        )


def _shapes(context: Context) -> Iterator[str]:
    """The first pair of links that may touch with shapes that MJX cannot collide."""
    kinds = {body.name: _kinds(i, context) for i, body in enumerate(context.mechanism.bodies)}
    mechanism = context.mechanism
    groups = {body.name: mechanism.moving_ancestor(i) for i, body in enumerate(mechanism.bodies)}
    apart = context.mechanism.scene.excluded_collision_pairs(context.options.collision_policy)
    flat = [name for name, found in kinds.items() if found & _FLAT]
    for a in (name for name, found in kinds.items() if found & _ROUND):
        for b in flat:
            if groups[a] != groups[b] and frozenset((a, b)) not in apart:
                shapes = f"a {min(kinds[a] & _ROUND)} of {a} with a {min(kinds[b] & _FLAT)} of {b}"
                yield f"it cannot collide {shapes}, nor any cylinder or ellipsoid with a box, mesh or height field"
                return


def _kinds(index: int, context: Context) -> set[str]:
    """The types of the colliding shapes of one body."""
    return {_type(e) for e in context.document.bodies[index].children if e.attributes.get("class") == "collision"}


def _type(geom: Element) -> str:
    return geom.attributes.get("type", "sphere")


def _sensors(context: Context) -> Iterator[str]:
    touching = [e.attributes["name"] for e in context.document["sensor"].children if e.tag == "contact"]
    if touching:
        yield f"it has no contact sensor that adds up forces: {', '.join(touching)}"


def _wind(context: Context) -> Iterator[str]:
    if context.mechanism.scene.wind.any():
        yield "it has no wind with implicitfast"

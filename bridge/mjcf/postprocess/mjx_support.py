"""The features of a model that MJX does not support, found without MJX; MuJoCo Warp 4.0 supports everything written.

The rules hold for MJX 3.17 with its own backend (JAX); ``docs/make_accelerators_table.py`` asks MJX itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from loaders.diagnostics import Fate

_ROUND = frozenset({"cylinder", "ellipsoid"})
_FLAT = frozenset({"box", "mesh", "hfield"})
"""MJX has no collision function for a round shape and a flat one."""


def report_mjx_support(context: Context) -> None:
    """Report the features of the model that MJX refuses, in one entry."""
    links, features = _unsupported_collision(context)
    contacts = [element for element in context.document["sensor"].children if element.tag == "contact"]
    sensors = [element.attributes["name"] for element in contacts if "name" in element.attributes]
    if contacts:
        features.append("contact sensors that sum forces" + (f" ({' '.join(sensors)})" if sensors else ""))
    if context.mechanism.scene.wind.any():
        features.append("wind with implicitfast")
    if features:
        context.report(
            Fate.NOTED,
            "mjx",
            "MJX (3.17) does not support {features}; MuJoCo Warp does",
            hint="use MuJoCo Warp, or change what is named",
            subjects=(*links, *sensors),
            features=tuple(features),
        )


def _unsupported_collision(context: Context) -> tuple[tuple[str, ...], list[str]]:
    """Return the first two links that may collide with shapes that MJX cannot collide, and the feature."""
    types = {body.name: _collision_types(i, context) for i, body in enumerate(context.mechanism.bodies)}
    pair = _first_unsupported_pair(types, context)
    if pair is None:
        return (), []
    a, b = pair
    return pair, [
        "collisions of cylinders and ellipsoids with boxes and meshes and height fields "
        f"(a {min(types[a] & _ROUND)} of {a} with a {min(types[b] & _FLAT)} of {b})"
    ]


def _first_unsupported_pair(types: Mapping[str, set[str]], context: Context) -> tuple[str, str] | None:
    mechanism = context.mechanism
    excluded, index = mechanism.excluded_pairs(context.options.policy), mechanism.body_index
    round_links = [name for name, shapes in types.items() if shapes & _ROUND]
    flat_links = [name for name, shapes in types.items() if shapes & _FLAT]
    groups = [mechanism.weld_group_of(name) for name in flat_links]
    ends = _ends_of_runs(groups)
    for a in round_links:
        group, i = mechanism.weld_group_of(a), 0
        while i < len(flat_links):
            if groups[i] == group:
                i = ends[i]
                continue
            if frozenset((index[a], index[flat_links[i]])) not in excluded:
                return a, flat_links[i]
            i += 1
    return None


def _ends_of_runs(values: Sequence[object]) -> list[int]:
    """Return for each place the first one after it with another value."""
    ends = [len(values)] * len(values)
    for i in range(len(values) - 2, -1, -1):
        ends[i] = ends[i + 1] if values[i] == values[i + 1] else i + 1
    return ends


def _collision_types(index: int, context: Context) -> set[str]:
    """Return the types of the colliding geoms of one body."""
    return {_type(e) for e in context.document.bodies[index].children if e.attributes.get("class") == "collision"}


def _type(geom: Element) -> str:
    return geom.attributes.get("type", "sphere")

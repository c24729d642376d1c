"""``<light>``: a light on a link or in the world."""

from __future__ import annotations

from loaders.diagnostics import Fate
from loaders.model import Light
from loaders.node import Node
from loaders.sdf.unmodeled_elements import report_ignored
from loaders.spatial import Pose

from .colors import read_color

TYPES = ("point", "directional", "spot")
_APPEARANCE = (Fate.NOTED, "sdf.appearance", "it affects only rendering")


def read_light(node: Node, name: str, link: str, X_LLight: Pose) -> Light:
    """Return the light of a ``<light>``.

    Args:
        node: The element.
        name: Scoped name of the light.
        link: Name of the link that the light is fixed to, or ``world``.
        X_LLight: Pose of the light in the frame of that link.
    """
    light_type = node.word("@type")
    if light_type and light_type not in TYPES:
        node.invalid(
            "sdf.light-type",
            "unknown light type {type!r}; expected one of: {types}",
            type=light_type,
            types=TYPES,
        )
    report_ignored(node, {"visualize": _APPEARANCE})
    light_range, attenuation = _read_attenuation(node.child("attenuation"))
    inner, outer, falloff = _read_spot(node.child("spot"))
    x, y, z = node.numbers("direction", 3, (0.0, 0.0, -1.0))
    return Light(
        name=name,
        type=light_type or TYPES[0],
        link=link,
        X_LLight=X_LLight,
        diffuse=read_color(node.child("diffuse")) or (1.0, 1.0, 1.0, 1.0),
        specular=read_color(node.child("specular")) or (0.1, 0.1, 0.1, 1.0),
        direction=(x, y, z),
        range=light_range,
        attenuation=attenuation,
        inner_angle=inner,
        outer_angle=outer,
        falloff=falloff,
        intensity=node.number("intensity", 1.0),
        cast_shadows=node.flag("cast_shadows", False),
        on=node.flag("light_on", True),
        where=node.where,
    )


def _read_attenuation(node: Node | None) -> tuple[float, tuple[float, float, float]]:
    if node is None:
        return 10.0, (1.0, 1.0, 0.0)
    factors = (node.number("constant", 1.0), node.number("linear", 1.0), node.number("quadratic", 0.0))
    return node.number("range", 10.0, inf=True), factors


def _read_spot(node: Node | None) -> tuple[float, float, float]:
    if node is None:
        return 0.0, 0.0, 0.0
    inner, outer = node.number("inner_angle", 0.0), node.number("outer_angle", 0.0)
    return inner, outer, node.number("falloff", 0.0)

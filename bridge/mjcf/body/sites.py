"""``<site>``: a named frame on a body."""

from __future__ import annotations

from bridge.export.number_format import placement
from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element
from loaders.spatial import Pose


def add_site(name: str, body: int, X_BS: Pose, context: Context) -> str:
    """Add a site to a body and return its name, which has a number appended if another site has the name.

    Args:
        name: The preferred name.
        body: Index of the body, or `bridge.mechanism.bodies.ROOT`.
        X_BS: Pose of the site in the body.
        context: The export.
    """
    name = context.names.claim("site", name)
    context.document.body(body).add("site", name=name, class_="frame", **placement(X_BS))
    return name


def site_at(name: str, body: int, X_BS: Pose, context: Context, *, is_point: bool = False) -> str:
    """Return the name of the site that a body has at a pose; without one, add it.

    Args:
        name: The preferred name of a new site.
        body: Index of the body, or `bridge.mechanism.bodies.ROOT`.
        X_BS: Pose of the site in the body.
        context: The export.
        is_point: Whether the orientation is of no effect.
    """
    wanted = Element("site", **placement(X_BS)).attributes
    keys = ("pos",) if is_point else ("pos", "quat")
    for element in context.document.body(body).children:
        if element.tag == "site" and all(element.attributes.get(key) == wanted.get(key) for key in keys):
            return element.attributes["name"]
    return add_site(name, body, X_BS, context)

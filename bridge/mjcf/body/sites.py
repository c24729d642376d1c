"""``<site>``: a named frame on a body."""

from __future__ import annotations

from bridge.export.number_format import placement
from bridge.mjcf.xml.context import Context
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

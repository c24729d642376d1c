"""The body to which a light or a camera turns."""

from __future__ import annotations

from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate
from loaders.model import WORLD, Light, Sensor


def target_name(item: Light | Sensor, context: Context) -> str | None:
    """Return the name of the body to which a light or a camera turns; report one that does not exist.

    Args:
        item: The light or the camera.
        context: The export.
    """
    if item.target is None:
        return None
    index = context.mechanism.body_index.get(item.target)
    if index is None:
        context.report(
            Fate.DROPPED,
            "view-target",
            "{name} turns to the link {link}, which does not exist; it turns with its own link",
            item.where,
            subjects=(item.name, item.target),
            name=item.name,
            link=item.target,
        )
        return None
    return str(context.document.body(index).attributes.get("name", WORLD))

"""The place of a body's joint in the source, for diagnostics."""

from __future__ import annotations

from bridge.mechanism.bodies import Body
from loaders.diagnostics import NOWHERE, Where


def where_of(body: Body) -> Where:
    """Return the place of a body's joint in the source; unknown for a body without a joint of the source."""
    return body.source.where if body.source is not None else NOWHERE

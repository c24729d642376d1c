"""Sites as frames."""

from __future__ import annotations

from loaders.mjcf.compilation.source import Source
from loaders.model import Frame


def read_frames(source: Source) -> tuple[Frame, ...]:
    """Return a frame for each site of a model."""
    return tuple(
        Frame(
            name=name,
            link=source.link(int(source.model.site_bodyid[i])),
            X_LF=source.pose("site", i),
            where=source.where("site", i),
        )
        for i, name in enumerate(source.names("site"))
    )

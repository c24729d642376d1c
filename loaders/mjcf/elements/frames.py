"""Sites as frames, and the site that stands for the frame of the model."""

from __future__ import annotations

from collections.abc import Sequence

from loaders.diagnostics import Where
from loaders.mjcf.compilation.source import Source
from loaders.model import WORLD, Frame, Link, Model
from loaders.reading.makers import maker
from loaders.scene_queries.scoped_names import MODEL_FRAME
from loaders.spatial import IDENTITY

_Frame, _Model = maker(Frame), maker(Model)


def read_frames(name: str, source: Source) -> tuple[Frame, ...]:
    """Return a frame for each site of a model, but for the one that stands for the frame of the model.

    Args:
        name: Name of the model.
        source: The compiled model.
    """
    if not source.names("site"):
        return ()
    left_out, bodies = _model_site(name, source), source.names("body")
    columns = zip(
        source.names("site"), source.model.site_bodyid, source.poses("site"), source.places("site"), strict=True
    )
    return tuple(
        _Frame(name=name, link=bodies[body] if body else WORLD, X_LF=X_LF, where=where)
        for i, (name, body, X_LF, where) in enumerate(columns)
        if i != left_out
    )


def read_model(name: str, links: Sequence[Link], where: Where, source: Source) -> Model:
    """Return the model, whose frame is that of the world unless a site of the MJCF export stands for it.

    Args:
        name: Its name.
        links: Its links.
        where: Its place in the source.
        source: The compiled model.
    """
    site = _model_site(name, source)
    if site is None:
        first = next((link.name for link in links if link.name != WORLD), None)
        return _Model(name=name, X_WM=IDENTITY, canonical_link=first, where=where)
    link = source.link(int(source.model.site_bodyid[site]))
    X_WL = next((entry.X_WL for entry in links if entry.name == link), IDENTITY)
    canonical = None if link == WORLD else link
    return _Model(name=name, X_WM=X_WL @ source.pose("site", site), canonical_link=canonical, where=where)


def _model_site(name: str, source: Source) -> int | None:
    sites = source.names("site")
    return sites.index(name + MODEL_FRAME) if name + MODEL_FRAME in sites else None

"""The share of gravity that acts on a link."""

from __future__ import annotations

from loaders.model import Link


def gravity_share(link: Link) -> float:
    """Return the share of gravity that acts on a link: 1 unless the source compensates a part of it.

    Args:
        link: The link.
    """
    if not link.gravity:
        return 0.0
    return 1.0 - float(dict(link.mujoco).get("gravcomp", "0")) if link.mujoco else 1.0

"""The modes in which lights and cameras follow bodies."""

from __future__ import annotations

from loaders.mjcf.compilation.source import Source
from loaders.model import Settings

_MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
"""Modes by number."""
_ARRAYS = {"camera": "cam", "light": "light"}


def mode_of(kind: str, index: int, source: Source) -> Settings:
    """Return the mode of a light or a camera that does not turn with its body.

    Args:
        kind: ``camera`` or ``light``.
        index: Its index in the compiled model.
        source: The compiled model.
    """
    mode = int(getattr(source.model, f"{_ARRAYS[kind]}_mode")[index])
    return (("mode", _MODES[mode]),) if mode else ()


def target_of(kind: str, index: int, source: Source) -> str | None:
    """Return the name of the link to which a light or a camera turns, or None.

    Args:
        kind: ``camera`` or ``light``.
        index: Its index in the compiled model.
        source: The compiled model.
    """
    body = int(getattr(source.model, f"{_ARRAYS[kind]}_targetbodyid")[index])
    return source.link(body) if body >= 0 else None

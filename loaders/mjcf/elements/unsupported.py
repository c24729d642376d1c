"""Reports of the content of a model that a scene cannot hold."""

from __future__ import annotations

from loaders.diagnostics import Fate, Where
from loaders.mjcf.compilation.source import Source

_NOTED = {"camera": "camera", "light": "light"}
"""Kinds of elements that are not carried."""


def report_unsupported(source: Source) -> None:
    """Report everything of a model that the scene does not hold."""
    for kind, noun in _NOTED.items():
        _report_elements(kind, noun, source)
    _report_bodies(source)


def _report_elements(kind: str, noun: str, source: Source) -> None:
    names = source.names(kind)
    if names:
        message = "{count} elements are not carried: {kind} {names}"
        where = source.where(kind, 0)
        source.diagnostics.add(
            Fate.NOTED, "mjcf-in.not-carried", message, where, subjects=names, count=len(names), kind=noun, names=names
        )


def _report_bodies(source: Source) -> None:
    """Report plugins."""
    model, where = source.model, Where(source.file)
    if model.nplugin:
        message = "{count} plugins are not carried"
        source.diagnostics.add(Fate.DROPPED, "mjcf-in.plugin", message, where, count=model.nplugin)

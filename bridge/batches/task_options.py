"""The options of each task, checked before a batch begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.mjcf.xml.options import MjcfOptions
from bridge.parity.comparison import REFERENCE
from bridge.parity.engines.protocol import factory_of
from bridge.parity.results.verdict import Level
from bridge.sdf.options import SdfOptions
from bridge.urdf.options import UrdfOptions
from loaders import LoadOptions
from loaders.keyword_options import check_flag, check_option_names

_TARGETS: Mapping[str, Any] = {"mjcf": MjcfOptions, "sdf": SdfOptions, "urdf": UrdfOptions}
_OTHERS: Mapping[str, frozenset[str]] = {
    "check": frozenset({"thumbnails"}),
    "convert": frozenset({"thumbnails", "to"}),
    "compare": frozenset({"thumbnails", "engines", "levels", "seed", "configurations", "inertia"}),
}
"""Names of the options of each task beside those of loading and of exports."""


def checked_options(task: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a task.

    Args:
        task: ``check``, ``convert`` or ``compare``; None for a function of the caller, which has none.
        options: The options.

    Raises:
        TypeError: if an option is unknown.
        ValueError: if a target, an engine or a level is unknown.
        EngineMissingError: if an engine is not installed.
    """
    target = options.get("to", "mjcf")
    if task == "convert" and target not in _TARGETS:
        raise ValueError(f"unknown target {target!r}; expected one of: {', '.join(_TARGETS)}")
    if task == "compare":
        _check_comparison(options)
    kind = _TARGETS[target] if task == "convert" else LoadOptions
    check_option_names(options, kind if task else None, _OTHERS.get(task or "", ()), excluded={"quiet"})
    if "thumbnails" in options:
        check_flag("thumbnails", options["thumbnails"])
    return dict(options)


def _check_comparison(options: Mapping[str, Any]) -> None:
    for engine in _several(options.get("engines")):
        if isinstance(engine, str) and engine != REFERENCE:
            factory_of(engine)
    for level in _several(options.get("levels")):
        if level not in set(Level):
            raise ValueError(f"unknown level {level!r}; expected one of: {', '.join(Level)}")


def _several(words: Any) -> list[Any]:
    if words is None:
        return []
    return [word.strip() for word in words.split(",")] if isinstance(words, str) else list(words)

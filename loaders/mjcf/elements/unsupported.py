"""Reports of the content of a model that a scene cannot hold."""

from __future__ import annotations

from loaders.diagnostics import Fate, Where
from loaders.mjcf.compilation.source import Source

_RANGES = {
    "joint": (("jnt_limited", "jnt_range"), ("jnt_actfrclimited", "jnt_actfrcrange")),
    "tendon": (("tendon_limited", "tendon_range"), ("tendon_actfrclimited", "tendon_actfrcrange")),
    "actuator": (("actuator_forcelimited", "actuator_forcerange"), ("actuator_actlimited", "actuator_actrange")),
}
"""Arrays of switches and of ranges, by kind of element."""


def report_unsupported(source: Source) -> None:
    """Report everything of a model that the scene does not hold."""
    _report_bodies(source)
    _report_ranges(source)


def _report_bodies(source: Source) -> None:
    """Report plugins."""
    model, where = source.model, Where(source.file)
    if model.nplugin:
        message = "{count} plugins are left out"
        source.diagnostics.add(Fate.DROPPED, "mjcf-in.plugin", message, where, count=model.nplugin)


def _report_ranges(source: Source) -> None:
    """Report ranges that are stated and switched off, which only MuJoCo's editors show."""
    for kind, arrays in _RANGES.items():
        names = source.names(kind)
        if not names:
            continue
        found = {i: names[i] for switches, ranges in arrays for i in _switched_off(switches, ranges, source)}
        if found:
            message = "ranges that are switched off are left out: {kind} {names}"
            off = tuple(found.values())
            where = source.where(kind, next(iter(found)))
            source.diagnostics.add(
                Fate.NOTED, "mjcf-in.not-carried", message, where, subjects=off, kind=kind, names=off
            )


def _switched_off(switches: str, ranges: str, source: Source) -> list[int]:
    if all(getattr(source.model, switches)):
        return []
    pairs = zip(getattr(source.model, switches), getattr(source.model, ranges), strict=True)
    return [i for i, (limited, (lower, upper)) in enumerate(pairs) if (lower or upper) and not limited]

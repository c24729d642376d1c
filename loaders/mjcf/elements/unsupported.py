"""Reports of the content of a model that a scene cannot hold."""

from __future__ import annotations

from loaders.diagnostics import Fate, Where
from loaders.mjcf.compilation.source import Source

_RANGES = (
    ("joint", "name_jntadr", (("jnt_limited", "jnt_range"), ("jnt_actfrclimited", "jnt_actfrcrange"))),
    ("tendon", "name_tendonadr", (("tendon_limited", "tendon_range"), ("tendon_actfrclimited", "tendon_actfrcrange"))),
    (
        "actuator",
        "name_actuatoradr",
        (("actuator_forcelimited", "actuator_forcerange"), ("actuator_actlimited", "actuator_actrange")),
    ),
)
"""Kinds of elements, each with an array that tells whether there are any, and its arrays of switches and of ranges."""
_WITH_PLUGINS = ("body", "geom", "actuator", "sensor")
"""Kinds of elements on which a plugin may act."""


def report_unsupported(source: Source) -> None:
    """Report everything of a model that the scene does not hold."""
    _report_plugins(source)
    if source.model.nskin:  # those of the document were taken away
        message = "the skin of a cable is left out; the bodies that move it are"
        source.diagnostics.add(Fate.NOTED, "mjcf-in.skin", message, Where(source.file))
    _report_ranges(source)


def _report_plugins(source: Source) -> None:
    """Report the plugins that a document uses, with what they act on."""
    model = source.model
    if not model.nplugin:
        return
    nodes = [node for node in source.lines.nodes if node.tag == "plugin" and "plugin" in node.attributes]
    used = [node for node in nodes if node.children or node.parent is None or node.parent.tag != "extension"]
    owned = [(kind, i) for kind in _WITH_PLUGINS for i, k in enumerate(getattr(model, f"{kind}_plugin")) if k >= 0]
    bodies = [i if kind == "body" else model.geom_bodyid[i] for kind, i in owned if kind in {"body", "geom"}]
    source.diagnostics.add(
        Fate.DROPPED,
        "mjcf-in.plugin",
        "{count} plugins are left out: {plugins}, of {items}",
        used[0].where if used else Where(source.file),
        subjects=tuple(dict.fromkeys(map(source.link, bodies))),
        count=model.nplugin,
        plugins=tuple(dict.fromkeys(node.attributes["plugin"] for node in used)),
        items=tuple(f"{kind} {source.names(kind)[i]}" for kind, i in owned) or ("no element",),
    )


def _report_ranges(source: Source) -> None:
    """Report ranges that are stated and switched off, which only MuJoCo's editors show."""
    for kind, elements, arrays in _RANGES:
        if not getattr(source.model, elements):
            continue
        found = [*dict.fromkeys(i for switches, ranges in arrays for i in _switched_off(switches, ranges, source))]
        if found:
            message = "ranges that are switched off are left out: {kind} {names}"
            names = source.names(kind)
            off = tuple(names[i] for i in found)
            where = source.where(kind, found[0])
            source.diagnostics.add(
                Fate.NOTED, "mjcf-in.not-carried", message, where, subjects=off, kind=kind, names=off
            )


def _switched_off(switches: str, ranges: str, source: Source) -> list[int]:
    limits = getattr(source.model, switches)
    if all(limits):
        return []
    pairs = zip(limits, getattr(source.model, ranges), strict=True)
    return [i for i, (limited, (lower, upper)) in enumerate(pairs) if (lower or upper) and not limited]

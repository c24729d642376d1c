"""``<contact>``: the pairs of bodies that touch in the running MuJoCo are those that may touch in the model."""

from __future__ import annotations

from bridge.lowering.collision_filters import ignored_by_policy
from bridge.mechanism.bodies import ROOT
from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate, Where
from loaders.model import WORLD

from .collision_filters import count_welded_pairs
from .contact_pairs import pairs


def contacts(context: Context) -> None:
    """Write the excludes, the flag that they need, and pairs; masks stand on the geoms."""
    if not context.filters.parent_filter:
        context.document["option"].add("flag", filterparent="disable")
    for a, b in context.filters.excludes:
        context.document["contact"].add("exclude", body1=_name(a, context), body2=_name(b, context))
    pairs(context)
    _report(context)


def _name(body: int, context: Context) -> str:
    return WORLD if body == ROOT else context.mechanism.bodies[body].name


def _report(context: Context) -> None:
    scene, policy = context.mechanism.scene, context.options.collision_policy
    still = count_welded_pairs(context.mechanism, policy)
    if still:
        context.report(
            Fate.NOTED,
            "welded-contact",
            ("{still} pairs of links that may touch cannot move against each other; they do not touch in MuJoCo"),
            still=still,
        )
    ignored = ignored_by_policy(scene, policy)
    if ignored:
        context.report(
            Fate.NOTED,
            "contact-policy",
            "the collision policy {policy} ignores {properties}",
            Where(scene.source),
            hint='choose collision_policy="sdformat"',
            policy=policy,
            properties=ignored,
        )

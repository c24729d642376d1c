"""``<contact>``: the pairs of bodies that touch in the running MuJoCo are those that may touch in the model."""

from __future__ import annotations

from bridge.lowering.collision_filters import unheeded, welded_pairs
from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate, Where

from .contact_pairs import pairs


def contacts(context: Context) -> None:
    """Write the excludes, the flag that they need, and pairs; masks stand on the geoms."""
    if not context.filters.parent_filter:
        context.document["option"].add("flag", filterparent="disable")
    for a, b in context.filters.excludes:
        context.document["contact"].add("exclude", body1=a, body2=b)
    pairs(context)
    _report(context)


def _report(context: Context) -> None:
    scene, policy = context.mechanism.scene, context.options.collision_policy
    still = welded_pairs(context.mechanism, policy)
    if still:
        context.report(
            Fate.NOTED,
            "welded-contact",
            ("{still} pairs of links that may touch cannot move against each other; they do not touch in MuJoCo"),
            still=still,
        )
    unseen = unheeded(scene, policy)
    if unseen:
        message = f"the collision policy {policy} takes no account of {unseen}"
        hint = 'choose collision_policy="sdformat"'
        context.report(Fate.NOTED, "contact-policy", message, Where(scene.source), hint=hint)

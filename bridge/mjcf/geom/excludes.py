"""``<exclude>``: the pairs of bodies that collide in MuJoCo are those that may collide in the model."""

from __future__ import annotations

from itertools import chain

from bridge.lowering.collision_filters import ignored_by_policy, pairs_of_rules
from bridge.mechanism.bodies import ROOT
from bridge.mjcf.xml.context import Context
from loaders.diagnostics import Fate, Where
from loaders.model import WORLD

from .collision_filters import Filters, welded_partners


def write_excludes(filters: Filters, context: Context) -> None:
    """Write the excludes and the flag that they need; bitmasks are attributes of the geoms.

    Args:
        filters: The collision filters in MuJoCo's form.
        context: The export.
    """
    if not filters.parent_filter:
        option = context.document["option"]
        flags = [child for child in option.children if child.tag == "flag"] or [option.add("flag")]
        flags[0].set(filterparent="disable")
    for a, b in (*filters.excludes, *_without_effect(filters, context)):
        context.document["contact"].add("exclude", body1=_name(a, context), body2=_name(b, context))


def _without_effect(filters: Filters, context: Context) -> list[tuple[int, int]]:
    """Return the excludes of an MJCF source without which the same pairs collide, such as those of a cable."""
    mechanism = context.mechanism
    if mechanism.physics.engine != "mujoco" or context.options.policy != "mujoco":
        return []
    written = set(map(frozenset, filters.excludes))
    return [pair for pair in pairs_of_rules(mechanism) if frozenset(pair) not in written]


def _name(body: int, context: Context) -> str:
    return WORLD if body == ROOT else context.mechanism.bodies[body].name


def report_ignored_filters(context: Context) -> None:
    """Report the pairs that MuJoCo never lets collide, and the filters that the collision policy ignores."""
    scene, policy = context.mechanism.scene, context.options.policy
    partners = welded_partners(context.mechanism, policy)
    if partners:
        context.report(
            Fate.NOTED,
            "welded-contact",
            "{count} pairs of links may collide but cannot move against each other; they do not collide in MuJoCo",
            subjects=(_name(body, context) for body in partners),
            count=sum(partners.values()) // 2,
        )
    ignored = ignored_by_policy(scene, policy)
    if ignored:
        context.report(
            Fate.NOTED,
            "contact-policy",
            "the collision policy {policy} ignores {properties}",
            Where(scene.source),
            hint='choose policy="sdformat"',
            subjects=dict.fromkeys(chain.from_iterable(ignored.values())),
            policy=policy,
            properties=tuple(ignored),
        )

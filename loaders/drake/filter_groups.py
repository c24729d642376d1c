"""``drake:collision_filter_group``: read where it stands, resolved when the whole load is done.

Until then a group names its member groups, which may stand in other files of the load, read before it or after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import FilterGroup, FilterRule
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR

from .dialect import Dialect, Names


def read_groups(model: Node, names: Names, dialect: Dialect) -> tuple[list[FilterGroup], list[FilterRule]]:
    """The groups that stand in a model, and which of them ignore each other."""
    groups: dict[str, FilterGroup] = {}
    rules: list[FilterRule] = []
    for node in model.all("drake:collision_filter_group"):
        if _is_ignored(node):
            continue
        group = _read_group(node, names, dialect)
        if not node.attributes.get("name"):
            continue
        if group.name in groups:
            node.invalid("drake.duplicate-group", "a second filter group is called {group}", group=group.name)
        groups.setdefault(group.name, group)
        for ignored in node.all("drake:ignored_collision_filter_group"):
            rules.append(FilterRule(a=group.name, b=names.prefix + ignored.word(dialect.name), where=ignored.where))
    return list(groups.values()), rules


def _is_ignored(node: Node) -> bool:
    if node.maybe_word("@ignore") not in {"true", "1"}:
        return False
    for child in node.walk():
        child.skip(*(c.tag for c in child.children), *("@" + name for name in child.attributes))
    node.report(Fate.NOTED, "drake.ignored", "ignore leaves this filter group out")
    return True


def _read_group(node: Node, names: Names, dialect: Dialect) -> FilterGroup:
    name = node.word("@name")
    if SEPARATOR in name:
        node.invalid("drake.scoped-group", "the name of a filter group, {name!r}, must have no scope", name=name)
    links = []
    for member in node.all("drake:member"):
        word = member.word(dialect.member)
        link = names.link(word) if word else None
        if link is not None:
            links.append(link)
        elif word:
            member.invalid(
                "drake.unknown-member", "the member {word!r} is no link of {model}", word=word, model=names.model
            )
        elif dialect.member == "." or member.attributes:
            member.report(
                Fate.NOTED, "drake.empty-member", "a member of the filter group {name} names no link", name=name
            )
    inner = tuple(names.prefix + member.word(dialect.name) for member in node.all("drake:member_group"))
    if not (inner or node.has("drake:member")):
        node.invalid("drake.empty-group", "the filter group {name} has no members", name=name)
    return FilterGroup(name=names.prefix + name, links=tuple(dict.fromkeys(links)), groups=inner, where=node.where)


def resolve(scene: Scene, diagnostics: Diagnostics) -> Scene:
    """The scene with the members of member groups in each filter group, and every name checked."""
    if not (scene.filter_groups or scene.filter_rules):
        return scene
    groups: dict[str, FilterGroup] = {}
    for group in scene.filter_groups:
        if groups.setdefault(group.name, group) is not group:
            diagnostics.add(
                Fate.INVALID,
                "drake.duplicate-group",
                "a second filter group is called {group}",
                group.where,
                group=group.name,
            )
    for group in groups.values():
        _check(group.groups, groups, group, diagnostics)
    for rule in scene.filter_rules:
        _check((rule.b,), groups, rule, diagnostics)
    resolved = tuple(replace(group, links=_closure(group, groups), groups=()) for group in groups.values())
    return replace(scene, filter_groups=resolved)


def _check(
    named: Iterable[str], groups: Mapping[str, FilterGroup], source: FilterGroup | FilterRule, diagnostics: Diagnostics
) -> None:
    for name in named:
        if name not in groups:
            diagnostics.add(
                Fate.INVALID, "drake.unknown-group", "there is no filter group called {name!r}", source.where, name=name
            )


def _closure(group: FilterGroup, groups: Mapping[str, FilterGroup]) -> tuple[str, ...]:
    """The links of a group and of all groups that it leads to, cycles or not."""
    links: dict[str, None] = {}
    seen = {group.name}
    pending = [group]
    while pending:
        here = pending.pop()
        links.update(dict.fromkeys(here.links))
        for name in here.groups:
            if name not in seen and name in groups:
                seen.add(name)
                pending.append(groups[name])
    return tuple(links)

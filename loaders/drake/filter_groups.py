"""Reader of ``drake:collision_filter_group``, and resolution of member groups at the end of a load.

A group may name member groups in other files of the load, whichever is read first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from loaders.diagnostics import Diagnostics, Fate
from loaders.model import FilterGroup, FilterRule
from loaders.node import Node
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR

from .dialect import Dialect, NameResolver

GROUP = "drake:collision_filter_group"
"""Tag of a filter group."""
_DUPLICATE = "duplicate filter group name {group}"


def read_groups(model: Node, names: NameResolver, dialect: Dialect) -> tuple[list[FilterGroup], list[FilterRule]]:
    """Return the filter groups of a model and the rules between them.

    Args:
        model: The ``<model>`` or ``<robot>``.
        names: The names in the model.
        dialect: The dialect of the file.
    """
    groups: dict[str, FilterGroup] = {}
    rules: list[FilterRule] = []
    for node in model.all(GROUP):
        if _is_ignored(node):
            continue
        group = _read_group(node, names, dialect)
        if not node.attributes.get("name"):
            continue
        if group.name in groups:
            node.invalid("drake.duplicate-group", _DUPLICATE, hint="rename one of them", group=group.name)
        groups.setdefault(group.name, group)
        for ignored in node.all("drake:ignored_collision_filter_group"):
            rules.append(FilterRule(a=group.name, b=names.prefix + ignored.word(dialect.name), where=ignored.where))
    return list(groups.values()), rules


def _is_ignored(node: Node) -> bool:
    if node.maybe_word("@ignore") not in {"true", "1"}:
        return False
    for child in node.walk():
        child.skip(*(c.tag for c in child.children), *("@" + name for name in child.attributes))
    node.report(Fate.NOTED, "drake.ignored", "ignored this filter group, as its ignore attribute requests")
    return True


def _read_group(node: Node, names: NameResolver, dialect: Dialect) -> FilterGroup:
    name = node.word("@name")
    if SEPARATOR in name:
        node.invalid("drake.scoped-group", "the filter group name {name!r} must not contain ::", name=name)
    links = []
    for member in node.all("drake:member"):
        word = member.word(dialect.member)
        link = names.link(word) if word else None
        if link is not None:
            links.append(link)
        elif word:
            message = "unknown member {link!r}: model {model} has no such link"
            member.invalid("drake.unknown-member", message, link=word, model=names.model)
        elif dialect.member == "." or member.attributes:
            message = "a member of filter group {group} has no name; ignored"
            member.report(Fate.NOTED, "drake.empty-member", message, group=name)
    member_groups = tuple(names.prefix + member.word(dialect.name) for member in node.all("drake:member_group"))
    if not (member_groups or node.has("drake:member")):
        node.invalid("drake.empty-group", "filter group {group} has no members", group=name)
    members = tuple(dict.fromkeys(links))
    return FilterGroup(name=names.prefix + name, links=members, groups=member_groups, where=node.where)


def resolve(scene: Scene, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the links of member groups in each filter group; report unknown groups.

    Args:
        scene: The scene.
        diagnostics: Record for the findings.
    """
    if not (scene.filter_groups or scene.filter_rules):
        return scene
    groups: dict[str, FilterGroup] = {}
    for group in scene.filter_groups:
        if groups.setdefault(group.name, group) is not group:
            diagnostics.add(
                Fate.INVALID,
                "drake.duplicate-group",
                _DUPLICATE,
                group.where,
                hint="rename one of them",
                subjects=(group.name, *group.links),
                group=group.name,
            )
    for group in groups.values():
        _check_groups_exist(group.groups, groups, group, diagnostics)
    for rule in scene.filter_rules:
        _check_groups_exist((rule.b,), groups, rule, diagnostics)
    resolved = tuple(_resolved(group, groups) for group in groups.values())
    return scene if resolved == scene.filter_groups else replace(scene, filter_groups=resolved)


def _resolved(group: FilterGroup, groups: Mapping[str, FilterGroup]) -> FilterGroup:
    """Return a group with the links of its member groups, each link once."""
    if not group.groups and len(set(group.links)) == len(group.links):
        return group
    return replace(group, links=_closure(group, groups), groups=())


def _check_groups_exist(
    names: Iterable[str], groups: Mapping[str, FilterGroup], source: FilterGroup | FilterRule, diagnostics: Diagnostics
) -> None:
    for name in names:
        if name not in groups:
            message = "unknown filter group {group!r}"
            owner = source.name if isinstance(source, FilterGroup) else source.a
            diagnostics.add(Fate.INVALID, "drake.unknown-group", message, source.where, subjects=(owner,), group=name)


def _closure(group: FilterGroup, groups: Mapping[str, FilterGroup]) -> tuple[str, ...]:
    """Return the links of a group and of its direct and indirect member groups; cycles are allowed."""
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

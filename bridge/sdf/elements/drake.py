"""Drake's elements of a model: constraints, force elements and collision filter groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from bridge.export.xml_text import Element, Value, add
from loaders.model import (
    BallConstraint,
    Bushing,
    Constraint,
    DistanceConstraint,
    FilterGroup,
    FilterRule,
    ForceElement,
    SpringDamper,
    TendonConstraint,
    WeldConstraint,
)
from loaders.scene_queries.scoped_names import local_name

from .basics import vector
from .references import References

_VALUES: dict[type, tuple[str, tuple[str, ...]]] = {
    BallConstraint: ("drake:ball_constraint", ()),
    DistanceConstraint: ("drake:distance_constraint", ("distance", "stiffness", "damping")),
    SpringDamper: ("drake:linear_spring_damper", ("free_length", "stiffness", "damping")),
}
_BUSHING = ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")
_TENDON = {"offset": "offset", "lower_limit": "lower", "upper_limit": "upper"}


def add_forces(model: Element, items: Iterable[Constraint | ForceElement], references: References) -> None:
    """Add the constraints and force elements of a model.

    Args:
        model: The ``<model>``.
        items: The constraints and force elements.
        references: The names in the model.
    """
    for item in items:
        if isinstance(item, TendonConstraint):
            _add_tendon(model, item, references)
        elif isinstance(item, Bushing):
            _add_bushing(model, item, references)
        elif not isinstance(item, WeldConstraint):  # reported, and left out of the normal form
            _add_pair(model, item, references)


def _add_pair(model: Element, item: BallConstraint | DistanceConstraint | SpringDamper, references: References) -> None:
    tag, keys = _VALUES[type(item)]
    element = add(model, tag)
    values: dict[str, Value] = {
        "body_A": references.link(item.link_A),
        "body_B": references.link(item.link_B),
        "p_AP": vector(item.p_AP),
        "p_BQ": vector(item.p_BQ),
        **{key: getattr(item, key) for key in keys},
    }
    for key, value in values.items():
        add(element, f"{tag}_{key}", value)


def _add_tendon(model: Element, item: TendonConstraint, references: References) -> None:
    tag = "drake:tendon_constraint"
    element = add(model, tag)
    for joint, coefficient in zip(item.joints, item.coefficients, strict=True):
        add(element, f"{tag}_joint", name=references.name(joint), a=coefficient)
    for key, field in {**_TENDON, "stiffness": "stiffness", "damping": "damping"}.items():
        add(element, f"{tag}_{key}", getattr(item, field))


def _add_bushing(model: Element, item: Bushing, references: References) -> None:
    element = add(model, "drake:linear_bushing_rpy")
    add(element, "drake:bushing_frameA", references.frame(item.link_A, item.X_LA))
    add(element, "drake:bushing_frameC", references.frame(item.link_C, item.X_LC))
    for key in _BUSHING:
        add(element, f"drake:bushing_{key}", vector(getattr(item, key)))


def add_filters(
    model: Element, groups: Iterable[FilterGroup], rules: Iterable[FilterRule], references: References
) -> None:
    """Add the filter groups of a model, each with the groups that it ignores.

    Args:
        model: The ``<model>``.
        groups: The groups whose names are in this model.
        rules: The rules about these groups.
        references: The names in the model.
    """
    listed = list(groups)
    names = {group.name for group in listed}
    ignored: dict[str, list[str]] = defaultdict(list)
    for rule in rules:
        a, b = (rule.a, rule.b) if rule.a in names else (rule.b, rule.a)
        ignored[a].append(b)
    for group in listed:
        element = add(model, "drake:collision_filter_group", name=local_name(group.name))
        for link in group.links:
            add(element, "drake:member", references.link(link))
        for other in group.groups:
            add(element, "drake:member_group", references.name(other))
        for other in ignored[group.name]:
            add(element, "drake:ignored_collision_filter_group", references.name(other))

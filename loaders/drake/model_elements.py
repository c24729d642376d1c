"""Drake's extensions of ``<model>`` and ``<robot>``."""

from __future__ import annotations

from loaders.node import Node
from loaders.scene import Scene

from .dialect import Dialect, NameResolver
from .filter_groups import GROUP, read_groups
from .forces import CONSTRAINTS, FORCES, read_constraints, read_forces

ELEMENTS = (GROUP, *CONSTRAINTS, *FORCES)
"""Tags of the elements that `read_model` reads; a model without them needs no call of it."""


def read_model(model: Node, names: NameResolver, dialect: Dialect) -> Scene:
    """Return the constraints, force elements and filter groups of one model, as a scene to merge with the rest.

    Args:
        model: The ``<model>`` or ``<robot>``.
        names: The names in the model.
        dialect: The dialect of the file.
    """
    groups, rules = read_groups(model, names, dialect)
    return Scene(
        name=names.model,
        constraints=tuple(read_constraints(model, names, dialect)),
        forces=tuple(read_forces(model, names, dialect)),
        filter_groups=tuple(groups),
        filter_rules=tuple(rules),
    )

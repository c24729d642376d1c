"""What Drake adds to ``<model>`` and ``<robot>`` themselves."""

from __future__ import annotations

from loaders.node import Node
from loaders.scene import Scene

from .dialect import Dialect, Names
from .filter_groups import read_groups
from .forces import read_constraints, read_forces


def read_model(model: Node, names: Names, dialect: Dialect) -> Scene:
    """Constraints, force elements and filter groups of one model, as a scene to merge with the rest."""
    groups, rules = read_groups(model, names, dialect)
    return Scene(
        name=names.model,
        constraints=tuple(read_constraints(model, names, dialect)),
        forces=tuple(read_forces(model, names, dialect)),
        filter_groups=tuple(groups),
        filter_rules=tuple(rules),
    )

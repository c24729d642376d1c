"""The joints of a robot as the file states them, also those that have errors: every error is found in one reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loaders.diagnostics import Diagnostics, Where
from loaders.ignored_elements import mark_read
from loaders.model import Coupling, Joint
from loaders.node import Node

from .joints import TYPES, read_joint, read_mimic
from .tree import connected, report_second_parents


@dataclass(frozen=True, slots=True)
class StatedJoints:
    """The joints of a robot, valid or not."""

    elements: Mapping[str, Node]
    """Elements by name."""
    by_name: dict[str, Joint]
    """Joints by name."""
    repeated: list[tuple[Node, Joint]]
    """Elements and joints whose name is taken or missing, which is reported; read for their other errors."""

    @classmethod
    def read(cls, unique: Mapping[str, Node], repeated: Iterable[Node], robot: Where) -> StatedJoints:
        """Read the joints.

        Args:
            unique: The elements with a name, by name.
            repeated: The other elements.
            robot: The place of their ``<robot>``.
        """
        by_name = {name: read_joint(node, robot) for name, node in unique.items()}
        return cls(unique, by_name, [(node, read_joint(node, robot)) for node in repeated])

    def connected(self, links: dict[str, Node], diagnostics: Diagnostics) -> list[Joint]:
        """Return the joints whose ends are links or the world; report the others, and second parents of links.

        Args:
            links: The ``<link>`` elements, keyed by name.
            diagnostics: Record for the findings.
        """
        valid = connected(self.by_name.values(), links, diagnostics)
        repeated = [joint for _, joint in self.repeated]
        connected(repeated, links, diagnostics)
        joints = valid if diagnostics.lenient else [*self.by_name.values(), *repeated]
        if len({joint.child for joint in joints}) < len(joints):
            report_second_parents(valid if diagnostics.lenient else sorted(joints, key=_line), links, diagnostics)
        return valid

    def couplings(self, valid: Mapping[str, Joint], *, lenient: bool) -> list[Coupling]:
        """Return the couplings of the ``<mimic>`` elements of valid joints.

        Lenient loading leaves joints with errors out, also as leaders; otherwise their elements are checked as well.

        Args:
            valid: The valid joints, by name.
            lenient: Whether the load is lenient.
        """
        stated = zip(self.elements.values(), self.by_name.values(), strict=True)
        mimicking = [(node, joint) for node, joint in (*stated, *self.repeated) if not node.lacks(_MIMIC)]
        if not mimicking:
            return []
        leaders = dict(valid) if lenient else self.by_name | dict(valid)
        unknown_type = {name for name, node in self.elements.items() if _type(node) not in TYPES}
        couplings = []
        for node, joint in mimicking:
            is_left_out = joint.name not in valid and lenient
            if is_left_out or joint.name in unknown_type or _leader(node) in unknown_type:
                for mimic in node.all("mimic"):  # what is wrong with it follows from an error that is reported
                    mark_read(mimic)
                continue
            coupling = read_mimic(node, valid.get(joint.name, joint), leaders)
            if coupling is not None:
                couplings.append(coupling)
        return couplings


_MIMIC = ("mimic",)


def _line(joint: Joint) -> int:
    return joint.where.line


def _type(node: Node) -> str:
    return node.attributes.get("type", "").strip()


def _leader(node: Node) -> str:
    mimic = node.peek("mimic")
    return "" if mimic is None else mimic.attributes.get("joint", "").strip()

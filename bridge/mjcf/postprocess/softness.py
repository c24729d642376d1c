"""Softness of constraints, ``solref`` and ``solimp``: stated once in a class, and by members that differ from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from bridge.export.number_format import numbers
from bridge.mjcf.xml.element import Element
from bridge.mjcf.xml.solver_constants import (
    DEFAULT_SOLIMP,
    DEFAULT_SOLIMP_SHAPE,
    DEFAULT_SOLREF,
    HARD_SOLIMP,
    hard_solref,
)

_SHAPE = f" {numbers(DEFAULT_SOLIMP_SHAPE)}"
"""End of a ``solimp`` whose last two numbers are MuJoCo's default."""


class Softness(NamedTuple):
    """The softness of a constraint, as text; ``solimp`` has all its five numbers."""

    solref: str
    solimp: str


DEFAULT = Softness(numbers(DEFAULT_SOLREF), numbers(DEFAULT_SOLIMP) + _SHAPE)
"""MuJoCo's default."""


def hard(time_step: float) -> Softness:
    """Return the softness of a hard constraint."""
    return Softness(numbers(hard_solref(time_step)), numbers(HARD_SOLIMP) + _SHAPE)


def share_softness(members: Sequence[Element], unstated: Softness, suffix: str = "") -> dict[str, str]:
    """Return the attributes of a class of constraints; of its members, only those that differ state their softness.

    Args:
        members: The constraints.
        unstated: The softness of the members that state none.
        suffix: End of the names of the attributes: ``limit``, ``friction`` or nothing.
    """
    found = [_softness_of(member, unstated, suffix) for member in members]
    shared = Counter(found).most_common(1)[0][0] if found else DEFAULT
    for member, own in zip(members, found, strict=True):
        _state(member, own, shared, suffix)
    if shared == DEFAULT:
        return {}
    return {f"solref{suffix}": shared.solref, f"solimp{suffix}": shared.solimp.removesuffix(_SHAPE)}


def _softness_of(member: Element, unstated: Softness, suffix: str) -> Softness:
    solref, solimp = (member.attributes.get(f"{name}{suffix}") for name in Softness._fields)
    stated = [] if solimp is None else solimp.split()
    return Softness(solref or unstated.solref, " ".join([*stated, *unstated.solimp.split()[len(stated) :]]))


def _state(member: Element, own: Softness, shared: Softness, suffix: str) -> None:
    """Let a member state what differs from its class, in place of what it states."""
    has_shape = shared.solimp.endswith(_SHAPE)
    for name, text, default in zip(Softness._fields, own, shared, strict=True):
        member.attributes.pop(f"{name}{suffix}", None)
        if text != default:
            member.attributes[f"{name}{suffix}"] = text.removesuffix(_SHAPE) if has_shape and name == "solimp" else text

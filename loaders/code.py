"""Code: the declaration of one kind of finding; Fate: the consequence for a piece of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Fate(StrEnum):
    """Consequence for one piece of the source."""

    INVALID = "invalid"
    """The source is invalid; no model can be made of it."""
    DROPPED = "dropped"
    """The piece has a meaning that the result does not carry."""
    SKIPPED = "skipped"
    """The piece is invalid; lenient loading left it out or assumed a value, which the message
    states.
    """
    APPROXIMATED = "approximated"
    """The result carries the piece with an error, whose size the message states."""
    REPAIRED = "repaired"
    """The piece was changed by a repair that the caller asked for."""
    ASSUMED = "assumed"
    """The source gives no usable value; the message states the value that is used."""
    NOTED = "noted"
    """Information; nothing that moves or collides depends on it."""


@dataclass(frozen=True, slots=True)
class Code:
    """The declaration of one kind of finding.

    Attributes:
        name: Stable and documented, for example ``sdf.frame-cycle``.
        fate: The consequence for the piece of the source.
        message: The message, with ``{argument}`` where an argument stands.
        meaning: The meaning of the finding, in one sentence, for the page of codes.
        remedy: The advice to the user on that page; empty if nothing needs to be done.
        hint: The advice in the message, an imperative.
        leniency: What lenient loading does instead of refusing the file; empty if it refuses it.
        also: Other fates that are chosen where the problem is found.
        harm: What it does to the motion at once, by which the summary of a call orders findings: 3
            if the model diverges, 2 if a part of it moves otherwise or not at all, 1 if it moves
            otherwise by an amount that the message states, or without a call that the hint names.
    """

    name: str
    fate: Fate
    message: str
    meaning: str = field(kw_only=True)
    remedy: str = field(default="", kw_only=True)
    hint: str = field(default="", kw_only=True)
    leniency: str = field(default="", kw_only=True)
    also: tuple[Fate, ...] = field(default=(), kw_only=True)
    harm: int = field(default=0, kw_only=True)

    @property
    def fates(self) -> tuple[Fate, ...]:
        """All fates that findings of this kind have."""
        is_tolerated = self.fate is Fate.INVALID and self.leniency
        skipped = (Fate.SKIPPED,) if is_tolerated else ()
        return tuple(dict.fromkeys((self.fate, *skipped, *self.also)))

    def variant(
        self,
        message: str = "",
        *,
        fate: Fate | None = None,
        hint: str | None = None,
        leniency: str | None = None,
    ) -> Code:
        """Return this kind of finding with another message, fate, hint or leniency.

        Args:
            message: The message; empty to keep it.
            fate: The fate; None to keep it.
            hint: The hint; None to keep it.
            leniency: What lenient loading does; None to keep it.
        """
        return replace(
            self,
            message=message or self.message,
            fate=self.fate if fate is None else fate,
            hint=self.hint if hint is None else hint,
            leniency=self.leniency if leniency is None else leniency,
        )


def declared_codes(names: Mapping[str, object]) -> dict[str, Code]:
    """Return the codes that a module declares, by name; the fates of variants are added to the
    first.

    Args:
        names: The names of the module, those of `vars`.
    """
    found: dict[str, Code] = {}
    for value in names.values():
        if isinstance(value, Code):
            first = found.setdefault(value.name, value)
            fates = tuple(dict.fromkeys((*first.fates, *value.fates)))
            found[value.name] = replace(first, also=fates[1:])
    return found

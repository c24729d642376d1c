"""Code: the declaration of one kind of finding; Fate: the consequence for a piece of the source;
Effect: the meaning of the loss for a comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Required, TypedDict, Unpack


class Fate(StrEnum):
    """Consequence for one piece of the source."""

    INVALID = "invalid"
    """The source is invalid; no model can be made of it."""
    DROPPED = "dropped"
    """The piece has a meaning that the result does not carry."""
    SKIPPED = "skipped"
    """The piece is invalid; lenient loading left it out or assumed a value, which the message
    states."""
    APPROXIMATED = "approximated"
    """The result carries the piece with an error, whose size the message states."""
    REPAIRED = "repaired"
    """The piece was changed by a repair that the caller asked for."""
    ASSUMED = "assumed"
    """The source gives no usable value; the message states the value that is used."""
    NOTED = "noted"
    """Information; nothing that moves or collides depends on it."""


class ActsOn(StrEnum):
    """The aspect of a simulation that a piece of a model acts on."""

    MOTION = "motion"
    """The motion: forces, inertia, joints, limits."""
    CONTACT = "contact"
    """The contact: shapes, the pairs that collide, their parameters."""
    LOOKS = "looks"
    """The picture alone."""
    NOTHING = "nothing"
    """No motion, contact or picture."""


QUANTITIES_OF_CONTACT = frozenset({"collidable pairs", "contact parameters", "shapes", "sizes"})
"""The quantities of effects that act on contact; the others act on motion."""


def _acts_on(quantity: str) -> ActsOn:
    return ActsOn.CONTACT if quantity in QUANTITIES_OF_CONTACT else ActsOn.MOTION


@dataclass(frozen=True, slots=True)
class Lost:
    """Effect of a loss: the result lacks what the source states.

    Attributes:
        quantity: The quantity that a comparison then cannot compare.
    """

    quantity: str

    @property
    def acts_on(self) -> ActsOn:
        """The aspect that the quantity acts on."""
        return _acts_on(self.quantity)

    def __str__(self) -> str:
        return f"{self.acts_on}: {self.quantity}"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Effect of an assumption: an engine chooses a quantity, because the source states nothing that
    it can simulate.

    Attributes:
        quantity: The quantity that a comparison then cannot compare.
    """

    quantity: str

    @property
    def acts_on(self) -> ActsOn:
        """The aspect that the quantity acts on."""
        return _acts_on(self.quantity)

    def __str__(self) -> str:
        return f"{self.acts_on}: {self.quantity}, which an engine chooses"


@dataclass(frozen=True, slots=True)
class Condition:
    """Effect of a loss that is without effect under a condition, on which every verdict depends.

    Attributes:
        text: The condition, a sentence without its full stop.
    """

    text: str

    @property
    def acts_on(self) -> ActsOn:
        """The aspect that the piece may act on where the condition does not hold."""
        return ActsOn.MOTION

    def __str__(self) -> str:
        return f"none if {self.text}"


@dataclass(frozen=True, slots=True)
class NoEffect:
    """Effect of a loss that changes neither motion nor contact.

    Attributes:
        acts_on: The aspect that the piece acts on: ``LOOKS`` or ``NOTHING``.
    """

    acts_on: ActsOn = ActsOn.NOTHING

    def __str__(self) -> str:
        return "none" if self.acts_on is ActsOn.NOTHING else str(self.acts_on)


NO_EFFECT = NoEffect()
"""Effect of the loss of what acts on nothing in a simulation: sensors, named states, what the
simulator of the format ignores too, and what another finding reports again."""
LOOKS_ONLY = NoEffect(ActsOn.LOOKS)
"""Effect of the loss of what is only drawn."""
Effect = Lost | Chosen | Condition | NoEffect
"""The meaning of a loss for a comparison of engines."""


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
        effect: What it means for a comparison that something is dropped, or chosen by an engine;
            None if findings of this kind report no such thing, or are about files that are written
            and not compared.
        also: Other fates that are chosen where the problem is found.
        harm: What it does to the motion at once, by which findings are ordered: 3
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
    effect: Effect | None = field(default=None, kw_only=True)
    also: tuple[Fate, ...] = field(default=(), kw_only=True)
    harm: int = field(default=0, kw_only=True)

    @property
    def fates(self) -> tuple[Fate, ...]:
        """All fates that findings of this kind have."""
        is_tolerated = self.fate is Fate.INVALID and self.leniency
        skipped = (Fate.SKIPPED,) if is_tolerated else ()
        return tuple(dict.fromkeys((self.fate, *skipped, *self.also)))

    @property
    def rank(self) -> float:
        """The place of findings in the order of harm: `harm`, below it what changes motion or
        contact, then what does so under a condition.
        """
        if self.harm:
            return self.harm
        if isinstance(self.effect, Lost | Chosen):
            return 0.5
        return 0.25 if isinstance(self.effect, Condition) else 0.0

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


class _Fields(TypedDict, total=False):
    meaning: Required[str]
    remedy: str
    hint: str
    leniency: str
    effect: Effect
    also: tuple[Fate, ...]
    harm: int


def _declared(fate: Fate, name: str, message: str, **fields: Unpack[_Fields]) -> Code:
    """Return the declaration of a finding, whose remedy is by default the hint as a sentence."""
    code = Code(name, fate, message, **fields)
    if code.remedy or not code.hint:
        return code
    return replace(code, remedy=f"{code.hint[0].upper()}{code.hint[1:]}.")


invalid = partial(_declared, Fate.INVALID)
"""Declare a finding about a source that is invalid; see `Code` for the arguments."""
dropped = partial(_declared, Fate.DROPPED)
"""Declare a finding about a piece that is left out."""
approximated = partial(_declared, Fate.APPROXIMATED)
"""Declare a finding about a piece that the result carries with an error."""
repaired = partial(_declared, Fate.REPAIRED)
"""Declare a finding about a piece that a repair changed."""
assumed = partial(_declared, Fate.ASSUMED)
"""Declare a finding about a value that is assumed."""
noted = partial(_declared, Fate.NOTED)
"""Declare a finding that is information only."""


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

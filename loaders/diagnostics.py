"""Diagnostics: structured findings about a source file or an export, each with a stable code.

A finding has a code, a fate, a message template with its arguments, the scoped names of the items it is about (its
subjects), the place in the source, and a hint. Code reads the fields; only people read the message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import accumulate
from string import Formatter

from loaders.reading.deferred import Deferred
from loaders.reading.listing import folded
from loaders.reading.makers import maker
from loaders.safety.limits import Budget, how_to_raise
from loaders.safety.text import printable, shortened

Argument = str | int | float | tuple[str, ...]
"""Value of one argument of a message; a tuple is a list of names, of which the text shows the first few."""
_VALUES = (str, int, float, tuple)

_findings_table: Callable[..., str] = Deferred("loaders.notebook.cards:findings_table")
MAX_PROBLEMS = 200
"""Largest number of diagnostics in the text of an error; its ``diagnostics`` hold all."""
MAX_SIMILAR = 5
"""Largest number of diagnostics with the same code and template in the text of an error."""
MAX_LISTED = 6
"""Largest number of names that a message lists; it states how many more there are."""


class Fate(StrEnum):
    """Consequence for one piece of the source."""

    INVALID = "invalid"
    """The source is invalid; no model can be made of it."""
    DROPPED = "dropped"
    """The piece has a meaning that the result does not carry."""
    SKIPPED = "skipped"
    """The piece is invalid; lenient loading left it out or assumed a value, which the message states."""
    APPROXIMATED = "approximated"
    """The result carries the piece with an error, whose size the message states."""
    REPAIRED = "repaired"
    """The piece was changed by a repair that the caller asked for."""
    ASSUMED = "assumed"
    """The source gives no usable value; the message states the value that is used."""
    NOTED = "noted"
    """Information; nothing that moves or collides depends on it."""


_SEVERITY = {
    Fate.INVALID: "error",
    Fate.DROPPED: "warning",
    Fate.SKIPPED: "warning",
    Fate.APPROXIMATED: "warning",
    Fate.ASSUMED: "warning",
    Fate.REPAIRED: "note",
    Fate.NOTED: "note",
}


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """The entry of a diagnostic code in the registry.

    Attributes:
        meaning: The meaning of the diagnostic, in one sentence.
        remedy: The advice to the user; empty if nothing needs to be done.
        fates: The fates that diagnostics with this code have.
    """

    meaning: str
    remedy: str
    fates: tuple[Fate, ...]


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a source file.

    Attributes:
        file: Path of the file.
        line: Line, from 1; 0 if unknown.
        path: Path of the element, such as ``/sdf/model[arm]/joint[elbow]``.
    """

    file: str = ""
    line: int = 0
    path: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Where()
make_where = maker(Where)
"""`Where`, for places of which a file has hundreds."""


class _MessageFormatter(Formatter):
    """Formatter of message templates; it lists a tuple of names with commas."""

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, tuple):
            rest = len(value) - MAX_LISTED
            return ", ".join(map(str, value[:MAX_LISTED])) + (f" and {rest} more" if rest > 0 else "")
        return str(super().format_field(value, format_spec))


_FORMATTER = _MessageFormatter()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: Stable and documented, for example ``sdf.frame-cycle``.
        fate: The consequence for the piece of the source.
        template: The message, with ``{argument}`` where an argument stands; plain text if there are no arguments.
        where: The place in the source.
        target: The engine or format that cannot carry it; empty for a finding of a reader.
        hint: The advice to the user, an imperative.
        arguments: The values of the template's arguments.
        subjects: Scoped names of the links, joints, collisions and other items that the finding is about.
        leniency: What lenient loading does instead of refusing the file; empty if it refuses the file too.
    """

    code: str
    fate: Fate
    template: str
    where: Where = NOWHERE
    target: str = ""
    hint: str = ""
    arguments: Mapping[str, Argument] = field(default_factory=dict, kw_only=True, hash=False)
    subjects: tuple[str, ...] = field(default=(), kw_only=True)
    leniency: str = field(default="", kw_only=True)

    def __hash__(self) -> int:
        """Return a hash that differs for findings of one template, of which a file may have thousands in a line."""
        return hash((self.code, self.where, self.subjects, frozenset(self.arguments.items())))

    @property
    def message(self) -> str:
        """The message for people: the template with its arguments filled in."""
        return _FORMATTER.vformat(self.template, (), self.arguments) if self.arguments else self.template

    @property
    def severity(self) -> str:
        """``error``, ``warning`` or ``note``."""
        return _SEVERITY[self.fate]

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where.file else ""
        hint = f" ({self.hint})" if self.hint else ""
        return printable(f"{place}{self.severity}: {shortened(self.message)}{shortened(hint)}  [{self.code}]")

    def __repr__(self) -> str:
        return f"<Diagnostic {str(self)[:160]}>"


_Diagnostic = maker(Diagnostic)


class Diagnostics:
    """An append-only list of findings, shared by readers, lowering and exporters.

    Attributes:
        lenient: Whether what lenient loading can leave out or assume is skipped, not invalid.
    """

    __slots__ = ("_budget", "_entries", "_leniency", "lenient")

    def __init__(
        self, entries: Iterable[Diagnostic] = (), budget: Budget | None = None, *, lenient: bool = False
    ) -> None:
        self._entries = list(entries)
        self._budget = budget
        self._leniency = ""
        self.lenient = lenient

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def _repr_html_(self) -> str:
        return _findings_table(self._entries)

    def add(
        self,
        fate: Fate,
        code: str,
        template: str,
        where: Where = NOWHERE,
        /,
        *,
        target: str = "",
        hint: str = "",
        subjects: Iterable[str] = (),
        leniency: str = "",
        **arguments: object,
    ) -> None:
        """Record one finding.

        Args:
            fate: The consequence for the piece of the source.
            code: The registered code.
            template: The message, with ``{argument}`` for each of ``arguments``.
            where: The place in the source.
            target: The engine or format that cannot carry it.
            hint: The advice to the user, an imperative.
            subjects: Scoped names of the items that the finding is about.
            leniency: What lenient loading does instead of refusing an invalid piece, a template as well; empty if it
                refuses the file too.
            arguments: The values of the template's arguments; other types than `Argument` become text.
        """
        leniency = leniency or self._leniency
        if leniency and self.lenient and fate is Fate.INVALID:
            fate, template = Fate.SKIPPED, f"{template}; {leniency}"
        if self.overflows(fate):
            return
        values = {key: value if isinstance(value, _VALUES) else str(value) for key, value in arguments.items()}
        entry = _Diagnostic(
            code, fate, template, where, target, hint, arguments=values, subjects=tuple(subjects), leniency=leniency
        )
        self._entries.append(entry)
        if self._budget is not None:
            self._budget.listed[_SEVERITY[fate]] += 1

    def tolerating(self, leniency: str) -> AbstractContextManager[None]:
        """Let lenient loading skip every invalid finding of a block.

        Args:
            leniency: What lenient loading does instead of refusing the file.
        """
        return _Tolerance(self, leniency)

    def overflows(self, fate: Fate) -> bool:
        """Return whether a finding with this fate is beyond the limit of the load; then it is counted, not listed."""
        if self._budget is None or self._budget.has_room(_SEVERITY[fate]):
            return False
        self._budget.unlisted[_SEVERITY[fate]] += 1
        return True

    def spend(self, option: str, amount: int) -> None:
        """Spend some of a limit of the load.

        Args:
            option: Name of the limit in `loaders.safety.limits.Limits`.
            amount: The amount.

        Raises:
            LimitError: if it exceeds the limit.
        """
        if self._budget is not None:
            self._budget.spend(option, amount)

    def add_unlisted(self) -> None:
        """Record how many findings are beyond the limit of the load."""
        unlisted = {} if self._budget is None else self._budget.unlisted
        for severity, count in sorted(unlisted.items()):
            message = "{count} more diagnostics of severity {severity} are not listed"
            hint, entry = how_to_raise("diagnostics"), dict[str, Argument](count=count, severity=severity)
            self._entries.append(Diagnostic("file.unlisted", Fate.NOTED, message, hint=hint, arguments=entry))

    def extend(self, entries: Iterable[Diagnostic]) -> None:
        """Append findings that were recorded elsewhere."""
        self._entries.extend(entries)

    def rename_subjects(self, findings: range, rename: Callable[[str], Iterable[str]]) -> None:
        """Rename the subjects of some findings, when a scene becomes part of another one.

        Args:
            findings: Indices of the findings.
            rename: Returns the new names of a subject; several if the scene is used several times.
        """
        for i in findings:
            subjects = dict.fromkeys(name for subject in self._entries[i].subjects for name in rename(subject))
            self._entries[i] = replace(self._entries[i], subjects=tuple(subjects))

    def add_missing_subjects(self, findings: range, subjects: Iterable[str]) -> None:
        """Set the subjects of those of some findings that have none.

        Args:
            findings: Indices of the findings.
            subjects: Scoped names of the items that the findings are about.
        """
        names = tuple(subjects)
        for i in findings:
            if not self._entries[i].subjects:
                self._entries[i] = replace(self._entries[i], subjects=names)

    def raise_for(self, error: type[ModelError], *, strict: bool) -> None:
        """Raise an error if an entry prevents the result; the error holds all such entries.

        Args:
            error: The type of error to raise.
            strict: Whether warnings also prevent the result.

        Raises:
            ModelError: of the given type, if an entry is an error or, with ``strict``, a warning.
        """
        tolerated = {"note"} if strict else {"note", "warning"}
        refused = tuple(entry for entry in self._entries if entry.severity not in tolerated)
        if refused:
            raise error(refused, tuple(entry for entry in self._entries if entry.severity in tolerated))


class _Tolerance:
    """A block in which lenient loading skips invalid findings; a class, since readers enter one for many values."""

    __slots__ = ("_diagnostics", "_leniency", "_outer")

    def __init__(self, diagnostics: Diagnostics, leniency: str) -> None:
        self._diagnostics, self._leniency = diagnostics, leniency

    def __enter__(self) -> None:
        self._outer = self._diagnostics._leniency
        self._diagnostics._leniency = self._outer or self._leniency

    def __exit__(self, *_: object) -> None:
        self._diagnostics._leniency = self._outer


def without_repeats(entries: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return each finding once, in order.

    A reader reports a missing mesh at the element that names it; the finding of a target about the same shape is left
    out.
    """
    unique = tuple(dict.fromkeys(entries))
    missing = [entry.where for entry in unique if entry.code == "resource.not-found"]
    shapes = {(where.file, path) for where in missing for path in accumulate(where.path.split("/"), "{}/{}".format)}
    return tuple(e for e in unique if e.code != "mesh.missing" or (e.where.file, e.where.path) not in shapes)


class ModelError(ValueError):
    """Error: the model cannot be used as requested.

    Attributes:
        diagnostics: Every reason.
        others: The warnings and notes that were found too, without those that follow from the reasons.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...], others: tuple[Diagnostic, ...] = ()) -> None:
        self.diagnostics, self.others = diagnostics, others
        shown, hidden = folded(diagnostics, MAX_SIMILAR)
        rest = len(shown) - MAX_PROBLEMS
        lines = [*map(str, shown[:MAX_PROBLEMS]), *((f"and {rest} more",) if rest > 0 else ())]
        super().__init__("\n".join((*lines, *(f"and {count} more like it  [{code}]" for code, count in hidden))))

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Everything that was found: the reasons, then the warnings and notes."""
        return self.diagnostics + self.others

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[Diagnostic, ...], ...]]:
        return type(self), (self.diagnostics, self.others)


class LoadError(ModelError):
    """Error: no `Scene` can be made of the source.

    Attributes:
        skipped: What lenient loading would leave out or assume to read the source; empty if it refuses it too.
    """

    def __init__(
        self,
        diagnostics: tuple[Diagnostic, ...],
        others: tuple[Diagnostic, ...] = (),
        skipped: tuple[Diagnostic, ...] = (),
    ) -> None:
        super().__init__(diagnostics, others)
        self.skipped = skipped

    @property
    def advice(self) -> str:
        """A statement that lenient loading reads the source, and what it skips; empty if it refuses the source too."""
        if not self.skipped:
            return ""
        kinds = Counter(replace(entry, template=entry.leniency).message for entry in self.skipped)
        listed = "; ".join(f"{text} ({count} times)" if count > 1 else text for text, count in kinds.items())
        return printable(f"lenient loading, with lenient=True, reads this file: {shortened(listed)}")

    def __str__(self) -> str:
        return "\n".join(filter(None, (super().__str__(), self.advice)))

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[Diagnostic, ...], ...]]:
        return type(self), (self.diagnostics, self.others, self.skipped)


class ExportError(ModelError):
    """Error: the target cannot represent the model."""

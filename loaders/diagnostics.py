"""Diagnostic, Fate, LoadError, their lists and order, and the summary warning of one call.

A finding has a code, a fate, a message template with its arguments, the scoped names of the items
it is about (its subjects), the place in the source, and a hint. Code reads the fields; only people
read the message.
"""

from __future__ import annotations

import logging
import sys
import textwrap
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, replace
from itertools import accumulate
from string import Formatter
from types import TracebackType
from typing import Any, Protocol, Self, cast

from .code import Code, Fate, declared_codes
from .codes import FILE_LIMIT, FILE_UNLISTED, MESH_MISSING, RESOURCE_NOT_FOUND
from .deferred import Deferred
from .limits import Budget, LimitError, Limits, budgeted, how_to_raise
from .text import (
    MAX_SIMILAR,
    by_harm,
    folded,
    nearest_path,
    number,
    printable,
    shortened,
    without_current_folder,
    worst_lines,
)

__all__ = ["Code", "Fate", "declared_codes"]


Item = str | float | tuple[str | float, ...]
"""Item of a list that is an argument of a message; a tuple has one value for each place of its
format."""
Argument = str | int | float | tuple[Item, ...]
"""Value of one argument of a message; a tuple of numbers is a vector, another one a list, of which
the text shows the first few items."""
_VALUES = (str, int, float, tuple)

_findings_table: Callable[..., str] = Deferred("loaders.text:findings_table")
MAX_PROBLEMS = 200
"""Largest number of diagnostics in the text of an error; its ``diagnostics`` hold all."""
MAX_LISTED = 6
"""Largest number of names that a message lists; it states how many more there are."""


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
        """Return the place as people read it, from the current folder if that is shorter."""
        file = nearest_path(self.file)
        return f"{file}:{self.line}" if self.line else file


NOWHERE = Where()


class Placed(Protocol):
    """An item of a scene, with its scoped name and the place that states it."""

    @property
    def name(self) -> str:
        """Scoped name."""

    @property
    def where(self) -> Where:
        """Place in the source."""


class _MessageFormatter(Formatter):
    """Formatter of message templates.

    It writes a vector with spaces, each number in the given format or else as the shortest decimal,
    and a list with commas. A format with ``%`` makes the tuple a list and is that of an item:
    ``{links:%s (with %s)}``. A format with ``|`` adds one of two texts, that for one or that for
    several, by a number or by the length of a list: ``{count:body|bodies}``, ``{names:is|are}``.
    """

    def format_field(self, value: object, format_spec: str) -> str:
        if "|" in format_spec:
            one, several = format_spec.split("|")
            count = len(value) if isinstance(value, tuple) else value
            return f"{self.format_field(value, '')} {one if count == 1 else several}"
        if not isinstance(value, tuple):
            return str(super().format_field(value, format_spec))
        if "%" in format_spec:
            return _listed(tuple(format_spec % item for item in value))
        if is_vector(value):
            return " ".join(format(x, format_spec) if format_spec else number(x) for x in value)
        return _listed(value)


def is_vector(value: object) -> bool:
    """Return whether an argument of a message is a tuple of numbers."""
    is_filled = isinstance(value, tuple) and value != ()
    return is_filled and all(isinstance(x, int | float) for x in cast(tuple[Item, ...], value))


def _listed(items: tuple[Item, ...]) -> str:
    """Return the text of the first few items of a list, with the number of the others."""
    rest = len(items) - MAX_LISTED
    shown = ", ".join(map(str, items[:MAX_LISTED]))
    return f"{shown} and {rest} more" if rest > 0 else shown


_FORMATTER = _MessageFormatter()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: Stable and documented, for example ``sdf.frame-cycle``.
        fate: The consequence for the piece of the source.
        template: The message, with ``{argument}`` where an argument stands; plain text if there are
            no arguments.
        where: The place in the source.
        target: The engine or format that cannot carry it; empty for a finding of a reader.
        hint: The advice to the user, an imperative.
        arguments: The values of the template's arguments.
        subjects: Scoped names of the links, joints, collisions and other items that the finding is
            about.
        leniency: What lenient loading does instead of refusing the file; empty if it refuses the
            file too.
        harm: Its place in the order of harm; see `loaders.code.Code.rank`.
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
    harm: float = field(default=0.0, kw_only=True, compare=False)

    def __hash__(self) -> int:
        """Return a hash that differs for findings of one template; a file may have thousands of
        them in a line.
        """
        place = self.where.line, self.where.path
        return hash((self.code, place, self.subjects, frozenset(self.arguments.items())))

    @property
    def message(self) -> str:
        """The message for people: the template with its arguments filled in."""
        return (
            _FORMATTER.vformat(self.template, (), self.arguments)
            if self.arguments
            else self.template
        )

    def number(self, name: str) -> float:
        """Return an argument that is a number.

        Args:
            name: The name of the argument.

        Raises:
            KeyError: if there is no such argument.
            TypeError: if it is no number.
        """
        value = self.arguments[name]
        if not isinstance(value, int | float):
            raise TypeError(f"argument {name!r} of {self.code} is no number: {value!r}")
        return float(value)

    def is_one_of(self, codes: Iterable[Code]) -> bool:
        """Return whether the finding is of one of these kinds.

        Args:
            codes: The kinds; their variants are of the same kind.
        """
        return any(self.code == code.name for code in codes)

    @property
    def severity(self) -> str:
        """``error``, ``warning`` or ``note``."""
        return _SEVERITY[self.fate]

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where.file else ""
        hint = f" ({self.hint})" if self.hint else ""
        text = f"{place}{self.severity}: {shortened(self.message)}{shortened(hint)}  [{self.code}]"
        return printable(without_current_folder(text))

    def __repr__(self) -> str:
        return f"<Diagnostic {str(self)[:160]}>"


def _about(where: Where | Placed, subjects: Iterable[str]) -> tuple[Where, Iterable[str]]:
    if isinstance(where, Where):
        return where, subjects
    return where.where, subjects or (where.name,)


def finding_of(
    code: Code,
    where: Where | Placed | None = None,
    *,
    target: str = "",
    hint: str = "",
    subjects: Iterable[str] = (),
    **arguments: Argument,
) -> Diagnostic:
    """Return one finding of a kind.

    Args:
        code: The kind.
        where: The place in the source, or the item that the finding is about; None if it is not
            known.
        target: The engine or format that cannot carry it.
        hint: The advice to the user, an imperative; empty for that of the code.
        subjects: Scoped names of the items that the finding is about; that of the item by default.
        arguments: The values of the message's arguments.
    """
    where, subjects = _about(where or NOWHERE, subjects)
    return Diagnostic(
        code.name,
        code.fate,
        code.message,
        where,
        target,
        hint or code.hint,
        arguments=arguments,
        subjects=tuple(subjects),
        leniency=code.leniency,
        harm=code.rank,
    )


class Diagnostics:
    """An append-only list of findings, shared by readers, lowering and exporters.

    Attributes:
        lenient: Whether what lenient loading can leave out or assume is skipped, not invalid.
    """

    __slots__ = ("_budget", "_entries", "_leniency", "lenient")

    def __init__(
        self,
        entries: Iterable[Diagnostic] = (),
        budget: Budget | None = None,
        *,
        lenient: bool = False,
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
        code: Code,
        where: Where | Placed = NOWHERE,
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
            code: The kind of the finding.
            where: The place in the source, or the item that the finding is about.
            target: The engine or format that cannot carry it.
            hint: The advice to the user, an imperative; empty for that of the code.
            subjects: Scoped names of the items that the finding is about; that of the item by
                default.
            leniency: What lenient loading does instead of refusing an invalid piece; empty for that
                of the code.
            arguments: The values of the message's arguments; other types than `Argument` become
                text.
        """
        fate, template = code.fate, code.message
        leniency = leniency or code.leniency or self._leniency
        if leniency and self.lenient and fate is Fate.INVALID:
            fate, template = Fate.SKIPPED, f"{template}; {leniency}"
        if self.overflows(fate):
            return
        values = {
            key: value if isinstance(value, _VALUES) else str(value)
            for key, value in arguments.items()
        }
        where, subjects = _about(where, subjects)
        entry = Diagnostic(
            code.name,
            fate,
            template,
            where,
            target,
            hint or code.hint,
            arguments=values,
            subjects=tuple(subjects),
            leniency=leniency,
            harm=code.rank,
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
        """Return whether a finding with this fate is beyond the limit of the load; then it is
        counted, not listed.
        """
        if self._budget is None or self._budget.has_room(_SEVERITY[fate]):
            return False
        self._budget.unlisted[_SEVERITY[fate]] += 1
        return True

    def spend(self, option: str, amount: int) -> None:
        """Spend some of a limit of the load.

        Args:
            option: Name of the limit in `loaders.limits.Limits`.
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
            arguments: dict[str, Argument] = {"count": count, "severity": severity}
            self._entries.append(
                Diagnostic(
                    FILE_UNLISTED.name,
                    FILE_UNLISTED.fate,
                    FILE_UNLISTED.message,
                    hint=how_to_raise("diagnostics"),
                    arguments=arguments,
                )
            )

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
            subjects = dict.fromkeys(
                name for subject in self._entries[i].subjects for name in rename(subject)
            )
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
            raise error(
                refused, tuple(entry for entry in self._entries if entry.severity in tolerated)
            )


class _Tolerance:
    """A block in which lenient loading skips invalid findings; a class, since readers enter one for
    many values.
    """

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

    A reader reports a missing mesh at the element that names it; the finding of a target about the
    same shape is left out.
    """
    unique = tuple(dict.fromkeys(entries))
    missing = [entry.where for entry in unique if entry.code == RESOURCE_NOT_FOUND.name]
    shapes = {
        (where.file, path)
        for where in missing
        for path in accumulate(where.path.split("/"), "{}/{}".format)
    }
    return tuple(
        e
        for e in unique
        if e.code != MESH_MISSING.name or (e.where.file, e.where.path) not in shapes
    )


class ModelError(ValueError):
    """Error: the model cannot be used as requested.

    Attributes:
        diagnostics: Every reason.
        others: The warnings and notes that were found too, without those that follow from the
            reasons.
    """

    def __init__(
        self, diagnostics: tuple[Diagnostic, ...], others: tuple[Diagnostic, ...] = ()
    ) -> None:
        self.diagnostics, self.others = diagnostics, others
        shown = folded(diagnostics, MAX_SIMILAR)
        rest = len(shown) - MAX_PROBLEMS
        lines = []
        for entry, further in shown[:MAX_PROBLEMS]:
            lines.append(str(entry))
            lines += [f"and {further} more like it  [{entry.code}]"] if further else []
        lines += [f"and {rest} more"] if rest > 0 else []
        super().__init__("\n".join(lines))

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Everything that was found: the reasons, then the warnings and notes."""
        return self.diagnostics + self.others

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[Diagnostic, ...], ...]]:
        return type(self), (self.diagnostics, self.others)

    def _render_traceback_(self) -> list[str]:
        """Return the text that a notebook shows: the lines of the user, and the reasons."""
        import traceback  # only notebooks need it

        own = [
            frame
            for frame, _ in traceback.walk_tb(self.__traceback__)
            if frame.f_globals.get("__name__", "").partition(".")[0]
            not in {*_OWN_PACKAGES, "IPython"}
        ]
        calls = traceback.StackSummary.extract((frame, frame.f_lineno) for frame in own)
        return [*calls.format(), f"{type(self).__name__}: {self}"]


class LoadError(ModelError):
    """Error: no `Scene` can be made of the source.

    Attributes:
        skipped: What lenient loading would leave out or assume to read the source; empty if it
            refuses it too.
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
        """A statement that lenient loading reads the source, and what it skips; empty if it refuses
        the source too.
        """
        if not self.skipped:
            return ""
        kinds = Counter(replace(entry, template=entry.leniency).message for entry in self.skipped)
        listed = "; ".join(
            f"{text} ({count} times)" if count > 1 else text for text, count in kinds.items()
        )
        return printable(
            f"lenient loading, with lenient=True, reads this file: {shortened(listed)}"
        )

    def __str__(self) -> str:
        return "\n".join(filter(None, (super().__str__(), self.advice)))

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[Diagnostic, ...], ...]]:
        return type(self), (self.diagnostics, self.others, self.skipped)


class ExportError(ModelError):
    """Error: the target cannot represent the model."""


_findings_card: Callable[..., str] = Deferred("loaders.text:findings_card")
_folded_findings: Callable[..., str] = Deferred("loaders.text:folded_findings")


class FindingList(tuple[Diagnostic, ...]):
    """A tuple of diagnostics with a form for notebooks: their number by severity, and a table,
    errors first.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _findings_card(self)


_OWN_PACKAGES = frozenset({"bridge", "loaders", "sdfbridge"})
"""Packages whose frames are not those of the caller."""
LOGGER = logging.getLogger("sdfbridge")
"""The logger of every finding: losses at level INFO, notes at level DEBUG."""


class LossWarning(UserWarning):
    """Warning: the result of a call lacks, approximates or assumes something; its ``diagnostics``
    say what.
    """


class LossSummary:
    """Context of one public call, which warns of the losses at its end, at the line of the caller.

    The losses of a call within another one are those of the outer one. There is no warning if the
    call fails, since the error states the reasons. Meshes and pictures that are read during the
    call share one budget; a call that exceeds it is a `LoadError`.

    Attributes:
        name: Name of the source.
        quiet: Whether there is no warning; the logger gets the findings in any case.
        limits: Limits on the call; None for those of the outer call, or else the defaults.
        lenient: Whether meshes and pictures past a limit on one file are left out.
    """

    _active: ContextVar[LossSummary | None] = ContextVar("_active", default=None)

    def __init__(
        self,
        name: object,
        *,
        quiet: bool = False,
        limits: Limits | None = None,
        lenient: bool = False,
    ) -> None:
        self.name = str(name)
        self.quiet = quiet
        self._scope = budgeted(limits, lenient=lenient)
        self._found: list[Diagnostic] = []
        self._outer: LossSummary | None = None
        self._token: Token[LossSummary | None] | None = None

    @classmethod
    def of(cls, name: object, options: Mapping[str, Any]) -> Self:
        """Return the context of a call with options.

        Args:
            name: Name of the source.
            options: The options of the call; ``quiet``, ``limits`` and ``lenient`` matter.
        """
        lenient = options.get("lenient", False)
        return cls(
            name, quiet=options.get("quiet", False), limits=options.get("limits"), lenient=lenient
        )

    def add(self, diagnostics: Iterable[Diagnostic], *, without: Iterable[Diagnostic] = ()) -> None:
        """Add findings.

        Args:
            diagnostics: The findings of the call.
            without: Findings that an earlier call has reported.
        """
        known = set(without)
        self._found += (
            [entry for entry in diagnostics if entry not in known] if known else diagnostics
        )

    def __enter__(self) -> Self:
        self._outer = self._active.get()
        self._token = self._active.set(self)
        self._scope.__enter__()
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._scope.__exit__(None, None, None)
        if self._token is not None:
            self._active.reset(self._token)
        if isinstance(error, LimitError):
            raise LoadError((_limit_finding(error, self.name),)) from error
        if self._outer is not None:
            self._outer.add(self._found)
        elif error_type is None:
            self._log()
            text = "" if self.quiet else self._text()
            if text:
                _warn(text, self._found)

    @classmethod
    def repeat(cls, name: object, options: Mapping[str, Any], found: Sequence[Diagnostic]) -> None:
        """Report the findings of a call that reads nothing, and needs no budget.

        Args:
            name: Name of the source.
            options: The options of the call.
            found: The findings.
        """
        if cls._active.get() is None and options.get("quiet") and not LOGGER.isEnabledFor(20):
            return
        with cls.of(name, options) as summary:
            summary.add(found)

    def _log(self) -> None:
        for entry in dict.fromkeys(self._found) if LOGGER.isEnabledFor(logging.INFO) else ():
            LOGGER.log(logging.INFO if entry.severity == "warning" else logging.DEBUG, "%s", entry)

    def _text(self) -> str:
        """Return the summary; an empty text if nothing was lost."""
        warned = (entry for entry in self._found if entry.severity == "warning")
        losses = list(dict.fromkeys(warned))
        if not losses:
            return ""
        fates = Counter(str(entry.fate) for entry in losses)
        counts = ", ".join(f"{count} {fate}" for fate, count in fates.items())
        happened = (
            f"{printable(nearest_path(self.name))}: {counts}; the diagnostics of the result list "
            f"them, quiet=True hides this"
        )
        return "\n  ".join((happened, *worst_lines(losses)))


def _warn(text: str, found: Iterable[Diagnostic]) -> None:
    """Warn at the line of the caller; in a notebook by one line that opens, in place of a red box,
    if the filters of warnings let it pass.
    """
    display = _notebook_display()
    if display is None:
        warnings.warn(text, LossWarning, stacklevel=_level_of_caller())
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.warn(text, LossWarning, stacklevel=_level_of_caller())
    if caught:
        display(
            {"text/html": _folded_findings(_in_one_line(text, found), list(dict.fromkeys(found)))},
            raw=True,
        )


_FIRST_WORDS = 90
"""Largest number of characters of a message that stands for all findings of a call."""


def _in_one_line(text: str, found: Iterable[Diagnostic]) -> str:
    """Return the counts of a summary, and the beginning of the finding that does most harm."""
    counts, (worst, *_) = text.partition("; ")[0], by_harm(found)
    words = textwrap.shorten(worst.message, _FIRST_WORDS, placeholder=" ...")
    return f"{counts}; first of all: {words}"


def _notebook_display() -> Callable[..., object] | None:
    """Return the function that shows data below a cell; None outside of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return cast(Callable[..., object], sys.modules["IPython.display"].display)


def _level_of_caller() -> int:
    """Return the stack level, for a warning of the calling function, of the first frame outside of
    this project.
    """
    level, frame = 1, sys._getframe(1)
    while (
        frame.f_back is not None
        and frame.f_globals.get("__name__", "").partition(".")[0] in _OWN_PACKAGES
    ):
        level, frame = level + 1, frame.f_back
    return level


def _limit_finding(error: LimitError, file: str) -> Diagnostic:
    """Return the finding that a load exceeds a limit.

    Args:
        error: The limit.
        file: The main file.
    """
    arguments: dict[str, Argument] = {
        "source": "file" if error.file else "load",
        "verb": error.verb,
        "limit": error.limit,
        "option": error.option,
    }
    return Diagnostic(
        FILE_LIMIT.name,
        FILE_LIMIT.fate,
        FILE_LIMIT.message,
        Where(error.file or file),
        hint=how_to_raise(error.option),
        arguments=arguments,
    )


class _Limited:
    """A block that ends when it exceeds a limit; a class, as a generator takes 2 us."""

    __slots__ = ("_diagnostics", "_file")

    def __init__(self, diagnostics: Diagnostics, file: str) -> None:
        self._diagnostics, self._file = diagnostics, file

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, LimitError):
            self._diagnostics.extend((_limit_finding(error, self._file),))
            return True
        return False


def limited(diagnostics: Diagnostics, file: str) -> AbstractContextManager[None]:
    """Report a load that exceeds a limit, in a block that ends there.

    Args:
        diagnostics: Receives the report.
        file: The main file.
    """
    return _Limited(diagnostics, file)

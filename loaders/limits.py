"""Limits on one load or export, errors of libraries, and the pause of the garbage collector.

A load makes some hundred thousand objects, which all live until its end. The collector, which
starts whenever enough objects are new, visits them many times and frees none; for a robot of 5,000
links this takes 40 % of the time. Objects outside cycles are freed as ever during a pause; the
elements of a file are freed by the first run after it.

Readers of a model spend from the `Budget` of their diagnostics. Meshes and pictures are read by the
targets, so they spend from the budget of the public call that is running, with `spend`.
"""

from __future__ import annotations

import gc
import os
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, TypeVar

from .code import Code


class _Pauses:
    """The pauses that have begun and not ended, in all threads; the collector runs again when the
    last one ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._resume = False

    def __enter__(self) -> None:
        """Stop the collector."""
        with self._lock:
            if not self._count:
                self._resume = gc.isenabled()
                gc.disable()
            self._count += 1

    def __exit__(self, *_: object) -> None:
        """Start the collector if this is the last pause and it ran before the first one."""
        with self._lock:
            self._count -= 1
            if not self._count and self._resume:
                gc.enable()

    def after_fork(self) -> None:
        """End the pauses of the other threads, which a child process does not have."""
        self._lock = threading.Lock()
        if self._count:
            self._count = 0
            if self._resume:
                gc.enable()


_PAUSES = _Pauses()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PAUSES.after_fork)


def collector_paused() -> AbstractContextManager[None]:
    """Pause the cyclic garbage collector, in all threads, until the end of the block, whatever
    happens in it.

    Blocks may be nested, and may overlap in several threads. A collector that the caller has turned
    off stays off.
    """
    return _PAUSES


T = TypeVar("T")
Counts = defaultdict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on one load, for the option ``limits``; all files of the load count together."""

    files: int = 4_000
    """Files of XML and YAML; a file that is included several times counts once."""
    bytes: int = 512 * 1024 * 1024
    """Bytes of these files."""
    elements: int = 500_000
    """Elements, and parts of included models, as often as they are placed."""
    diagnostics: int = 5_000
    """Errors, warnings and notes, each; further ones are only counted (``file.unlisted``)."""
    text: int = 100_000_000
    """Characters of the names of links, joints, frames and nested models, with their scopes."""
    triangles: int = 20_000_000
    """Triangles of meshes and terrain, as often as nodes place them, for each mesh and scale that
    is converted."""
    pairs: int = 500_000
    """Pairs of links that are excluded from contact, each; links of which no two may touch, such as
    all that are welded together, count nothing unless an engine needs their pairs one by one."""
    pixels: int = 268_435_456
    """Pixels of textures and height maps."""
    text_file_bytes: int = 64 * 1024 * 1024
    """Bytes of one file of XML or YAML."""
    side_file_bytes: int = 1024 * 1024
    """Bytes of one material script, ``package.xml`` or file of overrides."""
    mesh_file_bytes: int = 256 * 1024 * 1024
    """Bytes of one mesh, file beside a mesh, or picture."""
    yaml_bytes: int = 4 * 1024 * 1024
    """Bytes of one YAML file."""
    yaml_elements: int = 100_000
    """Elements of one YAML file, with those of aliases."""
    xacro_seconds: int = 30
    """Seconds of processor time of the process in which xacro expands one file; three times as many
    on the clock."""
    xacro_bytes: int = 1024 * 1024 * 1024
    """Bytes of address space of this process."""
    mjcf_elements: int = 50_000
    """Elements that one MJCF document makes, by replication, composition and attachment too; n
    bodies, particles, frames, classes, muscles, replicas, attached models or copies of a name count
    more often, since MuJoCo's time for them grows as n * n, so that about 5,000 bodies, or 1,400
    muscles, may be in a document."""
    mesh_triangles: int = 5_000_000
    """Triangles of one mesh file, as often as nodes place them."""
    mesh_parts: int = 5_000
    """Parts of one mesh file, as often as nodes place them, or changes of its material."""
    mesh_elements: int = 5_000_000
    """Elements of XML of one COLLADA file."""
    mesh_nodes: int = 200_000
    """Nodes of one COLLADA file, as often as other nodes place them; nodes of one glTF file, and
    their references to others."""
    terrain_triangles: int = 1_100_000
    """Triangles of one height map in PyBullet, which takes 0.6 KiB and 3 us for each; 742 x 742
    pixels make as many."""
    picture_pixels: int = 33_554_432
    """Pixels of one picture; BMP, DDS, GIF, JPEG, PNG, PPM, TGA, TIFF, WebP."""


DEFAULTS = Limits()
"""The limits of a call that states none."""
PER_FILE = frozenset({
    "mesh_file_bytes", "mesh_triangles", "mesh_parts", "mesh_elements", "mesh_nodes",
    "picture_pixels",
})  # fmt: skip
"""Limits on one mesh or picture."""
_OF_PROCESSES = frozenset({"xacro_seconds", "xacro_bytes"})
"""Limits on what a process needs for one file."""
MAX_COMPARISONS = 2_000_000
"""Pairs of characters, in the names of one call, that may be compared in order to suggest names."""


class LimitError(Exception):
    """A load exceeds a limit.

    Attributes:
        option: Name of the limit in `Limits`.
        limit: Its value.
        file: The file that exceeds it by itself; empty if all files of the load do together.
    """

    def __init__(self, option: str, limit: int, file: str = "") -> None:
        super().__init__(f"more than {limit} {option}")
        self.option, self.limit, self.file = option, limit, file

    @property
    def verb(self) -> str:
        """The verb for the amount: a process needs it, a load or file has it."""
        return "needs" if self.option in _OF_PROCESSES else "has"


class FileError(Exception):
    """A file is not read.

    Attributes:
        code: The diagnostic code, whose message has the argument ``reason``.
        reason: The reason, for people.
        hint: The advice to the user; empty for that of the code.
    """

    def __init__(self, code: Code, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.code, self.reason, self.hint = code, reason, hint


_counts: Callable[[], Counts] = partial(defaultdict, int)
"""Returns counts that are zero, as `Counter` does, which takes longer to make."""


@dataclass(slots=True, eq=False)
class Budget:
    """The limits of one load, and the amounts that it has spent."""

    limits: Limits = DEFAULTS
    """The limits."""
    spent: Counts = field(default_factory=_counts)
    """Amount spent, by the name of the limit."""
    listed: Counts = field(default_factory=_counts)
    """Number of diagnostics listed, by severity."""
    unlisted: Counts = field(default_factory=_counts)
    """Number of diagnostics that are only counted, by severity."""
    largest: Counts = field(default_factory=_counts)
    """Largest amount in one file, by the name of a limit on one file."""
    compared: int = 0
    """Pairs of characters that were compared in order to suggest names."""
    kept: dict[Any, Any] = field(default_factory=dict)
    """Results that are needed again before the outermost call ends; see `kept_in_call`."""

    def spend(self, option: str, amount: int) -> None:
        """Spend some of a limit.

        Args:
            option: Name of the limit in `Limits`.
            amount: The amount.

        Raises:
            LimitError: if it exceeds the limit.
        """
        self.spent[option] += amount
        limit = getattr(self.limits, option)
        if self.spent[option] > limit:
            raise LimitError(option, limit)

    def has_room(self, severity: str) -> bool:
        """Return whether one more diagnostic of a severity may be listed."""
        return self.listed[severity] < self.limits.diagnostics


# --- the budget of the public call that is running ------------------------------------------------

_ACTIVE: ContextVar[Budget | None] = ContextVar("_ACTIVE", default=None)
_LENIENT: ContextVar[bool] = ContextVar("_LENIENT", default=False)


class _Budgeted:
    """A block with a budget of its own; a class, as a generator takes 2 us."""

    __slots__ = ("_leniency", "_lenient", "_limits", "_token")

    def __init__(self, limits: Limits | None, lenient: bool) -> None:
        self._limits, self._lenient = limits, lenient

    def __enter__(self) -> Budget:
        outer = _ACTIVE.get()
        if outer is None:
            budget = Budget(self._limits or DEFAULTS)
        else:
            budget = Budget(self._limits or outer.limits)
            budget.kept = outer.kept
        self._token, self._leniency = (
            _ACTIVE.set(budget),
            _LENIENT.set(self._lenient or _LENIENT.get()),
        )
        return budget

    def __exit__(self, *_: object) -> None:
        _LENIENT.reset(self._leniency)
        _ACTIVE.reset(self._token)


def budgeted(
    limits: Limits | None = None, *, lenient: bool = False
) -> AbstractContextManager[Budget]:
    """Give the meshes and pictures that are read in a block their own budget.

    Args:
        limits: The limits; None for those of the block around, or else the defaults.
        lenient: Whether to leave out those that are past a limit on one file; see `leaving_out`.
    """
    return _Budgeted(limits, lenient)


def spend(option: str, amount: int) -> None:
    """Spend some of a limit of the call that is running; outside of any, only the limits on one
    file apply.

    Args:
        option: Name of the limit in `Limits`.
        amount: The amount.

    Raises:
        LimitError: if it exceeds the limit.
    """
    budget = _ACTIVE.get()
    if budget is not None:
        budget.spend(option, amount)


def kept_in_call() -> dict[Any, Any]:
    """Return what the call that is running keeps until the outermost call ends; outside of any, a
    new dictionary.
    """
    budget = _ACTIVE.get()
    return {} if budget is None else budget.kept


MOST_KEPT = 1_000_000
"""Number of triangles of which a call keeps results, 100 MB: a robot needs each mesh that collides
four times when it is loaded into PyBullet for the first time."""


def keep_in_call(key: object, result: object, triangles: int) -> bool:
    """Keep a result about triangles in the call that is running; return False if it has too many of
    them.

    Args:
        key: The key of the result in `kept_in_call`.
        result: The result.
        triangles: Number of its triangles.
    """
    kept = kept_in_call()
    count = kept.get(keep_in_call, 0) + triangles
    if count > MOST_KEPT:
        return False
    kept[keep_in_call], kept[key] = count, result
    return True


def has_time_to_compare(amount: int) -> bool:
    """Return whether the call that is running may compare so many pairs of characters; after one
    refusal it may not.

    Args:
        amount: Number of pairs of characters.
    """
    budget = _ACTIVE.get()
    if budget is None:
        return True
    budget.compared += amount
    return budget.compared <= MAX_COMPARISONS


def limit_of(option: str) -> int:
    """Return a limit of the call that is running; outside of any, its default.

    Args:
        option: Name of the limit in `Limits`.
    """
    budget = _ACTIVE.get()
    limit: int = getattr(DEFAULTS if budget is None else budget.limits, option)
    return limit


def is_past_limit(option: str, amount: int) -> bool:
    """Return whether an amount in one file exceeds a limit on one file; what does not is part of
    the costs of a file.

    Args:
        option: Name of the limit in `Limits`.
        amount: The amount.
    """
    budget = _ACTIVE.get()
    if budget is not None:
        budget.largest[option] = max(budget.largest[option], amount)
    return amount > limit_of(option)


def refuse_past_limit(option: str, file: object) -> None:
    """Refuse a file that exceeds a limit on one file, unless it is to be left out, or no call is
    running.

    Args:
        option: Name of the limit in `Limits`.
        file: The file.

    Raises:
        LimitError: if the call that is running is to refuse it. Otherwise the caller leaves the
        file out.
    """
    if _ACTIVE.get() is not None and not _LENIENT.get():
        raise LimitError(option, limit_of(option), str(file))


@contextmanager
def leaving_out(lenient: bool) -> Iterator[None]:
    """Leave out meshes and pictures past a limit on one file in a block, as lenient loading does.

    Args:
        lenient: Whether to; if not, it is as around the block.
    """
    token = _LENIENT.set(lenient or _LENIENT.get())
    try:
        yield
    finally:
        _LENIENT.reset(token)


def raised_limits() -> Limits:
    """Return the limits of the call that is running, none of them below its default."""
    budget = _ACTIVE.get()
    if budget is None:
        return DEFAULTS
    names = [entry.name for entry in fields(Limits)]
    raised = [max(getattr(DEFAULTS, name), getattr(budget.limits, name)) for name in names]
    return Limits(**dict(zip(names, raised, strict=True)))


def how_to_raise(option: str) -> str:
    """Return the advice to raise a limit.

    Args:
        option: Name of the limit in `Limits`.
    """
    return f"raise the limit with limits=Limits({option}=...)"


def limited(option: str, items: Iterable[T]) -> Iterator[T]:
    """Yield items up to a limit of the call that is running.

    Args:
        option: Name of the limit in `Limits`.
        items: The items.

    Raises:
        LimitError: if there are more.
    """
    budget = _ACTIVE.get()
    limit = None if budget is None else getattr(budget.limits, option)
    for count, item in enumerate(items, 1):
        if limit is not None and count > limit:
            raise LimitError(option, limit)
        yield item


@contextmanager
def metered() -> Iterator[dict[str, int]]:
    """Count what is spent in a block; a cache charges the same when it returns the result again."""
    costs: dict[str, int] = {}
    active = _ACTIVE.get()
    with budgeted() if active is None else nullcontext(active) as budget:
        before, largest, budget.largest = Counter(budget.spent), budget.largest, _counts()
        yield costs
        costs.update(Counter(budget.spent) - before)
        costs.update(budget.largest)
        for option, amount in largest.items():
            budget.largest[option] = max(budget.largest[option], amount)


def charge(costs: Mapping[str, int], file: object) -> None:
    """Spend what a conversion has cost.

    Args:
        costs: Amounts, keyed by the names of limits.
        file: The file that was converted.

    Raises:
        LimitError: if an amount exceeds its limit.
    """
    for option, amount in costs.items():
        if option in PER_FILE:
            if is_past_limit(option, amount):
                refuse_past_limit(option, file)
        else:
            spend(option, amount)


MAX_REASON = 300
"""Largest number of characters of a library's message that is repeated."""


class _RaisedAs:
    """A block whose exceptions become one error; a class, as a generator takes 2 us."""

    __slots__ = ("_error", "_problem")

    def __init__(self, error: type[Exception], problem: str) -> None:
        self._error, self._problem = error, problem

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, cause: BaseException | None, _trace: object) -> None:
        if isinstance(cause, Exception) and not isinstance(cause, (self._error, LimitError)):
            raise self._error(f"{self._problem}: {describe_exception(cause)}") from cause


def raised_as(error: type[Exception], problem: str) -> AbstractContextManager[None]:
    """Turn every exception of a block, lack of memory and too deep recursion included, into an
    error of one type.

    Args:
        error: The type of error; an exception that has it already passes, and so does a
            `LimitError`.
        problem: Beginning of the message.

    Raises:
        Exception: of the given type, with the type and the message of the original exception.
    """
    return _RaisedAs(error, problem)


def describe_exception(cause: BaseException) -> str:
    """Return the type and the beginning of the message of an exception."""
    return describe_error(type(cause).__name__, str(cause))


def describe_error(kind: str, text: str) -> str:
    """Return the type and the beginning of the message of an exception.

    Args:
        kind: Name of its type.
        text: Its message; may be empty.
    """
    shown = text if len(text) <= MAX_REASON else f"{text[:MAX_REASON]}..."
    return f"{kind}: {shown}" if text else kind

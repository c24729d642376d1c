"""Fence around the package xacro: its files pass the checks of `loaders.files`, and its work is limited.

xacro opens the files that it includes, and YAML files, by itself. For the time of one expansion its functions are
replaced by ones that read through `loaders.files.read`, refuse a DOCTYPE, and spend the budget of the load.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from loaders.context import Context
from loaders.diagnostics import Diagnostics
from loaders.files import FileError, read
from loaders.loss_summary import LOGGER
from loaders.safety.limits import LimitError
from loaders.safety.text import printable, shortened
from loaders.xml import parse

_YAML = (".yaml", ".yml")
_REFUSED = frozenset({"xml.doctype", "file.too-large"})
"""Codes of the XML reader for which a file is refused; xacro itself reports errors of syntax."""


@dataclass(slots=True, eq=False)
class Guard:
    """The checks for one expansion."""

    main: Path
    """The xacro file."""
    context: Context
    refusal: FileError | LimitError | None = None
    """The first refusal; xacro may have wrapped it in its own exception."""

    def open(self, name: str | os.PathLike[str], *_: object, **__: object) -> io.BytesIO:
        """Return a file for reading, in place of the built-in function.

        Args:
            name: The file.
            _: The mode, which is that for reading.
            __: Further options.

        Raises:
            FileError: if the file lies outside the folders that may be read, or has a DOCTYPE.
            LimitError: if the load reads too much.
            OSError: if there is no such file, or it is not a regular one.
        """
        try:
            return io.BytesIO(self._read(Path(os.path.abspath(name))))
        except (FileError, LimitError) as refusal:
            self.refusal = self.refusal or refusal
            raise

    def counting(self, evaluate: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of xacro that evaluates a node, with the node and its children counted as elements.

        Args:
            evaluate: The function.
        """

        def counted(node: Any, *arguments: Any) -> Any:
            try:
                self.context.diagnostics.spend("elements", 1 + len(node.childNodes))
            except LimitError as refusal:
                self.refusal = self.refusal or refusal
                raise
            return evaluate(node, *arguments)

        return counted

    def _read(self, path: Path) -> bytes:
        if path != self.main and not self.context.resources.allows(path, self.main.parent):
            reason = f"{path} lies outside the folders that may be read"
            raise FileError("resource.outside", reason, "add its folder to paths, or set unsafe_paths")
        try:
            data = read(path)
        except FileError as error:
            raise OSError(errno.EIO, error.reason, str(path)) from error
        self.context.diagnostics.spend("files", 1)
        self.context.diagnostics.spend("bytes", len(data))
        if path.suffix.lower() not in _YAML:
            _check_xml(data, path)
        return data


def _check_xml(data: bytes, path: Path) -> None:
    found = Diagnostics()
    parse(data, str(path), found)
    for entry in found:
        if entry.code in _REFUSED:
            raise FileError(entry.code, f"{path}: {entry.message}", entry.hint)


@contextmanager
def guarded(xacro: ModuleType, guard: Guard) -> Iterator[None]:
    """Replace functions of xacro for the duration of a block.

    Args:
        xacro: The module.
        guard: The checks.
    """
    replaced = {
        "open": guard.open,
        "eval_all": guard.counting(xacro.eval_all),
        "warning": _log,
        "error": _log,
        "print_location": _ignore,
        "all_includes": [],
    }
    originals = {name: getattr(xacro, name) for name in replaced if hasattr(xacro, name)}
    vars(xacro).update(replaced)
    try:
        yield
    finally:
        for name in replaced:
            delattr(xacro, name)
        vars(xacro).update(originals)


def _log(*words: object) -> None:
    LOGGER.warning("xacro: %s", printable(shortened(" ".join(map(str, words)))))


def _ignore() -> None:
    return

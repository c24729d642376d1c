"""Fence around the package xacro: its files pass the checks of `loaders.files`, and count for the load.

xacro runs in a process that asks this one for the contents of each file that it includes, and for the folders of
packages.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loaders.context import Context
from loaders.diagnostics import Diagnostics
from loaders.files import FileError, read
from loaders.node import Node
from loaders.safety.limits import LimitError
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
    """The first refusal, which the process of xacro repeats in other words."""

    def answer(self, question: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Return the answer to a question of the process, and its data.

        Args:
            question: ``kind`` is ``open`` or ``find``, and ``name`` the file or the package.
        """
        try:
            if question["kind"] == "find":
                return {"folder": self._find(question["name"])}, b""
            return {}, self._read(Path(question["name"]))
        except (FileError, LimitError) as refusal:
            self.refusal = self.refusal or refusal
            return {"refused": str(refusal)}, b""
        except OSError as error:
            return {"error": [error.errno, error.strerror, str(error.filename or question["name"])]}, b""

    def _find(self, package: str) -> str | None:
        """Return the folder of a package, from the places of `loaders.resources`."""
        node = Node("xacro", {}, file=str(self.main), line=0, diagnostics=self.context.diagnostics)
        folder = self.context.resources.find(f"package://{package}", self.main.parent, node)
        return None if folder is None else str(folder)

    def _read(self, path: Path) -> bytes:
        if path != self.main and not self.context.resources.allows(path, self.main.parent):
            reason = f"{path} lies outside the folders that may be read"
            raise FileError("resource.outside", reason, "add its folder to paths, or set unsafe_paths")
        try:
            data = read(path)
        except FileError as error:
            raise OSError(errno.EIO if path.exists() else errno.ENOENT, error.reason, str(path)) from error
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

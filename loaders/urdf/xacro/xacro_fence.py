"""Fence around the package xacro: its files pass the checks of `loaders.files`, and count for the load.

xacro runs in a process that asks this one for the contents of each file that it includes, and for the folders of
packages.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loaders.context import Context
from loaders.diagnostics import Diagnostic, Diagnostics
from loaders.files import FileError, read
from loaders.node import Node
from loaders.repairs.xml_text import mended_xml, repaired_xml
from loaders.safety.limits import LimitError
from loaders.xml import parse

from .xacro_process import missing_package

_YAML = (".yaml", ".yml")
_REFUSED = frozenset({"xml.doctype", "file.too-large"})
"""Codes of the XML reader for which a file is refused."""
_REPAIRED = frozenset({"xml.mended", "xml.syntax"})
"""Codes of the XML reader about errors of syntax."""


@dataclass(slots=True, eq=False)
class Guard:
    """The checks for one expansion."""

    main: Path
    """The xacro file."""
    context: Context
    refusal: FileError | LimitError | None = None
    """The first refusal, which the process of xacro repeats in other words."""
    tried: dict[str, tuple[Path, ...]] = field(default_factory=dict)
    """The places where packages were searched that were not found, by what the process says about each."""
    malformed: list[Diagnostic] = field(default_factory=list)
    """Errors of syntax that cannot be repaired, at which xacro fails if the file is XML."""

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
        found = self.context.resources.search(f"package://{package}", self.main.parent, node)
        if isinstance(found, Path):
            return str(found)
        self.tried[missing_package(package)] = self.context.resources.lookups[-1].tried
        return None

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
        return data if path.suffix.lower() in _YAML else self._well_formed(data, path)

    def _well_formed(self, data: bytes, path: Path) -> bytes:
        """Return a document with errors of syntax repaired and reported as for other XML files.

        Raises:
            FileError: if the document must not be read.
        """
        diagnostics = self.context.diagnostics
        found = Diagnostics(lenient=diagnostics.lenient)
        parse(data, str(path), found)
        for entry in found:
            if entry.code in _REFUSED:
                raise FileError(entry.code, f"{path}: {entry.message}", entry.hint)
        errors = [entry for entry in found if entry.code in _REPAIRED]
        if any(entry.code == "xml.syntax" and not entry.leniency for entry in errors):
            self.malformed += errors
            return data
        diagnostics.extend(errors)
        if any(entry.code == "xml.syntax" for entry in errors):
            return mended_xml(repaired_xml(data))
        return repaired_xml(data) if errors else data

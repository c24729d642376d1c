"""XML documents by lxml, and unique names of elements and files."""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from lxml import etree

from loaders.model import WORLD
from loaders.pose import Array
from loaders.scoped_names import unused_name
from loaders.text import number, numbers

_MAX_NAME = 100
"""Longest name of a model's file, without suffix; a longer one is cut and ends with a hash of the
whole."""


DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
"""Names that Windows keeps for devices: no file has one of them, whatever its case or suffix."""


def is_device(name: str) -> bool:
    """Return whether Windows takes the name of a file for a device."""
    return name.partition(".")[0].lower() in DEVICES


def file_name(name: str) -> str:
    """Return the name of a file for a model, without the suffix of its source; never ``scene``,
    never that of a device, never too long.
    """
    plain = (
        re.sub(r"[^\w.-]+", "_", re.sub(r"\.(urdf|sdf)$", "", name), flags=re.ASCII).strip("._")
        or "model"
    )
    if len(plain) > _MAX_NAME:
        plain = f"{plain[: _MAX_NAME - 9]}_{hashlib.sha256(plain.encode()).hexdigest()[:8]}"
    if is_device(plain):
        return f"model_{plain}"
    return f"{plain}_model" if plain.lower() == "scene" else plain


def is_named_as_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path that is no folder yet has a suffix of letters, such as ``.xml``;
    ``arm_1.2`` has none.
    """
    place = Path(path)
    return place.suffix[1:].isalpha() and not place.is_dir()


def check_folder_name(path: str | os.PathLike[str]) -> None:
    """Refuse the name of a file for the folder of an export.

    Args:
        path: The folder.

    Raises:
        TypeError: if it is not a path.
        ValueError: if it is named as a file, see `is_named_as_file`.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"out_dir: expected the path of a folder, not {path!r}")
    if is_named_as_file(path):
        place = Path(path)
        raise ValueError(
            f"{place} is named as a file, but an export is a folder; expected a name such as "
            f"{place.with_suffix('')}, "
            "or a folder that exists. The command sdfbridge convert writes one file"
        )


_FILES = frozenset({"mesh", "picture"})
"""Kinds of names that are also names of files: OBJ and PNG."""


def changed_names(names: Mapping[str, Mapping[str, str]], kinds: Iterable[str]) -> dict[str, str]:
    """Return new names by old one, where they differ.

    Where the world, or an item of a kind before, has the old name too, the key starts with the
    kind: ``joint a``.

    Args:
        names: New names by old one, for each kind of item.
        kinds: The kinds; the first is ``link``.
    """
    known = {WORLD: WORLD}
    changed: dict[str, str] = {}
    for kind in kinds:
        for old, new in names[kind].items():
            is_known = old in known and kind != "link"
            if new != (known[old] if is_known else old):
                changed[f"{kind} {old}" if is_known else old] = new
        known = {**names[kind], **known} if kind != "link" else {WORLD: WORLD, **names[kind]}
    return changed


@dataclass(slots=True)
class Names:
    """Names in use for each kind of element, and the names that differ from the source's."""

    changed: dict[str, str] = field(default_factory=dict)
    """MJCF names by canonical name, where they differ."""
    _taken: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _attempts: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))

    def claim(self, kind: str, preferred: str, *, alternative: str = "") -> str:
        """Reserve and return a name that no other element of the kind has.

        Names of files differ by more than case, which some file systems ignore, and are not those
        of devices.

        Args:
            kind: The kind of element whose names must differ.
            preferred: The name to use if it is free.
            alternative: The name to use if ``preferred`` is taken. If it is taken too, a number is
                appended.
        """
        taken = self._taken[kind]
        normalized = str.casefold if kind in _FILES else str
        if kind in _FILES:
            taken |= DEVICES
        if preferred and (key := normalized(preferred)) not in taken:
            taken.add(key)
            return preferred
        base = alternative or preferred
        name = unused_name(
            base, lambda name: not name or normalized(name) in taken, attempts=self._attempts[kind]
        )
        taken.add(normalized(name))
        return name


Element = etree._Element
Value = str | float | bool | Sequence[float] | Array

DRAKE = "http://drake.mit.edu"
"""Namespace of the elements that start with ``drake:``."""
_NAMESPACES = {"drake": DRAKE}
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def root_element(tag: str, **attributes: Value) -> Element:
    """Return the root of a new document.

    Args:
        tag: Tag of the element.
        attributes: Its attributes; ``class_`` stands for ``class``.
    """
    root = etree.Element(tag, nsmap=_NAMESPACES)
    set_attributes(root, attributes)
    return root


def add(
    parent: Element, tag: str, value: Value | None = None, /, **attributes: Value | None
) -> Element:
    """Append a new child and return it.

    Args:
        parent: The element that gets the child.
        tag: Tag of the child, which may start with ``drake:``.
        value: Its text: a word, a number, a flag or several numbers.
        attributes: Its attributes; those that are None are left out.
    """
    child = etree.SubElement(parent, qualified(tag))
    if value is not None:
        child.text = text_of(value)
    set_attributes(child, attributes)
    return child


def qualified(tag: str) -> str:
    """Return a tag or attribute in lxml's notation of namespaces; unknown prefixes get a unique
    one.
    """
    prefix, _, name = tag.partition(":")
    if not name:
        return tag
    if prefix != "drake":
        etree.register_namespace(prefix, f"urn:{prefix}")
        return f"{{urn:{prefix}}}{name}"
    return f"{{{DRAKE}}}{name}"


def set_attributes(
    element: Element, attributes: dict[str, Value | None] | dict[str, Value]
) -> None:
    """Set attributes that are not None."""
    for name, value in attributes.items():
        if value is not None:
            element.set(qualified(name.rstrip("_")), text_of(value))


def text_of(value: Value) -> str:
    """Return a value as text: the shortest decimals, ``true`` and ``false``."""
    if isinstance(value, np.generic):  # a scalar of NumPy in place of Python's
        value = value.item()
    if isinstance(value, str):
        return xml_compatible(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    return numbers(value)


def xml_compatible(name: str) -> str:
    """Return a text with underscores in place of the control characters that XML does not allow."""
    return _NOT_XML.sub("_", name)


def write(root: Element, comments: Iterable[str] = ()) -> str:
    """Return a document as text: the declaration, one comment per line, then the tree, two spaces
    for each level.

    Args:
        root: Root of the tree.
        comments: The comments at the top.
    """
    etree.cleanup_namespaces(root)
    etree.indent(root, space="  ")
    lines = ['<?xml version="1.0"?>']
    lines += [
        etree.tostring(
            etree.Comment(f" {line.replace('--', '- -').rstrip('-')} "), encoding="unicode"
        )
        for line in comments
    ]
    return "\n".join([*lines, etree.tostring(root, encoding="unicode")]) + "\n"

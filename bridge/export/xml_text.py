"""XML documents of exports: built as a tree by lxml, and written for people to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from lxml import etree

from loaders.spatial import Array

from .number_format import number, numbers

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


def add(parent: Element, tag: str, value: Value | None = None, /, **attributes: Value | None) -> Element:
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
    """Return a tag or attribute in lxml's notation of namespaces; unknown prefixes get a unique one."""
    prefix, _, name = tag.partition(":")
    if not name:
        return tag
    if prefix != "drake":
        etree.register_namespace(prefix, f"urn:{prefix}")
        return f"{{urn:{prefix}}}{name}"
    return f"{{{DRAKE}}}{name}"


def set_attributes(element: Element, attributes: dict[str, Value | None] | dict[str, Value]) -> None:
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
    """Return a document as text: the declaration, one comment per line, then the tree, two spaces for each level.

    Args:
        root: Root of the tree.
        comments: The comments at the top.
    """
    etree.cleanup_namespaces(root)
    etree.indent(root, space="  ")
    lines = ['<?xml version="1.0"?>']
    lines += [
        etree.tostring(etree.Comment(f" {line.replace('--', '- -').rstrip('-')} "), encoding="unicode")
        for line in comments
    ]
    return "\n".join([*lines, etree.tostring(root, encoding="unicode")]) + "\n"

"""Search for what MuJoCo refuses in a document with errors that were found before MuJoCo is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loaders.diagnostics import Diagnostics, Fate
from loaders.node import Node

from .inputs import Inputs
from .refusals import Refusal

_OF_INCLUDES = frozenset(
    {"mjcf-in.include", "mjcf-in.included-twice", "resource.not-found", "resource.outside", "xml.missing", "xml.syntax"}
)
_OF_NUMBERS = frozenset({"mjcf-in.not-finite"})
_OF_SCHEMA = re.compile(r"unrecognized|invalid keyword|required attribute|(?:bad|invalid) format|too (?:few|many|much)")
"""Beginnings of messages about one element, whatever else is in the document."""


def may_ask(diagnostics: Diagnostics, root: Node, inputs: Inputs) -> bool:
    """Return whether MuJoCo can be asked about a document with errors: nothing is too large, and it names no file.

    Args:
        diagnostics: The findings so far.
        root: The root element, without includes.
        inputs: The texts and files that MuJoCo gets.
    """
    codes = {entry.code for entry in diagnostics if entry.fate is Fate.INVALID}
    files = [node.attributes.get("file", "") for node in root.walk() if node.tag == "model"]
    return codes <= _OF_INCLUDES | _OF_NUMBERS and all(file in inputs.models for file in files)


def independent(found: Iterable[Refusal], diagnostics: Diagnostics, inputs: Inputs) -> list[Refusal]:
    """Return the refusals that do not follow from the errors found before.

    If a file is missing, so may be all that others refer to; then only errors of the schema count. What is wrong about
    the element of an error counts once it is corrected.

    Args:
        found: What MuJoCo refuses.
        diagnostics: The findings before.
        inputs: The texts and files that MuJoCo got.
    """
    before = [entry for entry in diagnostics if entry.fate is Fate.INVALID]
    places = {entry.where for entry in before}
    is_whole = {entry.code for entry in before} <= _OF_NUMBERS
    nodes = ((refusal, inputs.lines.node(refusal.line)) for refusal in found)
    return [
        refusal
        for refusal, node in nodes
        if (is_whole or _OF_SCHEMA.search(refusal.reason)) and (node is None or node.where not in places)
    ]

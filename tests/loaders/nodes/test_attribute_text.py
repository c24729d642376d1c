"""Values of attributes survive a parser."""

from __future__ import annotations

from lxml import etree

from loaders.node import escaped


def test_a_parser_reads_the_value_that_was_escaped() -> None:
    value = """<a> & 'b' "c" &amp;\n\t\r d é"""
    assert etree.fromstring(f'<x y="{escaped(value)}"/>').get("y") == value

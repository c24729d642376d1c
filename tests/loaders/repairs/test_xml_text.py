"""Repair of ill-formed XML: the repaired text is what TinyXML reads, line by line, and well-formed
text stays.
"""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from loaders.xml import mended_xml

BROKEN = {
    "a license before the declaration": (
        "<!-- (c) -->\n<?xml version='1.0'?>\n<sdf><a/></sdf>",
        {"a": {}},
    ),
    "text before the declaration": ("hello\n<?xml version='1.0'?>\n<sdf><a/></sdf>", {"a": {}}),
    "text before the root": ("hello <sdf><a/></sdf>", {"a": {}}),
    "a value without quotes": ("<sdf>\n<a name=blade_1/></sdf>", {"a": {"name": "blade_1"}}),
    "a bracket in a value": ('<sdf><a id="<STL_BINARY>"/></sdf>', {"a": {"id": "<STL_BINARY>"}}),
    "an ampersand": ("<sdf><a name='R&D'/><!-- & < --></sdf>", {"a": {"name": "R&D"}}),
    "a repeated attribute": ("<sdf><a x='1' y='2' x='3'/></sdf>", {"a": {"x": "1", "y": "2"}}),
    "a second root": ("<sdf><a/></sdf>\n<sdf><b/></sdf>", {"a": {}}),
    "a control character": ("<sdf><a name='\x02b'/></sdf>", {"a": {"name": "b"}}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_malformed_document_is_repaired(name: str) -> None:
    text, children = BROKEN[name]
    with pytest.raises(ElementTree.ParseError):
        ElementTree.fromstring(text)
    root = ElementTree.fromstring(mended_xml(text.encode()))
    assert {child.tag: child.attrib for child in root} == children


def test_text_in_another_code_page_is_decoded() -> None:
    text = "<sdf><a name='J\xf6rg'/></sdf>"
    assert ElementTree.fromstring(mended_xml(text.encode("latin-1")))[0].get("name") == "J\xf6rg"


def test_elements_keep_their_lines() -> None:
    text = (
        b"<!-- a\nb -->\n<?xml version='1.0'?>\n<sdf\n version=1.9>\n<a\n name='x' "
        b"name='y'\n/></sdf>"
    )
    mended = mended_xml(text)
    assert [line for line, content in enumerate(mended.splitlines(), 1) if b"<sdf" in content] == [
        4
    ]
    assert [line for line, content in enumerate(mended.splitlines(), 1) if b"<a" in content] == [6]


def test_a_well_formed_document_keeps_its_meaning() -> None:
    text = (
        b"<?xml version='1.0'?><sdf a='1 &lt; 2'><![CDATA[<a b=c & d>]]><!-- <x y=z> --><p "
        b'q="\'">3 &amp; 4</p></sdf>'
    )
    before, after = ElementTree.fromstring(text), ElementTree.fromstring(mended_xml(text))
    assert [(e.tag, e.attrib, e.text, e.tail) for e in before.iter()] == [
        (e.tag, e.attrib, e.text, e.tail) for e in after.iter()
    ]


@pytest.mark.parametrize("piece", ["<a ", "<a b", "<a b='", "<!--", "<?xml ", "&", "<a b=c "])
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    assert mended_xml(piece.encode() * 100_000)

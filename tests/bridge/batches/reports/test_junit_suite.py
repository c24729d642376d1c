"""The test cases of a batch."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

_PROBLEM = (
    '<xs:complexType mixed="true"><xs:attribute name="message" use="required"/>'
    '<xs:attribute name="type" use="required"/></xs:complexType>'
)
_COUNTS = "".join(
    f'<xs:attribute name="{name}" type="xs:nonNegativeInteger" use="required"/>'
    for name in ("tests", "failures", "errors", "skipped")
)
_SCHEMA = f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:element name="testcase"><xs:complexType>
  <xs:choice minOccurs="0">
    <xs:element name="failure">{_PROBLEM}</xs:element><xs:element name="error">{_PROBLEM}</xs:element>
  </xs:choice>
  <xs:attribute name="name" use="required"/><xs:attribute name="classname" use="required"/>
</xs:complexType></xs:element>
<xs:element name="testsuite"><xs:complexType>
  <xs:sequence><xs:element ref="testcase" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
  <xs:attribute name="name" use="required"/>{_COUNTS}
</xs:complexType></xs:element>
</xs:schema>"""
"""The elements and attributes that are written here, in the structure that readers of JUnit results
commonly expect.
"""


def test_junit_follows_its_schema_and_its_counts_are_those_of_the_cases(folder: Path) -> None:
    suite = etree.parse(folder / "junit.xml")
    etree.XMLSchema(etree.fromstring(_SCHEMA)).assertValid(suite)
    counts = [len(suite.xpath(path)) for path in ("testcase", "testcase/failure", "testcase/error")]
    assert counts == [int(suite.getroot().get(name)) for name in ("tests", "failures", "errors")]


def test_junit_has_a_case_for_each_model(folder: Path) -> None:
    suite = etree.parse(folder / "junit.xml").getroot()
    assert {key: suite.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "4",
        "failures": "2",
        "errors": "1",
    }
    assert [len(case) for case in suite] == [1, 0, 1, 1]
    assert suite[2][0].get("message") == "crash: SIGSEGV"

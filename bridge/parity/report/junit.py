"""JUnit XML: one test case for each row of a comparison, for continuous integration."""

from __future__ import annotations

from lxml import etree

from bridge.parity.results.verdict import Findings, Outcome, line


def junit(comparison: Findings) -> str:
    """Return the XML text; rows that are not reported are skipped test cases."""
    failures = sum(not row.passed for row in comparison.rows)
    skipped = sum(row.outcome is Outcome.UNKNOWN for row in comparison.rows)
    suite = etree.Element(
        "testsuite", name=f"parity {comparison.model}", tests=str(len(comparison.rows)), failures=str(failures),
        skipped=str(skipped), errors="0",
    )  # fmt: skip
    for row in comparison.rows:
        name = f"{row.quantity} of {' and '.join(row.engines)}"
        case = etree.SubElement(suite, "testcase", classname=f"{comparison.model}.{row.level}", name=name)
        if not row.passed:
            etree.SubElement(case, "failure", message=line(row))
        elif row.outcome is Outcome.UNKNOWN:
            etree.SubElement(case, "skipped", message=row.cause)
        elif row.cause:
            etree.SubElement(case, "system-out").text = line(row)
    return etree.tostring(suite, pretty_print=True, xml_declaration=True, encoding="UTF-8").decode()

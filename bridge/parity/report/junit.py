"""JUnit XML: one test case for each row of a comparison, for continuous integration."""

from __future__ import annotations

from lxml import etree

from bridge.parity.results.verdict import Findings, Outcome, Verdict, line


def junit(comparison: Findings) -> str:
    """Return the XML text.

    Rows without a comparison are skipped test cases. The last test case fails if the model states something that was
    not compared.
    """
    failures = sum(not row.passed for row in comparison.rows) + bool(comparison.gaps)
    skipped = sum(row.outcome is Outcome.UNKNOWN for row in comparison.rows)
    suite = etree.Element(
        "testsuite", name=f"parity {comparison.model}", tests=str(len(comparison.rows) + 1), failures=str(failures),
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
    complete = etree.SubElement(suite, "testcase", classname=comparison.model, name="everything stated was compared")
    if comparison.gaps:
        failure = etree.SubElement(complete, "failure", type=Verdict.INCOMPLETE, message=f"{len(comparison.gaps)} gaps")
        failure.text = "\n".join(map(str, comparison.gaps))
    return etree.tostring(suite, pretty_print=True, xml_declaration=True, encoding="UTF-8").decode()

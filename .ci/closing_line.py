"""Print the sum of several runs of pytest as pytest's closing line.

python .ci/closing_line.py JUNIT_XML...
"""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree


def closing_line(reports: list[Path]) -> str:
    """Add up the counts and the times of all reports."""
    counts: Counter[str] = Counter()
    seconds = 0.0
    for suite in (
        suite for report in reports for suite in ElementTree.parse(report).iter("testsuite")
    ):
        found = {
            name: int(suite.get(name, 0)) for name in ("failures", "errors", "skipped", "tests")
        }
        failed, errors, skipped, tests = found.values()
        counts += Counter(
            failed=failed, passed=tests - failed - errors - skipped, skipped=skipped, errors=errors
        )
        seconds += float(suite.get("time", 0.0))
    words = [
        f"{counts[word]} {word}"
        for word in ("failed", "passed", "skipped", "errors")
        if counts[word]
    ]
    return f"{', '.join(words) or 'no tests ran'} in {seconds:.2f}s"


if __name__ == "__main__":
    print(closing_line([Path(word) for word in sys.argv[1:]]))

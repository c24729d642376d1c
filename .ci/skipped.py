"""Fail if a test was skipped for a reason that `allowed_skips.txt` does not list.

python .ci/skipped.py JUNIT_XML...
"""

import re
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

ALLOWED = Path(__file__).with_name("allowed_skips.txt")


def main(reports: list[Path]) -> int:
    """Count the reasons of the skipped tests; the exit status states whether all are allowed."""
    lines = [line.strip() for line in ALLOWED.read_text(encoding="utf-8").splitlines()]
    allowed = [re.compile(line) for line in lines if line and not line.startswith("#")]
    skipped = [e for report in reports for e in ElementTree.parse(report).iter("skipped")]
    reasons = Counter(element.get("message", "") for element in skipped)
    refused = {
        reason: count
        for reason, count in reasons.items()
        if not any(p.search(reason) for p in allowed)
    }
    for reason, count in sorted(reasons.items()):
        print(f"{count} skipped{' (not allowed)' if reason in refused else ''}: {reason}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main([Path(word) for word in sys.argv[1:]]))

"""Measure the search of the documentation with questions of users, and write their ranks into
``docs/data/search-questions.csv``.

Each row of the table has a question, the pages that answer it, the public thread that asked it (if
it is one), and the place of the first such page among the results: before pages had words of users
and a ranking of their own, and now. The questions with ``later`` were written when the ranking was
finished, those with ``last`` after that, and those with ``after`` later still; the rank of these
before is that without words of their own.

Run it from the root of the project, with a Chromium and the built site: ``make docs && python
docs/make_search_ranks.py``.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.chromium import Chromium  # noqa: E402

TABLE = ROOT / "docs" / "data" / "search-questions.csv"
_FIND = """(asked => asked.map(question =>
    Search._performSearch(...Search._parseQuery(question)).reverse().map(found => found[0])
))"""


def questions() -> list[dict[str, str]]:
    """Return the rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ranks(page: Chromium, site: Path, rows: list[dict[str, str]]) -> list[int]:
    """Return for each question the place of the first page that answers it, from 1; 0 if none is
    found.

    Args:
        page: A browser.
        site: Folder of the built site.
        rows: Rows of the table.
    """
    page.open((site / "search.html").as_uri())
    page.until(lambda: page.run("typeof Search !== 'undefined' && Search.hasIndex()"))
    asked = json.dumps([row["question"] for row in rows])
    found: list[list[str]] = page.run(f"{_FIND}({asked})")
    return [_rank(pages, row["pages"].split()) for pages, row in zip(found, rows, strict=True)]


def _rank(found: list[str], answers: list[str]) -> int:
    return next((place for place, name in enumerate(found, start=1) if name in answers), 0)


def main() -> None:
    """Rewrite the ranks of now."""
    rows: list[dict[str, Any]] = list(questions())
    with tempfile.TemporaryDirectory() as folder, Chromium(Path(folder)) as page:
        places = ranks(page, ROOT / "out" / "docs", rows)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | {"now": place} for row, place in zip(rows, places, strict=True))


if __name__ == "__main__":
    main()

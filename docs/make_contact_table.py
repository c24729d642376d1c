"""Write ``docs/contact.md``: energy, momentum and contact of real models in both simulators (levels
L3 and L4).

Run it from the root of the project, with the test extra installed and the corpus beside the project
or named by
``SDFBRIDGE_CORPUS``: ``python docs/make_contact_table.py``. It takes about two hours on two
cores; ``python docs/make_contact_table.py 5`` measures every fifth model and all robots of the
installed packages. With the variable ``SDFBRIDGE_JOURNAL``, the name of a folder, it continues
where it was interrupted.
"""

from __future__ import annotations

import datetime
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bridge.parity import Outcome, Row  # noqa: E402
from docs.table_cells import cell, version  # noqa: E402
from tests.corpora.contact_corpus import LEVELS, Measured, measure_all  # noqa: E402
from tests.corpora.models_corpus import Model, models  # noqa: E402

_PACKAGES = ("mujoco", "pybullet", "numpy", "example-robot-data", "icub-models")
_ROBOTS = ("example-robot-data/", "icub-models/", "pybullet_data/")
_SCENES = "<!-- scenes -->"
"""What `docs/make_contact_scenes.py` writes begins with this mark."""
_WORDS = ("EQUIVALENT", "AGREES", "DIFFERS", "nothing to measure")
_HEAD = """# Energy, momentum and contact of real models

{all} files of the corpora and packages of [Verdicts on real models](proof.md), of which {read} load
({repaired} with repaired inertias that MuJoCo refuses), at the levels L3 and L4 of [Comparing
simulators](parity.md), in MuJoCo and PyBullet.{left}

| verdict | L3 | L4 |
|---|---|---|
{verdicts}

L4 is never exact: a row that is within the tolerance of its class is AGREES. A model that cannot move has nothing
to measure at L3; one without collisions has nothing to measure at L4.

The number of measurements of each quantity, the number within the tolerance, and the largest error of these; for
quantities that must converge, the range of the orders:

| level | quantity | engine | measured | within | worst |
|---|---|---|---|---|---|
{quantities}

Measurements beyond the tolerance of their class or order, and the cause:

| model | quantity | engine | error | |
|---|---|---|---|---|
{beyond}

Quantities that are not measured, with the number of models and the most frequent reason:

| quantity | models | why |
|---|---|---|
{unknown}

Written by `docs/make_contact_table.py{every}` on {date}, with {versions}.
"""


def main() -> None:
    """Measure all models, or a part of them, and write the page, of which the scenes stay."""
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    measurements = measure_all(chosen(every))
    left = len(models()) - len(measurements)
    path = ROOT / "docs" / "contact.md"
    _, mark, scenes = path.read_text(encoding="utf-8").partition(_SCENES)
    path.write_text(f"{page(measurements, left, every)}\n{mark}{scenes}", encoding="utf-8")


def chosen(every: int) -> list[Model]:
    """Return every n-th model of the corpora, and all robots."""
    candidates = models()
    others = [model for model in candidates if not model.name.startswith(_ROBOTS)]
    return [*others[::every], *(model for model in candidates if model.name.startswith(_ROBOTS))]


def page(measurements: Sequence[Measured], left: int = 0, every: int = 1) -> str:
    """Return the page.

    Args:
        measurements: The measurements of all models.
        left: Number of files that are not measured.
        every: Only every n-th model of the corpora is measured.
    """
    read = [measured for measured in measurements if not measured.invalid]
    crashed = [measured for measured in read if measured.crash]
    counts = [Counter(m.verdict(level) for m in read if not m.crash) for level in LEVELS]
    verdicts = [_line(word, *(count[word] for count in counts)) for word in _WORDS]
    beyond = [
        *_beyond(read),
        *(_line(measured.model, "", "", "", measured.crash) for measured in crashed),
    ]
    return _HEAD.format(
        all=len(measurements),
        every=f" {every}" if every > 1 else "",
        left=f" {left} other files are not measured." if left else "",
        read=len(read),
        repaired=sum(measured.repaired for measured in read),
        verdicts="\n".join([*verdicts, _line("no answer", len(crashed), len(crashed))]),
        quantities="\n".join(_quantities(read)),
        beyond="\n".join(beyond or [_line("none", "", "", "", "")]),
        unknown="\n".join(_unknown(read)),
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        versions=", ".join(f"{name} {version(name)}" for name in _PACKAGES),
    )


def _quantities(read: Sequence[Measured]) -> Iterator[str]:
    rows: defaultdict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in (
        row for measured in read for row in measured.rows if row.outcome is not Outcome.UNKNOWN
    ):
        rows[row.level, _plain(row), row.engines[1]].append(row)
    for (level, quantity, engine), each in sorted(rows.items()):
        within = [row for row in each if row.error <= row.tolerance]
        orders = [
            row.order for row in within if row.order is not None and row.convergence[0][1] > 1e-9
        ]
        worst = max(within, key=lambda row: row.error / row.tolerance, default=None)
        text = "" if worst is None else f"{worst.error:.2g} of {worst.tolerance:.2g}"
        text = f"order {min(orders):.2f} to {max(orders):.2f}" if orders else text
        yield _line(level, quantity, engine, len(each), len(within), text)


def _beyond(read: Sequence[Measured]) -> Iterator[str]:
    for measured in read:
        for row in measured.rows:
            if row.outcome is not Outcome.UNKNOWN and not row.error <= row.tolerance:
                word = "**DIFFERS**" if row.outcome is Outcome.FAILED else row.cause
                yield _line(measured.model, row.quantity, row.engines[1], f"{row.error:.2g}", word)


def _unknown(read: Sequence[Measured]) -> Iterator[str]:
    why: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for measured in read:
        why_here = {
            _plain(row): row.cause for row in measured.rows if row.outcome is Outcome.UNKNOWN
        }
        for quantity, cause in why_here.items():
            why[quantity][measured.model] = cause
    for quantity, causes in sorted(why.items()):
        (cause, _), *others = Counter(causes.values()).most_common()
        yield _line(quantity, len(causes), f"{cause}{', and similar' if others else ''}")


def _plain(row: Row) -> str:
    return row.quantity.partition(" of surface")[0]


def _line(*cells: object) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


if __name__ == "__main__":
    main()

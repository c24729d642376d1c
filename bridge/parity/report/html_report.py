"""The HTML report of a comparison: one file without external resources."""

from __future__ import annotations

import base64
import importlib.util
import math
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from pathlib import PurePath
from typing import Any

import numpy as np

from bridge.parity.results.verdict import Findings, Outcome, Row, number
from loaders.notebook import summary_of
from loaders.spatial import SpatialInertia

from . import figures, report_texts
from .notebook_card import SIGNS, worst_first

_INSTALL = "the HTML report needs jinja2 and matplotlib: pip install 'sdfbridge[report]'"
MAX_LINKS = 40
"""Number of links above which the matrix of collidable pairs is left out."""
MARKED_DIFFERENCE = 1e-9
"""Relative difference above which an inertia is marked."""


def require_packages() -> None:
    """Check that the packages that draw reports are installed, before the work of which a report is the result.

    Raises:
        ImportError: If jinja2 or matplotlib is not installed; the message states how to install them.
    """
    if any(importlib.util.find_spec(name) is None for name in ("jinja2", "matplotlib")):
        raise ImportError(_INSTALL)


def html(comparison: Findings, pictures: Mapping[str, bytes], date: str = "") -> str:
    """Return the HTML text.

    Args:
        comparison: The result to report.
        pictures: PNG images by caption.
        date: The date to state; empty for that of `report_date`.

    Raises:
        ImportError: If jinja2 or matplotlib is not installed; the message states how to install them.
        ValueError: If the environment variable ``SOURCE_DATE_EPOCH`` is not a number of seconds.
    """
    date = date or report_date()
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup

        drawings = figures.draw(comparison)
    except ImportError as error:
        raise ImportError(_INSTALL) from error
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "set_of": frozenset, "scientific": _scientific, "anchor": _anchor, "symbol": lambda row: SIGNS[row.outcome]
    }  # fmt: skip
    return environment.from_string(_template("report.html")).render(
        comparison=comparison,
        date=date,
        style=Markup(_template("report.css")),  # noqa: S704 - a file of this package
        drawings=[(title, Markup(svg), _caption(comparison, title)) for title, svg in drawings.items()],  # noqa: S704 - made by this package from numbers
        pictures={caption: _inline(data) for caption, data in pictures.items()},
        sections=_sections(comparison, list(drawings), bool(pictures)),
        **_overview(comparison),
        **_pairs(comparison),
        **_inertias(comparison),
        **_fidelity(comparison),
    )


def report_date() -> str:
    """Return the date of the environment variable ``SOURCE_DATE_EPOCH``, with which builds are repeatable, or today's.

    Raises:
        ValueError: If the variable is not a number of seconds.
    """
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        seconds = int(stated) if stated else time.time()
        return datetime.fromtimestamp(seconds, tz=UTC).date().isoformat()
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(f"SOURCE_DATE_EPOCH is {stated!r}; expected a number of seconds since 1970") from error


def _template(name: str) -> str:
    return resources.files(__package__).joinpath(f"templates/{name}").read_text(encoding="utf-8")


def _inline(png: bytes) -> str:
    """A data URL."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _scientific(x: float) -> str:
    value = number(x)
    if isinstance(value, str):
        return value
    return f"{value:.1e}" if value else "0"


def _anchor(title: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in title.lower())


def _sections(comparison: Findings, drawings: list[str], has_pictures: bool) -> list[str]:
    """The titles of the sections, in order."""
    details = comparison.details
    present = {
        "Differences": bool(_differing(comparison)),
        "Not compared": bool(comparison.gaps),
        "Conditions": bool(comparison.conditions),
        "Pictures": has_pictures,
        "Quantities": True,
        **dict.fromkeys(drawings, True),
        "Collision pairs": bool(details.get("links")),
        "Mass and inertia": "reference" in details.get("inertias", {}),
        "Fidelity": True,
        "Environment": True,
        "Glossary": True,
    }
    return [title for title, is_present in present.items() if is_present]


# --- tables ----------------------------------------------------------------------------------------------------------


def _overview(comparison: Findings) -> dict[str, Any]:
    """The head of the page and the table of all rows."""
    levels = dict.fromkeys(row.level for row in comparison.rows)
    return {
        "title": PurePath(comparison.source).name or comparison.model or "a model",
        "meaning": report_texts.MEANINGS[comparison.verdict],
        "summary": _summary(comparison),
        "differences": _differing(comparison),
        "levels": [(level, report_texts.LEVELS.get(level, "")) for level in levels],
        "rows": list(_places(comparison.rows)),
        "shown": list(report_texts.SHOWN.items()),
        "sorted": list(report_texts.SORTED.items()),
        "glossary": report_texts.GLOSSARY,
    }


def _summary(comparison: Findings) -> str:
    """One line with the number of rows of each outcome, of gaps and of diagnostics."""
    counts = Counter(row.outcome for row in comparison.rows)
    stated = [f"{counts[outcome]} {text}" for outcome, text in report_texts.COUNTED.items() if counts[outcome]]
    line = f"{len(comparison.rows)} rows: {', '.join(stated)}" if stated else "nothing was compared"
    gaps = f"; {len(comparison.gaps)} stated by the model and not compared" if comparison.gaps else ""
    return f"{line}{gaps}; {summary_of(comparison.diagnostics)}."


def _differing(comparison: Findings) -> list[Row]:
    """The rows that differ, the unexplained first."""
    return worst_first(row for row in comparison.rows if row.outcome in {Outcome.FAILED, Outcome.EXPLAINED})


def _places(rows: Sequence[Row]) -> Iterator[tuple[Row, str]]:
    """Yield each row with its place in every order, as properties of its style."""
    orders = {
        "outcome": worst_first(rows),
        "error": sorted(rows, key=_excess, reverse=True),
        "name": sorted(rows, key=lambda row: (row.quantity, row.engines)),
        "file": list(rows),
    }
    places = {name: {id(row): place for place, row in enumerate(order)} for name, order in orders.items()}
    for row in rows:
        yield row, "; ".join(f"--by-{name}: {place[id(row)]}" for name, place in places.items())


def _excess(row: Row) -> float:
    """The error as a multiple of the tolerance; less than any other for a row without a comparison."""
    if row.outcome is Outcome.UNKNOWN or math.isnan(row.error):
        return -1.0
    return row.error / row.tolerance if row.tolerance > 0.0 else math.inf if row.error > 0.0 else 0.0


def _caption(comparison: Findings, title: str) -> str:
    """The caption of a drawing of motion or of mass matrices; empty for other drawings."""
    if title.startswith("Mass matrix"):
        return (
            "Rows and columns are the velocities of the joints; name[k] is velocity k, from 0, of a joint with several."
        )
    rows = [row for row in comparison.rows if title.endswith(row.quantity) and row.series and row.sensitivity]
    if not rows:
        return ""
    largest = max(row.sensitivity or 0.0 for row in rows)
    return (
        "The shaded band is the tolerance. The motion itself is sensitive: an initial difference of 1e-10 in one "
        f"engine grows up to {largest:.1f} times."
    )


def _pairs(comparison: Findings) -> dict[str, Any]:
    """The data of the matrix of collidable pairs: those of the mechanism, and those in which an engine differs."""
    colliding = list(comparison.details.get("links", ()))
    pairs = comparison.details.get("pairs", frozenset())
    others = comparison.details.get("pairs_by_engine", {}).values()
    movable = comparison.details.get("movable_pairs", frozenset())
    differing = frozenset(pair for other in others for pair in (pairs ^ other) & movable)
    few = len(colliding) <= MAX_LINKS
    return {
        "links": colliding if few else [],
        "pairs": pairs,
        "differing_pairs": differing,
        "pair_count": len(pairs),
    }


def _inertias(comparison: Findings) -> dict[str, Any]:
    """The inertia of each link in the model, and the difference of each engine."""
    by_engine: dict[str, dict[str, SpatialInertia]] = comparison.details.get("inertias", {})
    model = by_engine.get("reference", {})
    engines = [name for name in by_engine if name != "reference"]
    rows = [
        (
            link,
            [f"{x:.6g}" for x in _numbers(inertia)],
            [_difference(inertia, by_engine[name].get(link)) for name in engines],
        )
        for link, inertia in model.items()
    ]
    return {"inertias": rows, "inertia_engines": engines}


def _numbers(inertia: SpatialInertia) -> list[float]:
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = inertia.I_Lcm.tolist()
    return [inertia.mass, *inertia.p_LLcm.tolist(), ixx, iyy, izz, ixy, ixz, iyz]


def _difference(expected: SpatialInertia, other: SpatialInertia | None) -> tuple[str, bool]:
    """The largest difference (relative; of the center of mass in meters), and whether to mark it."""
    if other is None:
        return "missing", True
    a, b = np.array(_numbers(expected)), np.array(_numbers(other))
    scale = np.array([max(abs(a[0]), 1e-300), 1.0, 1.0, 1.0, *[max(float(np.abs(a[4:]).max()), 1e-300)] * 6])
    worst = float((np.abs(a - b) / scale).max())
    return _scientific(worst), not worst <= MARKED_DIFFERENCE


def _fidelity(comparison: Findings) -> dict[str, Any]:
    """The fidelity reports of all engines by severity, each diagnostic once with all engines that report it."""
    targets: dict[tuple[str, str, str], list[str]] = {}
    for entry in sorted(comparison.diagnostics, key=lambda entry: ("error", "warning", "note").index(entry.severity)):
        targets.setdefault((entry.severity, entry.code, entry.message), []).append(entry.target)
    counts = Counter(severity for severity, _, _ in targets)
    summary = ", ".join(f"{count} {severity}{'s' * (count != 1)}" for severity, count in counts.items())
    rows = [
        (severity, ", ".join(dict.fromkeys(filter(None, engines))), code, message)
        for (severity, code, message), engines in targets.items()
    ]
    return {"fidelity": rows, "fidelity_summary": summary}

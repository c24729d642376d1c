"""A comparison as one HTML file that opens offline, and as JUnit."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

import numpy as np
from lxml import etree

from bridge.parity.results.verdict import Findings, Level, Outcome, Row, line, number
from loaders.spatial import SpatialInertia

from . import figures

_MEANING = {
    "EQUIVALENT": "Every quantity agrees to its tolerance.",
    "AGREES": "Every quantity agrees, or differs for a reason that is named below.",
    "DIFFERS": "Some quantity differs, and nothing that is known explains it.",
}
_SYMBOLS = {Outcome.PASSED: "✓", Outcome.EXPLAINED: "≈", Outcome.FAILED: "✗", Outcome.UNKNOWN: "?"}
_LEVELS = {
    "L0": "what the engines hold, and where they put the links", "L1": "forces at random states", "L2": "motion",
    "L3": "what motion without losses conserves", "L4": "contact",
}  # fmt: skip
MOST_LINKS = 40
"""Beyond which the matrix of collision pairs is left out."""
VISIBLE = 1e-9
"""Relative difference of an inertia that is marked."""


def html(comparison: Findings, pictures: Mapping[str, bytes]) -> str:
    """The report as text; ``pictures`` are PNG images by their captions.

    Raises:
        ImportError: if jinja2 or matplotlib is missing; it says how to install them.
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup

        drawings = figures.draw(comparison)
    except ImportError as error:
        raise ImportError("the HTML report needs jinja2 and matplotlib: pip install 'sdfbridge[report]'") from error
    template = resources.files(__package__).joinpath("templates/report.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "set_of": frozenset, "scientific": _scientific, "anchor": _anchor, "symbol": lambda row: _SYMBOLS[row.outcome]
    }  # fmt: skip
    return environment.from_string(template).render(
        comparison=comparison,
        meaning=_MEANING[comparison.verdict],
        levels=list(_levels(comparison)),
        causes=_causes(comparison),
        drawings=[(title, Markup(svg), _caption(comparison, title)) for title, svg in drawings.items()],  # noqa: S704 - drawn here, from numbers
        pictures={caption: _inline(data) for caption, data in pictures.items()},
        sections=_sections(comparison, list(drawings), bool(pictures)),
        **_pairs(comparison),
        **_inertias(comparison),
        **_ledger(comparison),
    )


def _inline(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _scientific(x: float) -> str:
    value = number(x)
    if isinstance(value, str):
        return value
    return f"{value:.1e}" if value else "0"


def _anchor(title: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in title.lower())


def _sections(comparison: Findings, drawings: list[str], pictured: bool) -> list[str]:
    held = comparison.details
    present = {
        "Pictures": pictured,
        "Quantities": True,
        "Causes": bool(_causes(comparison)),
        **dict.fromkeys(drawings, True),
        "Collision pairs": bool(held.get("links")),
        "Mass and inertia": "reference" in held.get("inertias", {}),
        "Ledger": True,
        "Environment": True,
    }
    return [title for title, there in present.items() if there]


# --- tables ----------------------------------------------------------------------------------------------------------


def _levels(comparison: Findings) -> Iterator[tuple[Level, str, list[tuple[str, str]], list[tuple[str, float, Any]]]]:
    """Each level: its pairs of engines, and for each quantity the row of each pair."""
    for level in dict.fromkeys(row.level for row in comparison.rows):
        rows = [row for row in comparison.rows if row.level == level]
        pairs = list(dict.fromkeys(row.engines for row in rows))
        by_place = {(row.quantity, row.engines): row for row in rows}
        quantities = [
            (f"{row.quantity} [{row.unit}]" if row.unit else row.quantity, row.tolerance,
             [by_place.get((row.quantity, pair)) for pair in pairs])
            for row in {row.quantity: row for row in rows}.values()
        ]  # fmt: skip
        yield level, _LEVELS.get(level, ""), pairs, quantities


def _causes(comparison: Findings) -> list[Row]:
    """Rows with a cause, of those that say the same the first."""
    return list({(row.quantity, row.cause): row for row in reversed(comparison.rows) if row.cause}.values())[::-1]


def _caption(comparison: Findings, title: str) -> str:
    found = [row for row in comparison.rows if title.endswith(row.quantity) and row.series and row.sensitivity]
    if not found:
        return ""
    largest = max(row.sensitivity or 0.0 for row in found)
    return (
        "The shaded band is the tolerance. Two motions of one engine that start 1e-10 apart end "
        f"{largest:.1f} times as far apart: that is the sensitivity of the motion itself."
    )


def _pairs(comparison: Findings) -> dict[str, Any]:
    """What the matrix of pairs shows: of the mechanism, and where an engine has another."""
    shaped = list(comparison.details.get("links", ()))
    pairs = comparison.details.get("pairs", frozenset())
    others = comparison.details.get("pairs_by_engine", {}).values()
    movable = comparison.details.get("movable_pairs", frozenset())
    odd = frozenset(pair for other in others for pair in (pairs ^ other) & movable)
    few = len(shaped) <= MOST_LINKS
    return {"links": shaped if few else [], "pairs": pairs, "odd_pairs": odd, "pair_count": len(pairs)}


def _inertias(comparison: Findings) -> dict[str, Any]:
    """Of each link the model's numbers, and how far each engine is from them."""
    held: dict[str, dict[str, SpatialInertia]] = comparison.details.get("inertias", {})
    own = held.get("reference", {})
    engines = [name for name in held if name != "reference"]
    rows = [
        (
            link,
            [f"{x:.6g}" for x in _numbers(inertia)],
            [_difference(inertia, held[name].get(link)) for name in engines],
        )
        for link, inertia in own.items()
    ]
    return {"inertias": rows, "inertia_engines": engines}


def _numbers(inertia: SpatialInertia) -> list[float]:
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = inertia.I_Lcm.tolist()
    return [inertia.mass, *inertia.p_LLcm.tolist(), ixx, iyy, izz, ixy, ixz, iyz]


def _difference(own: SpatialInertia, other: SpatialInertia | None) -> tuple[str, bool]:
    """The largest relative difference of mass and moments, or of the centre in metres; and whether it matters."""
    if other is None:
        return "not held", True
    a, b = np.array(_numbers(own)), np.array(_numbers(other))
    scale = np.array([max(abs(a[0]), 1e-300), 1.0, 1.0, 1.0, *[max(float(np.abs(a[4:]).max()), 1e-300)] * 6])
    worst = float((np.abs(a - b) / scale).max())
    return _scientific(worst), not worst <= VISIBLE


def _ledger(comparison: Findings) -> dict[str, Any]:
    """The entries by severity; what two engines say alike once."""
    targets: dict[tuple[str, str, str], list[str]] = {}
    for entry in sorted(comparison.diagnostics, key=lambda entry: ("error", "warning", "note").index(entry.severity)):
        targets.setdefault((entry.severity, entry.code, entry.message), []).append(entry.target)
    counts = Counter(severity for severity, _, _ in targets)
    told = ", ".join(f"{count} {severity}{'s' * (count != 1)}" for severity, count in counts.items())
    rows = [
        (severity, ", ".join(dict.fromkeys(filter(None, named))), code, message)
        for (severity, code, message), named in targets.items()
    ]
    return {"ledger": rows, "ledger_counts": told}


# --- JUnit -----------------------------------------------------------------------------------------------------------


def junit(comparison: Findings) -> str:
    """One test case for each row."""
    failed = sum(not row.passed for row in comparison.rows)
    skipped = sum(row.outcome is Outcome.UNKNOWN for row in comparison.rows)
    suite = etree.Element(
        "testsuite", name=f"parity {comparison.model}", tests=str(len(comparison.rows)), failures=str(failed),
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

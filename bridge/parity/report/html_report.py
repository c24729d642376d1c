"""The HTML report of a comparison: one file without external resources."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

import numpy as np

from bridge.parity.results.verdict import Findings, Level, Outcome, Row, number
from loaders.spatial import SpatialInertia

from . import figures

_MEANING = {
    "EQUIVALENT": "Every quantity that the model states was compared and agrees within its tolerance.",
    "AGREES": "Every quantity that the model states was compared; differences are within the bounds of known causes.",
    "INCOMPLETE": "Nothing differs, but the quantities listed below, which the model states, were not compared.",
    "DIFFERS": "A quantity differs by more than a known cause explains, or an engine lacks part of the model.",
}
_SYMBOLS = {Outcome.PASSED: "✓", Outcome.EXPLAINED: "≈", Outcome.FAILED: "✗", Outcome.UNKNOWN: "?"}
_LEVELS = {
    "L0": "parameters of the model, and link poses at random positions",
    "L1": "mass matrix and forces at random states",
    "L2": "motion without contact",
    "L3": "conservation of energy and momentum",
    "L4": "contact",
}
MAX_LINKS = 40
"""Number of links above which the matrix of collidable pairs is left out."""
MARKED_DIFFERENCE = 1e-9
"""Relative difference above which an inertia is marked."""


def html(comparison: Findings, pictures: Mapping[str, bytes]) -> str:
    """Return the HTML text.

    Args:
        comparison: The result to report.
        pictures: PNG images by caption.

    Raises:
        ImportError: If jinja2 or matplotlib is not installed; the message states how to install them.
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
        drawings=[(title, Markup(svg), _caption(comparison, title)) for title, svg in drawings.items()],  # noqa: S704 - made by this package from numbers
        pictures={caption: _inline(data) for caption, data in pictures.items()},
        sections=_sections(comparison, list(drawings), bool(pictures)),
        **_pairs(comparison),
        **_inertias(comparison),
        **_fidelity(comparison),
    )


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
        "Pictures": has_pictures,
        "Not compared": bool(comparison.gaps),
        "Conditions": bool(comparison.conditions),
        "Quantities": True,
        "Causes": bool(_causes(comparison)),
        **dict.fromkeys(drawings, True),
        "Collision pairs": bool(details.get("links")),
        "Mass and inertia": "reference" in details.get("inertias", {}),
        "Fidelity": True,
        "Environment": True,
    }
    return [title for title, is_present in present.items() if is_present]


# --- tables ----------------------------------------------------------------------------------------------------------


def _levels(comparison: Findings) -> Iterator[tuple[Level, str, list[tuple[str, str]], list[tuple[str, float, Any]]]]:
    """Yield each level with its description, its pairs of engines, and the rows of each quantity."""
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
    """The first row of each quantity and cause."""
    return list({(row.quantity, row.cause): row for row in reversed(comparison.rows) if row.cause}.values())[::-1]


def _caption(comparison: Findings, title: str) -> str:
    """The caption of a drawing of motion; empty for other drawings."""
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

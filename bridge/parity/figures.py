"""The drawings of a report, as SVG: error over time, and where mass matrices differ. Legible without colour."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from .verdict import Comparison, Row

_STYLES = (("#0072b2", "o", "-"), ("#d55e00", "s", "--"), ("#009e73", "^", ":"), ("#cc79a7", "D", "-."))
"""Colour, marker and line of each series; told apart without the colour."""
_SMALLEST = 1e-18
"""What is drawn for zero on a logarithmic axis."""
MOST_FREEDOMS = 30
"""Beyond which a mass matrix has no labels."""


def draw(comparison: Comparison) -> dict[str, str]:
    """Every drawing that the comparison has data for, by title.

    Raises:
        ImportError: if matplotlib is missing.
    """
    moving = [row for row in comparison.rows if row.series]
    found = {
        f"Error over time, {quantity}": _over_time([row for row in moving if row.quantity == quantity])
        for quantity in dict.fromkeys(row.quantity for row in moving)
    }
    masses = comparison.details.get("mass_matrices", {})
    if "reference" in masses and len(masses) > 1 and masses["reference"].size:
        found["Mass matrix, difference from the reference"] = _differences(comparison, masses)
    return found


def _over_time(rows: list[Row]) -> str:
    figure = _figure(7.2, 3.4)
    axes = figure.subplots()
    for row, (colour, marker, dashes) in zip(rows, _STYLES * len(rows), strict=False):
        times, errors = zip(*row.series, strict=True)
        axes.semilogy(
            times, np.maximum(errors, _SMALLEST), color=colour, marker=marker, linestyle=dashes, markersize=3.5,
            label=" / ".join(row.engines),
        )  # fmt: skip
    axes.axhspan(_SMALLEST, rows[0].tolerance, color="0.93", zorder=0)
    axes.axhline(rows[0].tolerance, color="0.35", linewidth=0.9, label=f"tolerance {rows[0].tolerance:.0e}")
    axes.set(xlabel="time [s]", ylabel=f"worst link [{rows[0].unit}]")
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    axes.grid(visible=True, color="0.88", linewidth=0.6)
    return _svg(figure)


def _differences(comparison: Comparison, masses: dict[str, Any]) -> str:
    reference = masses["reference"]
    others = {name: M for name, M in masses.items() if name != "reference"}
    scale = max(float(np.abs(reference).max()), 1e-300)
    figure = _figure(3.6 * len(others) + 0.6, 3.5)
    labels = [f"{joint}[{k}]" if k else joint for joint, k in comparison.details["v_order"]]
    grid = figure.subplots(1, len(others), squeeze=False)[0]
    for axes, (name, M) in zip(grid, others.items(), strict=True):
        error = np.log10(np.maximum(np.abs(M - reference) / scale, _SMALLEST))
        image = axes.imshow(error, cmap="cividis", vmin=-18, vmax=-6)
        axes.set_title(name, fontsize=10)
        if len(labels) <= MOST_FREEDOMS:
            axes.set_xticks(range(len(labels)), labels, rotation=90, fontsize=6)
            axes.set_yticks(range(len(labels)), labels, fontsize=6)
    figure.colorbar(image, ax=grid, label="log10 of relative difference", shrink=0.8)
    return _svg(figure)


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _svg(figure: Any) -> str:
    """Without date and with repeatable ids, so that equal comparisons make equal reports."""
    import matplotlib as mpl

    target = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "sdfbridge", "svg.fonttype": "none"}):
        figure.savefig(target, format="svg", metadata={"Date": None})
    text = target.getvalue()
    return text[text.index("<svg") :]

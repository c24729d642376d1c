"""The drawings of the report as SVG: error over time and step, and differences of mass matrices."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from bridge.parity.levels.convergence import EXACT_MOTION
from bridge.parity.results.verdict import Findings, Row

_STYLES = (("#0072b2", "o", "-"), ("#d55e00", "s", "--"), ("#009e73", "^", ":"), ("#7b3294", "D", "-."))
"""Color, marker and line of each series, which can be distinguished without color too."""
_SIZES = (9.0, 6.0, 4.0, 3.0)
"""Sizes of markers, so that markers at the same point are visible."""
_SMALLEST = 1e-18
"""Value drawn for zero on a logarithmic axis."""
MAX_LABELED_DOFS = 30
"""Degrees of freedom above which the mass matrix has no labels."""


def draw(comparison: Findings) -> dict[str, str]:
    """Return every drawing for which the comparison has data, by title.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    moving = [row for row in comparison.rows if row.series]
    drawings = {
        f"Error over time, {quantity}": _over_time([row for row in moving if row.quantity == quantity])
        for quantity in dict.fromkeys(row.quantity for row in moving)
    }
    stepped = [row for row in comparison.rows if _has_slope(row)]
    if stepped:
        drawings["Error over the step"] = _over_step(stepped)
    masses = comparison.details.get("mass_matrices", {})
    if "reference" in masses and len(masses) > 1 and masses["reference"].size:
        drawings["Mass matrix, difference from the reference"] = _differences(comparison, masses)
    return drawings


def _has_slope(row: Row) -> bool:
    return row.order is not None and all(np.isfinite(error) and error > 0.0 for _, error in row.convergence)


def _over_time(rows: list[Row]) -> str:
    figure = _figure(8.4, 3.2)
    axes = figure.subplots()
    for k, row in enumerate(rows):
        times, errors = zip(*row.series, strict=True)
        _plot(axes, k, times, np.clip(errors, _SMALLEST, 1e300), " / ".join(row.engines))
    axes.set_yscale("log")
    tolerance = rows[0].tolerance
    if tolerance > 0.0:
        axes.axhspan(_SMALLEST, tolerance, facecolor="#e8eef4", hatch="//", edgecolor="#c9d5e1", zorder=0)
        axes.axhline(tolerance, color="0.25", linewidth=1.0, label=f"tolerance {tolerance:.0e}")
    axes.set(xlabel="time [s]", ylabel=f"worst link [{rows[0].unit or 'relative'}]")
    axes.set_ylim(bottom=_SMALLEST)
    _legend(axes)
    return _svg(figure)


def _over_step(rows: list[Row]) -> str:
    """One panel for the distance of each engine from the exact motion, one for the distances between engines."""
    exact = [row for row in rows if row.engines[0] == EXACT_MOTION]
    panels = [(title, part) for title, part in (
        ("from the exact motion", exact),
        ("from each other", [row for row in rows if row.engines[0] != EXACT_MOTION]),
    ) if part]  # fmt: skip
    figure = _figure(8.4, 3.6 * len(panels))
    for axes, (title, part) in zip(figure.subplots(len(panels), 1, squeeze=False)[:, 0], panels, strict=True):
        for k, row in enumerate(part):
            steps, errors = zip(*row.convergence, strict=True)
            name = row.engines[1] if row.engines[0] == EXACT_MOTION else f"{row.quantity}, {' / '.join(row.engines)}"
            _plot(axes, k, steps, errors, f"{name}: slope {row.order:.3f}", line="")
            _fit(axes, k, steps, errors)
        axes.set(xscale="log", yscale="log", xlabel="step", ylabel="error", title=f"Distance {title}")
        axes.set_ylim(*_decades([error for row in part for _, error in row.convergence]))
        ticks = sorted({step for row in part for step, _ in row.convergence})
        axes.set_xticks(ticks, [f"{1e3 * step:g} ms" for step in ticks])
        axes.minorticks_off()
        _legend(axes)
    return _svg(figure)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten that enclose the values."""
    return 10.0 ** np.floor(np.log10(min(values))), 10.0 ** np.ceil(np.log10(max(values)) + 1e-9)


def _fit(axes: Any, k: int, steps: Sequence[float], errors: Sequence[float]) -> None:
    """Draw the least-squares line on logarithmic axes."""
    slope, height = np.polyfit(np.log(steps), np.log(errors), 1)
    color, _, dashes = _STYLES[k % len(_STYLES)]
    axes.plot(steps, np.exp(height) * np.array(steps) ** slope, color=color, linestyle=dashes, linewidth=1.0)


def _plot(axes: Any, k: int, x: Any, y: Any, label: str, line: str | None = None) -> None:
    color, marker, dashes = _STYLES[k % len(_STYLES)]
    size = _SIZES[k % len(_SIZES)]
    axes.plot(
        x, y, color=color, marker=marker, linestyle=dashes if line is None else line, markersize=size,
        markerfacecolor="none", markeredgewidth=1.3, linewidth=1.2, label=label,
    )  # fmt: skip


def _legend(axes: Any) -> None:
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    axes.grid(visible=True, color="0.88", linewidth=0.6)


def _differences(comparison: Findings, masses: dict[str, Any]) -> str:
    reference = masses["reference"]
    others = {name: M for name, M in masses.items() if name != "reference"}
    scale = max(float(np.abs(reference).max()), 1e-300)
    figure = _figure(3.9 * len(others) + 1.0, 4.4)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    labels = [f"{joint}[{k}]" if k else joint for joint, k in comparison.details["v_order"]]
    grid = figure.subplots(1, len(others), squeeze=False)[0]
    for axes, (name, M) in zip(grid, others.items(), strict=True):
        relative = np.abs(M - reference) / scale
        error = np.log10(np.clip(np.where(np.isnan(relative), 1.0, relative), _SMALLEST, 1.0))
        image = axes.imshow(error, cmap="cividis", vmin=-18, vmax=-6)
        axes.set_title(f"{name}: at most {relative.max(initial=0.0):.0e}", fontsize=10)
        if len(labels) <= MAX_LABELED_DOFS:
            axes.set_xticks(range(len(labels)), labels, rotation=90, fontsize=6, parse_math=False)
            axes.set_yticks(range(len(labels)), labels, fontsize=6, parse_math=False)
    figure.colorbar(image, ax=grid, label="log10 of relative difference", shrink=0.8)
    return _svg(figure)


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _svg(figure: Any) -> str:
    """The SVG text without metadata and with repeatable ids, so that equal comparisons give equal reports."""
    import matplotlib as mpl

    target = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "sdfbridge", "svg.fonttype": "none"}):
        figure.savefig(target, format="svg", metadata={"Date": None}, transparent=True)
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", target.getvalue(), flags=re.DOTALL)
    return text[text.index("<svg") :]

"""Draw the tables of measurements: ``docs/pictures/plots/*.svg``, one for each page of numbers.

Run it from the root of the project after a table has changed, with the extra ``report``: ``python
docs/make_plots.py``. Every plot reads a file of ``docs/data`` or the table of a page; equal data
make equal files.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
FOLDER = DOCS / "pictures" / "plots"
_LEAST = 1e-17
"""Errors below this are drawn here [m, rad or relative]."""
_COLORS = ("#2a6fb0", "#d9822b", "#3a9a5b", "#b03a5b", "#888888")


def rows_of(name: str) -> list[dict[str, str]]:
    """Return the rows of a file of ``docs/data``."""
    with (DOCS / "data" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cells_of(page: str, columns: int, *, after: str = "") -> Iterator[list[str]]:
    """Yield the rows of the tables of a page that have a number of columns, after some text."""
    for line in (DOCS / page).read_text(encoding="utf-8").partition(after or "\n")[2].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == columns and not set(cells[0]) <= {"-"}:
            yield cells


def _errors(texts: Sequence[str]) -> list[float]:
    return sorted(
        max(float(text), _LEAST) for text in texts if re.fullmatch(r"[\d.]+e[-+]\d+", text)
    )


def _share_of_models(axes: Any, curves: dict[str, list[float]], what: str, bound: float) -> None:
    """Draw the share of the models whose error is at most each value."""
    for color, (label, errors) in zip(_COLORS, curves.items(), strict=False):
        shares = [100.0 * (k + 1) / len(errors) for k in range(len(errors))]
        axes.step(errors, shares, where="post", color=color, label=f"{label} ({len(errors):,})")
    axes.axvline(bound, color="#888888", linestyle=":", label=f"tolerance {bound:.0e}")
    axes.set(xscale="log", xlabel=what, ylabel="share of the models [%]", ylim=(0, 101))
    axes.legend(loc="lower right", frameon=False)


def draw_models(axes: Any) -> None:
    """Errors of link poses and mass matrices of real models in both engines."""
    rows = rows_of("models-real-models-in-both-engines.csv")
    curves = {
        "link poses [m, rad]": _errors([row["poses"] for row in rows]),
        "mass matrix, relative": _errors([row["M"] for row in rows]),
    }
    _share_of_models(axes, curves, "larger error of both engines", 1e-9)


def draw_robots(axes: Any) -> None:
    """Differences from Drake of published robots."""
    rows = rows_of("robots-published-robots.csv")
    curves = {
        "link poses [m, rad]": _errors([row["pose"] for row in rows]),
        "mass matrix, relative": _errors([row["M"] for row in rows]),
    }
    _share_of_models(axes, curves, "difference from Drake", 1e-9)


def draw_proof(axes: Any) -> None:
    """Verdicts on real models, of MuJoCo and PyBullet."""
    rows = rows_of("proof-verdicts-on-real-models.csv")
    verdicts = Counter(re.split(r"[:*]", row["MuJoCo and PyBullet"].strip("*"))[0] for row in rows)
    shown = verdicts.most_common()
    axes.barh([name for name, _ in shown], [count for _, count in shown], color=_COLORS[0])
    for place, (_, count) in enumerate(shown):
        axes.text(count, place, f" {count}", va="center")
    axes.invert_yaxis()
    axes.set(xlabel="models", xlim=(0, 1.12 * shown[0][1]))


def draw_performance(axes: Any) -> None:
    """Ratios of times to those of peers, from the tables of all measurements."""
    ratios = {}
    for work, _, peers, ratio, _ in cells_of("performance.md", 5, after="## All measurements"):
        for peer, value in zip(peers.split("; "), ratio.split("; "), strict=False):
            if re.fullmatch(r"[\d.]+", value):
                name = re.sub(r" [\d.]+ / [\d.]+$", "", peer)
                ratios[f"{work.partition(', MJCF')[0][:40]} | {name}"] = float(value)
    shown = sorted(ratios.items(), key=lambda item: item[1])
    colors = [_COLORS[2] if value <= 1.0 else _COLORS[1] for _, value in shown]
    axes.figure.set_figheight(max(3.0, 0.17 * len(shown)))
    axes.barh([name for name, _ in shown], [value for _, value in shown], color=colors)
    axes.axvline(1.0, color="#888888", linestyle=":")
    axes.tick_params(axis="y", labelsize=6)
    axes.margins(y=0.005)
    axes.set(xscale="log", xlabel="time of sdfbridge / time of the peer (left of the line: faster)")


def draw_convergence(axes: Any) -> None:
    """Errors at the shortest step, of each model in each engine."""
    rows = [cells for cells in cells_of("convergence.md", 5) if cells[0] != "model"]
    for k, engine in enumerate(("MuJoCo", "PyBullet", "DART")):
        found = [
            (place, re.match(r"([\d.e+-]+),", cells[1 + k])) for place, cells in enumerate(rows)
        ]
        places, errors = zip(*((p, float(m[1])) for p, m in found if m), strict=True)
        axes.plot(errors, places, "os^"[k], color=_COLORS[k], label=engine, markersize=4, alpha=0.8)
    axes.figure.set_figheight(0.2 * len(rows) + 1.0)
    axes.set_yticks(range(len(rows)), [cells[0] for cells in rows], fontsize=7)
    axes.set(xscale="log", xlabel="difference from Drake after 1 s [m, rad]")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.legend(frameon=False, fontsize=8)


def draw_queries(axes: Any) -> None:
    """How many of PyBullet's functions answer as of the body that ``loadURDF`` makes."""
    rows = rows_of("pybullet-queries-answers-by-robot.csv")
    for color, base in zip(_COLORS, ("held", "free"), strict=False):
        counts = [
            int(row["the same"])
            for row in rows
            if row["base"] == base and row["the same"].isdigit()
        ]
        axes.hist(
            counts,
            bins=range(47),
            alpha=0.7,
            color=color,
            label=f"{base} base ({len(counts)} robots)",
        )
    axes.set(xlabel="functions that answer the same", ylabel="robots")
    axes.legend(loc="upper left", frameon=False)


PLOTS: dict[str, Callable[[Any], None]] = {
    "models": draw_models,
    "robots": draw_robots,
    "proof": draw_proof,
    "performance": draw_performance,
    "convergence": draw_convergence,
    "pybullet_queries": draw_queries,
}
"""The function that draws the plot of each page."""


def draw(page: str, path: Path) -> None:
    """Draw the plot of a page.

    Args:
        page: Name of the page, a key of `PLOTS`.
        path: The file to write, as SVG.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "sdfbridge", "font.size": 9, "svg.fonttype": "none"}):
        figure = Figure(figsize=(7.0, 3.0))
        axes = figure.subplots()
        PLOTS[page](axes)
        axes.spines[["top", "right"]].set_visible(False)
        figure.tight_layout()
        figure.savefig(path, facecolor="white", metadata={"Date": None, "Creator": None})


def main() -> None:
    """Draw all plots."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for page in PLOTS:
        draw(page, FOLDER / f"{page}.svg")


if __name__ == "__main__":
    main()

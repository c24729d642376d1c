"""HTML page with figures, notebook card and JUnit."""

from __future__ import annotations

import base64
import importlib.util
import io
import math
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from pathlib import PurePath
from typing import Any

import numpy as np
from lxml import etree

from bridge.parity.verdict import (
    COMPUTED_FROM_MODEL,
    EXACT_MOTION,
    REFERENCE,
    SIGNS,
    Findings,
    Outcome,
    Row,
    Verdict,
    causes_once,
    line,
    number,
    rows_table,
    worst_first,
)
from loaders.inertia import SpatialInertia
from loaders.pose import Array
from loaders.text import (
    by_harm,
    card,
    counted,
    details,
    findings_table,
    printable,
    summary_of,
    table,
)

LINES = (
    ("#0072b2", "o", "-"),
    ("#d55e00", "s", "--"),
    ("#009e73", "^", ":"),
    ("#7b3294", "D", "-."),
)
"""Color, marker and line of each series, which can be distinguished without color too."""
_SIZES = (9.0, 6.0, 4.0, 3.0)
"""Sizes of markers, so that markers at the same point are visible."""
_SMALLEST = 1e-18
"""Value drawn for zero on a logarithmic axis."""
MAX_CURVES = 4
"""Number of joints whose motion is drawn, those that differ most."""
MAX_LABELED_DOFS = 30
"""Degrees of freedom above which the mass matrix has no labels."""


def draw(comparison: Findings) -> dict[str, str]:
    """Return every drawing for which the comparison has data, by title.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    moving = [row for row in comparison.rows if row.series]
    drawings = {}
    for quantity in dict.fromkeys(row.quantity for row in moving):
        rows = [row for row in moving if row.quantity == quantity]
        drawings[f"Error over time, {quantity}"] = _over_time(rows)
    drawings |= _joint_curves(comparison)
    stepped = [row for row in comparison.rows if _has_slope(row)]
    if stepped:
        drawings["Error over the step"] = _over_step(stepped)
    masses = comparison.details.get("mass_matrices", {})
    if REFERENCE in masses and len(masses) > 1 and masses[REFERENCE].size:
        drawings["Mass matrix, difference from the reference"] = _differences(comparison, masses)
    return drawings


def _joint_curves(comparison: Findings) -> dict[str, str]:
    """Return the drawing of the joints that move apart the most: the curves of every engine, and
    below them the difference from the first engine.
    """
    times, motions = comparison.details.get("joint_motion", ((), {}))
    if len(motions) < 2:
        return {}
    first, *others = motions
    joints = [name for name, value in motions[first][0].items() if np.size(value) == 1]
    curves: dict[str, dict[str, Array]] = {}
    for name, motion in motions.items():
        curves[name] = {joint: np.ravel([q[joint] for q in motion]) for joint in joints}
    apart = {}
    for joint in joints:
        distances = [np.abs(curves[other][joint] - curves[first][joint]) for other in others]
        apart[joint] = float(np.max(distances))
    worst = sorted(joints, key=lambda joint: -apart[joint])[:MAX_CURVES]
    if not worst:
        return {}
    figure = new_figure(8.4, 5.2)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for k, joint in enumerate(worst):
        color, _, _ = LINES[k % len(LINES)]
        for (name, found), width, dashes in zip(
            curves.items(),
            (3.5, *[1.2] * len(others)),
            ("-", *[s[2] for s in LINES[1:]]),
            strict=False,
        ):
            style = {"color": color, "linewidth": width, "linestyle": dashes}
            above.plot(
                times,
                found[joint],
                **style,
                alpha=0.4 if name == first else 1.0,
                label=f"{joint}, {name}".replace("$", r"\$"),  # no formula
            )
        for other in others:
            below.plot(
                times, curves[other][joint] - curves[first][joint], color=color, linewidth=1.2
            )
    above.set(ylabel="position [rad or m]")
    below.set(xlabel="time [s]", ylabel=f"difference\nfrom {first}")
    _legend(above)
    below.grid(visible=True, color="0.88", linewidth=0.6)
    return {"Joint motion": svg(figure)}


def _has_slope(row: Row) -> bool:
    return row.order is not None and all(
        np.isfinite(error) and error > 0.0 for _, error in row.convergence
    )


def _over_time(rows: list[Row]) -> str:
    figure = new_figure(8.4, 3.2)
    axes = figure.subplots()
    for k, row in enumerate(rows):
        times, errors = zip(*row.series, strict=True)
        _plot(axes, k, times, np.clip(errors, _SMALLEST, 1e300), " / ".join(row.engines))
    axes.set_yscale("log")
    tolerance = rows[0].tolerance
    if tolerance > 0.0:
        axes.axhspan(
            _SMALLEST, tolerance, facecolor="#e8eef4", hatch="//", edgecolor="#c9d5e1", zorder=0
        )
        axes.axhline(tolerance, color="0.25", linewidth=1.0, label=f"tolerance {tolerance:.0e}")
    axes.set(xlabel="time [s]", ylabel=f"worst link [{rows[0].unit or 'relative'}]")
    axes.set_ylim(bottom=_SMALLEST)
    _legend(axes)
    return svg(figure)


def _over_step(rows: list[Row]) -> str:
    """One panel for the distance of each engine from the exact motion, one for the distances
    between engines.
    """
    exact = [row for row in rows if row.engines[0] == EXACT_MOTION]
    others = [row for row in rows if row.engines[0] != EXACT_MOTION]
    both = (("from the exact motion", exact), ("from each other", others))
    panels = [(title, part) for title, part in both if part]
    figure = new_figure(8.4, 3.6 * len(panels))
    for axes, (title, part) in zip(
        figure.subplots(len(panels), 1, squeeze=False)[:, 0], panels, strict=True
    ):
        for k, row in enumerate(part):
            steps, errors = zip(*row.convergence, strict=True)
            name = (
                row.engines[1]
                if row.engines[0] == EXACT_MOTION
                else f"{row.quantity}, {' / '.join(row.engines)}"
            )
            _plot(axes, k, steps, errors, f"{name}: slope {row.order:.3f}", line="")
            _fit(axes, k, steps, errors)
        axes.set(
            xscale="log", yscale="log", xlabel="step", ylabel="error", title=f"Distance {title}"
        )
        axes.set_ylim(*_decades([error for row in part for _, error in row.convergence]))
        ticks = sorted({step for row in part for step, _ in row.convergence})
        axes.set_xticks(ticks, [f"{1e3 * step:g} ms" for step in ticks])
        axes.minorticks_off()
        _legend(axes)
    return svg(figure)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Return the powers of ten that enclose the values."""
    return 10.0 ** np.floor(np.log10(min(values))), 10.0 ** np.ceil(np.log10(max(values)) + 1e-9)


def _fit(axes: Any, k: int, steps: Sequence[float], errors: Sequence[float]) -> None:
    """Draw the least-squares line on logarithmic axes."""
    slope, height = np.polyfit(np.log(steps), np.log(errors), 1)
    color, _, dashes = LINES[k % len(LINES)]
    axes.plot(
        steps,
        np.exp(height) * np.array(steps) ** slope,
        color=color,
        linestyle=dashes,
        linewidth=1.0,
    )


def _plot(axes: Any, k: int, x: Any, y: Any, label: str, line: str | None = None) -> None:
    color, marker, dashes = LINES[k % len(LINES)]
    size = _SIZES[k % len(_SIZES)]
    axes.plot(
        x,
        y,
        color=color,
        marker=marker,
        linestyle=dashes if line is None else line,
        markersize=size,
        markerfacecolor="none",
        markeredgewidth=1.3,
        linewidth=1.2,
        label=label,
    )


def _legend(axes: Any) -> None:
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    axes.grid(visible=True, color="0.88", linewidth=0.6)


def _differences(comparison: Findings, masses: dict[str, Any]) -> str:
    reference = masses[REFERENCE]
    others = {name: M for name, M in masses.items() if name not in COMPUTED_FROM_MODEL}
    scale = max(float(np.abs(reference).max()), 1e-300)
    figure = new_figure(3.9 * len(others) + 1.0, 4.4)
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
    return svg(figure)


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure.

    Args:
        width: Width [inch].
        height: Height [inch].
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def svg(figure: Any) -> str:
    """Return the SVG text without metadata and with repeatable ids, so that equal comparisons give
    equal reports.
    """
    import matplotlib as mpl

    target = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "sdfbridge", "svg.fonttype": "none"}):
        figure.savefig(target, format="svg", metadata={"Date": None}, transparent=True)
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", target.getvalue(), flags=re.DOTALL)
    return printable(text[text.index("<svg") :], lines=True)


def junit(comparison: Findings) -> str:
    """Return the XML text.

    Rows without a comparison are skipped test cases. The last test case fails if the model states
    something that was not compared.
    """
    failures = sum(not row.passed for row in comparison.rows) + bool(comparison.gaps)
    skipped = sum(row.outcome is Outcome.UNKNOWN for row in comparison.rows)
    suite = etree.Element(
        "testsuite",
        name=f"parity {comparison.model}",
        tests=str(len(comparison.rows) + 1),
        failures=str(failures),
        skipped=str(skipped),
        errors="0",
    )
    for row in comparison.rows:
        name = f"{row.quantity} of {' and '.join(row.engines)}"
        case = etree.SubElement(
            suite, "testcase", classname=f"{comparison.model}.{row.level}", name=name
        )
        if not row.passed:
            etree.SubElement(case, "failure", message=line(row))
        elif row.outcome is Outcome.UNKNOWN:
            etree.SubElement(case, "skipped", message=row.cause)
        elif row.cause:
            etree.SubElement(case, "system-out").text = line(row)
    complete = etree.SubElement(
        suite, "testcase", classname=comparison.model, name="everything stated was compared"
    )
    if comparison.gaps:
        failure = etree.SubElement(
            complete,
            "failure",
            type=Verdict.INCOMPLETE,
            message=counted(len(comparison.gaps), "gap"),
        )
        failure.text = "\n".join(map(str, comparison.gaps))
    return etree.tostring(suite, pretty_print=True, xml_declaration=True, encoding="UTF-8").decode()


def counts_of(rows: Iterable[Row]) -> str:
    """Return the number of rows of each outcome, the worst first: ``1 failed, 30 passed``."""
    counts = Counter(row.outcome for row in rows)
    return (
        ", ".join(f"{counts[name]} {name}" for name in SIGNS if counts[name]) or "nothing compared"
    )


def verdict_card(findings: Findings) -> str:
    """Return the card of a comparison as HTML."""
    file = PurePath(findings.source).name or findings.model
    parts = []
    notable = [row for row in findings.rows if row.outcome in {Outcome.FAILED, Outcome.EXPLAINED}]
    if notable:
        parts.append(rows_table(causes_once(worst_first(notable))))
    if findings.gaps:
        rows = [(f"? {gap.quantity}", " / ".join(gap.engines), gap.reason) for gap in findings.gaps]
        title = f"{len(rows)} not compared, although the model states it"
        parts.append(details(title, table(("quantity", "engines", "reason"), rows)))
    if len(findings.rows) > len(notable):
        parts.append(
            details(
                f"all of {counted(len(findings.rows), 'row')}",
                rows_table(worst_first(findings.rows)),
            )
        )
    if findings.diagnostics:
        parts.append(
            details(summary_of(findings.diagnostics), findings_table(findings.diagnostics))
        )
    facts = (
        " ".join(findings.headline),
        f"{', '.join(findings.engines)}: {counts_of(findings.rows)}",
        f"repeat with: {findings.command}",
    )
    return card(f"{findings.verdict} {file}", facts, *parts)


MEANINGS = {
    "EQUIVALENT": (
        "Every quantity that the model states was compared and agrees within its tolerance."
    ),
    "AGREES": (
        "Every quantity that the model states was compared; differences are within the "
        "bounds of known causes."
    ),
    "INCOMPLETE": (
        "Nothing differs, but the quantities listed below, which the model states, were "
        "not compared."
    ),
    "DIFFERS": (
        "A quantity differs by more than a known cause explains, or an engine lacks part "
        "of the model."
    ),
}
LEVELS = {
    "L0": "parameters of the model, and link poses at random positions",
    "L1": "mass matrix and forces at random states",
    "L2": "motion without contact",
    "L3": "conservation of energy and momentum",
    "L4": "contact",
}
SHOWN = {
    "all": "all",
    "differing": "✗ ≈ differences",
    "unknown": "? not compared",
    "passed": "✓ passed",
}
"""Choices of the rows to show: the key of a style, and the label."""
SORTED = {
    "outcome": "outcome, the worst first",
    "error": "error over tolerance",
    "name": "quantity",
    "file": "order of the comparison",
}
"""Choices of the order of the rows: the key of a style, and the label."""
COUNTED = {
    Outcome.FAILED: "different",
    Outcome.EXPLAINED: "explained by a known cause",
    Outcome.UNKNOWN: "not compared",
    Outcome.PASSED: "within tolerance",
}
"""Words of the summary, the worst first."""
GLOSSARY = {
    "reference": (
        "Kinematics and dynamics that sdfbridge computes from the model itself, without "
        "a simulator."
    ),
    "quantity": (
        "What is compared, at every random state and every link or joint; a row has the "
        "largest error."
    ),
    "tolerance": "The largest error that counts as rounding. An empty unit means a relative error.",
    "known cause": "A property of an engine, such as single precision, with the largest error that "
    "it may explain for this model. An error beyond that bound is a difference.",
    "not compared": (
        "An engine does not report the quantity, or it lacks a part of the model; the "
        "reason is stated."
    ),
    "order": "The power of the time step with which the distance from the exact motion shrinks; 1 "
    "for the methods of MuJoCo and PyBullet.",
    "name[k]": "Velocity k, from 0, of a joint with several: the second axis of a universal joint "
    "is name[1]; a free "
    "link has name[0] to name[2] for its origin and name[3] to name[5] for its rotation.",
    "Ixx to Iyz": (
        "Moments and products of inertia about the center of mass, in the axes of the link."
    ),
    "fidelity": (
        "What an engine cannot represent of the model, or represents with an error, each "
        "with its code."
    ),
}


_INSTALL = "the HTML report needs jinja2 and matplotlib: pip install 'sdfbridge[report]'"
MAX_LINKS = 40
"""Number of links above which the matrix of collidable pairs is left out."""
MARKED_DIFFERENCE = 1e-9
"""Relative difference above which an inertia is marked."""


def require_packages() -> None:
    """Check that the packages that draw reports are installed, before the work for a report
    begins.

    Raises:
        ImportError: If jinja2 or matplotlib is not installed; the message states how to install
        them.
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
        ImportError: If jinja2 or matplotlib is not installed; the message states how to install
        them.
        ValueError: If the environment variable ``SOURCE_DATE_EPOCH`` is not a number of seconds.
    """
    date = date or report_date()
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup

        drawings = draw(comparison)
    except ImportError as error:
        raise ImportError(_INSTALL) from error
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable(value, lines=True) if type(value) is str else value,
    )
    environment.filters |= {
        "set_of": frozenset,
        "scientific": _scientific,
        "anchor": _anchor,
        "sentence": _sentence,
        "symbol": lambda row: SIGNS[row.outcome],
    }
    return environment.from_string(_template("report.html")).render(
        comparison=comparison,
        date=date,
        style=Markup(_template("report.css")),  # noqa: S704 - a file of this package
        drawings=[
            (title, Markup(svg), _caption(comparison, title))  # noqa: S704 - drawn by this module
            for title, svg in drawings.items()
        ],
        pictures={caption: _inline(data) for caption, data in pictures.items()},
        sections=_sections(comparison, list(drawings), bool(pictures)),
        **_overview(comparison),
        **_pairs(comparison),
        **_inertias(comparison),
        **_fidelity(comparison),
    )


def report_date() -> str:
    """Return the date of the environment variable ``SOURCE_DATE_EPOCH``, with which builds are
    repeatable, or today's.

    Raises:
        ValueError: If the variable is not a number of seconds.
    """
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        seconds = int(stated) if stated else time.time()
        return datetime.fromtimestamp(seconds, tz=UTC).date().isoformat()
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(
            f"SOURCE_DATE_EPOCH is {stated!r}; expected a number of seconds since 1970"
        ) from error


def _template(name: str) -> str:
    return resources.files(__package__).joinpath(f"templates/{name}").read_text(encoding="utf-8")


def _inline(png: bytes) -> str:
    """Return a data URL."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _scientific(x: float) -> str:
    value = number(x)
    if isinstance(value, str):
        return value
    return f"{value:.1e}" if value else "0"


def _sentence(text: str) -> str:
    """Return a text with a capital letter and a full stop, unless it begins with a name."""
    ended = text if not text or text.endswith((".", "]")) else f"{text}."
    return ended if "_" in text.split(" ", maxsplit=1)[0] else f"{ended[:1].upper()}{ended[1:]}"


def _anchor(title: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in title.lower())


def _sections(comparison: Findings, drawings: list[str], has_pictures: bool) -> list[str]:
    """Return the titles of the sections, in order."""
    details = comparison.details
    present = {
        "Differences": bool(_differing(comparison)),
        "Not compared": bool(comparison.gaps),
        "Conditions": bool(comparison.conditions),
        "Pictures": has_pictures,
        "Quantities": True,
        **dict.fromkeys(drawings, True),
        "Collision pairs": bool(details.get("links")),
        "Mass and inertia": REFERENCE in details.get("inertias", {}),
        "Fidelity": True,
        "Environment": True,
        "Glossary": True,
    }
    return [title for title, is_present in present.items() if is_present]


# --- tables ---------------------------------------------------------------------------------------


def _overview(comparison: Findings) -> dict[str, Any]:
    """Return the head of the page and the table of all rows."""
    levels = dict.fromkeys(row.level for row in comparison.rows)
    return {
        "title": PurePath(comparison.source).name or comparison.model or "a model",
        "meaning": MEANINGS[comparison.verdict],
        "summary": _summary(comparison),
        "skipped": counted(comparison.skipped, "invalid piece"),
        "differences": _differing(comparison),
        "levels": [(level, LEVELS.get(level, "")) for level in levels],
        "rows": list(_places(comparison.rows)),
        **_folded(comparison.rows),
        "shown": list(SHOWN.items()),
        "sorted": list(SORTED.items()),
        "glossary": GLOSSARY,
    }


def _folded(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the rows of each quantity that was compared, the worst first, and the quantities that
    were not.
    """
    by_quantity: dict[str, list[Row]] = {}
    for row in worst_first(rows):
        by_quantity.setdefault(f"{row.level} {row.quantity}", []).append(row)
    heads: list[tuple[str, list[Row], Row, Row]] = []
    left_out: list[tuple[str, str]] = []
    for name, found in by_quantity.items():
        # what was not compared matters least: the first other row has the outcome of the quantity
        known = [row for row in found if row.outcome is not Outcome.UNKNOWN]
        if known:
            heads.append((name, found, max(found, key=_excess), known[0]))
        else:
            left_out.append((name, found[0].cause))
    return {
        "folded": heads,
        "left_out": left_out,
        "left_out_title": counted(len(left_out), "quantity"),
    }


def _summary(comparison: Findings) -> str:
    """One line with the number of rows of each outcome, of gaps and of diagnostics."""
    counts = Counter(row.outcome for row in comparison.rows)
    stated = [f"{counts[outcome]} {text}" for outcome, text in COUNTED.items() if counts[outcome]]
    rows = counted(len(comparison.rows), "row")
    line = f"{rows}: {', '.join(stated)}" if stated else "nothing was compared"
    gaps = (
        f"; {len(comparison.gaps)} stated by the model and not compared" if comparison.gaps else ""
    )
    return f"{line}{gaps}; {summary_of(comparison.diagnostics)}."


def _differing(comparison: Findings) -> list[Row]:
    """Return the rows that differ, the unexplained first, each cause once."""
    return causes_once(
        worst_first(
            row for row in comparison.rows if row.outcome in {Outcome.FAILED, Outcome.EXPLAINED}
        )
    )


def _places(rows: Sequence[Row]) -> Iterator[tuple[Row, str]]:
    """Yield each row with its place in every order, as properties of its style."""
    orders = {
        "outcome": worst_first(rows),
        "error": sorted(rows, key=_excess, reverse=True),
        "name": sorted(rows, key=lambda row: (row.quantity, row.engines)),
        "file": list(rows),
    }
    places: dict[str, dict[int, int]] = {}
    for name, order in orders.items():
        places[name] = {id(row): place for place, row in enumerate(order)}
    for row in rows:
        yield row, "; ".join(f"--by-{name}: {place[id(row)]}" for name, place in places.items())


def _excess(row: Row) -> float:
    """Return the error as a multiple of the tolerance; less than any other for a row without a
    comparison.
    """
    if row.outcome is Outcome.UNKNOWN or math.isnan(row.error):
        return -1.0
    if row.tolerance > 0.0:
        return row.error / row.tolerance
    return math.inf if row.error > 0.0 else 0.0


def _caption(comparison: Findings, title: str) -> str:
    """Return the caption of a drawing of motion or of mass matrices; empty for other drawings."""
    if title == "Joint motion":
        return (
            "A second of motion from a random state, of the joints that differ most: the curve of "
            "each engine, and below it the difference."
        )
    if title.startswith("Mass matrix"):
        return (
            "Rows and columns are the velocities of the joints; name[k] is velocity k, from 0, "
            "of a joint with several."
        )
    rows = [
        row
        for row in comparison.rows
        if title.endswith(row.quantity) and row.series and row.sensitivity
    ]
    if not rows:
        return ""
    largest = max(row.sensitivity or 0.0 for row in rows)
    return (
        "The shaded band is the tolerance. The motion itself is sensitive: an initial difference "
        f"of 1e-10 in one engine grows up to {largest:.1f} times."
    )


def _pairs(comparison: Findings) -> dict[str, Any]:
    """Return the data of the matrix of collidable pairs: those of the mechanism, and those in which
    an engine differs.
    """
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
    """Return the inertia of each link in the model, and the difference of each engine."""
    by_engine: dict[str, dict[str, SpatialInertia]] = comparison.details.get("inertias", {})
    model = by_engine.get(REFERENCE, {})
    engines = [name for name in by_engine if name not in COMPUTED_FROM_MODEL]
    rows: list[tuple[str, list[str], list[tuple[str, bool]]]] = []
    for link, inertia in model.items():
        differences = [_difference(inertia, by_engine[name].get(link)) for name in engines]
        rows.append((link, [f"{x:.6g}" for x in _numbers(inertia)], differences))
    return {"inertias": rows, "inertia_engines": engines}


def _numbers(inertia: SpatialInertia) -> list[float]:
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = inertia.I_Lcm.tolist()
    return [inertia.mass, *inertia.p_LLcm.tolist(), ixx, iyy, izz, ixy, ixz, iyz]


def _difference(expected: SpatialInertia, other: SpatialInertia | None) -> tuple[str, bool]:
    """Return the largest difference (relative; of the center of mass in meters), and whether to
    mark it.
    """
    if other is None:
        return "missing", True
    a, b = np.array(_numbers(expected)), np.array(_numbers(other))
    scale = np.array(
        [max(abs(a[0]), 1e-300), 1.0, 1.0, 1.0, *[max(float(np.abs(a[4:]).max()), 1e-300)] * 6]
    )
    worst = float((np.abs(a - b) / scale).max())
    return _scientific(worst), not worst <= MARKED_DIFFERENCE


def _fidelity(comparison: Findings) -> dict[str, Any]:
    """Return the fidelity reports of all engines by severity, each diagnostic once with all engines
    that report it.
    """
    targets: dict[tuple[str, str, str], list[str]] = {}
    for entry in by_harm(comparison.diagnostics):
        targets.setdefault((entry.severity, entry.code, entry.message), []).append(entry.target)
    counts = Counter(severity for severity, _, _ in targets)
    summary = ", ".join(counted(count, severity) for severity, count in counts.items())
    rows = [
        (severity, ", ".join(dict.fromkeys(filter(None, engines))), code, message)
        for (severity, code, message), engines in targets.items()
    ]
    return {"fidelity": rows, "fidelity_summary": summary}

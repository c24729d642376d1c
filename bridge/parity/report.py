"""A comparison as one HTML file that opens offline, and as JUnit."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from importlib import resources

from lxml import etree

from loaders.spatial import SpatialInertia

from . import figures
from .verdict import Comparison, Outcome, line, number

_MEANING = {
    "EQUIVALENT": "Every quantity agrees to its tolerance.",
    "AGREES": "Every quantity agrees, or differs for a reason that is named below.",
    "DIFFERS": "Some quantity differs, and nothing that is known explains it.",
}
MOST_LINKS = 40
"""Beyond which the matrix of collision pairs is left out."""


def html(comparison: Comparison, pictures: Mapping[str, bytes]) -> str:
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
    environment.filters["set_of"] = frozenset
    return environment.from_string(template).render(
        comparison=comparison,
        meaning=_MEANING[comparison.verdict],
        rows=[(row, _scientific(row.error)) for row in comparison.rows],
        causes=list(dict.fromkeys((row.quantity, row.cause) for row in comparison.rows if row.cause)),
        drawings={title: Markup(svg) for title, svg in drawings.items()},  # noqa: S704 - drawn here, from numbers
        pictures={caption: _inline(data) for caption, data in pictures.items()},
        inertias=_inertias(comparison),
        links=_links(comparison),
        pairs=comparison.details.get("pairs", frozenset()),
    )


def _inline(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _scientific(x: float) -> str:
    value = number(x)
    return value if isinstance(value, str) else f"{value:.1e}"


def _inertias(comparison: Comparison) -> list[tuple[str, str, list[str]]]:
    """Link, engine, and mass, centre and moments as text."""
    held = comparison.details.get("inertias", {})
    links: list[str] = list(next(iter(held.values()), ()))
    return [
        (link, engine, _numbers(by_link[link])) for link in links for engine, by_link in held.items() if link in by_link
    ]


def _numbers(inertia: SpatialInertia) -> list[str]:
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = inertia.I_Lcm.tolist()
    return [f"{x:.6g}" for x in (inertia.mass, *inertia.p_LLcm.tolist(), ixx, iyy, izz, ixy, ixz, iyz)]


def _links(comparison: Comparison) -> list[str]:
    links = list(comparison.details.get("links", ()))
    return links if len(links) <= MOST_LINKS else []


def junit(comparison: Comparison) -> str:
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

"""The page ``docs/field.md``: one row for each repository, from the results of the sweeps."""

from __future__ import annotations

import datetime
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "field.md"
Row = dict[str, Any]
_ENGINES = ("mujoco", "pybullet")
_GAZEBO, _WORLDS = "gazebosim/gz-sim", "examples/worlds/"
_PACKAGES = ("mujoco", "pybullet", "drake")
_OTHER_FILES = {"file.unknown-format", "urdf.srdf"}
"""Errors of files that are neither models nor worlds."""
_POSE = 1e-9
"""Largest difference of poses that count as equal to Drake's."""

_SAMPLE = """
Most of these need an argument of xacro that has no default, such as `ur_type:=ur5e`, or a value from a package that is
not in the repository. The others cannot be expanded by xacro itself, or end before their root element does.

## Warnings

`python -m benchmarks.field sample FOLDER...` draws 100 of the files with a fixed seed and prints every warning of a
lenient load. On 2026-11-22, 145 of 568 warnings, in 4 of the 100 files, were false: an SRDF was read as a robot (124),
a package without a manifest was not found (8), an option of `<gazebo>` that keeps fixed joints (7) and a setting of a
solver (6) were called unknown. The causes are corrected. The other 423 were checked by kind, of which there are 28, not
one by one, and no kind was found to be false; each of the 273 about a file that is not found was checked by a script:
no such file lies below the root.
"""

_KEPT = "\n## Simulators called directly\n"
"""Heading of the part of the page that is not from the sweeps, and that stays."""

_AGES = """
The columns are from several runs and versions on 2026-11-22: those of loading and URIs from one run for 994 of the 1607
files and from earlier ones for the others; MuJoCo, PyBullet and the verdict from one run for 18 repositories, without
Drake, and from earlier ones, with Drake, for the other 40.
"""
"""When the rows of the present table were measured, to be changed with them."""

_HEAD = """# Files of public repositories

Files that are not part of the tests of this project, from {repositories} public repositories: SDFormat, worlds, URDF,
xacro and directives, taken at regular intervals of the sorted list of each repository. Files that are not a complete
model or world are left out: xacro files without links or without the name of a robot, empty files, and parts of others.
Large files of some repositories, mostly meshes, were not available.

* **bare**: loads without any option. **default**: loads with `paths=[repository]`. **lenient**: loads with
  `lenient=True` as well.
* **URIs**: files found of those named, with `paths=[repository]`. What is not found is on Gazebo Fuel, in other
  repositories, or one of the large files. Counted for {counted} of the files. {full}
* **Drake**: files in which all link poses agree within 1e-9, of those that Drake reads too.
* **MuJoCo**, **PyBullet**: files, of those that load leniently and were tried, that compile or load, and make ten
  steps with finite positions.
* **verdict**: comparisons of both engines at the levels L0 and L1, for a quarter of the files: equivalent or agreeing,
  incomplete (an engine or the file loses something that is named), different.
* **time**: median and largest processor time of loading a file in all three ways [s].

Written on {date} by `python -m benchmarks.field` with {versions}.
{ages}
| repository | files | bare | default | lenient | URIs | Drake | MuJoCo | PyBullet | verdict | time |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def write_page(rows: Iterable[Row]) -> None:
    """Write the page.

    Args:
        rows: The results; of several about one file, the last value of each quantity counts.
    """
    results: dict[tuple[str, str], Row] = defaultdict(dict)
    for row in rows:
        result = results[row["repository"], row["file"]]
        result.pop("crash", None)
        result |= row
    whole = [row for row in results.values() if is_whole(row)]
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(whole, key=lambda row: str(row["repository"]).lower()):
        groups[row["repository"]].append(row)
    head = _HEAD.format(
        ages=_AGES,
        counted=sum("URIs" in row for row in whole),
        full=_full(whole),
        repositories=len(groups),
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        versions=", ".join(f"{name} {version(name)}" for name in _PACKAGES),
    )
    lines = [
        *(_line(f"[{name}](https://github.com/{name})", group) for name, group in groups.items())
    ]
    _, heading, kept = PAGE.read_text(encoding="utf-8").partition(_KEPT)
    PAGE.write_text(
        "".join(
            (
                head,
                *lines,
                _line("**all**", whole),
                "\n",
                *_refused(whole),
                _SAMPLE,
                *_worlds(whole),
                heading,
                kept,
            )
        )
    )


def _full(rows: list[Row]) -> str:
    """Return a sentence about the files found with the root alone, of those found with everything
    configured.
    """
    both = [row for row in rows if "full URIs" in row]
    alone, full = (sum(row[key][0] for row in both) for key in ("URIs", "full URIs"))
    share = f"{alone / full:.1%}" if full else "none"
    return (
        "A full configuration (every package\n  and model in `package_map`, every folder that "
        f"holds some in `paths`) finds {full} in {len(both)} of the files,\n  the repository alone "
        f"{alone} of them: {share}."
    )


def is_whole(row: Row) -> bool:
    """Return whether a file is a whole model or world, not a piece of xacro for other files."""
    if row.get("piece"):
        return False
    if not row.get("lenient"):
        return not _OTHER_FILES & set(row.get("lenient errors", ()))
    return bool(row["links"]) or not row["file"].endswith((".xacro", ".urdf"))


def _line(name: str, rows: list[Row]) -> str:
    drake = [row["drake"] for row in rows if row.get("drake") is not None]
    times = [row["load [s]"] for row in rows if "load [s]" in row]
    cells = [
        name,
        str(len(rows)),
        *(str(sum(bool(row.get(key)) for row in rows)) for key in ("bare", "default", "lenient")),
        "{}/{}".format(*(sum(row["URIs"][i] for row in rows if "URIs" in row) for i in (0, 1))),
        f"{sum(error < _POSE for error in drake)}/{len(drake)}",
        *(
            f"{sum(bool(row.get(key)) for row in rows)}/{sum(key in row for row in rows)}"
            for key in _ENGINES
        ),
        _verdicts(row["verdict"] for row in rows if "verdict" in row),
        f"{statistics.median(times):.2f}; {max(times):.1f}" if times else "",
    ]
    return f"| {' | '.join(cells)} |\n"


def _verdicts(verdicts: Iterable[str]) -> str:
    kinds: list[Callable[[str], bool]] = [
        lambda verdict: verdict in {"EQUIVALENT", "AGREES"},
        lambda verdict: verdict == "INCOMPLETE",
        lambda verdict: verdict not in {"EQUIVALENT", "AGREES", "INCOMPLETE"},
    ]
    found = list(verdicts)
    return ", ".join(str(sum(map(kind, found))) for kind in kinds)


def _refused(rows: list[Row]) -> list[str]:
    """Return the list of the files that lenient loading refuses, with the first error of each."""
    refused = [row for row in rows if not row.get("lenient")]
    if not refused:
        return []
    lines = [
        f"* `{row['repository']}`: `{row['file']}` ({', '.join(row.get('lenient errors', ['?']))})"
        for row in refused
    ]
    return ["Refused leniently too:\n\n", *(line + "\n" for line in lines)]


def _worlds(rows: list[Row]) -> list[str]:
    """Return the section about the example worlds of Gazebo: counts by outcome, and what becomes of
    each plugin.
    """
    worlds = [
        row for row in rows if row["repository"] == _GAZEBO and row["file"].startswith(_WORLDS)
    ]
    worlds = [row for row in worlds if "plugins" in row or "crash" in row]
    if not worlds:
        return []
    kinds = {
        "load strictly with `paths=[repository]`": "default",
        "load leniently": "lenient",
        "compile in MuJoCo and make ten steps": "mujoco",
        "load into PyBullet and make ten steps": "pybullet",
    }
    counts = [
        f"| {text} | {sum(bool(row.get(key)) for row in worlds)} |\n" for text, key in kinds.items()
    ]
    errors = Counter(
        code for row in worlds if not row.get("default") for code in row.get("default errors", ())
    )
    found: dict[tuple[str, str], int] = Counter(
        item for row in worlds for item in row.get("plugins", {}).items()
    )
    listed = sorted(
        found.items(), key=lambda item: (item[0][1].startswith("noted"), -item[1], item[0])
    )
    return [
        "\n## Example worlds of Gazebo\n\n",
        f"The {len(worlds)} example worlds of [gz-sim](https://github.com/{_GAZEBO}). ",
        (
            f"Errors of strict loading: "
            f"{', '.join(f'`{c}` {n}' for c, n in errors.most_common()) or 'none'}.\n\n"
        ),
        "| worlds that | |\n|---|---|\n",
        f"| were measured | {len(worlds)} |\n",
        *counts,
        f"| crash | {sum('crash' in row for row in worlds)} |\n\n",
        *(
            f"* `{row['file'].removeprefix(_WORLDS)}`: {row[f'{key} error']}\n"
            for row in worlds
            for key in _ENGINES
            if f"{key} error" in row
        ),
        (
            "\nPlugins on worlds and models, without those of the window, and what becomes of "
            "them. Most models of these "
        ),
        (
            "worlds are on Gazebo Fuel; their plugins are not among them, and a buoyancy without a "
            "link is dropped.\n\n"
        ),
        "| plugin | worlds | fate |\n|---|---|---|\n",
        *(f"| `{name}` | {count} | {fate} |\n" for (name, fate), count in listed),
    ]

"""Write ``docs/diagnostics.md`` and the tables in ``docs/data/diagnostics``: every diagnostic code,
with its meaning, remedy and effect, from the registry.

Run it from the root of the project: ``python docs/make_diagnostics_page.py``.
"""

from __future__ import annotations

import csv
import io
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bridge.diagnostic_codes import CODES  # noqa: E402
from loaders.diagnostics import Code, Diagnostic, Fate  # noqa: E402

DOCS = ROOT / "docs"
TABLES = "data/diagnostics"

PREFIXES = {
    "file": "The input file as a whole.",
    "xml": "The syntax and the values of all XML formats.",
    "check": "Comments in a file that ignore findings of `check`.",
    "compare": "What was changed between two files that were compared.",
    "robot": "Whether the numbers of a robot fit its shapes and each other; `check` looks for it.",
    "resource": "Files that a model names by a URI.",
    "rd": "Sources such as `rd://panda_description`, `erd://panda` or `menagerie://franka_emika_panda`, "
    "from installed packages.",
    "sdf": "The SDFormat reader.",
    "urdf": "The URDF reader.",
    "srdf": "The reader of SRDF files, which disable collisions of a URDF robot.",
    "xacro": "The expansion of xacro files.",
    "drake": (
        "The `drake:` elements of SDFormat and URDF files; with the target `drake`, differences "
        "of Drake's own parser"
        " that the parity check takes into account."
    ),
    "gazebo": "Plugins of Gazebo, in SDFormat and URDF.",
    "accelerated": "What MJX and MuJoCo Warp, as engines of comparisons, do not take.",
    "dart": "What DART, as an engine of comparisons, does not represent.",
    "directives": "The reader of Drake model directives.",
    "overrides": "The file of overrides, whose values replace those of the source.",
    "mesh": "Mesh files, and shapes that become meshes in a target.",
    "texture": "Image files of textures in a target.",
    "model": "Checks of the scene, whatever its source format.",
    "log": "A recorded motion that `replay` cannot use as it is.",
    "lower": "Lowering (`bridge.lower`), which computes the mechanism for every target.",
    "mjcf": "The MJCF export for MuJoCo.",
    "mjcf-in": "The MJCF reader.",
    "sdfout": "The export to SDFormat.",
    "urdfout": "The export to URDF.",
    "dmdout": "The export to Drake's directives.",
    "pybullet": (
        "`load_into_pybullet`. The handle's `step()` applies the forces that PyBullet "
        "itself does not support."
    ),
}
"""What the codes of each prefix are about, in the order of the page."""

FATES = {
    Fate.INVALID: (
        "The source is wrong and is refused. One error lists all invalid findings of a file."
    ),
    Fate.DROPPED: "The result lacks something that the source states.",
    Fate.SKIPPED: (
        "The source is invalid; lenient loading left the piece out or assumed what the "
        "message states."
    ),
    Fate.APPROXIMATED: "The result carries it with an error, which the message states.",
    Fate.ASSUMED: "The source gives no usable value; the message states the value that is used.",
    Fate.REPAIRED: "The source was corrected as the caller requested.",
    Fate.NOTED: "Information; motion and contact do not depend on it.",
}

HEAD = """# Diagnostic codes

This page is generated from the registry of codes (`bridge.diagnostic_codes.CODES`) by `docs/make_diagnostics_page.py`.

Every diagnostic has a stable code. Its *fate* states what became of the piece of the source that it is about, and
decides its severity. With `strict=True` warnings are errors too. Where a code has no remedy, nothing needs to be done.

In Python, a load or an export that loses, approximates or assumes something warns once, at the line of the caller,
with the numbers, the three worst kinds in words and the codes of the others: an `sdfbridge.LossWarning`. The findings themselves are the `diagnostics` of the
result, and the logger `sdfbridge` has them: losses at level INFO, notes at level DEBUG. The warning is left out by
`quiet=True`, an option of every function that reads or writes a model, or by a filter:

```python
import logging
import warnings

import sdfbridge

warnings.filterwarnings("ignore", category=sdfbridge.LossWarning)  # "error" makes losses errors
logging.basicConfig()
logging.getLogger("sdfbridge").setLevel(logging.INFO)  # print every loss
```

| fate | severity | meaning |
|---|---|---|
{fates}

The *effect* is what a loss means where engines are compared, and is declared with the code:

* `motion` or `contact` and a quantity: the result lacks it, or an engine chooses it, and `sdfbridge compare` lists it as
  not compared.
* `looks`: it is only drawn. `none`: it changes nothing that moves, touches or is drawn, or another finding reports it
  again.
* `none if` and a condition: the verdict holds on this condition, which it states.
* Empty: nothing is dropped, or the code is about a file that is written, which is read back and compared.

## Contents

{contents}
"""


def pages() -> dict[str, str]:
    """Return the texts of the page and of the tables, by their paths in ``docs``."""
    groups: defaultdict[str, dict[str, Code]] = defaultdict(dict)
    for code in sorted(CODES):
        groups[code.partition(".")[0]][code] = CODES[code]
    fates = [
        f"| {fate} | {Diagnostic('', fate, '').severity} | {meaning} |"
        for fate, meaning in FATES.items()
    ]
    contents = [f"* [{prefix}](#{prefix}): {about}" for prefix, about in PREFIXES.items()]
    head = HEAD.format(fates="\n".join(fates), contents="\n".join(contents))
    text = head + "".join(map(_section, PREFIXES))
    tables = {f"{TABLES}/{prefix}.csv": _table(groups[prefix]) for prefix in PREFIXES}
    return {"diagnostics.md": text} | tables


def _section(prefix: str) -> str:
    """Return the heading of a prefix, and its table, which the site reads from a file."""
    file = f"{TABLES}/{prefix}.csv"
    table = f"```{{csv-table}}\n:file: {file}\n:header-rows: 1\n```"
    return f"\n## {prefix}\n\n{PREFIXES[prefix]} The table as data: [{prefix}.csv]({file}).\n\n{table}\n"


def _table(codes: dict[str, Code]) -> str:
    """Return the rows of the codes as CSV; the cells are Markdown."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("code", "fate", "meaning", "remedy", "effect"))
    for code, info in codes.items():
        fates, effect = ", ".join(info.fates), str(info.effect or "")
        rows.writerow((f"`{code}`", fates, info.meaning, info.remedy, effect))
    return text.getvalue()


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")

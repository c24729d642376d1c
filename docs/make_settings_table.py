"""Write ``docs/data/mjcf-settings.csv``: every setting of MuJoCo that a scene carries, what it acts
on, and what becomes of it where MuJoCo does not run.

Run it from the root of the project: ``python docs/make_settings_table.py``.
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

from bridge.targets.pybullet.features import OBEYED  # noqa: E402
from loaders.engine_settings import (  # noqa: E402
    LOOKS_SECTIONS,
    RESOLVED,
    SETTINGS,
    SOLVED,
    Effect,
    full_name,
)

TABLE = ROOT / "docs" / "data" / "mjcf-settings.csv"
_RESOLVED = {
    *(f"flag/{name}" for name in RESOLVED),
    "flag/gravity",
    "option/actuatorgroupdisable",
    "option/o_friction",
}
_SPECIAL = {
    "geom/condim": ("1 is no friction; others are reported", "1 of all shapes is no friction; else reported"),
    "geom/priority": ("obeyed in a file with a ground, else reported", "reported"),
}  # fmt: skip
"""What becomes of settings of which only some values are obeyed."""


def _fate(path: str, obeyed: frozenset[str]) -> str:
    effect = SETTINGS[path].effect
    if path in _RESOLVED | obeyed:
        return "obeyed"
    if effect in {Effect.MOTION, Effect.CONTACT}:
        return "reported"
    sections = ("option", "flag", "size", *LOOKS_SECTIONS)
    is_noted = effect is Effect.ACCURACY or path.partition("/")[0] in sections
    return "noted" if is_noted else ""


def table() -> str:
    """Return the table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["setting", "acts on", "PyBullet", "SDFormat, URDF, directives"])
    for path, meaning in SETTINGS.items():
        fates = _SPECIAL.get(path, (_fate(path, OBEYED | SOLVED), _fate(path, SOLVED)))
        effect = "nothing" if meaning.effect is Effect.NONE else meaning.effect.value
        writer.writerow([f"`{full_name(path)}`", effect, *fates])
    return text.getvalue()


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")

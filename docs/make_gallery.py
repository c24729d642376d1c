"""Write ``docs/gallery.md`` and its pictures: every script of ``examples/`` with its output and its
model.

Run it from the root of the project, with the test extra installed: ``python docs/make_gallery.py``.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bridge.demo import draw, side_by_side  # noqa: E402

ASSETS = ROOT / "assets"
POSES = {
    "arm": (ASSETS / "arm" / "model.sdf", {"waist": 0.6, "shoulder": 0.4, "elbow": 0.8}),
    "double_pendulum": (ASSETS / "double_pendulum.urdf", {"shoulder": 0.7, "elbow": 0.5}),
    "leg": (ASSETS / "leg.sdf", {}),
}
"""The models that are drawn, and the joint positions [rad]."""
_HEAD = """# Gallery

The bundled models in PyBullet and MuJoCo, and every script in the folder `examples` with what it prints. Written by
`docs/make_gallery.py`.

"""


def run(script: Path) -> str:
    """Return what a script prints, in an empty folder.

    Args:
        script: A script of ``examples/``.

    Raises:
        subprocess.CalledProcessError: if it fails.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
        "COLUMNS": "110",
    }
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(  # noqa: S603
            [sys.executable, str(script)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout.rstrip().replace(f"{ROOT}{os.sep}", "")


def section(script: Path) -> str:
    """Return the section of a script: its title, docstring, output and source.

    Args:
        script: A script of ``examples/``.
    """
    text = script.read_text(encoding="utf-8")
    title = (ast.get_docstring(ast.parse(text)) or "").splitlines()[0]
    source = f"```{{literalinclude}} ../examples/{script.name}\n:language: python\n```"
    return f"## {script.name}\n\n{title}\n\n```text\n{run(script)}\n```\n\n{source}\n"


def main() -> None:
    """Draw the models, run the scripts and write the page."""
    pictures = ROOT / "docs" / "pictures"
    pictures.mkdir(exist_ok=True)
    shown = []
    for name, (file, pose) in POSES.items():
        png = side_by_side(draw(file, [pose]), [""], name)
        if png is None:
            raise SystemExit("neither simulator can draw on this machine")
        (pictures / f"{name}.png").write_bytes(png)
        shown.append(f"![{name} in PyBullet and MuJoCo](pictures/{name}.png)\n")
    scripts = sorted((ROOT / "examples").glob("*.py"))
    page = _HEAD + "\n".join([*shown, *map(section, scripts)])
    (ROOT / "docs" / "gallery.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Every code that the exporter can report is documented, and every documented one can be reported."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
SHARED = [ROOT / "bridge/geometry/mesh_assets.py", ROOT / "bridge/geometry/convex_decomposition.py"]
SOURCES = [*sorted((ROOT / "bridge" / "mjcf").rglob("*.py")), *SHARED]


def reported():
    found = set()
    for path in SOURCES:
        prefix = "" if path in SHARED else "mjcf."
        text = path.read_text()
        found |= {prefix + code for code in re.findall(r'Fate\.[A-Z]+,\s*"([a-z.-]+)"', text)}
        found |= {f"mjcf.{code}" for code in re.findall(r'f"\{TARGET\}\.([a-z-]+)"', text)}
    return found


def test_codes_and_their_documentation_agree():
    documented = set(
        re.findall(r"^\| `((?:mjcf|mesh|texture)\.[a-z-]+)` \|", (ROOT / "docs/mujoco.md").read_text(), re.M)
    )
    assert documented == reported()

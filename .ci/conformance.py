"""Run one conformance tool, and fail on a difference that `allowed.txt` does not list, or lists
without need.

python .ci/conformance.py TOOL CORPUS
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ALLOWED = Path(__file__).with_name("allowed.txt")


def main(tool: Path, corpus: Path) -> int:
    """Compare what the tool finds with what is allowed; the exit status says whether both are the
    same.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "differences.json"
        run = [sys.executable, str(tool), "--corpus", str(corpus), "--json", str(out)]
        print(subprocess.run(run, capture_output=True, text=True, check=False).stdout.strip())
        entries = json.loads(out.read_text())
    found = {entry.get("id") or entry["source"]: entry["differences"] for entry in entries}
    allowed = _allowed(tool.stem) & found.keys()
    new = {
        name: differences
        for name, differences in found.items()
        if differences and name not in allowed
    }
    stale = sorted(name for name in allowed if not found[name])
    for name, differences in sorted(new.items()):
        print(f"new: {name}")
        print(*(f"    {difference}" for difference in differences[:3]), sep="\n")
    for name in stale:
        print(f"no longer different, take it off {ALLOWED.name}: {name}")
    return 1 if new or stale else 0


def _allowed(tool: str) -> set[str]:
    """Return the names listed for a tool: ``tool name # reason`` on each line."""
    lines = (line.partition("#")[0].split(maxsplit=1) for line in ALLOWED.read_text().splitlines())
    return {words[1].strip() for words in lines if len(words) == 2 and words[0] == tool}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))

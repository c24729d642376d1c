"""A child process that reads hostile files, one after another, and prints what became of each as a
line of JSON.

A case may use 30 s of processor time and 1 GiB of memory; the signal of the timer ends the process,
also within C code.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pybullet

import bridge
import loaders
from loaders.diagnostics import ModelError

SECONDS = 30
BYTES = 1 << 30
SECRET = "top-secret"


def steps(path: Path, options: dict[str, Any], client: int) -> dict[str, Callable[[], Any]]:
    folder = tempfile.mkdtemp()
    return {
        "load": lambda: loaders.load(path, **options),
        "mjcf": lambda: bridge.export_mjcf(path, f"{folder}/out", **options),
        "bullet": lambda: bridge.load_world_into_pybullet(path, physicsClientId=client, **options),
    }


def outcome(call: Callable[[], Any]) -> dict[str, Any]:
    try:
        result = call()
    except ModelError as error:
        return report(type(error).__name__, error.diagnostics, str(error))
    except Exception as error:  # noqa: BLE001  (what is not ours fails the case)
        return {
            "error": f"{type(error).__name__}: {error} {traceback.format_exc()[-1500:]}",
            "found": [],
            "leaks": False,
        }
    text = json.dumps(result.to_dict()) if isinstance(result, loaders.Scene) else ""
    written = (
        b"".join(p.read_bytes() for p in result.path.parent.rglob("*") if p.is_file())
        if hasattr(result, "path")
        else b""
    )
    return report("", getattr(result, "diagnostics", ()), text + written.decode(errors="replace"))


def report(error: str, diagnostics: Any, text: str) -> dict[str, Any]:
    found = sorted({(entry.code, Path(entry.where.file).name) for entry in diagnostics})
    messages = "".join(map(str, list(diagnostics)[:200]))
    assert messages.isprintable()
    return {"error": error, "found": found[:50], "leaks": SECRET in text + messages}


def run(name: str, path: Path, options: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {"name": name}
    client = pybullet.connect(pybullet.DIRECT)
    for step, call in steps(path, options, client).items():
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        answer[step] = outcome(call)
        if step == "load" and answer[step]["error"]:
            break
    signal.setitimer(signal.ITIMER_PROF, 0)
    pybullet.disconnect(client)
    return answer


def main() -> None:
    warnings.simplefilter("ignore")
    bridge.to_mjcf(
        loaders.load_string("<robot name='r'><link name='a'/></robot>", format="urdf", quiet=True),
        quiet=True,
    )
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + BYTES, size + BYTES))
    for line in sys.stdin:
        name, path, options = json.loads(line)
        if "limits" in options:
            options["limits"] = loaders.Limits(**options["limits"])
        sys.stdout.write(json.dumps(run(name, Path(path), options)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

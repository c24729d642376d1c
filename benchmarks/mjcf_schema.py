"""Change each attribute of MuJoCo's schema in a model, and compare how the model and its export behave.

python -m benchmarks.mjcf_schema [PART]

``PART`` limits the attributes to those whose path has it, such as ``actuator/``. Each attribute gets values until one
changes how MuJoCo's own model behaves. Then the export must behave like that model, or a diagnostic must say what is
not carried. Exit status 1 if an attribute is lost in silence. Composites, soft bodies, plugins and classes are not
tried.
"""

from __future__ import annotations

import logging
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import bridge
import loaders

MODEL = (Path(__file__).parent / "cases_mjcf_schema.xml").read_text(encoding="utf-8")
"""A model with most elements."""
VALUES = (
    "true", "false", "enable", "disable", "1", "0", "2", "3", "0.5", "0.3", "30", "4", "0.1 0.2", "-0.2 0.3", "0 0.4",
    "0.2 0.3 0.4", "0 0.6 0.8", "1 0.1 0.2 0.3", "0.1 0.2 0.3 0.4 0.5", "0.5 0.6 0.01 0.4 3", "0 1 0 0 0 0",
    "0.1 0.2 0.3 0.4 0.5 0.6", "2 3 4", "2 2 2.5 0.1 0.1 0.1", "radian", "zyx", "implicit", "elliptic", "CG", "sparse",
    "cylinder", "sphere", "ellipsoid", "slide", "point", "sa", "sb", "filter", "affine", "integrator", "fixed",
    "linear", "cubic", "body", "geom", "a", "b", "ja", "jb", "ga", "t1", "t2", "never", "exact", "shell", "legacy",
    "found force", "mindist", "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8",
)  # fmt: skip
_NAMES = frozenset(
    {"name", "class", "childclass", "file", "content_type", "meshdir", "texturedir", "assetdir", "model"}
)
_ABSENT = frozenset({"default", "plugin", "composite", "flexcomp", "deformable"})
"""Elements that are not in the model."""
_TOLERANCE = 1e-6


def attributes() -> Iterator[tuple[str, str]]:
    """Yield the path of each element of MuJoCo's schema with each of its attributes."""
    stack: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        found = re.match(r"^( *)(\S+) \([!*?R]\)\s*(.*)$", line)
        if found:
            stack = [*stack[: len(found[1]) // 3], found[2]]
        keys = found[3] if found else line
        if stack and _ABSENT.isdisjoint(stack):
            yield from (("/".join(stack[1:]), key) for key in keys.split() if key not in _NAMES)


def behaviour(model: Any) -> dict[str, Any]:
    """Return what MuJoCo computes of a model at two states."""
    found: dict[str, Any] = {"timestep": np.array(model.opt.timestep), "key": _keyframe(model.key("k"))}
    for seed in (0, 1):
        rng, data = np.random.default_rng(seed), mujoco.MjData(model)
        mujoco.mj_integratePos(model, data.qpos, 0.3 * rng.normal(size=model.nv), 1.0)
        data.qvel[:], data.ctrl[:] = rng.normal(size=model.nv), rng.uniform(-1.0, 1.0, data.ctrl.size)
        mujoco.mj_forward(model, data)
        for name in ("xpos", "xmat", "qfrc_bias", "qfrc_passive", "qfrc_actuator", "qfrc_constraint", "qacc"):
            found[f"{name} {seed}"] = np.array(getattr(data, name))
        found[f"sensordata {seed}"], found[f"energy {seed}"] = np.array(data.sensordata), np.array(data.energy)
        mujoco.mj_step(model, data)
        found[f"step {seed}"] = np.concatenate([data.qvel, data.act])
    return found


def _keyframe(key: Any) -> Any:
    return np.concatenate([key.qpos, key.qvel, key.act, key.ctrl])


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the names of the quantities that differ."""
    return [key for key, value in one.items() if not _are_close(value, other[key])]


def _are_close(a: Any, b: Any) -> bool:
    scale = max(float(np.abs(a).max(initial=0.0)), 1e-3)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=0.0, atol=_TOLERANCE * scale, equal_nan=True))


def exported(text: str) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the behaviour of the export of a document, and every diagnostic."""
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    mjcf = bridge.to_mjcf(scene, quiet=True)
    model = mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets)
    entries = (entry for entry in (*scene.diagnostics, *mjcf.diagnostics) if entry.code != "mjcf.mjx")
    return behaviour(model), frozenset(map(str, entries))


class Sweep:
    """The model with which changed ones are compared."""

    def __init__(self) -> None:
        self._original = behaviour(mujoco.MjModel.from_xml_string(MODEL))
        export, self._known = exported(MODEL)
        self.masked = differences(self._original, export)
        """Quantities in which the export of the unchanged model differs."""

    def verdict(self, path: str, key: str) -> tuple[str, str]:
        """Return what becomes of an attribute: carried, reported, silent or without effect; and how it was found."""
        for text, value in _changed(path.rpartition("/")[2], key):
            try:
                stated = behaviour(mujoco.MjModel.from_xml_string(text))
            except (ValueError, mujoco.FatalError):
                continue
            if not differences(stated, self._original):
                continue
            export, diagnostics = exported(text)
            lost = differences(stated, export)
            if not lost:
                return "carried", value
            new = sorted(diagnostics - self._known)
            return ("reported", new[0]) if new else ("silent", f"{value}: {', '.join(lost)}")
        return "without effect", ""


def _changed(tag: str, key: str) -> Iterator[tuple[str, str]]:
    """Yield the model with each value of an attribute, in each element with a tag."""
    for start in re.finditer(rf"<{re.escape(tag)}(?=[\s/>])", MODEL):
        end = MODEL.index(">", start.end())
        rest = re.sub(rf'\s{key}="[^"]*"', "", MODEL[start.end() : end])
        for value in VALUES:
            yield f'{MODEL[: start.end()]} {key}="{value}"{rest}{MODEL[end:]}', value


def main(part: str = "") -> int:
    """Print a line for each attribute that is not carried, and the number of each verdict."""
    warnings.simplefilter("ignore")
    logging.disable()
    sweep, counts = Sweep(), Counter[str]()
    print("differs without a change:", *sweep.masked)
    for path, key in dict.fromkeys(attributes()):
        if part in f"{path}/{key}":
            verdict, how = sweep.verdict(path, key)
            counts[verdict] += 1
            if verdict in {"reported", "silent"}:
                print(f"{verdict}: {path} {key}: {how}", flush=True)
    print(dict(counts))
    return int(counts["silent"] > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

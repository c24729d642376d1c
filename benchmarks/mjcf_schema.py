"""Change each attribute of MuJoCo's schema in a model, and compare how the model and its export
behave.

python -m benchmarks.mjcf_schema [PART]

``PART`` limits the attributes to those whose path has it, such as ``actuator/``. Each attribute
gets values, in each element of the models in ``mjcf_schema_models``, until one changes how MuJoCo's
own model behaves. Then the export must behave like that model, or a diagnostic must say what is not
carried. If none does, but one changes the compiled model, such as a color, then the export or a
diagnostic must change. Exit status 1 if an attribute is lost in silence.
"""

from __future__ import annotations

import logging
import math
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np

import bridge
import loaders

FOLDER = Path(__file__).parent / "mjcf_schema_models"
"""Models with most elements, and a file that one of them attaches."""
_ATTACHED = "child.xml"
_ORDER = ("robot", "classes", "soft", "plugins", "kinds")
MODELS = {name: (FOLDER / f"{name}.xml").read_text(encoding="utf-8") for name in _ORDER}
"""Text of each model; the last three are for the elements that the others lack."""
VALUES = (
    "true",
    "false",
    "enable",
    "disable",
    "1",
    "0",
    "2",
    "3",
    "0.5",
    "0.3",
    "30",
    "4",
    "0.1 0.2",
    "-0.2 0.3",
    "0 0.4",
    "0.2 0.3 0.4",
    "0 0.6 0.8",
    "1 0.1 0.2 0.3",
    "0.1 0.2 0.3 0.4 0.5",
    "0.5 0.6 0.01 0.4 3",
    "0 1 0 0 0 0",
    "0.1 0.2 0.3 0.4 0.5 0.6",
    "2 3 4",
    "2 2 2.5 0.1 0.1 0.1",
    "radian",
    "zyx",
    "implicit",
    "elliptic",
    "CG",
    "sparse",
    "cylinder",
    "sphere",
    "ellipsoid",
    "slide",
    "point",
    "sa",
    "sb",
    "filter",
    "affine",
    "integrator",
    "fixed",
    "linear",
    "cubic",
    "body",
    "geom",
    "a",
    "b",
    "ja",
    "jb",
    "ga",
    "t1",
    "t2",
    "never",
    "exact",
    "shell",
    "legacy",
    "found force",
    "mindist",
    "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8",
    "0.05",
    "1.05",
    "5",
    "1e5",
    "0 2 1",
    "2 4 4",
    "5 5 1",
    "box",
    "track",
    "targetbodycom",
    "directional",
    "depth",
    "orthographic",
    "64 48",
    "0.01 0.01",
    "gradient",
    "mb",
    "bend",
    "both",
    "bvh",
    "trilinear",
    "2d",
    "rgb",
    "edge",
    "-",
    "x",
    "0 0 1 0 1 0 0 1 1",
    "pos",
    "vel",
    "pos vel ff",
    "quat",
    "1 1",
    "dist dir",
    "maxforce",
    "jh",
    "hook",
)
_NAMES = frozenset(
    {
        "name",
        "class",
        "childclass",
        "file",
        "content_type",
        "meshdir",
        "texturedir",
        "assetdir",
        "model",
    }
)
_NOT_IN_SCHEMA = (
    *(
        ("(world)body/frame", key)
        for key in ("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler")
    ),
    *(("(world)body/replicate", key) for key in ("count", "offset", "euler", "sep")),
)
"""Attributes that MuJoCo's list of its schema leaves out."""
_UNCHANGED = ": neither the export nor a diagnostic changes"
_CRANKS = (
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
)
_SOFTNESS = ("solimpfriction", "solimplimit", "solreffriction", "solreflimit")
_OF_SKINS = ("file", "face", "group", "inflate", "material", "rgba", "texcoord", "vertex")
_OF_BONES = ("bindpos", "bindquat", "vertid", "vertweight")
_UNUSED = {
    ("default/geom", "size"): "numbers beyond those of the type of a shape",
    ("extension/plugin/instance/config", "key"): "the plugin is reported as a whole",
    **{
        (f"default/{kind}", "cranklength"): "the length of a crank that no actuator has"
        for kind in _CRANKS
    },
    **{("deformable/skin", key): "the skin is reported as a whole" for key in _OF_SKINS},
    **{("deformable/skin/bone", key): "the skin is reported as a whole" for key in _OF_BONES},
    **{
        ("(world)body/composite/joint", key): "joints without limits and friction"
        for key in _SOFTNESS
    },
}
"""Attributes that change numbers of a compiled model that MuJoCo does not use, or that are reported
with others.
"""
_OPTIONAL = frozenset({"compiler", "size", "statistic", "visual"})
"""Sections that a model need not have for one of their elements to count."""
_TOLERANCE = 1e-6
_NUDGES = (1e-14, 1e-12, 6e-8)
"""Rounding errors of positions relative to them, the last one that of vertices of meshes, in single
precision.
"""
_MOST = 10.0
"""A quantity of an export is no other one if it differs by less than this multiple of what rounding
errors change.
"""


def attributes() -> Iterator[tuple[str, str]]:
    """Yield the path of each element of MuJoCo's schema with each of its attributes."""
    stack: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        found = re.match(r"^( *)(\S+) \([!*?R]\)\s*(.*)$", line)
        if found:
            stack = [*stack[: len(found[1]) // 3], found[2]]
        keys = found[3] if found else line
        if stack:
            yield from (("/".join(stack[1:]), key) for key in keys.split() if key not in _NAMES)
    yield from _NOT_IN_SCHEMA


def compiled(text: str) -> Any:
    """Return the model of MuJoCo of a text, which may attach the file in the folder of the
    models.
    """
    return mujoco.MjSpec.from_string(
        text, include={_ATTACHED: (FOLDER / _ATTACHED).read_bytes()}
    ).compile()


def behaviour(model: Any, nudge: float = 0.0) -> dict[str, Any]:
    """Return what MuJoCo computes of a model at two states, and how it draws lights and cameras.

    Args:
        model: The compiled model.
        nudge: Change of the positions, relative to their distance from those of the document.
    """
    found: dict[str, Any] = {"timestep": np.array(model.opt.timestep)} | dict(_keyframes(model))
    for seed in (0, 1):
        rng, data = np.random.default_rng(seed), mujoco.MjData(model)
        mujoco.mj_integratePos(model, data.qpos, 0.3 * rng.normal(size=model.nv), 1.0 + nudge)
        data.qvel[:], data.ctrl[:] = (
            rng.normal(size=model.nv),
            rng.uniform(-1.0, 1.0, data.ctrl.size),
        )
        mujoco.mj_forward(model, data)
        for name in (
            "xpos",
            "xmat",
            "qfrc_bias",
            "qfrc_passive",
            "qfrc_actuator",
            "qfrc_constraint",
            "qacc",
        ):
            found[f"{name} {seed}"] = np.array(getattr(data, name))
        for name in ("cam_xpos", "cam_xmat", "light_xpos", "light_xdir", "flexvert_xpos"):
            found[f"{name} {seed}"] = np.array(getattr(data, name))
        found[f"sensordata {seed}"], found[f"energy {seed}"] = (
            np.array(data.sensordata),
            np.array(data.energy),
        )
        mujoco.mj_step(model, data)
        found[f"step {seed}"] = np.concatenate([data.qvel, data.act])
    views = (
        name
        for name in dir(model)
        if name.startswith(("cam_", "light_")) and not name.endswith("user")
    )
    return found | {name: np.array(getattr(model, name), np.float64) for name in views}


def _keyframes(model: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name and the numbers of each keyframe that has a name."""
    for key in map(model.key, range(model.nkey)):
        if key.name:
            numbers = (key.qpos, key.qvel, key.act, key.ctrl, key.mpos, key.mquat)
            yield f"key {key.name}", np.concatenate(list(map(np.ravel, numbers)))


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the names of the quantities that differ."""
    return [
        key for key, value in one.items() if key not in other or not _are_close(value, other[key])
    ]


def _are_close(a: Any, b: Any) -> bool:
    scale = max(float(np.abs(a).max(initial=0.0)), 1e-3)
    return a.shape == b.shape and bool(
        np.allclose(a, b, rtol=0.0, atol=_TOLERANCE * scale, equal_nan=True)
    )


def _distance(a: Any, b: Any) -> float:
    """Return the largest difference of two arrays; infinite if they have other shapes or one of
    them is missing.
    """
    return (
        float(np.abs(a - b).max(initial=0.0)) if b is not None and a.shape == b.shape else math.inf
    )


def stored(model: Any) -> bytes:
    """Return all numbers of a compiled model."""
    buffer = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


@dataclass(frozen=True)
class Export:
    """The export of a document."""

    behaviour: dict[str, Any]
    """How it behaves."""
    text: str
    """The document."""
    diagnostics: frozenset[str]
    """Every diagnostic."""
    left_out: frozenset[str]
    """The attributes that a diagnostic names as not carried, such as ``geom/user``."""


def exported(text: str) -> Export:
    """Return the export of a document."""
    scene = loaders.load_string(text, format="mjcf", base=FOLDER, quiet=True)
    mjcf = bridge.to_mjcf(scene, quiet=True)
    model = mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets)
    entries = (
        entry for entry in (*scene.diagnostics, *mjcf.diagnostics) if entry.code != "mjcf.mjx"
    )
    noted = (
        entry.arguments["names"]
        for entry in scene.diagnostics
        if entry.code == "mjcf-in.not-carried"
    )
    return Export(
        behaviour(model),
        str(mjcf),
        frozenset(map(str, entries)),
        frozenset(chain.from_iterable(noted)),
    )


class Sweep:
    """The model with which changed ones are compared."""

    def __init__(self, name: str = "robot") -> None:
        self._text = MODELS[name]
        self._tree = ElementTree.fromstring(self._text)
        model = compiled(self._text)
        self._original, self._stored = behaviour(model), stored(model)
        self._export = exported(self._text)
        self.masked = differences(self._original, self._export.behaviour)
        """Quantities in which the export of the unchanged model differs."""

    @cached_property
    def _elements(self) -> dict[str, list[ElementTree.Element]]:
        """The elements of the model by their paths in the schema."""
        found: dict[str, list[ElementTree.Element]] = {}
        pending = [("", child) for child in self._tree]
        while pending:
            path, element = pending.pop()
            path = _path_of(path, element.tag)
            found.setdefault(path, []).append(element)
            pending += [(path, child) for child in element]
        return found

    @property
    def paths(self) -> Set[str]:
        """The paths of the elements of the model."""
        return self._elements.keys()

    def verdict(self, path: str, key: str) -> tuple[str, str]:
        """Return what becomes of an attribute: carried, reported, silent or without effect; and how
        it was found.
        """
        drawn = ("without effect", "")
        for text, value in self._changed(path, key):
            try:
                model = compiled(text)
                stated = behaviour(model)
            except (ValueError, mujoco.FatalError):
                continue
            if differences(stated, self._original):
                return self._moved(text, value, stated)
            if drawn[0] in {"without effect", "silent"} and stored(model) != self._stored:
                drawn = self._drawn(text, value, f"{path.rpartition('/')[2]}/{key}")
        return drawn

    def _moved(self, text: str, value: str, stated: dict[str, Any]) -> tuple[str, str]:
        """Return the verdict on a value that changes the behavior."""
        export = exported(text)
        lost = {*differences(stated, export.behaviour)} - {*self.masked}
        if lost:
            nudged = [behaviour(compiled(text), nudge) for nudge in _NUDGES]
            noise = {
                key: _MOST * max(_distance(stated[key], other[key]) for other in nudged)
                for key in lost
            }
            lost = {
                key
                for key in lost
                if _distance(stated[key], export.behaviour.get(key)) > noise[key]
            }
        if not lost:
            return "carried", value
        new = sorted(export.diagnostics - self._export.diagnostics)
        return ("reported", new[0]) if new else ("silent", f"{value}: {', '.join(sorted(lost))}")

    def _drawn(self, text: str, value: str, name: str) -> tuple[str, str]:
        """Return the verdict on a value of a named attribute that changes the compiled model
        only.
        """
        export = exported(text)
        if export.text != self._export.text:
            return "written", value
        new = [*sorted(export.diagnostics - self._export.diagnostics), *({name} & export.left_out)]
        return ("noted", new[0]) if new else ("silent", f"{value}{_UNCHANGED}")

    def _changed(self, path: str, key: str) -> Iterator[tuple[str, str]]:
        """Yield the model with each value of an attribute, in each element of a path."""
        for element in self._elements.get(path) or self._inserted(path):
            before = element.attrib.copy()
            for value in VALUES:
                element.attrib = {key: value, **{k: v for k, v in before.items() if k != key}}
                text = ElementTree.tostring(self._tree, encoding="unicode")
                element.attrib = before
                if before.get(key) != value:
                    yield text, value

    def _inserted(self, path: str) -> Iterator[ElementTree.Element]:
        """Yield an element of an optional section, which is in the model until the next one is
        asked for.
        """
        section, *tags = path.split("/")
        if section in _OPTIONAL:
            added = element = ElementTree.SubElement(self._tree, section)
            for tag in tags:
                element = ElementTree.SubElement(element, tag)
            yield element
            self._tree.remove(added)


def _path_of(path: str, tag: str) -> str:
    """Return the path in the schema of an element in one with a path."""
    if tag in {"body", "worldbody"} or (tag == "default" and path == "default"):
        return path if tag == "default" else "(world)body"
    if tag in {"frame", "replicate"} or not path:
        return f"(world)body/{tag}" if path else tag
    owner = "(world)body" if path in {"(world)body/frame", "(world)body/replicate"} else path
    return f"{owner}/{tag}"


def verdict(path: str, key: str, sweeps: Mapping[str, Sweep]) -> tuple[str, str]:
    """Return what becomes of an attribute in the first model in which it has an effect, and how it
    was found.

    Args:
        path: The path of its element.
        key: Its name.
        sweeps: The models.
    """
    found = ("without effect", "in any model")
    is_optional = path.partition("/")[0] in _OPTIONAL
    is_new = path not in set(sweeps["robot"].paths) | set(sweeps["classes"].paths)
    for name in (
        ("soft", "plugins", "kinds") if is_new and not is_optional else ("robot", "classes")
    ):
        is_open = found[0] == "without effect" or found[1].endswith(_UNCHANGED)
        if is_open and (is_optional or path in sweeps[name].paths):
            other = sweeps[name].verdict(path, key)
            found = found if other[0] == "without effect" else other
    return found


def main(part: str = "") -> int:
    """Print a line for each attribute that is not carried, and the number of each verdict."""
    warnings.simplefilter("ignore")
    logging.disable()
    sweeps, counts = {name: Sweep(name) for name in MODELS}, Counter[str]()
    for name, sweep in sweeps.items():
        print(name, "differs without a change:", *sweep.masked)
    tried = {path for sweep in sweeps.values() for path in sweep.paths}
    for path, key in dict.fromkeys(attributes()):
        if part in f"{path}/{key}":
            is_tried = path in tried or path.partition("/")[0] in _OPTIONAL
            result, how = verdict(path, key, sweeps) if is_tried else ("not tried", "")
            if result == "silent" and (path, key) in _UNUSED:
                result, how = "without effect", _UNUSED[path, key]
            counts[result] += 1
            if result not in {"carried", "written"}:
                print(f"{result}: {path} {key}: {how}", flush=True)
    print(dict(counts))
    return int(counts["silent"] > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

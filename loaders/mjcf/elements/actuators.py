"""Actuators: the joint or tendon that each drives, and its law as in MuJoCo's ``<general>``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from loaders.diagnostics import Fate
from loaders.mjcf.compilation.source import Source
from loaders.model import Actuator, Settings

from .settings import text_of, unless

_JOINT, _JOINT_IN_PARENT, _SLIDER_CRANK, _TENDON, _SITE, _BODY, _ROTATION = range(7)
"""MuJoCo's types of transmission."""
_OF_JOINTS = frozenset({_JOINT, _JOINT_IN_PARENT, _ROTATION})
_INPUTS = {"dcmotor": ((1, "pos"), (2, "vel"), (4, "ff")), "so3": ((1, "expmap"), (2, "quat"))}
"""Bit and name of each control, by the type of gain of those that may have several."""
_INTERPOLATIONS = ("zoh", "linear", "cubic")
_FIRST = {"gainprm": 1.0, "biasprm": 0.0, "dynprm": 1.0}
"""MuJoCo's default of the first parameter; the others are zero."""


def read_actuators(source: Source) -> tuple[Actuator, ...]:
    """Return the actuators of a model; report those whose law a scene cannot hold."""
    actuators = []
    for i in range(len(source.model.actuator_trntype)):
        problem = _problem(i, source)
        if problem:
            _drop(i, problem, source)
        else:
            actuators.append(_actuator(i, source))
            _report_controls(i, source)
    return tuple(actuators)


def carried_actuators(source: Source) -> list[int]:
    """Return the indices of the actuators that a scene has."""
    return [i for i in range(len(source.model.actuator_trntype)) if not _problem(i, source)]


def _problem(i: int, source: Source) -> str:
    """Return the reason why an actuator is not carried; empty if it is."""
    model = source.model
    if model.actuator_plugin[i] >= 0:
        return "a plugin is its law"
    if int(model.actuator_trntype[i]) not in range(_ROTATION + 1):
        return "what it drives is of a type that a scene does not have"
    return ""


def _actuator(i: int, source: Source) -> Actuator:
    model, kind = source.model, int(source.model.actuator_trntype[i])
    target = int(model.actuator_trnid[i][0])
    gear = float(model.actuator_gear[_row("outadr", i, model)][0])
    force = max(map(abs, model.actuator_forcerange[i])) if model.actuator_forcelimited[i] else math.inf
    first = _row("ctrladr", i, model)
    is_limited = bool(model.actuator_ctrllimited[first])
    control = tuple(map(float, model.actuator_ctrlrange[first])) if is_limited else (-math.inf, math.inf)
    return Actuator(
        name=source.names("actuator")[i],
        joint=source.names("joint")[target] if kind in _OF_JOINTS else "",
        tendon=source.names("tendon")[target] if kind == _TENDON else "",
        control=(control[0], control[1]),
        effort=force * abs(gear) if gear else force,
        p_gain=_servo_gain(i, 1, source),
        d_gain=_servo_gain(i, 2, source),
        mujoco=_law(i, kind, source),
        where=source.where("actuator", i),
    )


def _row(address: str, i: int, model: Any) -> int:
    """Return the row of the first output or control of an actuator, which older versions of MuJoCo do not have."""
    rows = getattr(model, f"actuator_{address}", None)
    return i if rows is None else int(rows[i])


def _servo_gain(i: int, k: int, source: Source) -> float | None:
    """Return the position or velocity gain at the joint of a servo; None if the actuator is none."""
    model, names = source.model, source.compiled.names
    is_affine = names["mjtBias"][int(model.actuator_biastype[i])] == "mjBIAS_AFFINE"
    is_fixed = names["mjtGain"][int(model.actuator_gaintype[i])] == "mjGAIN_FIXED"
    bias, gain = model.actuator_biasprm[i], float(model.actuator_gainprm[i][0])
    is_servo = gain in {-float(bias[1]), -float(bias[2])} and gain != 0.0
    value = -float(bias[k]) * float(model.actuator_gear[_row("outadr", i, model)][0]) ** 2
    return value if is_affine and is_fixed and is_servo and value else None


def _law(i: int, kind: int, source: Source) -> Settings:
    model, names = source.model, source.compiled.names
    types = (("gain", "mjtGain"), ("bias", "mjtBias"), ("dyn", "mjtDyn"))
    keywords = {
        f"{t}type": names[enum][int(getattr(model, f"actuator_{t}type")[i])].partition("_")[2].lower()
        for t, enum in types
    }
    found = [
        *_target(i, kind, source),
        *keywords.items(),
        *(item for name, first in _FIRST.items() for item in _parameters(name, first, i, model)),
        *unless("gear", model.actuator_gear[_row("outadr", i, model)], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        *_limits(i, model),
        *([("actearly", "true")] if model.actuator_actearly[i] else []),
        *unless("group", model.actuator_group[i], 0),
        *_inputs(i, keywords["gaintype"], model),
        *_delay(i, model),
        *_states(i, keywords["dyntype"], model),
        *unless("lengthrange", model.actuator_lengthrange[i], [0.0, 0.0]),
        *_drag(i, model),
    ]
    return tuple(found)


def _parameters(name: str, first: float, i: int, model: Any) -> Iterator[tuple[str, str]]:
    values = getattr(model, f"actuator_{name}")[i]
    yield from unless(name, values, [first, *[0.0] * (len(values) - 1)])


def _inputs(i: int, gain: str, model: Any) -> Iterator[tuple[str, str]]:
    """Yield the names of the controls, if the actuator may have several, which older versions of MuJoCo do not have."""
    controls = getattr(model, "actuator_ctrlspec", None) if gain in _INPUTS else None
    bits = 0 if controls is None else int(controls[i])
    names = [name for bit, name in _INPUTS.get(gain, ()) if bits & bit]
    if names:
        yield "input", " ".join(names)


def _delay(i: int, model: Any) -> Iterator[tuple[str, str]]:
    """Yield the delay of the control and the samples that it needs, which MuJoCo has since version 3.5."""
    history = getattr(model, "actuator_history", None)
    if history is None:
        return
    if history[i][0] > 0:
        yield "nsample", str(int(history[i][0]))
        yield from unless("delay", model.actuator_delay[i], 0.0)
    if any(history[i]):
        yield "interp", _INTERPOLATIONS[int(history[i][1])]


def _states(i: int, dynamics: str, model: Any) -> Iterator[tuple[str, str]]:
    """Yield the number of states, if it is not that of the type of dynamics."""
    count = int(model.actuator_actnum[i])
    if count > (0 if dynamics == "dcmotor" else 1):
        yield "actdim", str(count)


def _limits(i: int, model: Any) -> Iterator[tuple[str, str]]:
    for name in ("force", "act"):
        if getattr(model, f"actuator_{name}limited")[i]:
            yield f"{name}range", text_of(getattr(model, f"actuator_{name}range")[i])


def _drag(i: int, model: Any) -> Iterator[tuple[str, str]]:
    """Yield armature and damping, which MuJoCo has since version 3.9."""
    for name in ("armature", "damping"):
        values = getattr(model, f"actuator_{name}", None)
        if values is not None:
            yield from unless(name, values[i], 0.0)


def _target(i: int, kind: int, source: Source) -> Iterator[tuple[str, str]]:
    """Yield what the actuator drives, unless it is a joint or a tendon, which are fields of the scene."""
    model, (a, b) = source.model, source.model.actuator_trnid[i]
    if kind == _JOINT_IN_PARENT:
        yield "jointinparent", source.names("joint")[a]
    elif kind == _SITE:
        yield "site", source.names("site")[a]
        if b >= 0:
            yield "refsite", source.names("site")[b]
    elif kind == _BODY:
        yield "body", source.names("body")[a]
    elif kind == _SLIDER_CRANK:
        yield "cranksite", source.names("site")[a]
        yield "slidersite", source.names("site")[b]
        yield "cranklength", text_of(model.actuator_cranklength[i])


def _report_controls(i: int, source: Source) -> None:
    """Report an actuator with several controls: a scene states the range of one, although the law holds all."""
    name = source.names("actuator")[i]
    count = int(getattr(source.model, "actuator_ctrlnum", [1] * (i + 1))[i])
    if count > 1:
        source.diagnostics.add(
            Fate.APPROXIMATED,
            "mjcf-in.controls",
            "actuator {name} has {count} controls; its range is that of the first, and only MuJoCo has the others",
            source.where("actuator", i),
            subjects=(name,),
            name=name,
            count=count,
        )


def _drop(i: int, reason: str, source: Source) -> None:
    name = source.names("actuator")[i]
    message = "actuator {name} is not carried: {reason}"
    where = source.where("actuator", i)
    source.diagnostics.add(Fate.DROPPED, "mjcf-in.actuator", message, where, subjects=(name,), name=name, reason=reason)

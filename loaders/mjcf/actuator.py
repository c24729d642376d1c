"""Actuators: the joint or tendon that each drives, and its law as in MuJoCo's ``<general>``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

from loaders.engine_settings import MUJOCO
from loaders.mjcf import codes
from loaders.model import Actuator, Settings, of_engine

from .compiled_model import Source
from .settings import row_of, text_of, unless, with_polynomial

_JOINT, _JOINT_IN_PARENT, _SLIDER_CRANK, _TENDON, _SITE, _BODY, _ROTATION = range(7)
"""MuJoCo's types of transmission."""
_OF_JOINTS = frozenset({_JOINT, _JOINT_IN_PARENT, _ROTATION})
_CONTROLS = ((1, "pos"), (2, "vel"), (4, "ff"), (8, "voltage"))
_CONTROL = ((1, "pos"), (2, "vel"), (32, "pressure"))
_INPUTS = {
    "affine": _CONTROL,
    "dcmotor": _CONTROLS,
    "fixed": _CONTROL,
    "pid": _CONTROLS,
    "so3": ((1, "expmap"), (2, "quat")),
}
"""Bit and name of each control that a type of gain may declare; a motor has a voltage by
default."""
_INTERPOLATIONS = ("zoh", "linear", "cubic")
_GEAR, _NO_RANGE = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0]
"""MuJoCo's defaults."""
_FIRST = {"gainprm": 1.0, "biasprm": 0.0, "dynprm": 1.0}
"""MuJoCo's default of the first parameter; the others are zero."""


def read_actuators(source: Source) -> tuple[Actuator, ...]:
    """Return the actuators of a model; report those whose law a scene cannot hold."""
    actuators = []
    for i in range(len(source.model.actuator_trntype)):
        problem, count = _problem(i, source), _count(i, source.model)
        name, where = source.names("actuator")[i], source.where("actuator", i)
        add = source.diagnostics.add
        if problem:
            add(codes.ACTUATOR, where, subjects=(name,), name=name, reason=problem)
            continue
        actuators.append(_actuator(i, source))
        if count > 1:  # a scene states the range of one, although the law holds all
            add(codes.CONTROLS, where, subjects=(name,), name=name, count=count)
    return tuple(actuators)


def carried_actuators(source: Source) -> list[int]:
    """Return the indices of the actuators that a scene has."""
    return [i for i in range(len(source.model.actuator_trntype)) if not _problem(i, source)]


def _problem(i: int, source: Source) -> str:
    """Return the reason why an actuator is left out; empty if it is."""
    model = source.model
    if model.actuator_plugin[i] >= 0:
        return "a plugin is its law"
    if not 0 <= model.actuator_trntype[i] <= _ROTATION:
        return "what it drives is of a type that a scene does not have"
    return ""


def _actuator(i: int, source: Source) -> Actuator:
    model, kind = source.model, _transmission(i, source.model)
    target = model.actuator_trnid[i][0]
    gears = model.actuator_gear[_row("outadr", i, model)]
    gear = gears[0]
    force = (
        max(map(abs, model.actuator_forcerange[i])) if model.actuator_forcelimited[i] else math.inf
    )
    p_gain, d_gain = _servo_gains(i, gear, source)
    return Actuator(
        name=source.names("actuator")[i],
        joint=source.names("joint")[target] if kind in _OF_JOINTS else "",
        tendon=source.names("tendon")[target] if kind == _TENDON else "",
        control=_control(i, model),
        effort=force * abs(gear) if gear else force,
        p_gain=p_gain,
        d_gain=d_gain,
        engine_settings=of_engine(MUJOCO, _law(i, kind, gears, source)),
        where=source.places("actuator")[i],
    )


def _transmission(i: int, model: Any) -> int:
    """Return the type of what an actuator drives; a rotation of one site against another is that of
    a site.
    """
    kind: int = model.actuator_trntype[i]
    return _SITE if kind == _ROTATION and model.actuator_trnid[i][1] >= 0 else kind


def _control(i: int, model: Any) -> tuple[float, float]:
    """Return the range of the first control of an actuator; an actuator without controls has no
    limits of one.
    """
    first = _row("ctrladr", i, model)
    if not _count(i, model) or not model.actuator_ctrllimited[first]:
        return -math.inf, math.inf
    lower, upper = model.actuator_ctrlrange[first]
    return lower, upper


def _count(i: int, model: Any) -> int:
    """Return the number of controls of an actuator, which is 1 in older versions of MuJoCo."""
    counts = getattr(model, "actuator_ctrlnum", None)
    return 1 if counts is None else int(counts[i])


def _row(address: str, i: int, model: Any) -> int:
    """Return the row of the first output or control of an actuator, which older versions of MuJoCo
    do not have.
    """
    rows = getattr(model, f"actuator_{address}", None)
    return i if rows is None else rows[i]


def _servo_gains(i: int, gear: float, source: Source) -> tuple[float | None, float | None]:
    """Return the position and velocity gains at the joint of a servo; None for each that the
    actuator does not have.
    """
    gain, p, d = _linear_law(i, source)
    if gain == 0.0 or gain not in {p, d}:
        return None, None
    return p * gear**2 or None, d * gear**2 or None


def _linear_law(i: int, source: Source) -> tuple[float, float, float]:
    """Return the gain of the first control of an actuator, and its position and velocity gains;
    zeros where its force is not linear in these.

    The gains of a DC motor state a torque; without a controller, a voltage moves it against the
    voltage that its speed induces.
    """
    model, names = source.model, source.compiled.names
    kind = names["mjtGain"][model.actuator_gaintype[i]]
    is_affine = names["mjtBias"][model.actuator_biastype[i]] == "mjBIAS_AFFINE"
    gains, bias = model.actuator_gainprm[i], model.actuator_biasprm[i]
    if kind == "mjGAIN_FIXED" and is_affine:
        return gains[0], -bias[1], -bias[2]
    if model.actuator_actnum[i]:
        return 0.0, 0.0, 0.0
    if kind == "mjGAIN_PID" and is_affine:
        return _law_of_first(_controls(i, "pid", model), -bias[1], -bias[2])
    resistance, constant, _, _, p, _, d, *limits = gains
    if kind != "mjGAIN_DCMOTOR" or any(bias) or any(limits):
        return 0.0, 0.0, 0.0
    controls = _controls(i, "dcmotor", model)
    if controls == ["voltage"]:
        return constant / resistance, 0.0, constant**2 / resistance
    return _law_of_first(controls, p, d)


def _law_of_first(controls: list[str], p: float, d: float) -> tuple[float, float, float]:
    """Return the gain of the first of some controls of a controller, and its gains."""
    return {"pos": p, "vel": d}.get(next(iter(controls), ""), 0.0), p, d


def _law(i: int, kind: int, gears: list[float], source: Source) -> Settings:
    model, names = source.model, source.compiled.names
    gain, bias, dynamics = (
        _keyword(names[f"mjt{t}"][getattr(model, f"actuator_{t.lower()}type")[i]])
        for t in ("Gain", "Bias", "Dyn")
    )
    found = [] if kind in {_JOINT, _TENDON} else list(_target(i, kind, source))
    found += (("gaintype", gain), ("biastype", bias), ("dyntype", dynamics))
    for name, first in _FIRST.items():
        values = getattr(model, f"actuator_{name}")[i]
        if values[0] != first or any(values[1:]):
            found.append((name, text_of(values)))
    found += unless("gear", gears, _GEAR)
    found += _limits(i, model)
    if model.actuator_actearly[i]:
        found.append(("actearly", "true"))
    found += unless("group", model.actuator_group[i], 0)
    if gain in _INPUTS:
        found += _inputs(i, gain, model)
    found += _delay(i, model)
    found += _states(i, dynamics, model)
    found += unless("lengthrange", model.actuator_lengthrange[i], _NO_RANGE)
    found += _drag(i, model)
    return tuple(found)


@cache
def _keyword(member: str) -> str:
    """Return the word in MJCF of a member of an enumeration, such as ``mjGAIN_FIXED``."""
    return member.partition("_")[2].lower()


def _controls(i: int, gain: str, model: Any) -> list[str]:
    """Return the names of the controls, as far as they are declared, which older versions of MuJoCo
    do not know.
    """
    controls = getattr(model, "actuator_ctrlspec", None)
    bits = 0 if controls is None else int(controls[i])
    return [name for bit, name in _INPUTS[gain] if bits & bit]


def _inputs(i: int, gain: str, model: Any) -> Iterator[tuple[str, str]]:
    """Yield the controls that are declared, and their ranges."""
    names = _controls(i, gain, model)
    if (names or not _count(i, model)) and names != ["voltage"]:
        yield "input", " ".join(names) or "none"
    first = _row("ctrladr", i, model)
    for k, name in enumerate(names if gain == "pid" else ()):
        if k and model.actuator_ctrllimited[first + k]:
            yield f"{name}range", text_of(model.actuator_ctrlrange[first + k])


def _delay(i: int, model: Any) -> Iterator[tuple[str, str]]:
    """Yield the delay of the control and the samples that it needs, which MuJoCo has since version
    3.5.
    """
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
    """Yield the coefficients of damping, which MuJoCo has since version 3.9; armature is that of
    joint or tendon.
    """
    damping = getattr(model, "actuator_damping", None)
    if damping is not None:
        higher = row_of(model, "actuator_dampingpoly", i)
        yield from with_polynomial("damping", damping[i], higher) or unless(
            "damping", damping[i], 0.0
        )


def _target(i: int, kind: int, source: Source) -> Iterator[tuple[str, str]]:
    """Yield what the actuator drives, unless it is a joint or a tendon, which are fields of the
    scene.
    """
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

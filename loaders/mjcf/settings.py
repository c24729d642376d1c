"""option, and settings that no field of a scene holds."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loaders.diagnostics import Where
from loaders.engine_settings import LOOKS_SECTIONS, MUJOCO
from loaders.mjcf import codes
from loaders.model import Physics, Settings
from loaders.node import Node
from loaders.pose import Array, frozen

from .compiled_model import Rows, Source

_FIELDS = frozenset({"timestep", "gravity", "wind", "magnetic"})
"""Attributes of ``<option>`` that are fields of the scene."""


def read_gravity(source: Source) -> Array:
    """Return the gravity [m/s^2]; zero if a flag switches it off."""
    return frozen(
        np.zeros(3) if "gravity" in source.compiled.disabled else source.model.opt.gravity
    )


def read_physics(settings: Iterable[tuple[str, str]], source: Source) -> Physics:
    """Return the settings of the integrator and the solver.

    Args:
        settings: The options and flags; the last one of each name counts.
        source: The compiled model.
    """
    return Physics(
        time_step=float(source.model.opt.timestep),
        engine=MUJOCO,
        parameters=tuple(sorted(dict(settings).items())),
    )


def report_options_of_include(root: Node) -> None:
    """Report the options of a document that another one includes, which keeps its own.

    Args:
        root: The root element, without includes.
    """
    options = [child for child in root.children if child.tag == "option"]
    stated = (f"option/{key}" for option in options for key in option.attributes)
    names = sorted({*stated, *dict(stated_settings(root))})
    if names:
        options[0].report(codes.OPTIONS, names=tuple(names))


def stated_settings(root: Node) -> Iterator[tuple[str, str]]:
    """Yield the options and flags of a document that are no fields of a scene.

    Args:
        root: The root element, without includes.
    """
    for option in (child for child in root.children if child.tag == "option"):
        yield from (
            (f"option/{key}", text) for key, text in option.attributes.items() if key not in _FIELDS
        )
        for flag in (child for child in option.children if child.tag == "flag"):
            yield from (
                (f"flag/{key}", text) for key, text in flag.attributes.items() if key != "gravity"
            )


def memory_of(root: Node) -> Iterator[tuple[str, str]]:
    """Yield the memory that a document asks for, without which MuJoCo may refuse a model of many
    bodies.

    Args:
        root: The root element, without includes.
    """
    for size in (child for child in root.children if child.tag == "size"):
        yield from (
            (f"size/{key}", text) for key, text in size.attributes.items() if key == "memory"
        )


_SWITCHES = frozenset({"bvactive", "ellipsoidinertia", "orthographic"})
"""Attributes of ``<global>`` that are true or false."""


def read_looks(source: Source) -> Iterator[tuple[str, str]]:
    """Yield what ``<statistic>`` and ``<visual>`` state that is not MuJoCo's default.

    Args:
        source: The compiled model.
    """
    if source.lines.tags.isdisjoint(LOOKS_SECTIONS):
        return
    spec, default = source.compiled.spec, source.compiled.default_spec()
    parts = [("statistic", spec.stat, default.stat)]
    groups = {name.rstrip("_"): name for name in dir(default.visual) if name[0] != "_"}
    for name, field in groups.items():
        group = getattr(spec.visual, field), getattr(default.visual, field)
        parts.append((f"visual/{name}", *group))
    for path, stated, unstated in parts:
        for key in (key for key in dir(unstated) if key.isalpha()):
            value = getattr(stated, key)
            is_stated = not np.array_equal(value, getattr(unstated, key), equal_nan=True)
            if is_stated and f"{path}/{key}" != "statistic/meaninertia":
                yield f"{path}/{key}", _looks_text(key, value)


def _looks_text(key: str, value: Any) -> str:
    if key in _SWITCHES and np.ndim(value) == 0:
        return "true" if value else "false"
    return text_of([single(number) for number in np.ravel(value).tolist()])


def report_warnings(source: Source) -> None:
    """Report the warnings of MuJoCo's compiler."""
    for message in dict.fromkeys(source.compiled.warnings):
        where = Where(source.file)
        source.diagnostics.add(codes.WARNING, where, message=message)


SOLREF, SOLIMP = [0.02, 1.0], [0.9, 0.95, 0.001, 0.5, 2.0]
"""MuJoCo's defaults."""
FRICTION = [1.0, 0.005, 0.0001]
"""MuJoCo's sliding [-], torsional [m] and rolling [m] friction."""
_BALL = 1
_SINGLE = struct.Struct("f")
_PLAIN = frozenset({0.0, 0.5, 1.0})
"""Numbers that are the same in single precision."""
Numbers = float | list[float]
_NUMBER = (int, float)


def text_of(values: ArrayLike) -> str:
    """Return numbers as text, each as the shortest decimal of a double."""
    if isinstance(values, _NUMBER):
        return _kept_decimal(values) if values else _decimal(values)
    if not isinstance(values, list):
        values = np.ravel(np.asarray(values, dtype=np.float64)).tolist()
    return " ".join([_kept_decimal(value) if value else _decimal(value) for value in values])


def _decimal(value: float) -> str:
    """Return a number as the shortest decimal of a double."""
    return repr(float(value)).removesuffix(".0")


_kept_decimal = lru_cache(maxsize=256)(_decimal)
"""Return the same of a number that is not zero, since zeros of both signs are equal; two of three
numbers repeat."""


def single(value: float) -> float:
    """Return the shortest decimal of a number in single precision, in which MuJoCo has looks."""
    return value if value in _PLAIN else _shortest(value)


@lru_cache(maxsize=1024)
def _shortest(value: float) -> float:
    short = float(f"{value:.6g}")  # single precision tells all decimals of six digits apart
    return (
        short if _SINGLE.unpack(_SINGLE.pack(short))[0] == value else float(str(np.float32(value)))
    )


def unless(name: str, values: Numbers, default: Numbers) -> Settings:
    """Return an attribute, or nothing if its value is the default.

    Args:
        name: Name of the attribute.
        values: Its value: a number, or a list.
        default: MuJoCo's default, likewise.
    """
    return () if values == default else ((name, text_of(values)),)


def solver(solref: list[float], solimp: list[float], suffix: str = "") -> Settings:
    """Return the attributes of the softness of a constraint that are not the default.

    Args:
        solref: Reference, two numbers.
        solimp: Impedance, five numbers.
        suffix: End of the names of the attributes.
    """
    if solref == SOLREF and solimp == SOLIMP:
        return ()
    short = solimp[:3] if solimp[3:] == SOLIMP[3:] else solimp
    return (
        *unless(f"solref{suffix}", solref, SOLREF),
        *unless(f"solimp{suffix}", short, SOLIMP[:3]),
    )


def with_polynomial(name: str, linear: float, higher: list[float]) -> Settings:
    """Return the coefficients of a force that is no linear function.

    Args:
        name: Name of the attribute.
        linear: The linear coefficient.
        higher: The further ones.
    """
    return ((name, text_of([linear, *higher])),) if any(higher) else ()


def joint_settings(j: int, model: Any) -> Settings:
    """Return the further settings of a joint."""
    dof, kind = model.jnt_dofadr[j], model.jnt_type[j]
    found: list[tuple[str, str]] = []
    if kind > _BALL and model.qpos0[model.jnt_qposadr[j]]:
        found.append(("ref", text_of(model.qpos0[model.jnt_qposadr[j]])))
    if model.jnt_margin[j]:
        found.append(("margin", text_of(model.jnt_margin[j])))
    if model.jnt_limited[j]:
        found += solver(model.jnt_solref[j], model.jnt_solimp[j], "limit")
    if model.dof_frictionloss[dof]:
        found += solver(model.dof_solref[dof], model.dof_solimp[dof], "friction")
    if model.jnt_actfrclimited[j] and model.jnt_actfrcrange[j][0] != -model.jnt_actfrcrange[j][1]:
        found.append(("actuatorfrcrange", text_of(model.jnt_actfrcrange[j])))
    if model.jnt_actgravcomp[j]:
        found.append(("actuatorgravcomp", "true"))
    if kind == _BALL and model.jnt_limited[j]:
        found += (("limited", "true"), ("range", text_of(model.jnt_range[j])))
    damping, stiffness = (
        row_of(model, "dof_dampingpoly", dof),
        row_of(model, "jnt_stiffnesspoly", j),
    )
    if any(damping):
        found += with_polynomial("damping", model.dof_damping[dof], damping)
    if any(stiffness):
        found += with_polynomial("stiffness", model.jnt_stiffness[j], stiffness)
    return tuple(found)


def row_of(model: Any, name: str, index: int) -> list[float]:
    """Return a row of an array that older versions of MuJoCo lack; empty if there is no such array.

    Args:
        model: The compiled model.
        name: Name of the array.
        index: Index of the row.
    """
    array = getattr(model, name, None)
    if array is None:
        return []
    row = array[index]
    return row if isinstance(row, list) else [row]


def tendon_settings(t: int, model: Any) -> Settings:
    """Return the further settings of a tendon."""
    found = [*unless("margin", model.tendon_margin[t], 0.0)]
    if model.tendon_limited[t]:
        found += solver(model.tendon_solref_lim[t], model.tendon_solimp_lim[t], "limit")
    if model.tendon_frictionloss[t]:
        found += solver(model.tendon_solref_fri[t], model.tendon_solimp_fri[t], "friction")
    if model.tendon_actfrclimited[t]:
        found.append(("actuatorfrcrange", text_of(model.tendon_actfrcrange[t])))
    damping, stiffness = model.tendon_damping[t], model.tendon_stiffness[t]
    found += with_polynomial("damping", damping, row_of(model, "tendon_dampingpoly", t))
    found += with_polynomial("stiffness", stiffness, row_of(model, "tendon_stiffnesspoly", t))
    return tuple(found)


def _fluid_shape(fluid: list[float]) -> Settings:
    """Return the settings of a geom on which a fluid acts as on an ellipsoid."""
    if fluid[0] <= 0.0:
        return ()
    return ("fluidshape", "ellipsoid"), ("fluidcoef", text_of(fluid[1:6]))


def _surface_effects(kind: str, i: int, model: Any) -> Settings:
    """Return adhesion and the velocity of a surface, which older versions of MuJoCo do not have."""
    arrays = ((name, getattr(model, f"{kind}_{name}", None)) for name in ("adhesion", "surfacevel"))
    stated = ((name, array[i]) for name, array in arrays if array is not None)
    return tuple((name, text_of(values)) for name, values in stated if np.any(values))


def geom_effects(g: int, model: Any) -> Settings:
    """Return the adhesion of a geom and the velocity of its surface.

    Args:
        g: Index of the geom.
        model: The compiled model.
    """
    return _surface_effects("geom", g, model) if has_effects(model) else ()


def has_effects(model: Any) -> bool:
    """Return whether the surface of a geom has adhesion or a velocity."""
    return bool(getattr(model, "flg_adhesion", False) or getattr(model, "flg_surfacevel", False))


def pair_effects(i: int, model: Any) -> Settings:
    """Return the adhesion of a contact pair.

    Args:
        i: Index of the pair.
        model: The compiled model.
    """
    return _surface_effects("pair", i, model)


def contact_settings(g: int, model: Rows) -> Settings:
    """Return the settings of the contacts of a geom; the first number of ``friction`` is a field of
    the scene.
    """
    found = [
        *unless("condim", model.geom_condim[g], 3),
        *unless("friction", [1.0, *model.geom_friction[g][1:]], FRICTION),
        *unless("priority", model.geom_priority[g], 0),
        *solver(model.geom_solref[g], model.geom_solimp[g]),
        *unless("solmix", model.geom_solmix[g], 1.0),
        *unless("margin", model.geom_margin[g], 0.0),
        *unless("gap", model.geom_gap[g], 0.0),
        *(_fluid_shape(model.geom_fluid[g]) if model.has("geom_fluid") else ()),
        *geom_effects(g, model),
    ]
    return tuple(found)


_WORDS = {
    "integrator": ("Euler", "RK4", "implicit", "implicitfast", "discrete"),
    "cone": ("pyramidal", "elliptic"),
    "jacobian": ("dense", "sparse", "auto"),
    "solver": ("PGS", "CG", "Newton"),
}
"""Words of the options that are one of several, by number."""
_GROUPS = "disableactuator"
"""MuJoCo's field of the groups of actuators that are switched off, one bit for each."""
_FLAGS = frozenset({"disableflags", "enableflags"})


def is_merged(source: Source) -> bool:
    """Return whether a model has attached ones.

    Args:
        source: The compiled model.
    """
    return "attach" in source.lines.tags


def merged_settings(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the options and flags of the compiled model that are not MuJoCo's default, as in its
    text.

    Args:
        source: The compiled model.
    """
    compiled = source.compiled
    option, default = compiled.model.opt, compiled.default_options()
    for name in dir(default):
        if not name.startswith("_") and name not in _FIELDS | _FLAGS:
            value = getattr(option, name)
            if not np.array_equal(value, getattr(default, name)):
                yield _setting(name, value)
    yield from ((f"flag/{name}", "disable") for name in compiled.disabled if name != "gravity")
    yield from ((f"flag/{name}", "enable") for name in compiled.enabled)


def _setting(name: str, value: Any) -> tuple[str, str]:
    if name == _GROUPS:
        return "option/actuatorgroupdisable", " ".join(
            str(bit) for bit in range(32) if int(value) >> bit & 1
        )
    text = _WORDS[name][int(value)] if name in _WORDS else text_of(value)
    return f"option/{name}", text

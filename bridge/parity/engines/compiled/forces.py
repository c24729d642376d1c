"""Statements of a compiled MuJoCo model on tendons, equalities, actuators, sensors, soft bodies and keyframes."""

from __future__ import annotations

import numpy as np

from loaders.spatial import Array, Pose, quaternion_to_matrix

from .bodies import Stated
from .geom_forms import NUMBER_OF_SIZES
from .view import View, actuator_numbers, actuator_rows, numbered, numbers

_JOINT, _PULLEY, _SITE, _SPHERE = 1, 2, 3, 4
"""MuJoCo's types of parts of tendons; what is beyond is a cylinder."""
_DATA = {"joint": slice(5), "tendon": slice(5), "flexstrain": slice(3), "weld": slice(10, 11)}
"""The numbers of an equality that no point or frame shows, by its kind."""
_TARGETS = {0: "joint", 1: "joint", 2: "site", 3: "tendon", 4: "site", 5: "body", 6: "joint"}
"""Kind of what an actuator drives, by the type of its transmission."""
_SENSOR = ("datatype", "needstage", "dim", "intprm", "cutoff", "noise", "delay", "interval", "history")
_OF_REGIONS = frozenset({"touch", "insidesite", "contact"})
"""Sensors that measure within the shape of a site."""
_FLEX = (
    "dim", "interp", "contype", "conaffinity", "condim", "priority", "solmix", "solref", "solimp", "friction",
    "margin", "gap", "internal", "passive", "selfcollide", "activelayers", "edgestiffness", "edgedamping", "radius",
    "damping", "size", "rigid", "cellnum", "edgeequality", "flatskin", "rgba",
)  # fmt: skip
_FLEX_DATA = ("flex_stiffness", "flex_bending", "flex_vert", "flex_vert0", "flex_node0", "flexedge_length0")
_COMPARED = frozenset({"gravity", "timestep"})
"""Options that are quantities of their own."""
_TOLERANCE = 1e-8
"""The unit of tolerances, which would be too small to be told apart."""
_GRAVITY_OFF = 1 << 7
"""MuJoCo's ``mjDSBL_GRAVITY``; a scene states no gravity in its place."""


def tendons(view: View) -> Stated:
    """Yield the path of each tendon, its springs, and the settings of friction and stops if it has them.

    Args:
        view: The compiled model.
    """
    model = view.model
    for t in range(model.ntendon):
        first, name = int(model.tendon_adr[t]), view.name_of("tendon", t) or ""
        parts = [_part(k, view) for k in range(first, first + int(model.tendon_num[t]))]
        found = [numbers(model, t, "tendon_stiffness", "tendon_stiffnesspoly", "tendon_damping", "tendon_dampingpoly")]
        if numbers(model, t, "tendon_stiffness", "tendon_stiffnesspoly").any():
            found.append(model.tendon_lengthspring[t])
        if model.tendon_frictionloss[t]:
            found.append(numbers(model, t, "tendon_frictionloss", "tendon_solref_fri", "tendon_solimp_fri"))
        if model.tendon_limited[t]:
            found.append(numbers(model, t, "tendon_range", "tendon_margin", "tendon_solref_lim", "tendon_solimp_lim"))
        if model.tendon_actfrclimited[t]:
            found.append(model.tendon_actfrcrange[t])
        label = f"tendon {name} by {', '.join(label for label, _ in parts)}"
        yield label, (name,), np.concatenate([*found, *(data for _, data in parts)])


def _part(k: int, view: View) -> tuple[str, Array]:
    """Return a part of a tendon: its label, and its numbers."""
    model, kind, i = view.model, int(view.model.wrap_type[k]), int(view.model.wrap_objid[k])
    value = float(model.wrap_prm[k])
    if kind == _PULLEY:
        return "pulley", np.array([value])
    if kind == _JOINT:
        return view.joints.get(i, ""), np.array([value])
    if kind == _SITE:
        return view.link(int(model.site_bodyid[i])), model.site_pos[i]
    label, side = (
        f"{'sphere' if kind == _SPHERE else 'cylinder'} of {view.link(int(model.geom_bodyid[i]))}",
        np.empty(0),
    )
    if value >= 0.0:
        site = round(value)
        label, side = f"{label} beside {view.link(int(model.site_bodyid[site]))}", model.site_pos[site]
    return label, np.concatenate([view.pose("geom", i), model.geom_size[i][:1], side])  # wraps as if it had no ends


def equalities(view: View) -> Stated:
    """Yield the settings of each equality, in the order of each kind and what it holds.

    Args:
        view: The compiled model.
    """
    model, labels, found = view.model, [], []
    for k in range(model.neq):
        kind = view.kinds["mjtEq"][int(model.eq_type[k])]
        ends = [_end(kind, int(end[k]), k, view) for end in (model.eq_obj1id, model.eq_obj2id)]
        labels.append(f"equality {kind} of {', '.join(filter(None, ends))}")
        data = model.eq_data[k][_DATA[kind]] if kind in _DATA else np.empty(0)
        held = held_frames(kind, k, view) if kind in {"connect", "weld"} else np.empty(0)
        found.append(np.concatenate([numbers(model, k, "eq_active0", "eq_solref", "eq_solimp"), data, held]))
    for label, numbers_of in zip(numbered(labels), found, strict=True):
        yield label, (), numbers_of


def held_frames(kind: str, k: int, view: View) -> Array:
    """Return what an equality holds together: the points in both bodies, or the point in body 2, and body 2 in body 1.

    Args:
        kind: ``connect`` or ``weld``.
        k: The equality.
        view: The compiled model.
    """
    model, data = view.model, view.model.eq_data[k]
    if view.kinds["mjtObj"][int(model.eq_objtype[k])] == "site":
        one, two = (_site(int(end[k]), view) for end in (model.eq_obj1id, model.eq_obj2id))
    elif kind == "connect":
        one, two = Pose.of(p=data[:3]), Pose.of(p=data[3:6])
    else:
        one, two = Pose.of(quaternion_to_matrix(data[6:10]), data[3:6]), Pose.of(p=data[:3])
    if kind == "connect":
        return np.concatenate([one.p, two.p])
    X_12 = one @ two.inverse()
    return np.concatenate([two.p, X_12.p, X_12.R.ravel()])


def _site(i: int, view: View) -> Pose:
    return Pose.of(quaternion_to_matrix(view.model.site_quat[i]), view.model.site_pos[i])


def _end(kind: str, i: int, k: int, view: View) -> str:
    model = view.model
    if kind in {"connect", "weld"}:
        is_site = view.kinds["mjtObj"][int(model.eq_objtype[k])] == "site"
        return view.link(int(model.site_bodyid[i]) if is_site else i)
    if i < 0:
        return ""
    if kind == "joint":
        return view.joints.get(i, "")
    return view.name_of("tendon" if kind == "tendon" else "flex", i) or ""


def actuators(view: View) -> Stated:
    """Yield what each actuator drives, and the settings that are no part of its law.

    Args:
        view: The compiled model.
    """
    model = view.model
    kinds = {word: number for number, word in view.kinds["mjtObj"].items()}
    for i, kind in enumerate(model.actuator_trntype.tolist()):
        name = view.name_of("actuator", i)
        if name is None or kind not in _TARGETS:
            continue
        items = [view.item(kinds[_TARGETS[kind]], int(target)) for target in model.actuator_trnid[i]]
        items = items if _TARGETS[kind] == "site" else items[:1]
        settings = [actuator_numbers(model, i, "actearly", "group", "lengthrange", "cranklength")]
        for row in actuator_rows(model, i, "ctrlrange"):
            is_limited = bool(model.actuator_ctrllimited[row])
            settings.append(np.append(model.actuator_ctrlrange[row] * is_limited, is_limited))
        label = f"actuator {name} on {', '.join(filter(None, (label for label, _ in items)))}"
        yield label, (name,), np.concatenate([*settings, *(data for _, data in items)])


def sensors(view: View) -> Stated:
    """Yield what each sensor measures, and its settings.

    Args:
        view: The compiled model.
    """
    model, labels, found, names = view.model, [], [], []
    for i in range(model.nsensor):
        name = view.name_of("sensor", i)
        if name is not None:
            one = view.item(int(model.sensor_objtype[i]), int(model.sensor_objid[i]))
            two = view.item(int(model.sensor_reftype[i]), int(model.sensor_refid[i]))
            kind = view.kinds["mjtSensor"][int(model.sensor_type[i])]
            labels.append(f"sensor {' '.join(filter(None, (kind, one[0], two[0])))}")
            settings = numbers(model, i, *(f"sensor_{field}" for field in _SENSOR))
            found.append(np.concatenate([settings, one[1], two[1], _region(kind, i, view)]))
            names.append(name)
    for label, name, settings in zip(numbered(labels), names, found, strict=True):
        yield label, (name,), settings


def _region(kind: str, i: int, view: View) -> Array:
    """Return type and size of the site within which a sensor measures; nothing for other sensors."""
    model = view.model
    ends = ((model.sensor_objtype[i], model.sensor_objid[i]), (model.sensor_reftype[i], model.sensor_refid[i]))
    sites = [int(index) for number, index in ends if view.kinds["mjtObj"].get(int(number)) == "site"]
    if kind not in _OF_REGIONS or not sites:
        return np.empty(0)
    shape = int(model.site_type[sites[0]])
    return np.array([shape, *model.site_size[sites[0]][: NUMBER_OF_SIZES.get(shape, 3)]])


def soft_bodies(view: View) -> Stated:
    """Yield the settings of each soft body, and the numbers of their elements.

    Args:
        view: The compiled model.
    """
    model = view.model
    for i in range(model.nflex):
        name = view.name_of("flex", i) or ""
        yield f"soft body {name}", (name,), numbers(model, i, *(f"flex_{field}" for field in _FLEX))
    for field in _FLEX_DATA if model.nflex else ():
        if hasattr(model, field):
            yield field, (), np.ravel(getattr(model, field)).astype(np.float64)


def keyframes(view: View) -> Stated:
    """Yield positions, velocities, controls and states of each keyframe.

    Args:
        view: The compiled model.
    """
    model = view.model
    for k in range(model.nkey):
        name = view.name_of("key", k)
        if name is None:
            continue
        yield f"keyframe {name}", (name,), numbers(model, k, "key_qpos", "key_qvel", "key_mpos", "key_mquat")
        for i in range(len(model.actuator_trntype)):
            actuator = view.name_of("actuator", i)
            if actuator is not None:
                first, states = int(model.actuator_actadr[i]), int(model.actuator_actnum[i])
                act = model.key_act[k][first : first + states]
                found = np.concatenate([model.key_ctrl[k][list(actuator_rows(model, i, "ctrlrange"))], act])
                yield f"keyframe {name} of {actuator}", (name, actuator), found


def options(view: View) -> Stated:
    """Yield each option of the simulation.

    Args:
        view: The compiled model.
    """
    option = view.model.opt
    for name in dir(option):
        value = getattr(option, name)
        if name.startswith("_") or callable(value) or name in _COMPARED:
            continue
        value = view.options.get(name, value)
        value = int(value) & ~_GRAVITY_OFF if name == "disableflags" else value
        value = value / _TOLERANCE if name.endswith("tolerance") else value
        yield f"option {name}", (), np.ravel(np.asarray(value, dtype=np.float64))

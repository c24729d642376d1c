"""Overrides: changes of a scene that a TOML file states, by the names of links and joints.

They are applied once, to the scene, and hold in every target. Each change is a finding with the
old value, so that reports name it.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import combinations, product
from pathlib import Path
from typing import Any

from loaders import codes
from loaders.diagnostics import Diagnostics, Where
from loaders.engine_settings import MUJOCO, SETTINGS, with_mujoco_settings
from loaders.files.read_file import read
from loaders.limits import FileError
from loaders.model import (
    WORLD,
    Actuator,
    Collision,
    FilterGroup,
    FilterRule,
    Frame,
    Joint,
    JointType,
    Link,
    Surface,
    by_name,
)
from loaders.pose import Pose, frozen
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR
from loaders.text import WILDCARDS, closest

_DOTS = 1000
"""Dots that a line may have: tomllib takes a time for a key of n parts that grows as n * n."""
_TABLES = ("links", "joints", "exclude", "sites", "options")


class _WrongValueError(Exception):
    """A value is not what its key expects; argument: what that is."""


# --- values ---------------------------------------------------------------------------------------


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise _WrongValueError("a number")
    return float(value)


def _not_negative(value: Any) -> float:
    number = _number(value)
    if number < 0.0:
        raise _WrongValueError("a number that is not negative")
    return number


def _positive(value: Any) -> float:
    number = _number(value)
    if not 0.0 < number < math.inf:
        raise _WrongValueError("a positive number")
    return number


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _WrongValueError("true or false")
    return value


def _vector(value: Any) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != 3:
        raise _WrongValueError("three numbers")
    numbers = tuple(map(_number, value))
    if not all(map(math.isfinite, numbers)):
        raise _WrongValueError("three finite numbers")
    return numbers


def _range(value: Any) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise _WrongValueError("two numbers, the smaller one first")
    lower, upper = map(_number, value)
    if lower > upper:
        raise _WrongValueError("two numbers, the smaller one first")
    return lower, upper


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise _WrongValueError("a text")
    return value


def _shapes(value: Any) -> tuple[str, ...] | str:
    """Return the names of the collisions to keep, or ``none`` or ``visuals``."""
    if value in ("none", "visuals"):
        return str(value)
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise _WrongValueError('"none", "visuals" or a list of names of collisions')


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table for links or joints.

    Attributes:
        field: The field of the scene that it sets.
        read: Function that returns the value of a TOML value; raises if it is another one.
    """

    field: str
    read: Callable[[Any], Any]


AXIS_KEYS: Mapping[str, Key] = {
    "armature": Key("inertia", _not_negative),
    "damping": Key("damping", _not_negative),
    "friction": Key("friction", _not_negative),
    "stiffness": Key("spring_stiffness", _not_negative),
    "reference": Key("spring_reference", _number),
    "lower": Key("lower", _number),
    "upper": Key("upper", _number),
    "effort": Key("effort", _not_negative),
    "velocity": Key("velocity", _not_negative),
    "acceleration": Key("acceleration", _not_negative),
}
"""Keys of a joint that are fields of each of its axes."""
ACTUATOR_KEYS: Mapping[str, Key] = {
    "p_gain": Key("p_gain", _not_negative),
    "d_gain": Key("d_gain", _not_negative),
    "gear_ratio": Key("gear_ratio", _number),
    "rotor_inertia": Key("rotor_inertia", _not_negative),
    "control": Key("control", _range),
}
"""Keys of a joint that are fields of its actuators; a joint without one gets one."""
JOINT_KEYS: Mapping[str, Key] = {"position": Key("default_position", _number)}
"""Keys of a joint that are its own fields."""
FRICTION_KEYS: Mapping[str, Key] = {
    "friction": Key("mu", _not_negative),
    "rolling": Key("rolling", _not_negative),
    "torsional": Key("torsional", _not_negative),
}
"""Keys of a link that are coefficients of friction of its collisions."""
LINK_KEYS: Mapping[str, Key] = {
    "gravity": Key("gravity", _flag),
    "mass": Key("inertia", _positive),
    "collisions": Key("collisions", _shapes),
}
"""Keys of a link that are its own fields."""
OPTION_KEYS: Mapping[str, Key] = {
    "time_step": Key("time_step", _positive),
    "gravity": Key("gravity", _vector),
    "wind": Key("wind", _vector),
}
"""Keys of the table ``options`` beside ``mujoco``."""
_SITE_KEYS: Mapping[str, Key] = {
    "link": Key("link", _word),
    "xyz": Key("xyz", _vector),
    "rpy": Key("rpy", _vector),
}
KEYS: Mapping[str, Mapping[str, Key]] = {
    "links": {**FRICTION_KEYS, **LINK_KEYS},
    "joints": {**AXIS_KEYS, **ACTUATOR_KEYS, **JOINT_KEYS},
    "sites": _SITE_KEYS,
    "options": OPTION_KEYS,
}
"""Keys of each table, by the name of the table."""


# --- application ----------------------------------------------------------------------------------


def with_overrides(scene: Scene, path: Path, diagnostics: Diagnostics) -> Scene:
    """Return the scene with the changes that a TOML file states.

    Args:
        scene: The scene.
        path: The file.
        diagnostics: Record for the findings: each change, and what is wrong.
    """
    try:
        text = read(path, option="side_file_bytes").decode("utf-8-sig")
        document = _tables(text)
    except FileError as error:
        diagnostics.add(error.code, Where(str(path)), hint=error.hint, reason=error.reason)
        return scene
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, digits, depth
        diagnostics.add(codes.OVERRIDES_SYNTAX, Where(str(path)), reason=str(error))
        return scene
    return with_override_tables(scene, document, diagnostics, str(path), text)


def _tables(text: str) -> dict[str, Any]:
    if any(line.count(".") > _DOTS for line in text.splitlines()):
        raise ValueError(f"a line has more than {_DOTS} dots")
    return tomllib.loads(text)


def with_override_tables(
    scene: Scene,
    document: Mapping[str, Any],
    diagnostics: Diagnostics,
    file: str = "",
    text: str = "",
) -> Scene:
    """Return the scene with the changes that the tables of a file of overrides state.

    Args:
        scene: The scene.
        document: The tables by name.
        diagnostics: Record for the findings: each change, and what is wrong.
        file: The file that has the tables.
        text: Its text, in which the places of findings are looked up.
    """
    overrides = _Overrides(file, text, diagnostics)
    for table in document:
        if table not in _TABLES:
            overrides.report_key("the file", table, _TABLES)
    scene = _with_links(scene, overrides.tables(document, "links"), overrides)
    scene = _with_joints(scene, overrides.tables(document, "joints"), overrides)
    scene = _with_pairs(scene, document.get("exclude", []), overrides)
    taken = {*by_name(scene.links), *by_name(scene.frames)}
    sites = _sites(scene, overrides.tables(document, "sites"), taken, overrides)
    scene = dataclasses.replace(scene, frames=(*scene.frames, *sites))
    return _with_options(scene, document.get("options", {}), overrides)


@dataclass(frozen=True, slots=True)
class _Overrides:
    """One file of overrides."""

    file: str
    text: str
    diagnostics: Diagnostics
    table: str = ""
    """Name of the table that is read."""

    def at(self, table: str) -> _Overrides:
        """Return the same overrides while one of their tables is read."""
        return dataclasses.replace(self, table=table)

    def where(self, word: str) -> Where:
        """Return the place of the first line that has a word, in the table that is read or after
        it.
        """
        table = max(self.text.find(self.table), 0)
        at = self.text.find(word, self.text.rfind("\n", 0, table) + 1)
        return Where(self.file, self.text.count("\n", 0, at) + 1 if at >= 0 else 0)

    def report_key(self, owner: str, key: str, known: Iterable[str]) -> None:
        """Report a key that a table does not have."""
        names = tuple(known)
        close = closest(key, names)
        hint = f"did you mean {close}?" if close else f"use one of: {', '.join(names)}"
        self.diagnostics.add(codes.OVERRIDES_KEY, self.where(key), hint=hint, key=key, owner=owner)

    def report_value(self, owner: str, key: str, value: Any, expected: str) -> None:
        """Report a value that a key does not take."""
        self.diagnostics.add(
            codes.OVERRIDES_VALUE,
            self.where(key),
            key=key,
            owner=owner,
            value=repr(value),
            expected=expected,
        )

    def tables(self, document: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
        """Return the tables of a kind, with their values read, by the name of their item."""
        given = document.get(name, {})
        if not isinstance(given, dict):
            self.report_value("the file", name, given, "a table")
            return {}
        return {
            item: self.at(item).values(f"{name}.{item}", table, KEYS[name])
            for item, table in given.items()
        }

    def values(self, owner: str, table: Any, keys: Mapping[str, Key]) -> dict[str, Any]:
        """Return the values of a table by key; report the others."""
        if not isinstance(table, dict):
            self.report_value("the file", owner, table, "a table")
            return {}
        values = {}
        for key, value in table.items():
            if key not in keys:
                self.report_key(owner, key, keys)
                continue
            try:
                values[key] = keys[key].read(value)
            except _WrongValueError as error:
                self.report_value(owner, key, value, str(error))
        return values

    def matches(self, kind: str, name: str, known: Mapping[str, object]) -> list[str]:
        """Return the names that a name or a pattern means; report one that means none."""
        found = [name] if name in known else []
        if not found and WILDCARDS & set(name):
            found = [other for other in known if fnmatchcase(other, name)]
        if not found:
            close = closest(name, known)
            hint = f"did you mean {close}?" if close else "correct the name or the pattern"
            self.diagnostics.add(
                codes.OVERRIDES_NAME, self.where(name), hint=hint, kind=kind, name=name
            )
        return found

    def report(self, subject: str, key: str, old: Any, new: Any) -> None:
        """Record one change."""
        self.diagnostics.add(
            codes.OVERRIDES_APPLIED,
            self.where(key),
            subjects=(subject,) if subject else (),
            item=subject or "the scene",
            key=key,
            old=_text(old),
            new=_text(new),
        )


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str | bool | int) or value is None:
        return str(value)
    return " ".join(map(_text, value)) or "nothing"


# --- links ----------------------------------------------------------------------------------------


def _with_links(scene: Scene, tables: Mapping[str, dict[str, Any]], overrides: _Overrides) -> Scene:
    links = {link.name: link for link in scene.links}
    for pattern, values in tables.items():
        for name in overrides.matches("link", pattern, links):
            for key, value in values.items():
                links[name] = _changed_link(links[name], key, value, overrides.at(pattern))
    return dataclasses.replace(scene, links=tuple(links.values()))


def _changed_link(link: Link, key: str, value: Any, overrides: _Overrides) -> Link:
    if key == "collisions":
        collisions = _chosen_collisions(link, value, overrides)
        before = [shape.name for shape in link.collisions]
        overrides.report(link.name, key, before, [shape.name for shape in collisions])
        return dataclasses.replace(link, collisions=collisions)
    if key == "mass":
        if link.inertia is None:
            overrides.report_value(f"link {link.name}", key, value, "a link with an inertia")
            return link
        overrides.report(link.name, key, link.inertia.mass, value)
        heavier = dataclasses.replace(link.inertia, mass=value)
        return dataclasses.replace(link, inertia=heavier)
    if key in LINK_KEYS:
        overrides.report(link.name, key, getattr(link, LINK_KEYS[key].field), value)
        return dataclasses.replace(link, **{LINK_KEYS[key].field: value})
    if not link.collisions:
        return link
    name = FRICTION_KEYS[key].field
    fields: dict[str, Any] = {name: value} | ({"mu2": value} if name == "mu" else {})
    old = dict.fromkeys(getattr(shape.surface.friction, name) for shape in link.collisions)
    overrides.report(link.name, key, tuple(old), value)
    return dataclasses.replace(
        link, collisions=tuple(_with_friction(shape, fields) for shape in link.collisions)
    )


def _with_friction(collision: Collision, fields: dict[str, Any]) -> Collision:
    friction = dataclasses.replace(collision.surface.friction, **fields)
    surface = dataclasses.replace(collision.surface, friction=friction)
    return dataclasses.replace(collision, surface=surface)


def _chosen_collisions(
    link: Link, choice: tuple[str, ...] | str, overrides: _Overrides
) -> tuple[Collision, ...]:
    """Return the collisions of a link that a choice keeps, or its visuals as collisions."""
    if choice == "none":
        return ()
    if choice == "visuals":
        surface = link.collisions[0].surface if link.collisions else Surface()
        return tuple(
            Collision(
                name=visual.name,
                X_LG=visual.X_LG,
                geometry=visual.geometry,
                surface=surface,
                where=visual.where,
            )
            for visual in link.visuals
        )
    names = by_name(link.collisions)
    kept = {
        name
        for pattern in choice
        for name in overrides.matches(f"collision of {link.name}", pattern, names)
    }
    return tuple(shape for shape in link.collisions if shape.name in kept)


# --- joints ---------------------------------------------------------------------------------------


def _with_joints(
    scene: Scene, tables: Mapping[str, dict[str, Any]], overrides: _Overrides
) -> Scene:
    joints = {joint.name: joint for joint in scene.joints}
    actuators = list(scene.actuators)
    for pattern, values in tables.items():
        for name in overrides.matches("joint", pattern, joints):
            for key, value in values.items():
                table = overrides.at(pattern)
                if key in ACTUATOR_KEYS:
                    actuators = _driven(joints[name], actuators, key, value, table)
                    continue
                joints[name] = _changed_joint(joints[name], key, value, table)
                if key == "effort":
                    actuators = [
                        dataclasses.replace(actuator, effort=value)
                        if actuator.joint == name
                        else actuator
                        for actuator in actuators
                    ]
    return dataclasses.replace(scene, joints=tuple(joints.values()), actuators=tuple(actuators))


def _changed_joint(joint: Joint, key: str, value: Any, overrides: _Overrides) -> Joint:
    if not joint.axes:
        overrides.report_value(f"joint {joint.name}", key, value, "a joint with an axis")
        return joint
    if key == "position":
        overrides.report(joint.name, key, joint.default_position or 0.0, value)
        return dataclasses.replace(joint, default_position=(value,) * len(joint.axes))
    name = AXIS_KEYS[key].field
    old = tuple(dict.fromkeys(getattr(axis, name) for axis in joint.axes))
    overrides.report(joint.name, key, old, value)
    axes = tuple(dataclasses.replace(axis, **{name: value}) for axis in joint.axes)
    is_limited = joint.type is JointType.CONTINUOUS and key in {"lower", "upper"}
    kind = JointType.REVOLUTE if is_limited else joint.type
    return dataclasses.replace(joint, type=kind, axes=axes)


def _driven(
    joint: Joint, actuators: list[Actuator], key: str, value: Any, overrides: _Overrides
) -> list[Actuator]:
    """Return the actuators with a field of those of a joint changed; a joint without one gets
    one.
    """
    own = [actuator for actuator in actuators if actuator.joint == joint.name]
    if any(actuator.engine_settings for actuator in own):
        expected = "an actuator without a law of its own in the source"
        overrides.report_value(f"joint {joint.name}", key, value, expected)
        return actuators
    if not own and len(joint.axes) == 1:
        effort = joint.axes[0].effort
        own = [Actuator(name=joint.name, joint=joint.name, effort=effort, where=joint.where)]
        actuators = actuators + own
    if not own:
        overrides.report_value(f"joint {joint.name}", key, value, "a joint with one axis")
    name = ACTUATOR_KEYS[key].field
    for actuator in own:
        overrides.report(joint.name, key, getattr(actuator, name), value)
    return [
        dataclasses.replace(actuator, **{name: value}) if actuator.joint == joint.name else actuator
        for actuator in actuators
    ]


# --- pairs, sites and options ---------------------------------------------------------------------


def _with_pairs(scene: Scene, pairs: Any, overrides: _Overrides) -> Scene:
    """Return the scene in which the pairs of links in a list never collide."""
    expected = 'a list of pairs of links, such as [["hand", "finger_*"]]'
    if not isinstance(pairs, list) or not all(map(_is_pair, pairs)):
        overrides.report_value("the file", "exclude", pairs, expected)
        return scene
    names = by_name(scene.links)
    found: dict[tuple[str, str], None] = {}
    for first, second in pairs:
        of_first, of_second = (overrides.matches("link", name, names) for name in (first, second))
        n, m = len(of_first), len(of_second)
        overrides.diagnostics.spend("pairs", n * (n - 1) // 2 if first == second else n * m)
        both = combinations(of_first, 2) if first == second else product(of_first, of_second)
        found |= dict.fromkeys((min(a, b), max(a, b)) for a, b in both if a != b)
    for a, b in found:
        overrides.report(a, "exclude", "collides", f"never collides with {b}")
    where = overrides.where("exclude")
    members = dict.fromkeys(name for pair in found for name in pair)
    groups = (FilterGroup(name=_group(name), links=(name,), where=where) for name in members)
    rules = (FilterRule(a=_group(a), b=_group(b), where=where) for a, b in found)
    return dataclasses.replace(
        scene,
        filter_groups=(*scene.filter_groups, *groups),
        filter_rules=(*scene.filter_rules, *rules),
    )


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)


def _group(link: str) -> str:
    return f"overrides{SEPARATOR}{link}"


def _sites(
    scene: Scene, tables: Mapping[str, dict[str, Any]], taken: set[str], overrides: _Overrides
) -> Iterator[Frame]:
    links = {WORLD: None, **by_name(scene.links)}
    zero = (0.0, 0.0, 0.0)
    for name, values in tables.items():
        if name in taken or "link" not in values:
            expected = "a new name" if name in taken else 'a table with "link"'
            overrides.report_value("sites", name, values, expected)
            continue
        for link in overrides.matches("link", values["link"], links)[:1]:
            overrides.report(name, name, "nothing", f"a frame of {link}")
            X_LF = Pose.from_xyz_rpy(values.get("xyz", zero), values.get("rpy", zero))
            yield Frame(name=name, link=link, X_LF=X_LF, where=overrides.where(name))


def _with_options(scene: Scene, options: Any, overrides: _Overrides) -> Scene:
    if not isinstance(options, dict):
        overrides.report_value("the file", "options", options, "a table")
        return scene
    plain = {key: value for key, value in options.items() if key != MUJOCO}
    for key, value in overrides.values("options", plain, OPTION_KEYS).items():
        if key == "time_step":
            overrides.report("", key, scene.physics.time_step, value)
            scene = dataclasses.replace(
                scene, physics=dataclasses.replace(scene.physics, time_step=value)
            )
        else:
            overrides.report("", key, getattr(scene, key).tolist(), value)
            changed: dict[str, Any] = {key: frozen(value)}
            scene = dataclasses.replace(scene, **changed)
    settings = dict(_mujoco_settings(options.get(MUJOCO, {}), overrides))
    before, overrides = dict(scene.physics.parameters), overrides.at(MUJOCO)
    for path, text in settings.items():
        overrides.report("", path.partition("/")[2], before.get(path, "not stated"), text)
    return dataclasses.replace(scene, physics=with_mujoco_settings(scene.physics, settings))


def _mujoco_settings(table: Any, overrides: _Overrides) -> Iterator[tuple[str, str]]:
    """Yield the settings of MuJoCo in ``options.mujoco``, and its flags in
    ``options.mujoco.flag``.
    """
    if not isinstance(table, dict):
        overrides.report_value("options", MUJOCO, table, "a table")
        return
    flags = table.get("flag", {})
    stated = {f"option/{key}": value for key, value in table.items() if key != "flag"}
    stated |= {f"flag/{key}": value for key, value in flags.items()}
    for path, value in stated.items():
        section, _, name = path.partition("/")
        if path not in SETTINGS:
            known = [key.partition("/")[2] for key in SETTINGS if key.startswith(f"{section}/")]
            overrides.report_key(f"options.{MUJOCO}", name, known)
        elif isinstance(value, list):
            yield path, " ".join(map(str, value))
        else:
            yield path, str(value).lower() if isinstance(value, bool) else str(value)

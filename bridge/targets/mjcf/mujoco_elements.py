"""Elements that only MuJoCo has, as the source states them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from bridge.targets.mjcf import codes
from loaders.engine_settings import MUJOCO, ROS2_CONTROL, named_kind
from loaders.model import WORLD, EngineElement
from loaders.scoped_names import SEPARATOR

from .context import MjcfContext, MjcfElement
from .ros2_control import is_for_ros2_control


def write_mujoco_elements(
    geom_names: Mapping[tuple[str, str], tuple[str, ...]], context: MjcfContext
) -> None:
    """Write each element, unless what it names is not in the document.

    Args:
        geom_names: Names of the geoms of each collision, by link and collision.
        context: The export.
    """
    elements = [
        element
        for element in context.mechanism.scene.engine_elements
        if element.engine != ROS2_CONTROL or not is_for_ros2_control(context)
    ]
    if not elements:
        return
    counts = Counter(collision for _, collision in geom_names)
    parts = {
        collision: names[0]
        for (_, collision), names in geom_names.items()
        if names and counts[collision] == 1
    }
    written = _named(context)
    cameras = [name for tag, name in written if tag == "camera"]
    alone = Counter(name.rpartition(SEPARATOR)[2] for name in cameras)
    parts |= {
        name.rpartition(SEPARATOR)[2]: name
        for name in cameras
        if alone[name.rpartition(SEPARATOR)[2]] == 1
    }
    known = {
        WORLD,
        *(name for _, name in written),
        *(e.name for e in elements if e.section == "deformable"),
    }
    for element in elements:
        stated = [
            (key, _name(named_kind(key, element.settings), name, parts, context))
            for key, name in element.references
        ]
        missing = tuple(dict.fromkeys(name for _, name in stated if name not in known))
        is_known = element.engine == MUJOCO and element.section in _SECTIONS
        if missing or not is_known:
            reason = f"MJCF has no {', '.join(missing)}" if missing else "MJCF has no such section"
            if element.engine == ROS2_CONTROL:
                reason = 'it is for mujoco_ros2_control, and written with program="ros2_control"'
            _report(element, missing, reason, context)
        elif _measures_a_limit(element) and not any(
            _is_limited(written, name) for _, name in stated
        ):
            subjects = tuple(name for _, name in stated)
            _report(element, subjects, f"{', '.join(subjects)} has no limits", context)
        else:
            _write(element, stated, written, context)


_NUMBERED = re.compile(r"_*(equality|sensor)_\d+")
"""Names that the reader of MJCF gives to elements without a name."""
_SECTIONS = ("deformable", "equality", "sensor")


def _name(kind: str, name: str, parts: Mapping[str, str], context: MjcfContext) -> str:
    """Return the name in the document of what an element names."""
    if kind == "part":
        return parts.get(name, name)
    return context.names.changed.get(name, name)


def _named(context: MjcfContext) -> dict[tuple[str, str], MjcfElement]:
    """Return all elements of the document that a name may mean, by tag and name."""
    sections = (context.document[tag] for tag in ("worldbody", "tendon", "actuator"))
    elements = [
        element for root in (*context.document.bodies, *sections) for element in root.walk()
    ]
    return {(element.tag, element.attributes.get("name", "")): element for element in elements}


def _measures_a_limit(element: EngineElement) -> bool:
    return element.section == "sensor" and element.tag.startswith(("jointlimit", "tendonlimit"))


def _is_limited(elements: Mapping[tuple[str, str], MjcfElement], name: str) -> bool:
    """Return whether a joint or a tendon of the document has limits."""
    found = (elements.get((tag, name)) for tag in ("joint", "fixed", "spatial"))
    return any(
        e is not None and "range" in e.attributes and e.attributes.get("limited") != "false"
        for e in found
    )


def _write(
    element: EngineElement,
    references: list[tuple[str, str]],
    known: Mapping[tuple[str, str], MjcfElement],
    context: MjcfContext,
) -> None:
    name = context.names.claim(
        element.tag if element.section == "deformable" else element.section, element.name
    )
    if name != element.name:
        context.names.changed.setdefault(element.name, name)
    is_named = element.section == "deformable" or _NUMBERED.fullmatch(element.name) is None
    written = context.document[element.section].add(element.tag, name=name if is_named else None)
    written.is_stated = True
    by_key: dict[str, list[str]] = defaultdict(list)
    for key, item in references:
        by_key[key].append(item)
    settings = dict(element.settings)
    written.set(objtype=settings.pop("objtype", None))
    written.set(**{key: " ".join(items) for key, items in by_key.items()})
    for path, text in settings.items():
        tag, _, attribute = path.rpartition("/")
        target = known[tag, by_key[tag][0]] if tag in by_key else _child(written, tag)
        target.set(**{attribute: text})


def _child(element: MjcfElement, tag: str) -> MjcfElement:
    """Return the first element in another one with a tag, new if there is none; the other one
    itself for no tag.
    """
    if not tag:
        return element
    found = [child for child in element.children if child.tag == tag]
    return found[0] if found else element.add(tag)


def _report(
    element: EngineElement, subjects: tuple[str, ...], reason: str, context: MjcfContext
) -> None:
    context.report(
        codes.MUJOCO_ELEMENT,
        element.where,
        subjects=(element.name, *subjects),
        section=element.section,
        element=element.name,
        tag=element.tag,
        reason=reason,
    )

"""Faults in the document from which PyBullet loads a body, which its calls do not change in a
running one.

The body that runs has the fault; the handle, and all that the comparison computes from the model,
do not know of it.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
from lxml import etree

from bridge.mechanism.bodies import PrimitiveKind
from bridge.parity.engine import moving_links
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.targets.numbers import roll_pitch_yaw
from bridge.targets.pybullet.state import pose_from
from loaders.pose import rotation_about
from tests.support.mujoco_faults import Fault, Plant

Element = Any
"""An element of lxml."""
Edit = Callable[[Element], bool | None]
"""Changes an element; returns False if it has no place for the fault."""


# --- opening --------------------------------------------------------------------------------------


def _reopened(engine: PyBulletEngine, number: int, tag: str, name: str, edit: Edit) -> bool:
    """Open the mechanism of an engine again, with one element of one document changed, in place of
    what is open.

    Returns:
        Whether the element has a place for the fault.
    """
    applied: list[bool] = []

    def change(root: Element) -> None:
        applied.append(edit(_child(root, tag, name)) is not False)

    with _edited_document(number, change):
        other = PyBulletEngine(engine.mechanism)
    engine.close()
    vars(engine).update(vars(other))
    return applied[0]


def _child(root: Element, tag: str, name: str) -> Element:
    return next(element for element in root.findall(tag) if element.get("name") == name)


@contextlib.contextmanager
def _edited_document(number: int, edit: Callable[[Element], object]) -> Iterator[None]:
    """Change one of the documents that PyBullet is given."""
    load, count = pybullet.loadURDF, itertools.count()

    def load_changed(path: str, *arguments: Any, **options: Any) -> int:
        if next(count) == number:
            tree = etree.parse(path)
            edit(tree.getroot())
            Path(path).write_bytes(etree.tostring(tree))
        return int(load(path, *arguments, **options))

    pybullet.loadURDF = load_changed
    try:
        yield
    finally:
        pybullet.loadURDF = load


# --- places ---------------------------------------------------------------------------------------


def _link(edit: Edit) -> Plant:
    """Change the element of a link; it names the link."""

    def plant(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
        places = []
        moving = moving_links(engine.mechanism)
        for number, body in enumerate(engine._bodies):
            for segment in body.state.articulation.segments:
                names = [carried.link.name for carried in segment.links]
                if len(names) == 1 and names[0] in moving and segment.inertia.mass > 1e-3:
                    places.append((names[0], number, segment.name))
        return _planted(engine, rng, places, "link", edit)

    return plant


def _joint(edit: Edit) -> Plant:
    """Change the element of a joint with one hinge or slide that carries a link; it names both."""

    def plant(engine: PyBulletEngine, rng: np.random.Generator) -> set[str] | None:
        places = []
        for number, body in enumerate(engine._bodies):
            articulation = body.state.articulation
            for part, segments in zip(
                articulation.mechanism.bodies, articulation.joint_segments, strict=True
            ):
                is_scalar = [p.kind for p in part.primitives] in (
                    [PrimitiveKind.HINGE],
                    [PrimitiveKind.SLIDE],
                )
                if is_scalar and part.inertia.mass > 1e-3:
                    places.append(
                        (str(part.joint), number, articulation.segments[segments[0] + 1].joint)
                    )
        return _planted(engine, rng, places, "joint", edit)

    return plant


def _planted(
    engine: PyBulletEngine,
    rng: np.random.Generator,
    places: list[tuple[str, int, str]],
    tag: str,
    edit: Edit,
) -> set[str] | None:
    bodies = engine.mechanism.bodies
    rng.shuffle(places)
    for name, number, element in places:
        if _reopened(engine, int(number), tag, element, edit):
            owners = {body.name: {body.name, str(body.joint)} for body in bodies}
            return set().union(*(both for both in owners.values() if str(name) in both))
    return None


# --- edits ----------------------------------------------------------------------------------------


def _numbers(element: Element, name: str) -> list[float]:
    return [float(word) for word in element.get(name, "0 0 0").split()]


def _origin(element: Element, path: str) -> Element | None:
    """Return the origin at a path, which a document does not state where it is the identity."""
    folder = path.rpartition("/")[0]
    parent = element.find(folder) if folder else element
    if parent is not None and parent.find("origin") is None:
        parent.insert(0, parent.makeelement("origin"))
    return element.find(path)


def _set(element: Element, name: str, numbers: Any) -> None:
    element.set(name, " ".join(repr(float(number)) for number in numbers))


def _move(path: str, by: float) -> Edit:
    def edit(element: Element) -> bool:
        origin = _origin(element, path)
        if origin is None:
            return False
        x, y, z = _numbers(origin, "xyz")
        _set(origin, "xyz", (x + by, y, z))
        return True

    return edit


def _turn(path: str, angle: float) -> Edit:
    def edit(element: Element) -> bool:
        origin = _origin(element, path)
        if origin is None or (path == "inertial/origin" and not _is_uneven(element)):
            return False
        quaternion = pybullet.getQuaternionFromEuler(_numbers(origin, "rpy"))
        R = pose_from((0.0, 0.0, 0.0), quaternion).R @ rotation_about(
            np.array((0.6, 0.0, 0.8)), angle
        )
        _set(origin, "rpy", roll_pitch_yaw(R))
        return True

    return edit


def _is_uneven(link: Element) -> bool:
    moments = [float(link.find("inertial/inertia").get(name)) for name in ("ixx", "iyy", "izz")]
    return max(moments) - min(moments) > 1e-2 * max(moments)


def _shape_moved(element: Element) -> bool:
    return _of_shape(element, False) and _move("collision/origin", 1e-3)(element) is not False


def _mesh_moved(element: Element) -> bool:
    return _of_shape(element, True) and _move("collision/origin", 1e-3)(element) is not False


def _of_shape(element: Element, mesh: bool) -> bool:
    shape = element.find("collision/geometry")
    return shape is not None and (shape[0].tag == "mesh") is mesh and shape[0].tag != "plane"


def _longer(element: Element) -> bool:
    if not _of_shape(element, False):
        return False
    shape = element.find("collision/geometry")[0]
    name = next(name for name in ("size", "length", "radius") if shape.get(name) is not None)
    first, *rest = _numbers(shape, name)
    _set(shape, name, (1.01 * first, *rest))
    return True


def _larger_mesh(element: Element) -> bool:
    if not _of_shape(element, True):
        return False
    mesh = element.find("collision/geometry")[0]
    _set(
        mesh,
        "scale",
        [
            1.001 * number
            for number in (_numbers(mesh, "scale") if mesh.get("scale") else (1, 1, 1))
        ],
    )
    return True


def _tilt(element: Element) -> None:
    axis = np.array(_numbers(element.find("axis"), "xyz"))
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    _set(element.find("axis"), "xyz", axis * math.cos(8.7e-4) + across * math.sin(8.7e-4))


def _flip(element: Element) -> None:
    _set(element.find("axis"), "xyz", [-number for number in _numbers(element.find("axis"), "xyz")])


def _slides(element: Element) -> bool:
    if element.get("type") == "prismatic":
        return False
    element.set("type", "prismatic")
    if element.find("limit") is None:
        etree.SubElement(element, "limit", lower="0", upper="-1", effort="1e30", velocity="1e30")
    return True


def _doubled(limit: str) -> Edit:
    def edit(element: Element) -> bool:
        found = element.find("limit")
        if found is None or not 0.0 < float(found.get(limit)) < 1e9:
            return False
        _set(found, limit, (2.0 * float(found.get(limit)),))
        return True

    return edit


DOCUMENT_FAULTS: Mapping[str, Fault] = {
    "center of mass moved 0.5 mm": Fault(
        quantity="center of mass", plant=_link(_move("inertial/origin", 5e-4))
    ),
    "an inertia turned": Fault(quantity="inertia", plant=_link(_turn("inertial/origin", 0.2))),
    "a link moved 1 mm": Fault(quantity="joint motion", plant=_joint(_move("origin", 1e-3))),
    "a link turned 1 mrad": Fault(quantity="joint motion", plant=_joint(_turn("origin", 1e-3))),
    "an axis flipped": Fault(quantity="joint motion", plant=_joint(_flip)),
    "an axis tilted 0.05 degrees": Fault(quantity="joint motion", plant=_joint(_tilt)),
    "a hinge that slides": Fault(quantity="joint motion", plant=_joint(_slides)),
    "a shape 1 % longer": Fault(quantity="shapes", plant=_link(_longer)),
    "a shape moved 1 mm": Fault(quantity="shapes", plant=_link(_shape_moved)),
    "a mesh 0.1 % larger": Fault(quantity="meshes", plant=_link(_larger_mesh)),
    "a mesh moved 1 mm": Fault(quantity="meshes", plant=_link(_mesh_moved)),
    "a drawing moved 1 mm": Fault(
        quantity="visual shapes", plant=_link(_move("visual/origin", 1e-3))
    ),
    "a drawing turned": Fault(quantity="visual shapes", plant=_link(_turn("visual/origin", 0.1))),
    "effort limit doubled": Fault(quantity="effort limits", plant=_joint(_doubled("effort"))),
    "velocity limit doubled": Fault(quantity="velocity limits", plant=_joint(_doubled("velocity"))),
}
"""The kinds of faults by name."""

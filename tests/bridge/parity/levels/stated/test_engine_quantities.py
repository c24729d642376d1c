"""Settings that only MuJoCo has: those of the original and of the export agree, and each that is
lost is found.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import Outcome, compare
from bridge.parity.engine import factory_of
from bridge.parity.quantities.model import ENGINE_QUANTITIES
from loaders.model import of_engine, settings_of

mujoco = pytest.importorskip("mujoco")

MODELS = Path(__file__).parents[4] / "loaders" / "mjcf" / "models"
NAMES = sorted(
    path.stem
    for path in MODELS.glob("*.xml")
    if path.stem not in {"included_classes", "attached_arm"}
)
SETTINGS, MESHES = ENGINE_QUANTITIES


def readings(scene: loaders.Scene) -> list[Any]:
    mechanism = bridge.lower(scene)
    return [
        SETTINGS.read(factory_of(name)(mechanism), mechanism)
        for name in ("mujoco", "mujoco-native")
    ]


def different(scene: loaders.Scene) -> set[str]:
    """The beginnings of the labels of the elements whose settings differ."""
    one, two = readings(scene)
    missing = set(one) ^ set(two)
    return {str(p) for p in missing} | {
        str(p) for p in set(one) & set(two) if SETTINGS.error(one[p], two[p], 1) > 1e-9
    }


def without(item: Any, *names: str) -> Any:
    """An item without some of its settings of MuJoCo, or the first of several items that have
    them.
    """
    if isinstance(item, tuple):
        changed = next(
            i
            for i, each in enumerate(item)
            if set(names) <= dict(settings_of(each, "mujoco")).keys()
        )
        return (*item[:changed], without(item[changed], *names), *item[changed + 1 :])
    kept = tuple((key, value) for key, value in settings_of(item, "mujoco") if key not in names)
    return dataclasses.replace(item, engine_settings=of_engine("mujoco", kept))


def first(items: tuple[Any, ...], **fields: object) -> tuple[Any, ...]:
    return (dataclasses.replace(items[0], **fields), *items[1:])


def surfaces_without(scene: loaders.Scene, name: str) -> dict[str, Any]:
    links = list(scene.links)
    for i, link in enumerate(links):
        for k, collision in enumerate(link.collisions):
            if name in dict(settings_of(collision.surface, "mujoco")):
                changed = dataclasses.replace(collision, surface=without(collision.surface, name))
                kept = (*link.collisions[:k], changed, *link.collisions[k + 1 :])
                links[i] = dataclasses.replace(link, collisions=kept)
                return {"links": tuple(links)}
    raise AssertionError(name)


def elements_without(scene: loaders.Scene, name: str) -> dict[str, Any]:
    i = next(i for i, element in enumerate(scene.engine_elements) if name in dict(element.settings))
    element = scene.engine_elements[i]
    kept = tuple((key, value) for key, value in element.settings if key != name)
    changed = dataclasses.replace(element, settings=kept)
    return {
        "engine_elements": (*scene.engine_elements[:i], changed, *scene.engine_elements[i + 1 :])
    }


def options_without(scene: loaders.Scene, name: str) -> dict[str, Any]:
    kept = tuple((key, value) for key, value in scene.physics.parameters if key != name)
    return {"physics": dataclasses.replace(scene.physics, parameters=kept)}


def regions_without(scene: loaders.Scene) -> dict[str, Any]:
    """A scene in which the site of three sensors, a box, is a sphere of the usual size."""

    def plain(element: Any) -> Any:
        kept = tuple((key, value) for key, value in element.settings if not key.startswith("site/"))
        return dataclasses.replace(element, settings=kept)

    return {"engine_elements": tuple(map(plain, scene.engine_elements))}


def tightened(scene: loaders.Scene) -> loaders.model.Settings:
    """The options of a scene with a tolerance that is two per cent larger than 1e-12."""
    return tuple(
        (k, "1.02e-12" if k == "option/tolerance" else text) for k, text in scene.physics.parameters
    )


DROPS: dict[str, tuple[str, Any, str]] = {
    "a tendon's stiffness": (
        "tendons",
        lambda s: {"tendons": first(s.tendons, stiffness=0.0)},
        "tendon t1",
    ),
    "a tendon's damping": (
        "tendons",
        lambda s: {"tendons": first(s.tendons, damping=0.0)},
        "tendon t1",
    ),
    "a tendon's friction": (
        "tendons",
        lambda s: {"tendons": first(s.tendons, friction=0.0)},
        "tendon t1",
    ),
    "a tendon's rest length": (
        "tendons",
        lambda s: {"tendons": first(s.tendons, rest=(0.0, 0.1))},
        "tendon t1",
    ),
    "a part of a tendon": (
        "equalities",
        lambda s: {"tendons": first(s.tendons, parts=s.tendons[0].parts[:1])},
        "tendon t1",
    ),
    "a tendon's stops": (
        "tendons",
        lambda s: {"tendons": without(s.tendons, "solreflimit")},
        "tendon f1",
    ),
    "a joint's friction solver": (
        "springs",
        lambda s: {"joints": without(s.joints, "solreffriction")},
        "settings of ",
    ),
    "a joint's polynomial": (
        "springs",
        lambda s: {"joints": without(s.joints, "stiffness")},
        "settings of ",
    ),
    "gravity compensation by motors": (
        "actuators",
        lambda s: {"joints": without(s.joints, "actuatorgravcomp")},
        "settings",
    ),
    "condim": ("classes", lambda s: surfaces_without(s, "condim"), "contact of "),
    "margin": ("classes", lambda s: surfaces_without(s, "margin"), "contact of "),
    "solref of a shape": ("classes", lambda s: surfaces_without(s, "solref"), "contact of "),
    "gap": ("contacts", lambda s: surfaces_without(s, "gap"), "contact of "),
    "solmix": ("contacts", lambda s: surfaces_without(s, "solmix"), "contact of "),
    "priority": ("contacts", lambda s: surfaces_without(s, "priority"), "contact of "),
    "fluid shape": ("fluid", lambda s: surfaces_without(s, "fluidcoef"), "contact of "),
    "condim of a pair": (
        "contacts",
        lambda s: {"contact_pairs": without(s.contact_pairs, "condim")},
        "contact of ",
    ),
    "a contact pair": (
        "contacts",
        lambda s: {"contact_pairs": s.contact_pairs[:-1]},
        "contact of ",
    ),
    "solver of a weld": (
        "equalities",
        lambda s: {"constraints": without(s.constraints, "solimp")},
        "equality weld",
    ),
    "torque of a weld": (
        "equalities",
        lambda s: {"constraints": without(s.constraints, "torquescale")},
        "equality weld",
    ),
    "a constraint that is off": (
        "equalities",
        lambda s: {"constraints": s.constraints[:-1]},
        "equality ",
    ),
    "a polynomial": ("equalities", lambda s: elements_without(s, "polycoef"), "equality joint"),
    "a velocity of a keyframe": (
        "keyframes",
        lambda s: {"keyframes": tuple(dataclasses.replace(k, velocities=()) for k in s.keyframes)},
        "keyframe ",
    ),
    "a keyframe": ("keyframes", lambda s: {"keyframes": s.keyframes[:-1]}, "keyframe "),
    "a sensor": ("sensors", lambda s: {"engine_elements": s.engine_elements[:-1]}, "sensor "),
    "a sensor's cutoff": ("sensors", lambda s: elements_without(s, "cutoff"), "sensor touch"),
    "a sensor's noise": ("sensors", lambda s: elements_without(s, "noise"), "sensor accelerometer"),
    "the region of a sensor": ("sensors", regions_without, "sensor "),
    "a tolerance": (
        "options",
        lambda s: {"physics": dataclasses.replace(s.physics, parameters=tightened(s))},
        "option tolerance",
    ),
    "an actuator's early activation": (
        "actuators",
        lambda s: {"actuators": without(s.actuators, "actearly")},
        "actuator",
    ),
    "an actuator's reference": (
        "actuators",
        lambda s: {"actuators": without(s.actuators, "refsite")},
        "actuator",
    ),
    "a frame's pose": (
        "frames",
        lambda s: {"frames": first(s.frames, X_LF=loaders.Pose.of(p=(1, 2, 3)))},
        "",
    ),
    "a light": ("frames", lambda s: {"lights": s.lights[:-1]}, "light "),
    "a soft body's radius": ("flex", lambda s: elements_without(s, "radius"), "soft body"),
    "the solver": ("options", lambda s: options_without(s, "option/solver"), "option solver"),
    "iterations": (
        "options",
        lambda s: options_without(s, "option/iterations"),
        "option iterations",
    ),
    "a flag": ("options", lambda s: options_without(s, "flag/refsafe"), "option disableflags"),
}


@pytest.mark.parametrize("name", NAMES)
def test_settings_of_the_export_are_those_of_the_original(name: str) -> None:
    if name == "meshes" and tuple(map(int, mujoco.__version__.split(".")[:2])) < (3, 12):
        pytest.skip(
            f"MuJoCo {mujoco.__version__} ends the process on a convex mesh to which a shape is "
            f"fitted"
        )
    scene = loaders.load(MODELS / f"{name}.xml", quiet=True)
    assert different(scene) == set()
    assert readings(scene)[0].keys() >= {"option iterations", "option solver"}


@pytest.mark.parametrize(("model", "drop", "label"), DROPS.values(), ids=DROPS)
def test_a_setting_that_is_lost_is_found(model: str, drop: Any, label: str) -> None:
    scene = loaders.load(MODELS / f"{model}.xml", quiet=True)
    found = different(dataclasses.replace(scene, **drop(scene)))
    assert found
    assert all(place.startswith(label) for place in found)


def test_the_verdict_names_the_element() -> None:
    scene = loaders.load(MODELS / "tendons.xml", quiet=True)
    lost = dataclasses.replace(scene, tendons=first(scene.tendons, stiffness=0.0))
    comparison = compare(
        lost, engines=("mujoco", "mujoco-native"), levels=("L0",), configurations=1
    )
    (row,) = [
        row
        for row in comparison.rows
        if row.quantity == SETTINGS.name and "reference" not in row.engines
    ]
    assert (row.outcome, row.subjects) == (Outcome.FAILED, ("t1",))


def test_a_row_of_an_engine_without_them_leaves_no_gap() -> None:
    pytest.importorskip("pybullet")
    comparison = compare(
        MODELS / "springs.xml", engines=("mujoco", "pybullet"), levels=("L0",), configurations=1
    )
    assert SETTINGS.name not in {gap.quantity for gap in comparison.gaps}


def test_a_scene_of_another_format_states_none() -> None:
    text = "<sdf version='1.9'><model name='m'><link name='a'/></model></sdf>"
    assert readings(loaders.load_string(text, format="sdf"))[0] == {}


@pytest.mark.parametrize(
    ("one", "two", "distance"),
    [
        ([1.0, 0.0], [1.0, 0.0], 0.0),
        ([2.0], [1.0], 0.5),
        ([0.0], [1e-9], 1e-6),
        ([math.inf, math.nan], [math.inf, math.nan], 0.0),
        ([math.inf], [1.0], math.inf),
        ([1.0], [1.0, 2.0], math.inf),
    ],
)
def test_distances_are_relative_above_a_floor(
    one: list[float], two: list[float], distance: float
) -> None:
    assert SETTINGS.error(np.array(one), np.array(two), 1.0) == pytest.approx(distance)


@pytest.mark.parametrize(
    ("one", "two", "distance"),
    [([4.0, 1.0], [4.0, 1.0], 0.0), ([4.0, 1.0], [4.0, 3.0], 0.5), ([1.0], [], math.inf)],
)
def test_distances_of_meshes_are_relative_to_their_size(
    one: list[float], two: list[float], distance: float
) -> None:
    assert MESHES.error(np.array(one), np.array(two), 1.0) == pytest.approx(distance)

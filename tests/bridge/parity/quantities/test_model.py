"""Settings, actuators and initial states of running engines agree with the file; each that is wrong
is found.
"""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import bridge
import loaders
from bridge.parity import Comparison, Outcome, compare
from bridge.parity.engine import factory_of
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.parity.engines.mujoco.native import MujocoNative
from bridge.parity.engines.pybullet.engine import PyBulletEngine
from bridge.parity.quantities.model import ENGINE_QUANTITIES
from loaders.model import WORLD, Coupling, Keyframe, of_engine, settings_of
from loaders.pose import Pose
from tests.support.actuated_model import sdf
from tests.support.running_faults import faulty_mujoco, faulty_pybullet
from tests.support.scenes import joint, link, scene

mujoco = pytest.importorskip("mujoco")


# Gravity, time step, initial pose and effort limit that are wrong in a running engine are found and
# named.

NAMES = ("gravity", "time step", "initial poses", "effort limits")
ARM = scene(
    [link("a"), link("b", X_WL=Pose.of(p=(0.0, 0.0, 2.0)))],
    [joint("j", WORLD, "a", axis={"effort": 3.0})],
)


def found(*engines: Any) -> Comparison:
    return compare(ARM, engines, levels=("L0",), configurations=1)


def failed(comparison: Comparison) -> set[tuple[str, str]]:
    return {(row.quantity, row.where) for row in comparison.rows if row.outcome is Outcome.FAILED}


def test_sound_engines_agree_in_all_of_them() -> None:
    rows = [row for row in found("mujoco", "pybullet").rows if row.quantity in NAMES]
    assert len(rows) == 3 * len(NAMES)
    assert {row.outcome for row in rows} == {Outcome.PASSED}


def set_gravity(model: Any) -> None:
    model.opt.gravity[2] *= 1.001


def set_step(model: Any) -> None:
    model.opt.timestep *= 2.0


def set_effort(model: Any) -> None:
    model.jnt_actfrcrange *= 2.0


def set_height(model: Any) -> None:
    model.qpos0[model.jnt_qposadr[model.body("b").jntadr[0]] + 2] += 0.1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (set_gravity, ("gravity", "world")),
        (set_step, ("time step", "world")),
        (set_effort, ("effort limits", "j")),
        (set_height, ("initial poses", "b")),
    ],
)
def test_a_wrong_setting_of_mujoco_is_found_and_named(
    change: Any, expected: tuple[str, str]
) -> None:
    assert expected in failed(found(faulty_mujoco(change), "pybullet"))


def test_a_wrong_setting_of_pybullet_is_found_and_named() -> None:
    def change(engine: PyBulletEngine) -> None:
        pybullet.setGravity(0, 0, -9.0, physicsClientId=engine._client)
        pybullet.setTimeStep(0.01, physicsClientId=engine._client)

    wrong = failed(found("mujoco", faulty_pybullet(change)))
    assert {("gravity", "world"), ("time step", "world")} <= wrong


COUPLED = dataclasses.replace(
    scene(
        [link("a"), link("b"), link("c")],
        [joint("j", WORLD, "a"), joint("f", "a", "b"), joint("k", "b", "c")],
    ),
    couplings=(Coupling(follower="f", leader="j", multiplier=-1.0, offset=0.125),),
)
STARTING = dataclasses.replace(
    COUPLED,
    joints=(dataclasses.replace(COUPLED.joints[0], default_position=(0.25,)), *COUPLED.joints[1:]),
)


def move_follower(model: Any) -> None:
    model.key_qpos[0][1] += 0.1


def test_joints_that_start_elsewhere_are_found() -> None:
    found = compare(STARTING, ("mujoco", "pybullet"), levels=("L0",), configurations=1)
    assert {row.outcome for row in found.rows if row.quantity == "initial poses"} == {
        Outcome.PASSED
    }
    faulty = compare(
        STARTING, (faulty_mujoco(move_follower), "pybullet"), levels=("L0",), configurations=1
    )
    assert ("initial poses", "b") in failed(faulty)


def test_the_initial_position_is_not_the_first_state() -> None:
    up = Keyframe(name="up", joints=("j",), positions=((0.75,),))
    found = compare(
        dataclasses.replace(STARTING, keyframes=(up,)),
        ("mujoco", "pybullet"),
        levels=("L0",),
        configurations=1,
    )
    assert {row.outcome for row in found.rows if row.quantity == "initial poses"} == {
        Outcome.PASSED
    }


# Settings that only MuJoCo has: those of the original and of the export agree, and each that is
# lost is found.

MODELS = Path(__file__).parents[3] / "loaders" / "mjcf" / "models"
ENGINE_QUANTITIES_NAMES = sorted(
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
    for i, each_link in enumerate(links):
        for k, collision in enumerate(each_link.collisions):
            if name in dict(settings_of(collision.surface, "mujoco")):
                changed = dataclasses.replace(collision, surface=without(collision.surface, name))
                kept = (*each_link.collisions[:k], changed, *each_link.collisions[k + 1 :])
                links[i] = dataclasses.replace(each_link, collisions=kept)
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


@pytest.mark.parametrize("name", ENGINE_QUANTITIES_NAMES)
def test_settings_of_the_export_are_those_of_the_original(name: str) -> None:
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


# Actuators of running engines answer commands as the file states; a wrong gain, limit or motor is
# found.


def rows(text: str, *engines: Any, format: str = "sdf") -> Any:
    scene = loaders.load_string(text, format=format)
    found = compare(scene, engines or ("mujoco", "pybullet"), levels=("L0",), configurations=1)
    named = ("actuator efforts", "actuator laws")
    return {
        (row.quantity, row.engines[-1]): row for row in found.rows if row.quantity in named
    }, found


@pytest.mark.parametrize("text", [sdf(), sdf(effort="1e17"), sdf(gains="")])
def test_sound_engines_answer_commands_with_the_stated_efforts(text: str) -> None:
    found, _ = rows(text)
    assert [row.outcome for row in found.values()] == [Outcome.PASSED] * 2
    assert {quantity for quantity, _ in found} == {"actuator efforts"}


def test_a_joint_whose_child_carries_its_parent_is_driven_in_its_own_direction() -> None:
    weld = "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"
    scene = loaders.load_string(sdf(weld=weld), format="sdf")
    assert next(body for body in bridge.lower(scene).bodies if body.joint == "ja").reversed
    found, _ = rows(sdf(weld=weld))
    assert {row.outcome for row in found.values()} == {Outcome.PASSED}


class FaultyMujoco(MujocoEngine):
    """MuJoCo with a change of the compiled export with actuators."""

    change: Any = staticmethod(lambda model: None)

    def compile_with(self, actuators: Any) -> Any:
        model = super().compile_with(actuators)
        type(self).change(model)
        return model


def weak(model: Any) -> None:
    model.actuator_gainprm[:, 0] *= 1.001


def strong(model: Any) -> None:
    model.actuator_ctrlrange *= 2.0
    model.actuator_forcerange *= 2.0
    model.jnt_actfrcrange *= 2.0


def elsewhere(model: Any) -> None:
    model.actuator_trnid[0, 0] = model.actuator_trnid[1, 0]


@pytest.mark.parametrize("change", [weak, strong, elsewhere])
def test_a_wrong_actuator_of_mujoco_is_found_and_its_joint_named(change: Any) -> None:
    found, result = rows(
        sdf(), type("mujoco", (FaultyMujoco,), {"change": staticmethod(change)}), "pybullet"
    )
    row = found["actuator efforts", "mujoco"]
    assert (row.outcome, row.where in {"ja", "jc"}) == (Outcome.FAILED, True)
    assert {other.quantity for other in result.failures} == {"actuator efforts"}


LAW = (
    "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='.1'/></body></worldbody>"
    "<actuator><position name='p' joint='j' kp='30' kv='2' ctrlrange='-1 1'/></actuator></mujoco>"
)


def test_a_law_of_an_mjcf_file_is_a_gap_unless_mujoco_has_it_twice(tmp_path: Any) -> None:
    _, result = rows(LAW, format="mjcf")
    assert "actuator laws" in {gap.quantity for gap in result.gaps}
    path = tmp_path / "m.xml"
    path.write_text(LAW, encoding="utf-8")
    both = compare(path, ("mujoco", "mujoco-native"), levels=("L0",), configurations=1)
    assert "actuator laws" not in {gap.quantity for gap in both.gaps}
    assert {
        r.outcome
        for r in both.rows
        if r.quantity == "actuator laws" and "reference" not in r.engines
    } == {Outcome.PASSED}

    class Weaker(MujocoNative):
        def actuator_laws(self) -> Any:
            self.model.actuator_gainprm[:] *= 0.9
            return super().actuator_laws()

    wrong = compare(path, ("mujoco", Weaker), levels=("L0",), configurations=1)
    assert {(row.quantity, row.where) for row in wrong.failures} == {
        ("actuator laws", "p"),
        ("servos", "p"),
    }


@pytest.mark.parametrize(
    "changed", [{"p_gain": None}, {"d_gain": 2.1}, {"effort": 1.0}, {"control": (-1.0, 2.0)}]
)
def test_gains_and_limits_of_a_scene_are_those_of_the_running_original(
    changed: dict[str, Any], tmp_path: Any
) -> None:
    path = tmp_path / "m.xml"
    path.write_text(LAW.replace("kv='2'", "kv='2' gear='-3' forcerange='-4 5'"), encoding="utf-8")
    scene = loaders.load(path)
    (actuator,) = scene.actuators
    assert (actuator.p_gain, actuator.d_gain, actuator.effort) == (270.0, 18.0, 15.0)
    wrong = replace(scene, actuators=(replace(actuator, **changed),))
    for each, expected in ((scene, set()), (wrong, {"servos"})):
        found = compare(each, ("mujoco-native",), levels=("L0",), configurations=1)
        assert {row.quantity for row in found.failures} == expected


MOTOR = '<dcmotor name="p" joint="j" motorconst="2" resistance="0.5" '


@pytest.mark.parametrize(
    ("law", "gains"),
    [
        ('<pid name="p" joint="j" kp="3" kv="2" gear="2" input="pos vel ff"/>', (12.0, 8.0)),
        ('<pid name="p" joint="j" kp="3" kv="2" ki="1" input="pos"/>', (None, None)),
        ('<pid name="p" joint="j" kp="3" kv="2" input="ff"/>', (None, None)),
        (f'{MOTOR} input="pos" controller="3 0 2"/>', (3.0, 2.0)),
        (f'{MOTOR} input="vel voltage" controller="0 0 2"/>', (None, 2.0)),
        (f'{MOTOR} input="pos" controller="3 0 2" cogging="1 2 3"/>', (None, None)),
        (f'{MOTOR} input="none"/>', (None, None)),
        (f"{MOTOR}/>", (None, None)),
    ],
)
def test_a_controller_is_a_servo_where_its_force_follows_a_position_or_a_speed(
    law: str, gains: tuple[float | None, float | None], tmp_path: Any
) -> None:
    """The gains of the running original are slopes of its force; older versions lack these laws."""
    path = tmp_path / "m.xml"
    path.write_text(re.sub("<position .*?/>", law, LAW), encoding="utf-8")
    if not hasattr(mujoco.mjtGain, "mjGAIN_PID"):
        with pytest.raises(loaders.LoadError, match=r"mjcf-in\.refused"):
            loaders.load(path)
        return
    (actuator,) = loaders.load(path, quiet=True).actuators
    assert (actuator.p_gain, actuator.d_gain) == gains
    assert not compare(path, ("mujoco-native",), levels=("L0",), configurations=1).failures


def test_the_inertia_of_a_tendon_between_bodies_is_named_where_an_engine_lacks_it() -> None:
    """MuJoCo neglects it between branches of the tree, and PyBullet, in which both are bodies of
    their own, has no tendons.
    """
    bodies = "".join(
        f"<body name='{name}' pos='0 0 {z}'><freejoint/><geom size='.1' mass='1'/>"
        f"<site name='{name}'/></body>"
        for name, z in (("a", 0), ("b", 1))
    )
    text = f"""<mujoco><worldbody>{bodies}</worldbody><tendon><spatial armature="4">
    <site site="a"/><site site="b"/></spatial></tendon></mujoco>"""
    world = loaders.load_string(text, format="mjcf")
    found = compare(world, ("mujoco", "pybullet"), levels=("L1",), configurations=1)
    causes = {row.engines: row.code for row in found.rows if row.quantity == "mass matrix"}
    assert causes == {
        ("reference", "mujoco"): "lower.tendon-inertia",
        ("reference", "pybullet"): "pybullet.stated-tendon",
        ("mujoco", "pybullet"): "pybullet.stated-tendon",
    }

"""Attribution: a diagnostic explains a difference only where it is about it, whatever links and
joints are called.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.lowering import lower
from bridge.mechanism import Mechanism
from bridge.parity import Comparison, Outcome, Verdict, compare
from bridge.parity.attribution import CauseIndex, attribute_differences
from bridge.parity.engine import Engine, Factory, factory_of, moving_links
from bridge.parity.quantity import QUANTITIES, Place
from bridge.parity.verdict import Level, Row
from loaders import Scene
from loaders.diagnostics import Diagnostic, Fate
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Actuator, BallConstraint, Coupling, JointType, Link, Mesh
from loaders.pose import Pose, frozen
from tests.corpora import robots_corpus
from tests.support.faults import with_overlapping_spheres
from tests.support.renaming import renamed
from tests.support.scenes import UNIT_BOX, joint, link, random_scene, scene

pytest.importorskip("mujoco")
pytest.importorskip("pybullet")

ASSETS = Path(__file__).parents[3] / "assets"
WORDS = (
    "link",
    "joint",
    "it",
    "mass",
    "the",
    "moves",
    "inertia",
    "and",
    "of",
    "demands",
    "MuJoCo",
    "gets",
    "kg",
    "no",
    "PyBullet",
    "body",
    "is",
    "a",
    "to",
    "axis",
    "about",
    "moments",
    "free",
    "freely",
    "with",
    "by",
    "constraint",
    "limits",
    "these",
    "base",
    "has",
    "which",
    "in",
    "are",
    "left",
    "without",
    "that",
    "from",
    "give",
    "mesh",
    "not",
    "reference",
    "Drake",
    "coupling",
    "gear",
    "solver",
    "PyBullets",
    "they",
    "only",
    "shape",
    "collision",
    "weld",
)
"""Words that occur in messages of diagnostics, or did."""
SOLID = SpatialInertia.of(1.0, (0.1, 0.02, -0.05), np.diag((0.1, 0.12, 0.13)))
THIN = SpatialInertia.of(1.0, (0.1, 0.0, 0.0), np.zeros((3, 3)))


# --- models ---------------------------------------------------------------------------------------


def chain(
    *inertias: SpatialInertia | None, kind: JointType = JointType.REVOLUTE, **axis: float
) -> Scene:
    """Links l0, l1, ... in a chain of joints j0, j1, ..., from the world on."""
    links = [link(f"l{i}", inertia=inertia) for i, inertia in enumerate(inertias)]
    names = [WORLD, *(each.name for each in links)]
    offset = Pose.of(p=(0.2, 0.1, 0.3))
    joints = [
        joint(
            f"j{i}", parent, child, kind, xyz=np.roll((0, 0, 1), i).tolist(), X_PJ=offset, axis=axis
        )
        for i, (parent, child) in enumerate(pairwise(names))
    ]
    return scene(links, joints)


PLAIN = chain(SOLID, SOLID, SOLID)


def with_missing_mesh() -> Scene:
    hollow = link("hollow", shape=Mesh(uri="gone.stl", path=None))
    return scene(
        [hollow, link("box", shape=UNIT_BOX), link("tip", shape=UNIT_BOX)],
        [joint("j", "hollow", "box"), joint("k", "box", "tip")],
    )


def without_gravity() -> Scene:
    links = tuple(dataclasses.replace(each, gravity=each.name != "l1") for each in PLAIN.links)
    return dataclasses.replace(PLAIN, links=links)


def fourbar() -> Scene:
    ends = [Pose.of(p=p) for p in ((0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, 0))]
    links = [
        link(name, X_WL=X)
        for name, X in zip(("ground", "crank", "rod", "rocker"), ends, strict=True)
    ]
    names = ("ground", "crank", "rod", "rocker", "ground")
    shift = Pose.of(p=(0, 0, 1)), Pose.of(p=(1, 0, 0)), Pose.of(p=(0, 0, -1)), Pose.of(p=(-1, 0, 0))
    hinges = [
        joint(f"h{i}", a, b, xyz=(0, 1, 0), X_PJ=X)
        for i, (a, b, X) in enumerate(zip(names, names[1:], shift, strict=False))
    ]
    return scene(links, [joint("hold", WORLD, "ground", JointType.FIXED), *hinges])


SMALL: Mapping[str, Callable[[], Scene]] = {
    "massless hand": lambda: chain(SOLID, SOLID, None),
    "massless middle": lambda: chain(SOLID, None, SOLID),
    "massless base that floats": lambda: scene(
        [link("a", inertia=None), link("b")], [joint("j", "a", "b")]
    ),
    "thin tip": lambda: chain(SOLID, SOLID, THIN),
    "thin middle": lambda: chain(SOLID, THIN, SOLID),
    "thin and alone": lambda: scene([link("rod", inertia=THIN), link("other")]),
    "ball joints": lambda: chain(SOLID, SOLID, SOLID, kind=JointType.BALL),
    "ball joint of a massless link": lambda: chain(SOLID, None, SOLID, kind=JointType.BALL),
    "coupling": lambda: dataclasses.replace(
        PLAIN, couplings=(Coupling(follower="j2", leader="j0", multiplier=0.5),)
    ),
    "chain of couplings": lambda: dataclasses.replace(
        PLAIN,
        couplings=(
            Coupling(follower="j1", leader="j0"),
            Coupling(follower="j2", leader="j1", multiplier=-2.0),
        ),
    ),
    "coupled ball joint": lambda: dataclasses.replace(
        chain(SOLID, SOLID, kind=JointType.BALL), couplings=(Coupling(follower="j1", leader="j0"),)
    ),
    "loop": fourbar,
    "ball constraint": lambda: dataclasses.replace(
        PLAIN,
        constraints=(
            BallConstraint(
                link_A="l2", link_B=WORLD, p_AP=frozen((0, 0, 0)), p_BQ=frozen((0.6, 0.3, 0.9))
            ),
        ),
    ),
    "missing mesh": with_missing_mesh,
    "swapped limits": lambda: chain(SOLID, SOLID, lower=2.0, upper=1.0),
    "rotor": lambda: dataclasses.replace(
        PLAIN, actuators=(Actuator(name="m", joint="j2", gear_ratio=10.0, rotor_inertia=1e-3),)
    ),
    "link without gravity": without_gravity,
    "random tree": lambda: random_scene(1, fixed=True),
    "random floating tree": lambda: random_scene(2, fixed=False),
}
LACKING = {"coupled ball joint", "rotor"}
"""Models of which PyBullet lacks a part, so that the engines differ without a fault."""
FILES = (
    "arm/model.sdf",
    "double_pendulum.urdf",
    "gripper/model.sdf",
    "leg.sdf",
    "orthogonal_x.sdf",
    "orthogonal_z.sdf",
)
ROBOTS = (
    "example-robot-data/robots/finger_edu_description/robots/finger_edu.urdf",
    "example-robot-data/robots/iris_description/robots/iris.urdf",
    "example-robot-data/robots/kinova_description/robots/kinova.urdf",
    "example-robot-data/robots/panda_description/urdf/panda.urdf",
    "example-robot-data/robots/ur_description/urdf/ur5_robot.urdf",
    "pybullet_data/quadruped/minitaur.urdf",
)


def with_poses_of_the_joints(original: Scene) -> Scene:
    """Place each link where its joints have it at zero, as in a scene that a reader returns."""
    poses = lower(original).link_poses()
    links = (
        dataclasses.replace(each, X_WL=poses.get(each.name, each.X_WL)) for each in original.links
    )
    return dataclasses.replace(original, links=tuple(links))


def read(name: str) -> Scene:
    """Return a model by its name in one of the tables."""
    if name in SMALL:
        return with_poses_of_the_joints(SMALL[name]())
    if name in FILES:
        return loaders.load(ASSETS / name)
    robot = next((robot for robot in robots_corpus.robots() if str(robot) == name), None)
    if robot is None:
        pytest.skip(f"{name} is not installed")
    return with_overlapping_spheres(loaders.load(robot.path, paths=[robot.root]))


# --- faults ---------------------------------------------------------------------------------------


def faulty(engine: str, original: Scene, name: str) -> Factory:
    """Open an engine with 50 % more inertia of one link, and call it by the engine's name."""
    links = tuple(_heavier(each) if each.name == name else each for each in original.links)
    changed = bridge.lower(dataclasses.replace(original, links=links))

    def opened(_mechanism: Mechanism) -> Engine:
        return factory_of(engine)(changed)

    opened.name = engine  # type: ignore[attr-defined]
    return opened


def _heavier(original: Link) -> Link:
    inertia = original.inertia
    assert inertia is not None
    return dataclasses.replace(
        original, inertia=dataclasses.replace(inertia, I_Lcm=1.5 * inertia.I_Lcm)
    )


def link_with_inertia(original: Scene) -> str | None:
    """Return the last link that moves and has a valid, not too small inertia."""
    moving = moving_links(bridge.lower(original))
    suitable = (
        each.name
        for each in reversed(original.links)
        if each.name in moving
        and each.inertia is not None
        and not each.inertia.defects()
        and each.inertia.mass > 1e-3
        and np.linalg.eigvalsh(each.inertia.I_Lcm).min() > 1e-7
    )
    return next(suitable, None)


# --- the property ---------------------------------------------------------------------------------

Attribution = tuple[str, str, str, frozenset[str], Outcome, str]
"""Quantity, engines, subjects, outcome and code of a row."""


def compared(original: Scene, fault: str, name: str | None) -> Comparison:
    engines: list[Any] = ["mujoco", "pybullet"]
    if fault and name is not None:
        engines[engines.index(fault)] = faulty(fault, original, name)
    return compare(original, engines, levels=("L0", "L1"), configurations=2)


def attributions(comparison: Comparison, names: Mapping[str, str]) -> set[Attribution]:
    """Return what each row states, with other names for its subjects."""
    return {
        (
            row.quantity,
            *row.engines,
            frozenset(names.get(name, name) for name in row.subjects),
            row.outcome,
            row.code,
        )
        for row in comparison.rows
        if row.outcome in {Outcome.FAILED, Outcome.EXPLAINED}
    }


def words_for(original: Scene, comparison: Comparison) -> dict[str, str]:
    """Return a name for every link and joint that is a word of a message, of this model's messages
    first.
    """
    text = " ".join(f"{entry.message} {entry.hint}" for entry in comparison.diagnostics)
    own = {each.name for each in (*original.links, *original.joints)}
    words = [
        word
        for word in dict.fromkeys((*re.findall(r"[A-Za-z]{1,12}", text), *WORDS))
        if word not in {WORLD, *own}
    ]
    items = [each.name for each in (*original.links, *original.joints) if each.name != WORLD]
    words += [f"{word}{n}" for n in range(2, 2 + len(items)) for word in WORDS]
    return dict(zip(items, words, strict=False))


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault", ["", "mujoco", "pybullet"], ids=["sound", "fault in mujoco", "fault in pybullet"]
)
@pytest.mark.parametrize("name", [*FILES, *SMALL, *ROBOTS])
def test_names_that_are_words_of_messages_change_no_verdict_and_no_attribution(
    name: str, fault: str
) -> None:
    original = read(name)
    target = link_with_inertia(original) if fault else None
    if fault and target is None:
        return
    expected = compared(original, fault, target)
    names = words_for(original, expected)
    actual = compared(renamed(original, names), fault, names.get(str(target), target))
    assert actual.agreement is expected.agreement
    assert attributions(actual, {}) == attributions(expected, names)
    assert (expected.verdict is Verdict.DIFFERS) == (bool(fault) or name in LACKING)


# --- the index ------------------------------------------------------------------------------------


def quantity(name: str) -> Any:
    return next(each for each in QUANTITIES if each.name == name)


def about(code: str, *subjects: str) -> Diagnostic:
    """A diagnostic with the arguments that the bound of added inertia is computed from."""
    arguments = {"mass": 1e-14, "moments": (1e-14, 1e-14, 1e-14)}
    message = "link hand moves, and it gets mass"
    return Diagnostic(code, Fate.APPROXIMATED, message, subjects=subjects, arguments=arguments)


def test_an_entry_about_another_link_explains_nothing() -> None:
    """The example that was wrong: a fault in link `link` was excused by a message about link
    `hand`.
    """
    arm = chain(SOLID, SOLID, None)
    for name in ("arm", "link"):
        original = renamed(arm, {"l1": name, "l2": "hand"})
        found = compared(original, "mujoco", name)
        assert found.verdict is Verdict.DIFFERS
        assert (found.failures[0].quantity, found.failures[0].where) == ("inertia", name)


def test_a_code_explains_its_quantities_at_its_subjects_only() -> None:
    causes = CauseIndex([about("mjcf.massless-link", "l2")], bridge.lower(PLAIN))
    assert causes.cause(quantity("inertia"), "l2") is not None
    assert causes.cause(quantity("inertia"), "l1") is None
    assert causes.cause(quantity("limits"), Place("j2", "j2")) is None


def test_a_link_changes_the_forces_of_the_joints_that_carry_it() -> None:
    causes = CauseIndex([about("mjcf.massless-link", "l1")], bridge.lower(PLAIN))
    explained = {
        name: causes.cause(quantity("mass matrix"), Place(name, name))
        for name in ("j0", "j1", "j2")
    }
    assert [name for name, cause in explained.items() if cause is not None] == ["j0", "j1"]


def test_added_inertia_explains_no_difference_of_a_mass_that_the_link_has() -> None:
    causes = CauseIndex([about("mjcf.massless-link", "l1")], bridge.lower(PLAIN))
    cause = causes.cause(quantity("mass"), "l1")
    assert cause is not None
    assert not cause.explains(1e-8)


def test_one_coupling_does_not_explain_another_that_shares_a_joint() -> None:
    causes = CauseIndex([about("mjcf.coupling", "j1", "j0")], bridge.lower(PLAIN))
    assert causes.cause(quantity("couplings"), Place("j1 on j0", "j1", "j0")) is not None
    assert causes.cause(quantity("couplings"), Place("j2 on j1", "j2", "j1")) is None


def test_the_engine_that_differs_from_all_others_is_the_likely_cause() -> None:
    rows = [
        Row(
            level=Level.MODEL,
            quantity=name,
            unit="",
            engines=pair,
            error=1.0,
            tolerance=0.0,
            where="l1",
            outcome=Outcome.FAILED,
        )
        for name in ("mass", "mass matrix")
        for pair in (("reference", "mujoco"), ("mujoco", "pybullet"))
    ]
    first, *_, last = attribute_differences(rows)
    assert first.cause == "likely mujoco: the only engine that differs from the model in mass"
    assert last.cause.endswith("which may follow from the mass of l1")


# --- rotors ---------------------------------------------------------------------------------------

MASS = (
    "<inertial><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz></inertia></inertial>"
)
BAR = (
    "<joint name='{0}' type='revolute'><pose>{3}</pose><parent>{1}</parent><child>{2}</child>"
    "<axis><xyz>0 1 0</xyz></axis></joint>"
)


def test_a_cause_explains_the_joints_that_carry_it_and_no_others() -> None:
    """Two arms, one of them with a rotor, which PyBullet lacks: that does not excuse a fault in the
    other.
    """
    rotor = "<drake:rotor_inertia>.1</drake:rotor_inertia>"
    text = (
        "<sdf version='1.11' xmlns:drake='http://drake.mit.edu'><model name='m'>"
        f"<link name='a'>{MASS}</link><link name='b'>{MASS}</link>"
        + BAR.format("geared", "world", "a", "0 0 0 0 0 0").replace("</axis>", f"</axis>{rotor}")
        + BAR.format("plain", "world", "b", "0 0 0 0 0 0")
        + "</model></sdf>"
    )
    original = loaders.load_string(text, format="sdf")
    sound = compare(original, ("pybullet",), levels=("L1",), configurations=2)
    assert sound.agreement is Verdict.DIFFERS
    a, b = original.links
    wrong = dataclasses.replace(
        b, inertia=dataclasses.replace(b.inertia, I_Lcm=1.01 * b.inertia.I_Lcm)
    )

    def faulty_arm(_mechanism: Mechanism) -> Engine:
        return factory_of("pybullet")(bridge.lower(dataclasses.replace(original, links=(a, wrong))))

    faulty_arm.name = "pybullet"  # type: ignore[attr-defined]
    found = compare(original, (faulty_arm,), levels=("L1",), configurations=2)
    assert {row.where for row in found.failures} == {"plain"}

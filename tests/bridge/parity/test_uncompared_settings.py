"""A setting of MuJoCo that acts on motion or contact, and that no row compares, is a gap that names
it.

MuJoCo itself is the witness of what each setting does: the motion of a model with it and of the
same model without.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import loaders
from bridge.parity import Comparison, Outcome, Verdict, compare
from loaders.engine_settings import (
    RESOLVED,
    SETTINGS,
    Effect,
    acting_settings,
    effect_of,
    full_name,
    is_default,
)
from tests.support.mujoco_settings import CASES, Edits, edited
from tests.support.running_faults import faulty_mujoco

ACTING = {Effect.MOTION, Effect.CONTACT}


def motion(edits: Edits) -> np.ndarray:
    """Return the positions after 0.4 s, and the number of contacts; skip what this version of
    MuJoCo does not know.
    """
    try:
        model = mujoco.MjModel.from_xml_string(edited(edits))
    except ValueError as error:
        if any(words in str(error) for words in ("unrecognized attribute", "invalid keyword")):
            pytest.skip(f"MuJoCo {mujoco.__version__} has no <flag> of this name: {error}")
        raise
    data = mujoco.MjData(model)
    data.joint("box").qvel[:] = 2.0, 0.0, 0.0, 0.0, 0.0, 0.0
    data.joint("ball").qvel[:] = 1.0, 0.0, 0.0, 0.0, 10.0, 0.0
    data.joint("upper").qvel[:] = 3.0
    data.ctrl[:] = 5.0
    mujoco.mj_step(model, data, 200)
    return np.append(data.qpos, data.ncon)


def named(comparison: Comparison, path: str) -> list[str]:
    return [str(gap) for gap in comparison.gaps if f"{full_name(path)}=" in gap.reason]


@pytest.mark.parametrize("path", CASES)
def test_mujoco_moves_otherwise_with_the_setting(path: str) -> None:
    """The effects of the table are those of MuJoCo."""
    before, after = CASES[path]
    assert np.abs(motion(after) - motion(before)).max() > 1e-4
    assert effect_of(path) in ACTING


RESOLVED_PATHS = {
    *(f"flag/{name}" for name in RESOLVED),
    "option/actuatorgroupdisable",
    "option/o_friction",
    "geom/condim",
}
"""Settings that all engines obey."""


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in CASES if path not in RESOLVED_PATHS])
def test_the_setting_is_a_gap(path: str) -> None:
    before, after = CASES[path]
    motion(after)  # skips what this version does not know
    found = compare(
        loaders.load_string(edited(after), format="mjcf"), levels=("L0",), configurations=1
    )
    (gap,) = named(found, path)
    assert "pybullet" in gap
    assert found.verdict is not Verdict.EQUIVALENT
    assert not named(
        compare(
            loaders.load_string(edited(before), format="mjcf"), levels=("L0",), configurations=1
        ),
        path,
    )


def test_every_setting_that_acts_has_a_case() -> None:
    """The flag of gravity is read as gravity; limits of balls, and of actuators, are losses of
    their own.
    """
    of_actuators = {"joint/actuatorfrcrange", "joint/actuatorgravcomp", "tendon/actuatorfrcrange"}
    own = {"flag/gravity", "joint/limited", "joint/range", *of_actuators}
    assert {path for path, meaning in SETTINGS.items() if meaning.effect in ACTING} - own == set(
        CASES
    )


@pytest.mark.parametrize(
    "path", [path for path, meaning in SETTINGS.items() if meaning.effect is Effect.NONE]
)
def test_what_has_no_effect_moves_alike(path: str) -> None:
    element, _, name = path.partition("/")
    if element == "flag":
        on, off = ({"flag": f'{name}="{value}"'} for value in ("enable", "disable"))
        assert np.abs(motion(on) - motion(off)).max() < 1e-9
    if path == "option/jacobian":
        on, off = ({"option": f'jacobian="{value}"'} for value in ("dense", "sparse"))
        assert np.abs(motion(on) - motion(off)).max() < 1e-6


def test_the_table_has_all_options_and_flags_of_mujoco_with_their_defaults() -> None:
    options = mujoco.MjOption()
    names = {name for name in dir(options) if not name.startswith("_")}
    names -= {"timestep", "gravity", "disableflags", "enableflags", "disableactuator"}
    assert {f"option/{name}" for name in names} <= SETTINGS.keys()
    for name in names:
        if SETTINGS[f"option/{name}"].default:
            text = " ".join(f"{x:.17g}" for x in np.ravel(getattr(options, name)))
            assert is_default(f"option/{name}", text), name
    for bits, default in ((mujoco.mjtDisableBit, "enable"), (mujoco.mjtEnableBit, "disable")):
        for member in bits.__members__:
            path = f"flag/{member[7:].lower()}"
            if not member.startswith("mjN"):
                assert path in SETTINGS
                assert SETTINGS[path].default in ("", default)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("flag/contact", "enable"),
        ("option/density", "0.0"),
        ("option/wind", "0 0"),
        ("geom/condim", "3"),
    ],
)
def test_a_default_is_no_setting(path: str, text: str) -> None:
    assert is_default(path, text)
    assert not is_default(path, "2")


def test_a_setting_that_nobody_knows_counts_as_one_of_motion() -> None:
    assert effect_of("option/novel") is Effect.MOTION
    assert not is_default("option/novel", "1")


# --- whole comparisons ----------------------------------------------------------------------------

ARM = """<mujoco model="n"><compiler autolimits="true"/><option timestep=".001" {option}>{flag}</option><worldbody>
<geom name="floor" type="plane" size="2 2 .1" {geom}/>
<body name="box" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1" mass="1" {geom}/>
<body name="arm" pos="0 0 .2"><joint name="j" axis="0 1 0" range="-29 29" {joint}/>
<geom type="capsule" fromto="0 0 0 0 0 .3" size=".02" mass=".3" {geom}/></body></body></worldbody>{rest}</mujoco>"""


def arm(
    option: str = "", flag: str = "", geom: str = "", joint: str = "", rest: str = ""
) -> loaders.Scene:
    flags = f"<flag {flag}/>" if flag else ""
    return loaders.load_string(
        ARM.format(option=option, flag=flags, geom=geom, joint=joint, rest=rest), format="mjcf"
    )


@pytest.mark.slow
def test_an_arm_with_settings_of_the_solver_is_equivalent() -> None:
    """Settings of many published robots, which are represented in both or concern the accuracy
    alone.
    """
    for option in (
        "",
        'integrator="implicitfast" cone="elliptic" impratio="10" iterations="50" tolerance="1e-9"',
    ):
        found = compare(arm(option, 'eulerdamp="disable" contact="enable"', 'friction=".8"'))
        assert has_soft_stops_at_most(found), found.gaps


def has_soft_stops_at_most(found: Comparison) -> bool:
    """Whether both engines agree, and nothing is explained but the stops of MuJoCo, which are as
    soft as its default where the source states nothing else.
    """
    explained = {row.quantity for row in found.rows if row.outcome is Outcome.EXPLAINED}
    return found.gaps == () and explained <= {"stops in motion"} and found.verdict in AGREEING


AGREEING = (Verdict.EQUIVALENT, Verdict.AGREES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "edits"),
    [
        ('geom margin="0.05"', {"geom": 'margin=".05"'}),
        ('geom solref="0.3 1"', {"geom": 'solref=".3 1"'}),
    ],
)
def test_a_default_comparison_is_incomplete_and_names_the_setting(
    name: str, edits: dict[str, str]
) -> None:
    found = compare(arm(**edits))
    assert found.verdict is Verdict.INCOMPLETE
    assert [name in gap.reason for gap in found.gaps] == [True]
    with pytest.raises(AssertionError, match="INCOMPLETE"):
        found.assert_equivalent()


@pytest.mark.slow
@pytest.mark.parametrize(
    "edits",
    [
        {"flag": 'contact="disable"'},
        {"flag": 'constraint="disable"'},
        {"flag": 'limit="disable"'},
        {"geom": 'condim="1"'},
    ],
)
def test_settings_that_all_engines_obey_are_no_gap(edits: dict[str, str]) -> None:
    assert has_soft_stops_at_most(compare(arm(**edits)))


@pytest.mark.parametrize("engines", [("mujoco",), ("mujoco", "mujoco-native")])
def test_engines_of_mujoco_have_its_settings(engines: tuple[str, ...]) -> None:
    found = compare(arm(geom='condim="1"'), engines, levels=("L0", "L1"), configurations=1)
    assert not named(found, "geom/condim")


def test_contacts_of_shapes_that_touch_nothing_are_no_gap() -> None:
    alone = (
        '<mujoco><worldbody><body><freejoint/><geom size=".1" '
        'condim="1"/></body></worldbody></mujoco>'
    )
    assert acting_settings(scene := loaders.load_string(alone, format="mjcf"))
    assert compare(scene, configurations=1).verdict is Verdict.EQUIVALENT


# --- settings that rows compare -------------------------------------------------------------------

COUPLED = """<worldbody><body name="follower" pos="1 0 1"><joint name="follower" axis="0 1 0"/>
<geom type="box" size=".1 .1 .1"/></body></worldbody><equality><joint joint1="follower" joint2="j"/></equality>"""


PARENT = """<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/><body name="b" pos=".15 0 0">
<joint axis="0 0 1"/><geom size=".1"/></body></body></worldbody></mujoco>"""
COMPENSATED = PARENT.replace('<body name="b"', '<body name="b" gravcomp=".5"')


def switched_off(model: Any, bit: mujoco.mjtDisableBit) -> None:
    model.opt.disableflags |= int(bit)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flag", "edits"),
    [
        ("spring", {"joint": 'stiffness="3"'}),
        ("damper", {"joint": 'damping=".3"'}),
        ("frictionloss", {"joint": 'frictionloss=".3"'}),
        ("equality", {"rest": COUPLED}),
    ],
)
def test_the_exported_motion_shows_a_switch_of_forces(flag: str, edits: dict[str, str]) -> None:
    """A switch that only the running MuJoCo has is a difference; one that the source states is no
    gap.
    """
    bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}")
    planted = faulty_mujoco(lambda model: switched_off(model, bit))
    found = compare(arm(**edits), (planted, "pybullet"), levels=("L2",), configurations=2)
    assert "exported motion" in {
        row.quantity for row in found.rows if row.outcome is Outcome.FAILED
    }
    stated = compare(arm(flag=f'{flag}="disable"', **edits), levels=("L2",), configurations=2)
    assert not named(stated, f"flag/{flag}")


def test_collidable_pairs_show_the_filter_of_parents() -> None:
    bit = mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    planted = faulty_mujoco(lambda model: switched_off(model, bit))
    found = compare(
        loaders.load_string(PARENT, format="mjcf"),
        (planted, "pybullet"),
        levels=("L1",),
        configurations=1,
    )
    assert "collidable pairs" in {row.quantity for row in found.failures}
    text = PARENT.replace(
        "<worldbody>", '<option><flag filterparent="disable"/></option><worldbody>'
    )
    stated = compare(loaders.load_string(text, format="mjcf"), levels=("L1",), configurations=1)
    assert not named(stated, "flag/filterparent")
    assert not stated.failures


def test_bias_forces_show_the_compensation_of_gravity() -> None:
    scene = loaders.load_string(COMPENSATED, format="mjcf")
    planted = faulty_mujoco(lambda model: model.body_gravcomp.fill(0.0))
    found = compare(scene, (planted, "pybullet"), levels=("L1",), configurations=1)
    assert "bias forces" in {row.quantity for row in found.failures}
    assert not named(compare(scene, levels=("L1",), configurations=1), "body/gravcomp")

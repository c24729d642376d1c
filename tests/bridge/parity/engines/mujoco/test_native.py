"""The original MJCF file, compiled by MuJoCo within limits, agrees with our reading and finds a
fault in it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.lowering.transform import switched
from bridge.parity import Comparison, Outcome, Verdict, compare
from bridge.parity.engine import factory_of
from bridge.parity.engines.mujoco.native import MujocoNative, compile_original
from loaders import LoadError, Pose, Scene
from loaders.engine_settings import RESOLVED
from loaders.model import BallConstraint, Friction, of_engine, settings_of

mujoco = pytest.importorskip("mujoco")


# The original MJCF file, compiled by MuJoCo, agrees with our reading and finds a fault in it.

MODELS = Path(__file__).parents[4] / "loaders" / "mjcf" / "models"
ASSETS = Path(__file__).parents[5] / "assets"

CHAIN = """<mujoco model="chain"><worldbody><geom type="plane" size="1 1 .1"/>
  <body name="base" pos="0 0 1"><freejoint/><geom size=".1"/>
    <body name="leg" pos=".2 0 0">
      <joint name="roll" axis="1 0 0" ref="30"/><joint name="pitch" axis="0 1 0" pos="0 0 .1" range="-40 50" ref="-15"/>
      <geom type="capsule" fromto="0 0 0 0 .1 -.4" size=".03"/>
      <body pos="0 .1 -.4" euler="20 0 40"><joint type="ball"/><geom type="box" size=".1 .05 .02" pos=".1 0 0"/></body>
    </body>
  </body></worldbody></mujoco>"""
"""Several joints in a body, a reference position, a ball, and a body and joints without names."""

HELD = """<mujoco model="held"><option timestep="0.004" gravity="0 0 -3"/><compiler angle="radian"/>
  <default><joint damping="0.3" armature="0.02"/></default>
  <worldbody>
    <body name="p" pos="0 0 1"><joint name="a" axis="0 1 0" ref="0.4" range="-1 1"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size=".02"/>
      <body name="q" pos=".4 0 0" euler="0.1 0.2 0.3">
        <joint name="b" type="slide" axis="1 0 0" ref="0.1" range="-2 2" actuatorfrcrange="-5 5"/>
        <joint name="c" axis="0 0 1" pos="0 .1 0"/><geom type="box" size=".1 .05 .02" pos=".1 0 0"/></body></body>
    <body name="r" pos="0 1 1"><joint name="d" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size=".02"/></body>
    <body name="hand" mocap="true" pos="0 0 2"><geom size=".05" contype="0" conaffinity="0"/></body>
  </worldbody>
  <contact><exclude body1="p" body2="r"/></contact>
  <equality><joint joint1="a" joint2="d" polycoef="0.1 2 0 0 0"/><connect body1="q" body2="r" anchor="0.1 0 0"/>
    <weld body1="q" body2="hand" relpose="0.1 0.2 0.3 0.9 0.1 0 0"/></equality></mujoco>"""
"""A coupling with references, a point and a frame held together, a slide with effort, an exclusion,
a mocap body.
"""

ENGINES = ("mujoco", "mujoco-native")


def scene_of(text: str, tmp_path: Path) -> Scene:
    path = tmp_path / "robot.xml"
    path.write_text(text, encoding="utf-8")
    return loaders.load(path, quiet=True)


def static(scene: Scene | Path) -> Comparison:
    return compare(scene, ENGINES, levels=("L0", "L1"), configurations=3)


def compared(found: Comparison) -> set[str]:
    """The quantities that agree between the reference and the original."""
    rows = (row for row in found.rows if row.engines == ("reference", "mujoco-native"))
    return {row.quantity for row in rows if row.outcome is Outcome.PASSED}


@pytest.mark.parametrize("text", [CHAIN, HELD], ids=["chain", "held"])
def test_the_original_agrees_with_the_reference_and_with_the_export(
    text: str, tmp_path: Path
) -> None:
    found = static(scene_of(text, tmp_path))
    assert found.failures == ()
    assert found.agreement is Verdict.EQUIVALENT
    assert {
        "link poses",
        "mass matrix",
        "bias forces",
        "inverse dynamics",
        "collidable pairs",
        "limits",
    } <= compared(found)


@pytest.mark.parametrize(
    "name", ["equalities", "mocap_manip", "keyframes", "refs_gear", "contacts", "tendons"]
)
def test_the_hand_written_models_agree_with_their_originals(name: str) -> None:
    """Among them are two constraints of the same links, one of them off; a follower that starts
    where its leader puts it; and a key ``home`` that moves a mocap body.
    """
    found = compare(
        MODELS / f"{name}.xml",
        engines=("mujoco", "mujoco-native"),
        levels=("L0", "L1"),
        configurations=3,
    )
    assert found.failures == ()


@pytest.mark.parametrize(
    "equality",
    [
        '<joint joint1="b"/>', '<joint joint1="b" active="false"/>',
        '<joint joint1="b" joint2="d" polycoef="0.1 2 0 0 0" active="false"/>',
    ],
    ids=["one joint", "one joint, off", "two joints, off"],
)  # fmt: skip
def test_equalities_that_only_mujoco_has_are_no_limits_and_no_couplings(
    equality: str, tmp_path: Path
) -> None:
    text = HELD.replace("<equality>", f"<equality>{equality}")
    found = static(scene_of(text, tmp_path))
    assert found.failures == ()
    assert {"limits", "couplings"} <= compared(found)


OFF = """<mujoco><worldbody>
  <body name="a" pos="0 0 1"><joint axis="0 1 0" ref="20"/><geom size="0.1"/>
    <site name="s" pos="0.1 0 0" euler="10 0 0"/></body>
  <body name="b" pos="1 0 1" euler="0 30 0"><joint axis="1 0 0"/><geom size="0.1"/>
    <site name="r" pos="0.2 0 0"/></body></worldbody><equality>{}</equality></mujoco>"""


@pytest.mark.parametrize(
    "equality",
    [
        '<connect body1="a" body2="b" anchor="0.3 0 0"/>', '<connect body1="a" anchor="0.2 0 0"/>',
        '<connect site1="s" site2="r"/>', ('<weld body1="a" body2="b" anchor="0.1 0.2 0.3" '
                                          'torquescale="2"/>'),
        '<weld body1="a" relpose="0.1 0.2 0.3 0.9 0.1 0 0"/>', '<weld site1="s" site2="r"/>',
    ],
)  # fmt: skip
def test_a_constraint_that_is_switched_off_is_compared(equality: str, tmp_path: Path) -> None:
    """It holds nothing together, so that no violation shows where it would."""
    scene = scene_of(OFF.format(equality.replace("/>", ' active="false"/>')), tmp_path)
    assert static(scene).failures == ()
    (constraint,) = scene.constraints
    if isinstance(constraint, BallConstraint):
        other = dataclasses.replace(constraint, p_AP=constraint.p_AP + np.array([0.01, 0.0, 0.0]))
    else:
        other = dataclasses.replace(constraint, X_AP=constraint.X_AP @ Pose.of(p=(0.01, 0.0, 0.0)))
    found = static(dataclasses.replace(scene, constraints=(other,)))
    assert {failure.quantity for failure in found.failures} == {"compiled settings"}


SWITCHED = """<mujoco><option density="3" wind="1 0 0" o_margin=".02" o_solref=".03 1"
o_solimp=".8 .9 .01 .5 2" o_friction=".3 .3 .01 .02 .03" {}</option><worldbody>
<geom name="p" type="plane" size="1 1 1"/><body pos="0 0 1"><joint name="a" axis="0 1 0"
range="-1 1" limited="true" frictionloss=".1" damping=".1" stiffness="1"/><geom name="g" size=".1"
pos=".2 0 0" margin=".01" solref=".01 1" solimp=".7 .8 .01" friction=".5 .1 .2"/>
<body pos=".25 0 0"><joint name="b" axis="0 1 0"/><geom name="h" size=".1" pos=".2 0 0"/></body>
</body></worldbody><equality><joint joint1="a" joint2="b"/></equality><actuator>
<position joint="a" group="1" kp="3" ctrllimited="true" ctrlrange="-1 1"/>
<motor name="m" joint="b" group="2" ctrllimited="false" ctrlrange="-2 2"/></actuator>
<contact><pair geom1="p" geom2="h" friction=".7 .7 .1 .1 .1" margin=".03"/></contact>
<sensor><actuatorpos actuator="m"/></sensor><keyframe><key ctrl="1 2"/></keyframe></mujoco>"""


@pytest.mark.parametrize(
    "options",
    [
        *(f'><flag {flag}="disable"/>' for flag in sorted(RESOLVED - {"passive"})),
        '><flag damper="disable" spring="disable"/>',
        '><flag override="enable"/>',
        '><flag override="enable" constraint="disable"/>',
        'actuatorgroupdisable="1">',
        'actuatorgroupdisable="2 7">',
    ],
)
def test_what_a_file_switches_off_is_no_difference(options: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(SWITCHED.format(options), encoding="utf-8")
    found = compare(path, ("mujoco", "mujoco-native"), levels=("L0", "L1"), configurations=1)
    assert found.failures == ()


@pytest.mark.parametrize("option", ["o_margin", "o_solref", "o_solimp", "o_friction"])
def test_an_override_acts_in_the_export_as_in_the_original(option: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(SWITCHED.format('><flag override="enable"/>'), encoding="utf-8")

    class Other(MujocoNative):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            setattr(self.model.opt, option, 0.9 * getattr(self.model.opt, option))

    other = compare(path, ("mujoco", Other), levels=("L0",), configurations=1)
    assert "compiled settings" in {row.quantity for row in other.failures}
    running = factory_of("mujoco")(switched(bridge.lower(loaders.load(path, quiet=True))))
    original = mujoco.MjModel.from_xml_path(str(path))
    assert np.all(getattr(running.model.opt, option) == getattr(original.opt, option))


@pytest.mark.parametrize(
    ("first", "other", "differing"),
    [
        ("1", "1", set()),
        ("1", "3", set()),
        ("3", "3", {"friction of shapes", "friction of pairs", "compiled settings"}),
    ],
)
def test_contacts_that_are_all_without_friction_are_no_difference(
    first: str, other: str, differing: set[str], tmp_path: Path
) -> None:
    """A mechanism whose friction was taken away is one of contacts without friction alone."""
    path = tmp_path / "robot.xml"
    text = SWITCHED.format('><flag limit="disable"/>').replace("<geom", f"<geom condim='{other}'")
    text = re.sub("<contact>.*</contact>", "", text)
    path.write_text(text.replace(f"'{other}'", f"'{first}'", 1), encoding="utf-8")
    scene = loaders.load(path)
    smooth = Friction(mu=0.0, mu2=0.0)
    if differing:
        links = [
            dataclasses.replace(
                link,
                collisions=tuple(
                    dataclasses.replace(c, surface=dataclasses.replace(c.surface, friction=smooth))
                    for c in link.collisions
                ),
            )
            for link in scene.links
        ]
        scene = dataclasses.replace(scene, links=tuple(links))
    found = compare(scene, ENGINES, levels=("L0",), configurations=1)
    assert {failure.quantity for failure in found.failures} == differing


def test_couplings_and_constraints_are_those_of_the_original(tmp_path: Path) -> None:
    assert {
        "couplings",
        "constraint violation",
        "effort limits",
        "gravity",
        "time step",
    } <= compared(static(scene_of(HELD, tmp_path)))


def moved(scene: Scene, name: str) -> Scene:
    """Return a scene in which the frame of one joint of the world, with the last link, is a
    millimeter off.
    """
    (joint,) = [joint for joint in scene.joints if joint.name == name]
    X_PJ = joint.X_PJ @ Pose.of(p=(1e-3, 0.0, 0.0))
    joints = tuple(dataclasses.replace(j, X_PJ=X_PJ) if j is joint else j for j in scene.joints)
    X = X_PJ @ joint.X_PJ.inverse()
    links = tuple(
        dataclasses.replace(k, X_WL=X @ k.X_WL) if k.name == joint.child else k for k in scene.links
    )
    return dataclasses.replace(scene, joints=joints, links=links)


def heavier(scene: Scene, name: str) -> Scene:
    links = tuple(
        dataclasses.replace(k, inertia=dataclasses.replace(k.inertia, mass=1.01 * k.inertia.mass))
        if k.name == name and k.inertia is not None
        else k
        for k in scene.links
    )
    return dataclasses.replace(scene, links=links)


def shifted_coupling(scene: Scene, _name: str) -> Scene:
    (coupling,) = scene.couplings
    return dataclasses.replace(
        scene, couplings=(dataclasses.replace(coupling, offset=coupling.offset + 0.1),)
    )


def loose(scene: Scene, _name: str) -> Scene:
    ball, weld = scene.constraints
    return dataclasses.replace(
        scene, constraints=(dataclasses.replace(ball, p_BQ=np.zeros(3)), weld)
    )


def wider(scene: Scene, name: str) -> Scene:
    def grown(shape: Any) -> Any:
        return dataclasses.replace(
            shape, geometry=dataclasses.replace(shape.geometry, radius=0.021)
        )

    links = tuple(
        dataclasses.replace(k, collisions=tuple(map(grown, k.collisions))) if k.name == name else k
        for k in scene.links
    )
    return dataclasses.replace(scene, links=links)


def drawn_elsewhere(scene: Scene, name: str) -> Scene:
    X = Pose.of(p=(0.0, 0.0, 1e-3))
    links = tuple(
        dataclasses.replace(
            k, visuals=tuple(dataclasses.replace(v, X_LG=v.X_LG @ X) for v in k.visuals)
        )
        if k.name == name
        else k
        for k in scene.links
    )
    return dataclasses.replace(scene, links=links)


def softer(scene: Scene, name: str) -> Scene:
    joints = tuple(
        dataclasses.replace(
            j,
            engine_settings=of_engine(
                "mujoco", (*settings_of(j, "mujoco"), ("solreflimit", "0.1 1"))
            ),
        )
        if j.name == name
        else j
        for j in scene.joints
    )
    return dataclasses.replace(scene, joints=joints)


@pytest.mark.parametrize(
    ("fault", "name", "quantity"),
    [
        (moved, "d", "joint motion"),
        (heavier, "p", "mass"),
        (shifted_coupling, "a", "couplings"),
        (loose, "q, r", "constraint violation"),
        (wider, "p", "shapes"),
        (drawn_elsewhere, "p", "visual shapes"),
        (softer, "a", "settings of stops"),
    ],
)
def test_a_fault_of_our_reading_is_found_by_the_original_alone(
    fault: Callable[[Scene, str], Scene], name: str, quantity: str, tmp_path: Path
) -> None:
    found = static(fault(scene_of(HELD, tmp_path), name))
    assert found.verdict is Verdict.DIFFERS
    assert {row.quantity for row in found.failures} >= {quantity}
    assert all("mujoco-native" in row.engines for row in found.failures)
    assert any(name in row.where for row in found.failures if row.quantity == quantity)


def test_another_link_is_a_difference(tmp_path: Path) -> None:
    scene = scene_of(HELD, tmp_path)
    Path(scene.source).write_text(
        HELD.replace('name="r"', 'name="s"').replace('"r"', '"s"'), encoding="utf-8"
    )
    found = static(scene)
    assert [row.quantity for row in found.failures] == ["reading"]
    assert "does not have the link r" in found.failures[0].cause


def test_a_file_of_another_format_does_not_take_part() -> None:
    found = static(ASSETS / "leg.sdf")
    assert [row.cause for row in found.rows if row.quantity == "reading"] == [
        (
            "MuJoCo does not take part: the original is no MJCF file that can be read: leg.sdf is "
            "not "
            "MJCF"
        )
    ]
    assert found.failures == ()


def test_mujoco_gets_no_file_outside_of_the_folders_of_the_load(tmp_path: Path) -> None:
    scene = scene_of(HELD, tmp_path)
    mesh = '<asset><mesh name="m" file="/etc/hostname.obj"/></asset><worldbody>'
    Path(scene.source).write_text(HELD.replace("<worldbody>", mesh, 1), encoding="utf-8")
    lookups = loaders.resolve(scene.source)
    assert [lookup.path for lookup in lookups] == [None]
    assert all("hostname" not in row.cause for row in static(scene).failures)


@pytest.mark.parametrize("coefficients", ["0.1 2 0 0 0", "0.1 2 0.5 -0.3 0.1"])
def test_couplings_agree_whatever_the_reference_positions(
    coefficients: str, tmp_path: Path
) -> None:
    """A coupling of a scene is the linear part of a polynomial, counted from zero and not from the
    references.
    """
    body = '<body pos="{1} 0 0"><joint name="{0}" ref="{1}" axis="0 1 0"/><geom size=".1"/></body>'
    path = tmp_path / "robot.xml"
    path.write_text(
        f"<mujoco><compiler "
        f'angle="radian"/><worldbody>{body.format("a", 0.3)}{body.format("b", -0.2)}</worldbody>'
        f'<equality><joint joint1="a" joint2="b" polycoef="{coefficients}"/></equality></mujoco>'
    )
    found = compare(
        path, engines=("mujoco", "mujoco-native"), levels=("L0", "L1"), configurations=1
    )
    assert [(row.quantity, row.engines) for row in found.failures] == []


@pytest.mark.filterwarnings("ignore:flex 'f' is not rigid")
@pytest.mark.parametrize("flag", ["", '<flag equality="disable"/>', '<flag constraint="disable"/>'])
def test_a_plane_that_soft_bodies_touch_is_for_contact_and_drawn(flag: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(
        f"<mujoco><option>{flag}</option>"
        '<worldbody><geom type="plane" size="1 1 .1" friction=".5"/><flexcomp name="f" '
        'type="grid" '
        'dim="1" count="3 1 1" spacing=".1 .1 .1" mass="1"><edge '
        'equality="true"/></flexcomp></worldbody></mujoco>'
    )
    found = compare(path, engines=("mujoco", "mujoco-native"), levels=("L0",), configurations=1)
    assert [(row.quantity, row.engines) for row in found.failures] == []


# MuJoCo compiles an original under the limits of a load.

TEXT = "<mujoco><worldbody><body name='a'><joint/><geom size='.1'/></body></worldbody></mujoco>"


def test_the_model_is_that_of_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(TEXT, encoding="utf-8")
    with compile_original(path) as source:
        assert source.names("joint") == ("joint_0",)
        assert (
            source.compiled.model.body_mass.tolist()
            == mujoco.MjModel.from_xml_string(TEXT).body_mass.tolist()
        )


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("size='.1'", "size='-1'", "mjcf-in.refused"),
        ("size='.1'", "size='nan'", "mjcf-in.not-finite"),
        ("<worldbody>", "<include file='/etc/passwd'/><worldbody>", "mjcf-in.include"),
        ("</mujoco>", "", "xml.syntax"),
    ],
)
def test_a_file_without_a_model_is_a_load_error(
    old: str, new: str, code: str, tmp_path: Path
) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(LoadError) as caught, compile_original(path):
        pass
    assert code in {entry.code for entry in caught.value.diagnostics}


def test_another_format_is_not_mjcf() -> None:
    with (
        pytest.raises(ValueError, match=r"leg\.sdf is not MJCF"),
        compile_original(ASSETS / "leg.sdf"),
    ):
        pass

"""Actuators, equalities, tendons and contact pairs, against MuJoCo."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders import Diagnostic, LoadError, Scene
from loaders.mjcf.constraint import shifted
from loaders.model import BallConstraint, TendonPartType, WeldConstraint, settings_of
from tests.support.mjcf_documents import BALL, document, read
from tests.support.mjcf_round_trip import compiled, differences, differing_arrays

# Equality constraints, against MuJoCo's step with them.

BODIES = (
    f'<body name="a"><freejoint/>{BALL}<site name="s" pos="0.1 0 0" euler="0 0 30"/></body>'
    f'<body name="b" pos="1 0 0"><freejoint/>{BALL}<site name="t" pos="0 0.2 0"/></body>'
)
JOINTS = (
    f'<body><joint name="j" ref="20"/>{BALL}</body><body pos="1 0 0"><joint name="k" '
    f'ref="-10"/>{BALL}</body>'
)
CONSTRAINTS = {
    "connect": (BODIES, '<connect body1="a" body2="b" anchor="0.5 0 0"/>'),
    "connect to the world": (BODIES, '<connect body1="a" anchor="0.5 0 0"/>'),
    "connect sites": (BODIES, '<connect site1="s" site2="t" solref="0.1 1"/>'),
    "weld": (BODIES, '<weld body1="a" body2="b"/>'),
    "weld with a pose": (
        BODIES,
        '<weld body1="a" body2="b" relpose="1 2 3 1 1 0 0" torquescale="0.5"/>',
    ),
    "weld at an anchor": (BODIES, '<weld body1="a" body2="b" anchor="0.1 0.2 0.3"/>'),
    "weld sites": (BODIES, '<weld site1="s" site2="t" solimp="0.8 0.9 0.01"/>'),
    "switched off": (BODIES, '<weld body1="a" body2="b" active="false"/>'),
    "joints": (JOINTS, '<joint joint1="j" joint2="k" polycoef="0.1 2 0 0 0"/>'),
    "one joint": (JOINTS, '<joint joint1="j" polycoef="0.2 0 0 0 0" solref="0.1 1"/>'),
    "joints switched off": (JOINTS, '<joint joint1="j" joint2="k" active="false"/>'),
    "polynomial": (JOINTS, '<joint joint1="j" joint2="k" polycoef="0.1 2 0.3 0.4 0.5"/>'),
}


@pytest.mark.parametrize(("body", "constraint"), CONSTRAINTS.values(), ids=CONSTRAINTS)
def test_an_export_moves_as_the_original(body: str, constraint: str) -> None:
    assert max(differences(body, f"<equality>{constraint}</equality>").values()) < 1e-9


def test_constraints_of_a_scene() -> None:
    section = (
        '<equality><connect body1="a" body2="b" anchor="1 0 0"/><weld body1="a" '
        'active="false"/></equality>'
    )
    ball, weld = read(BODIES, section).constraints
    assert isinstance(ball, BallConstraint)
    assert (ball.p_AP.tolist(), ball.p_BQ.tolist()) == ([1.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    assert isinstance(weld, WeldConstraint)
    assert (weld.link_A, weld.link_B, weld.active) == ("a", "world", False)


def test_a_coupling_counts_from_zero_not_from_the_reference() -> None:
    (coupling,) = read(
        JOINTS, '<equality><joint joint1="j" joint2="k" polycoef="0 2 0 0 0"/></equality>'
    ).couplings
    degree = 3.141592653589793 / 180.0
    assert (coupling.multiplier, coupling.offset) == pytest.approx(
        (2.0, 20.0 * degree + 2.0 * 10.0 * degree)
    )


SOFT = (
    '<flexcomp name="f" type="grid" count="3 3 3" spacing="1 1 1" radius="0.1" mass="1" dim="3" '
    'dof="trilinear"'
    ' cellcount="2 1 1"><edge equality="strain" solref="0.05 1"/><contact '
    'selfcollide="none"/></flexcomp>'
)


def test_the_strain_of_the_cells_of_a_soft_body_is_carried() -> None:
    original, exported = compiled(SOFT)
    assert original.neq == 2
    assert differing_arrays("eq", original, exported) == []
    assert differing_arrays("flex", original, exported) == []


def test_every_kind_of_equality_is_carried() -> None:
    """A kind that a later MuJoCo adds fails here; files with distances are refused since MuJoCo
    2.2.2.
    """
    kinds = {name.removeprefix("mjEQ_").lower() for name in mujoco.mjtEq.__members__}
    assert kinds == {
        "connect",
        "weld",
        "joint",
        "tendon",
        "flex",
        "flexvert",
        "flexstrain",
        "distance",
    }


def test_the_polynomial_of_a_sum_is_that_of_the_shifted_argument() -> None:
    coefficients = np.array([0.3, -1.0, 0.5, 2.0, -0.7])
    found = np.polynomial.Polynomial(shifted(coefficients, 0.4))(1.3)
    assert found == pytest.approx(np.polynomial.Polynomial(coefficients)(1.7), rel=1e-14)


def test_tendons_are_held_as_in_the_original() -> None:
    """The lengths count from those of the reference pose."""
    sections = (
        '<tendon><fixed name="s"><joint joint="j" coef="2"/></fixed>'
        '<fixed name="t"><joint joint="k" coef="1"/></fixed></tendon>'
        '<equality><tendon tendon1="s" tendon2="t" polycoef="0.1 2 0 0 0"/><tendon '
        'tendon1="t"/></equality>'
    )
    assert max(differences(JOINTS, sections).values()) < 1e-9


# Actuators.

BODY = f'<body name="a"><joint name="j"/>{BALL}<site name="s"/></body>'


def read_text(text: str) -> Scene:
    return loaders.load_string(text, format="mjcf", quiet=True)


def refused(text: str) -> tuple[Diagnostic, ...]:
    try:
        read_text(text)
    except LoadError as error:
        return error.diagnostics
    return ()


def actuator(text: str):
    (found,) = read(BODY, f"<actuator>{text}</actuator>").actuators
    return found


def test_a_servo_has_gains_and_a_range() -> None:
    servo = actuator(
        '<position name="p" joint="j" kp="10" kv="2" gear="3" ctrlrange="-1 1" forcerange="-5 5"/>'
    )
    assert (servo.joint, servo.p_gain, servo.d_gain) == ("j", 90.0, 18.0)
    assert (servo.control, servo.effort) == ((-1.0, 1.0), 15.0)


def test_a_motor_has_no_gains() -> None:
    motor = actuator('<motor joint="j"/>')
    assert (motor.name, motor.p_gain, motor.d_gain, motor.effort) == (
        "actuator_0",
        None,
        None,
        math.inf,
    )


def test_a_target_that_is_no_joint() -> None:
    found = actuator('<motor site="s" gear="0 0 1 0 0 0"/>')
    assert ("site", "s") in settings_of(found, "mujoco")


def test_a_plugin_is_reported() -> None:
    section = (
        '<extension><plugin plugin="mujoco.pid"/></extension>'
        '<actuator><plugin joint="j" plugin="mujoco.pid"/></actuator>'
    )
    scene = read(BODY, section)
    assert scene.actuators == ()
    assert "mjcf-in.actuator" in {entry.code for entry in scene.diagnostics}


LAWS = {
    "delay": '<motor joint="j" delay="0.01" nsample="5"/>',
    "states": '<dcmotor joint="j" motorconst="2" resistance="0.5" inductance="0 0.001"/>',
    "friction": (
        '<dcmotor joint="j" motorconst="0.05" resistance="2" lugre="1e4 100 0.005 0.008 0.1"/>'
    ),
    "controls": (
        '<dcmotor joint="j" motorconst="1" resistance="1" input="pos vel" controller="10 0 5"/>'
    ),
    "no control": '<dcmotor joint="j" motorconst="0.05" resistance="2" input="none"/>',
    "a voltage of two": (
        '<dcmotor joint="j" motorconst="1" resistance="1" input="vel voltage" controller="10 0 5"/>'
    ),
    "one control": '<pid joint="j" kp="3" ki="1" input="pos"/>',
    "speed": '<pid joint="j" kp="3" kv="2" input="vel" velrange="-1 1"/>',
    "three controls": (
        '<pid joint="j" kp="3" kv="2" input="pos vel ff" posrange="-1 1" '
        'velrange="-2 2" ffrange="0 3"/>'
    ),
    "speed of two": '<pid joint="j" kp="3" ki="2" kv="2" input="pos vel" velrange="0.1 0.2"/>',
    "force of two": '<pid joint="j" kp="3" kv="2" input="vel ff" ffrange="0.1 0.2"/>',
    "muscle": '<muscle joint="j" lengthrange="0.1 0.9"/>',
    "damping": '<motor joint="j" gear="2" damping="0.1 20 30"/>',
    "rotor": '<motor joint="j" gear="2" armature="0.1"/>',
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_an_actuator_pushes_as_the_original(law: str) -> None:
    """Some laws need a MuJoCo that has them."""
    import mujoco

    text = document(BODY, f"<actuator>{law}</actuator>")
    try:
        original = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        original = None
    if original is None:
        assert [e.code for e in refused(text)] == ["mjcf-in.refused"]
        return
    exported = mujoco.MjModel.from_xml_string(bridge.to_mjcf(read_text(text), quiet=True))
    speeds = []
    for model in (original, exported):
        data = mujoco.MjData(model)
        data.ctrl[:], data.qvel[:] = 0.3, 0.2
        mujoco.mj_step(model, data, 20)
        speeds.append([*data.qvel, *data.act])
    assert speeds[1] == pytest.approx(speeds[0], rel=1e-9)


ROTORS = {
    "two motors of a hinge": (
        '<motor joint="j" gear="3" armature="0.2"/><motor jointinparent="j" armature="0.1"/>'
    ),
    "a sum of joints": '<motor tendon="sum" gear="2" armature="0.2"/>',
    "a path": '<motor tendon="path" gear="-1" armature="0.3"/>',
}
TENDONS = (
    '<tendon><fixed name="sum"><joint joint="j" coef="1"/><joint joint="k" coef="-2"/></fixed>'
    '<spatial name="path"><site site="top"/><site site="tip"/></spatial></tendon>'
)
ARM = (
    f'<site name="top" pos="0 0 2"/><body name="a"><joint name="j" axis="0 1 0"/>{BALL}<body '
    f'name="b" pos="0.3 0 0">'
    f'<joint name="k" axis="1 0 0"/>{BALL}<site name="tip" pos="0 0.2 0"/></body></body>'
)


@pytest.mark.parametrize("actuators", ROTORS.values(), ids=ROTORS)
def test_the_inertia_of_rotors_is_that_of_mujoco(actuators: str) -> None:
    """MuJoCo adds the armature of an actuator, times the square of its gear, whatever it drives."""
    import mujoco

    outside = f"{TENDONS}<actuator>{actuators}</actuator>"
    try:
        model = mujoco.MjModel.from_xml_string(document(ARM, outside))
    except ValueError:
        pytest.skip("this MuJoCo has no armature of actuators")
    data, expected = mujoco.MjData(model), np.zeros((2, 2))
    data.qpos[:] = 0.4, -0.7
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, expected)
    found = bridge.lower(read(ARM, outside)).mass_matrix({"j": 0.4, "k": -0.7})
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


# Tendons.

TENDONS_BODY = (
    f'<site name="o" pos="0 0 1"/><body name="a"><joint name="j"/>{BALL}<geom name="w" '
    f'type="cylinder" size="0.2 0.3"/>'
    '<site name="s" pos="1 0 0"/></body>'
)


def test_a_path_in_space() -> None:
    path = '<site site="o"/><geom geom="w" sidesite="o"/><site site="s"/><pulley divisor="2"/>'
    path += '<site site="o"/><site site="s"/>'
    (tendon,) = read(
        TENDONS_BODY, f'<tendon><spatial name="t" range="0 2">{path}</spatial></tendon>'
    ).tendons
    T = TendonPartType
    assert [part.type for part in tendon.parts] == [
        T.POINT,
        T.CYLINDER,
        T.POINT,
        T.PULLEY,
        T.POINT,
        T.POINT,
    ]
    wrap = tendon.parts[1]
    assert (wrap.value, wrap.link, wrap.link_S) == (0.2, "a", "world")
    assert wrap.p_LS is not None
    assert wrap.p_LS.tolist() == [0.0, 0.0, 1.0]
    assert (tendon.lower, tendon.upper, tendon.parts[3].value) == (0.0, 2.0, 2.0)


def test_a_sum_of_joint_positions() -> None:
    text = (
        '<tendon><fixed name="t" stiffness="3" springlength="1 2" damping="4" frictionloss="5" '
        'armature="6">'
    )
    (tendon,) = read(TENDONS_BODY, text + '<joint joint="j" coef="7"/></fixed></tendon>').tendons
    assert [(part.joint, part.value) for part in tendon.parts] == [("j", 7.0)]
    assert (tendon.stiffness, tendon.rest, tendon.damping) == (3.0, (1.0, 2.0), 4.0)
    assert (tendon.friction, tendon.inertia) == (5.0, 6.0)


# Excluded pairs and stated pairs.

CONTACTS_BODIES = "".join(
    f'<body name="{n}"><freejoint/><geom name="g{n}" size="0.1"/></body>' for n in "abc"
)


def test_an_exclude_keeps_two_links_apart() -> None:
    scene = read(CONTACTS_BODIES, '<contact><exclude body1="a" body2="c"/></contact>')
    assert scene.excluded_collision_pairs() == {frozenset("ac")}


def test_a_pair_beats_an_exclude() -> None:
    contact = '<exclude body1="a" body2="c"/><pair geom1="ga" geom2="gc" condim="1" margin="0.2"/>'
    scene = read(CONTACTS_BODIES, f"<contact>{contact}</contact>")
    assert scene.excluded_collision_pairs() == frozenset()
    original, exported = compiled(CONTACTS_BODIES, f"<contact>{contact}</contact>")
    assert (exported.nexclude, exported.npair) == (original.nexclude, original.npair) == (1, 1)
    assert (exported.pair_dim[0], exported.pair_margin[0]) == (1, 0.2)


def test_masks_count_without_an_option() -> None:
    masked = CONTACTS_BODIES.replace('name="gc"', 'name="gc" contype="2" conaffinity="2"')
    assert read(masked).excluded_collision_pairs() == {frozenset("ac"), frozenset("bc")}


def test_the_parent_filter_looks_through_virtual_links_and_may_be_off() -> None:
    chain = (
        '<body name="p"><joint/><geom size="0.1"/><body name="c"><joint axis="1 0 '
        '0"/><joint/><geom size="0.1"/>'
    )
    chain += "</body></body>"
    assert read(chain).excluded_collision_pairs() == {frozenset("pc")}
    off = '<option><flag filterparent="disable"/></option>'
    assert read(chain, off).excluded_collision_pairs() == frozenset()
    original, exported = compiled(chain, off)
    assert exported.opt.disableflags == original.opt.disableflags

"""The friction of a pair is that of the rule of the source's elements, in every target, or the
difference is stated.
"""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import pybullet
import pytest

import bridge
import loaders
from loaders.engine_settings import friction_rule

G = 9.81
MJCF = """<mujoco><option gravity="{gx} 0 {gz}"/><worldbody>
<geom type="plane" size="50 50 .1" friction="0.8"/>
<body name="a" pos="0 0 .1"><freejoint/><geom type="box" size=".2 .2 .1" friction="0.3"/></body>
</worldbody></mujoco>"""
SDF = """<sdf version="1.9"><world name="w"><gravity>{gx} 0 {gz}</gravity>
<model name="ground"><static>true</static><link name="floor"><collision name="c"><geometry><plane>
<normal>0 0 1</normal></plane></geometry>{floor}</collision></link></model>
<model name="m"><pose>0 0 .1 0 0 0</pose><link name="a"><collision name="c"><geometry>
<box><size>.4 .4 .2</size></box></geometry>{box}</collision></link></model></world></sdf>"""
ODE = "<surface><friction><ode><mu>{0}</mu><mu2>{0}</mu2></ode></friction></surface>"
DRAKE = "<drake:proximity_properties><drake:mu_dynamic>{0}</drake:mu_dynamic></drake:proximity_properties>"
URDF = """<robot name="r" xmlns:drake="http://drake.mit.edu"><link name="a">{contact}<collision>
<geometry><box size="1 1 1"/></geometry>{collision}</collision></link>{gazebo}</robot>"""
CONTACT = '<contact><lateral_friction value="0.5"/></contact>'
IN_GAZEBO = '<gazebo reference="a"><mu1>0.5</mu1><mu2>0.5</mu2></gazebo>'
IN_DRAKE = """<drake:proximity_properties><drake:mu_dynamic value="0.5"/>
</drake:proximity_properties>"""


def _tilted(slope: float) -> dict[str, float]:
    angle = math.atan(slope)
    return {"gx": G * math.sin(angle), "gz": -G * math.cos(angle)}


def _sdf(form: str, slope: float = 0.0) -> loaders.Scene:
    text = SDF.format(**_tilted(slope), floor=form.format(0.8), box=form.format(0.3))
    text = text.replace("<sdf ", '<sdf xmlns:drake="http://drake.mit.edu" ')
    return loaders.load_string(text, format="sdf", quiet=True)


def _mjcf(slope: float = 0.0) -> loaders.Scene:
    return loaders.load_string(MJCF.format(**_tilted(slope)), format="mjcf", quiet=True)


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ({}, "smaller"),
        ({"contact": CONTACT}, "product"),
        ({"gazebo": IN_GAZEBO}, "smaller"),
        ({"contact": CONTACT, "gazebo": IN_GAZEBO}, "smaller"),
        ({"collision": IN_DRAKE}, "harmonic"),
    ],
)
def test_the_rule_of_a_urdf_is_that_of_its_elements(parts: dict[str, str], rule: str) -> None:
    text = URDF.format(**{"contact": "", "gazebo": "", "collision": ""} | parts)
    found = friction_rule(loaders.load_string(text, format="urdf", quiet=True))
    expected = {"smaller": 0.3, "product": 0.24, "harmonic": 2 * 0.3 * 0.8 / 1.1}
    assert found.combined(0.3, 0.8) == pytest.approx(expected[rule])


@pytest.mark.parametrize(
    ("scene", "mu"),
    [(_mjcf(), 0.8), (_sdf(ODE), 0.3), (_sdf(DRAKE), 2 * 0.3 * 0.8 / 1.1)],
    ids=["mjcf", "sdf", "drake"],
)
def test_the_rules_of_mjcf_sdformat_and_drake(scene: loaders.Scene, mu: float) -> None:
    assert friction_rule(scene).combined(0.3, 0.8) == pytest.approx(mu)


def test_directives_have_the_rule_of_drake(tmp_path: Path) -> None:
    (tmp_path / "a.urdf").write_text(URDF.format(contact="", gazebo="", collision=""))
    (tmp_path / "a.dmd.yaml").write_text("directives:\n- add_model: {name: r, file: a.urdf}\n")
    scene = loaders.load(tmp_path / "a.dmd.yaml", quiet=True)
    assert friction_rule(scene).combined(0.3, 0.8) == pytest.approx(2 * 0.3 * 0.8 / 1.1)


# --- a box on a slope -----------------------------------------------------------------------------


def _slides_in_pybullet(scene: loaders.Scene, client: int) -> bool:
    body = bridge.load_into_pybullet(scene, physicsClientId=client, quiet=True)
    pybullet.setGravity(*scene.gravity.tolist(), physicsClientId=client)
    for _ in range(240):
        pybullet.stepSimulation(physicsClientId=client)
    ids = range(pybullet.getNumBodies(physicsClientId=client))
    speeds = [pybullet.getBaseVelocity(i, physicsClientId=client)[0][0] for i in ids]
    assert body is not None
    return max(speeds) > 0.05


@pytest.mark.parametrize(("form", "mu"), [("mjcf", 0.8), (ODE, 0.3), (DRAKE, 2 * 0.3 * 0.8 / 1.1)])
@pytest.mark.parametrize(("factor", "slides"), [(0.95, False), (1.05, True)])
def test_a_box_slides_in_pybullet_at_the_friction_of_the_source(
    form: str, mu: float, factor: float, slides: bool
) -> None:
    scene = _mjcf(factor * mu) if form == "mjcf" else _sdf(form, factor * mu)
    client = pybullet.connect(pybullet.DIRECT)
    try:
        assert _slides_in_pybullet(scene, client) is slides
    finally:
        pybullet.disconnect(client)


@pytest.mark.parametrize("factor", [0.95, 1.05])
@pytest.mark.parametrize(("form", "mu"), [(ODE, 0.3), (DRAKE, 2 * 0.3 * 0.8 / 1.1)])
def test_a_box_slides_in_mujoco_at_the_friction_of_the_source(
    form: str, mu: float, factor: float
) -> None:
    text = bridge.to_mjcf(_sdf(form, factor * mu), contacts="pairs", quiet=True)
    model = mujoco.MjModel.from_xml_string(str(text))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(1.0 / model.opt.timestep))
    assert bool(data.qvel[0] > 0.1) is (factor > 1.0)


# --- what remains ---------------------------------------------------------------------------------


def test_mjcf_states_the_friction_wanted_and_got() -> None:
    (entry,) = (
        e
        for e in bridge.to_mjcf(_sdf(ODE), quiet=True).diagnostics
        if e.code == "mjcf.friction-combination"
    )
    assert entry.arguments["combined"] == 0.3
    assert entry.arguments["larger"] == 0.8
    assert {name.rpartition("::")[2] for name in entry.subjects} == {"a", "floor"}


def test_links_that_never_touch_have_no_friction() -> None:
    text = MJCF.format(**_tilted(0.0)).replace("<mujoco>", '<mujoco model="m">')
    text = text.replace(
        "</mujoco>", '<contact><exclude body1="world" body2="a"/></contact></mujoco>'
    )
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    for document in (bridge.to_sdf(scene, quiet=True), bridge.to_urdf(scene, quiet=True)):
        assert not any("friction-rule" in e.code for e in document.diagnostics)


@pytest.mark.parametrize("write", [bridge.to_sdf, bridge.to_urdf])
def test_formats_of_gazebo_state_the_friction_that_mujoco_has(write) -> None:  # type: ignore[no-untyped-def]
    (entry,) = (e for e in write(_mjcf(), quiet=True).diagnostics if "friction-rule" in e.code)
    assert (entry.arguments["wanted"], entry.arguments["found"]) == (0.8, 0.3)
    assert set(entry.subjects) == {"a", "world"}


def test_directives_state_the_friction_between_two_models_in_drake(tmp_path: Path) -> None:
    done = bridge.export_directives(_mjcf(), tmp_path / "out", quiet=True)
    (entry,) = (e for e in done.diagnostics if e.code == "dmdout.friction-rule")
    assert entry.arguments["wanted"] == 0.8
    assert entry.arguments["found"] == pytest.approx(2 * 0.3 * 0.8 / 1.1)
    assert set(entry.subjects) == {"a", "world"}
    again = bridge.export_directives(done.path, tmp_path / "again", quiet=True)
    assert not any(e.code == "dmdout.friction-rule" for e in again.diagnostics)


def test_the_product_of_a_urdf_stays_in_pybullet() -> None:
    client = pybullet.connect(pybullet.DIRECT)
    text = URDF.format(contact=CONTACT, gazebo="", collision="")
    try:
        body = bridge.load_into_pybullet(
            loaders.load_string(text, format="urdf", quiet=True), physicsClientId=client, quiet=True
        )
        assert not any(e.code == "pybullet.friction-product" for e in body.diagnostics)
        assert pybullet.getDynamicsInfo(0, -1, physicsClientId=client)[1] == 0.5
    finally:
        pybullet.disconnect(client)

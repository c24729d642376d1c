"""``<mujoco>`` in a URDF, compared with MuJoCo, which compiles the URDF itself."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders.diagnostics import Fate

LINKS = """<link name="g"/>
<link name="a"><inertial><origin xyz="0.1 0 0" rpy="0.1 0.2 0.3"/><mass value="2"/>
 <inertia ixx=".1" iyy=".2" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="0.2"/><inertia ixx=".01" iyy=".03" izz=".03" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="g"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint>"""


def robot(inside: str, izz: float = 0.25) -> str:
    return f'<robot name="r"><mujoco>{inside}</mujoco>{LINKS.format(izz=izz)}</robot>'


def models(text: str) -> tuple[mujoco.MjModel, mujoco.MjModel]:
    """Return the model of the export and that which MuJoCo compiles of the URDF."""
    scene = loaders.load_string(text, format="urdf", quiet=True)
    assert not scene.diagnostics
    exported = bridge.to_mjcf(scene, base="fixed", quiet=True)
    return mujoco.MjModel.from_xml_string(exported), mujoco.MjModel.from_xml_string(text)


OPTIONS = [
    'gravity="0 0 -1.62" timestep="0.0005" integrator="RK4"',
    'gravity="0 0 -9.81" timestep="0.001" wind="1 2 3" density="1.2" viscosity="0.1" magnetic="0 1 2"',
    'gravity="0 0 -9.81" timestep="0.001" cone="elliptic" solver="CG" iterations="7" tolerance="1e-6" impratio="3" o_margin="0.1"',
]


@pytest.mark.parametrize("attributes", OPTIONS)
def test_options_are_those_of_mujoco(attributes: str) -> None:
    ours, native = models(robot(f"<option {attributes}/>"))
    for name in (name for name in dir(native.opt) if not name.startswith("_")):
        np.testing.assert_array_equal(getattr(ours.opt, name), getattr(native.opt, name), name)


@pytest.mark.parametrize(
    "flag", ["gravity", "contact", "limit", "spring", "damper", "equality", "actuation"]
)
def test_flags_are_those_of_mujoco(flag: str) -> None:
    ours, native = models(robot(f'<option><flag {flag}="disable"/></option>'))
    if flag == "gravity":
        assert ours.opt.gravity.tolist() == [0, 0, 0]
    else:
        assert ours.opt.disableflags == native.opt.disableflags


@pytest.mark.parametrize(
    ("attributes", "izz"),
    [
        ('balanceinertia="true"', 0.5),
        ('balanceinertia="true"', 0.25),
        ('boundmass="0.5"', 0.25),
        ('boundinertia="0.02"', 0.25),
        ('settotalmass="5"', 0.25),
        ('boundmass="0.5" boundinertia="0.15" balanceinertia="true"', 0.5),
    ],
)
def test_masses_and_inertias_are_those_of_mujocos_compiler(attributes: str, izz: float) -> None:
    ours, native = models(robot(f'<compiler fusestatic="false" {attributes}/>', izz))
    for name in "ab":
        one, other = ours.body(name), native.body(name)
        assert one.mass == pytest.approx(other.mass, rel=1e-14)
        rotations = [np.zeros(9), np.zeros(9)]
        for body, rotation in zip((one, other), rotations, strict=True):
            mujoco.mju_quat2Mat(rotation, body.iquat)
        first, second = (
            rotation.reshape(3, 3) @ np.diag(body.inertia) @ rotation.reshape(3, 3).T
            for body, rotation in zip((one, other), rotations, strict=True)
        )
        np.testing.assert_allclose(first, second, atol=1e-14)


def test_what_is_not_obeyed_is_named() -> None:
    text = robot('<compiler inertiafromgeom="true"/><worldbody/><size memory="1M"/>')
    found = loaders.load_string(text, format="urdf", quiet=True).diagnostics
    assert [(entry.code, entry.fate) for entry in found] == [
        ("urdf.mujoco-options", Fate.DROPPED)
    ] * 2
    assert {"inertiafromgeom" in found[0].message, "worldbody" in found[1].message} == {True}

"""In the key home a free robot stands on the ground, and couplings and limits hold."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from tests.support.mujoco_oracle import compiled

FLOOR = '<geom name="floor" type="plane" size="5 5 .1"/>'
SLOPE = '<geom name="floor" type="plane" size="5 5 .1" pos="0 0 .2" euler="20 10 0"/>'


def _robot(
    height: float, ground: str = FLOOR, *, hip: str = "", more: str = "", option: str = ""
) -> str:
    """A trunk with two legs, whose feet are a ball and a hull, and a tail that touches nothing."""
    return f"""<mujoco>{option}
  <asset><mesh name="wedge" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/></asset>
  <worldbody>{ground}
    <body name="trunk" pos="0 0 {height}" euler="5 0 30"><freejoint/>
      <geom type="box" size=".2 .1 .05"/>
      <geom name="tail" type="box" size=".02 .02 2" contype="0" conaffinity="0"/>
      <body name="left" pos=".1 .1 0"><joint name="l" axis="0 1 0" {hip}/>
        <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03"/>
        <geom type="sphere" size=".04" pos="0 0 -.35"/>
      </body>
      <body name="right" pos="-.1 -.1 0"><joint name="r" axis="0 1 0"/>
        <geom type="mesh" mesh="wedge" pos="0 0 -.4"/>
      </body>
    </body>
  </worldbody>{more}
</mujoco>"""


def _written(mjcf: str) -> mujoco.MjModel:
    return compiled(
        bridge.to_mjcf(loaders.load_string(mjcf, format="mjcf", quiet=True), quiet=True)
    )


def _keys(model: mujoco.MjModel) -> set[str]:
    return {model.key(i).name for i in range(model.nkey)}


def _gap(model: mujoco.MjModel) -> float:
    """The distance between the floor and the nearest shape that collides, at the key home [m]."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    floor = model.geom("floor").id
    others = [g for g in range(model.ngeom) if g != floor and model.geom_contype[g]]
    return min(mujoco.mj_geomDistance(model, data, floor, g, 9.0, None) for g in others)


@pytest.mark.parametrize("hip", ["", 'range="20 60"'], ids=["free", "bent"])
@pytest.mark.parametrize("ground", [FLOOR, SLOPE], ids=["floor", "slope"])
@pytest.mark.parametrize("height", [0.05, 0.45, 3.0])
def test_a_free_robot_stands_on_the_ground(height: float, ground: str, hip: str) -> None:
    model = _written(_robot(height, ground, hip=hip))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    floor = model.geom("floor").id
    depths = [-c.dist for c in data.contact if floor in c.geom]
    assert max(depths, default=0.0) < 1e-4
    assert abs(_gap(model)) < 1e-5
    assert ("initial" in _keys(model)) is bool(hip)


def test_the_finding_states_the_height_before() -> None:
    mjcf = bridge.to_mjcf(loaders.load_string(_robot(3.0), format="mjcf", quiet=True), quiet=True)
    (entry,) = (entry for entry in mjcf.diagnostics if entry.code == "mjcf.home-stands")
    model = mujoco.MjModel.from_xml_string(_robot(3.0))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    floor = model.geom("floor").id
    gap = min(
        mujoco.mj_geomDistance(model, data, floor, g, 9.0, None)
        for g in range(model.ngeom)
        if g != floor and model.geom_contype[g]
    )
    assert entry.arguments["height"] == pytest.approx(gap, abs=1e-6)
    assert entry.subjects == ("trunk",)


TABLE = f'{FLOOR}<geom name="table" type="box" size=".5 .5 .05" pos="0 0 1"/>'
BOX = f"""<mujoco><worldbody>{FLOOR}<body name="box" pos="0 0 1"><freejoint/>
<geom size=".1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    "mjcf",
    {
        "a body of one link": BOX,
        "other fixed shapes": _robot(2.0, TABLE),
        "no ground": _robot(2.0, ""),
        "no gravity": _robot(2.0, option='<option gravity="0 0 0"/>'),
        "tied to the world": _robot(
            2.0, more='<equality><weld body1="trunk" body2="world"/></equality>'
        ),
    }.items(),
    ids=lambda item: item[0],
)
def test_nothing_else_is_moved(mjcf: tuple[str, str]) -> None:
    assert not _keys(_written(mjcf[1]))


def test_a_source_with_states_keeps_them() -> None:
    key = '<keyframe><key name="up" qpos="0 0 2 1 0 0 0 0 0"/></keyframe>'
    assert _keys(_written(_robot(3.0, more=key))) == {"up"}


def test_a_robot_that_stands_already_is_not_moved() -> None:
    first = _written(_robot(3.0))
    x = first.key("home").qpos
    model = _written(_robot(float(x[2])))
    assert not _keys(model)


# --- couplings and limits -------------------------------------------------------------------------


def _coupled(equalities: str, l: str = "", f: str = "", g: str = "") -> str:  # noqa: E741
    bodies = "".join(
        f'<body pos="{i} 0 0"><joint name="{name}" axis="0 0 1" {limits}/><geom size=".1"/></body>'
        for i, (name, limits) in enumerate({"l": l, "f": f, "g": g}.items())
    )
    return f"""<mujoco><compiler angle="radian"/><worldbody>{bodies}</worldbody>
    <equality>{equalities}</equality></mujoco>"""


def _equality(follower: str, leader: str, polycoef: str) -> str:
    return f'<joint joint1="{follower}" joint2="{leader}" polycoef="{polycoef}"/>'


@pytest.mark.parametrize(
    "mjcf",
    {
        "chain": _coupled(_equality("f", "l", "1 2 0 0 0") + _equality("g", "f", ".5 -1 0 0 0")),
        "polynomial": _coupled(_equality("f", "l", "0 1 2 0 0"), 'range=".8 1.2"'),
        "chain of polynomials": _coupled(
            _equality("g", "f", ".1 1 0 1 0") + _equality("f", "l", "0 1 2 0 0"), 'range=".8 1.2"'
        ),
        "limits of the follower": _coupled(_equality("f", "l", "0 2 0 0 0"), "", 'range=".5 1"'),
        "limits of a chain": _coupled(
            _equality("f", "l", ".1 -2 0 0 0") + _equality("g", "f", "0 2 0 0 0"),
            'range="-1 1"',
            "",
            'range=".5 1"',
        ),
    }.items(),
    ids=lambda item: item[0],
)
def test_couplings_and_limits_hold_in_the_key_home(mjcf: tuple[str, str]) -> None:
    model = _written(mjcf[1])
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    kinds = data.efc_type
    residual = data.efc_pos[kinds == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    assert len(residual)
    assert np.abs(residual).max() < 1e-12
    limits = data.efc_pos[kinds == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT]
    assert (limits > -1e-12).all()


@pytest.mark.parametrize("height", [3.0, None])
def test_the_readme_says_where_to_start(height: float | None, tmp_path: Path) -> None:
    scene = loaders.load_string(_robot(height) if height else BOX, format="mjcf", quiet=True)
    readme = bridge.export_mjcf(scene, tmp_path / "out", quiet=True).path.parent / "README.md"
    assert ('model.key("home")' in readme.read_text()) is bool(height)

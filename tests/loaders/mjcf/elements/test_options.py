"""Options of the simulation."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from tests.support.mjcf_documents import BALL, read

BODY = f"<body>{BALL}</body>"


def test_gravity_and_time_step() -> None:
    scene = read(BODY, '<option timestep="0.004" gravity="1 2 3"/>')
    assert (scene.gravity.tolist(), scene.physics.time_step) == ([1.0, 2.0, 3.0], 0.004)
    assert read(BODY).gravity.tolist() == [0.0, 0.0, -9.81]


def test_the_flag_switches_gravity_off() -> None:
    assert read(BODY, '<option><flag gravity="disable"/></option>').gravity.tolist() == [
        0.0,
        0.0,
        0.0,
    ]


CHILD = (
    '<mujoco model="child"><option iterations="100" solver="CG" o_margin="0.1" '
    'actuatorgroupdisable="1 3">'
    '<flag damper="disable" energy="enable"/></option>'
    f'<worldbody><body name="root"><joint damping="3"/>{BALL}</body></worldbody></mujoco>'
)
PARENT = (
    '<mujoco><compiler conflict="{policy}"/><option iterations="50" tolerance="1e-6"/>'
    '<asset><model name="child" file="child.xml"/></asset>'
    '<worldbody><attach model="child" body="root" prefix="x-"/></worldbody></mujoco>'
)


@pytest.mark.parametrize("policy", ["merge", "warning"])
def test_options_are_those_that_mujoco_makes_of_all_attached_models(
    policy: str, tmp_path: Path
) -> None:
    (tmp_path / "child.xml").write_text(CHILD)
    (tmp_path / "parent.xml").write_text(PARENT.format(policy=policy))
    original = mujoco.MjModel.from_xml_path(str(tmp_path / "parent.xml"))
    exported = bridge.to_mjspec(loaders.load(tmp_path / "parent.xml", quiet=True)).compile()
    assert (original.opt.iterations, original.opt.disableflags) == (
        (100, 64) if policy == "merge" else (50, 0)
    )
    names = [name for name in dir(original.opt) if not name.startswith("_")]
    one, two = (
        [np.asarray(getattr(model.opt, name)).tolist() for name in names]
        for model in (original, exported)
    )
    assert dict(zip(names, one, strict=True)) == dict(zip(names, two, strict=True))


def test_an_export_asks_for_the_memory_that_the_source_states() -> None:
    """A model of many bodies, for which MuJoCo would choose more than there is, compiles only with
    it.
    """
    scene = read(BODY, '<size memory="20M"/>')
    assert bridge.to_mjspec(scene).compile().narena == 20 * 2**20
    found = bridge.to_sdf(scene).diagnostics
    assert not [entry for entry in found if "size/memory" in str(entry)]

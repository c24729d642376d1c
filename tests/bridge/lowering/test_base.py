"""A base that is fixed on request is the same as a base that the file fixes."""

import mujoco
import numpy as np
import pytest

import loaders
from bridge.targets.mjcf import export_mjcf, to_mjcf, to_mjspec
from tests.support.mujoco_oracle import compiled

ARM = """
<sdf version="1.11"><model name="arm"><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>
  <link name="foot"><inertial><mass>2</mass></inertial>
    <collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision></link>
  <link name="upper"><pose>0 0 0.3 0 0 0</pose><inertial><pose>0.1 0 0.2 0 0 0</pose><mass>1</mass></inertial>
    <collision name="c"><geometry><box><size>0.1 0.1 0.5</size></box></geometry></collision></link>
  <link name="tip"><pose>0 0 0.6 0.1 0 0</pose><inertial><mass>0.5</mass></inertial></link>
  <joint name="shoulder" type="revolute"><parent>foot</parent><child>upper</child>
    <axis><xyz>0 1 0</xyz><limit><lower>0.2</lower><upper>1</upper><effort>30</effort></limit></axis></joint>
  <joint name="elbow" type="revolute"><parent>upper</parent><child>tip</child>
    <axis><xyz>0 1 0</xyz><mimic joint="shoulder"><multiplier>2</multiplier><offset>0</offset>
    <reference>0</reference></mimic></axis></joint>
  {weld}
</model></sdf>
"""
WELD = '<joint name="mount" type="fixed"><parent>world</parent><child>foot</child></joint>'


def arm(weld=""):
    return loaders.load_string(ARM.format(weld=weld), format="sdf")


def names_of(model, kind, count):
    return [mujoco.mj_id2name(model, kind, i) for i in range(count)]


@pytest.mark.parametrize("make", [to_mjcf, to_mjspec])
def test_a_base_that_is_fixed_on_request_is_one_that_the_file_fixes(make):
    found, expected = (
        make(arm(), base="fixed", actuators="motor"),
        make(arm(WELD), actuators="motor"),
    )
    asked, stated = (x.compile() if make is to_mjspec else compiled(x) for x in (found, expected))
    arrays = [name for name in dir(stated) if isinstance(getattr(stated, name, None), np.ndarray)]
    assert len(arrays) > 100
    for name in arrays:  # a pose that goes through a joint may be off by rounding
        assert np.allclose(
            getattr(asked, name), getattr(stated, name), rtol=0.0, atol=1e-15, equal_nan=True
        ), name
    assert (asked.nq, asked.neq) == (2, 1)


def test_a_base_that_is_freed_on_request_moves_from_where_it_stood():
    freed, free = compiled(to_mjcf(arm(WELD), base="free")), compiled(to_mjcf(arm()))
    assert names_of(freed, mujoco.mjtObj.mjOBJ_JOINT, freed.njnt) == ["foot", "shoulder", "elbow"]
    assert np.array_equal(freed.qpos0, free.qpos0)


def test_the_policy_of_the_file_is_the_default():
    assert to_mjcf(arm(), base="as_is") == to_mjcf(arm())


def test_the_papers_of_a_fixed_base_say_how_it_was_made(tmp_path):
    export_mjcf(arm(), tmp_path / "arm", base="fixed")
    papers = (tmp_path / "arm" / "README.md").read_text()
    assert 'base="fixed"' in papers
    assert "Nothing in the source holds" not in papers


def test_a_base_that_there_is_not_is_the_callers_mistake():
    with pytest.raises(
        ValueError, match="unknown value 'welded' of base; expected one of: as_is, fixed, free"
    ):
        to_mjcf(arm(), base="welded")

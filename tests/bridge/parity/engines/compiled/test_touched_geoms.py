"""The number of geoms that each geom may touch, against the contacts that MuJoCo finds when all of
them overlap.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

import mujoco
import numpy as np
import pytest

from bridge.parity.engines.mujoco import shapes as module
from bridge.parity.engines.mujoco.shapes import touched_geoms

TEXT = """<mujoco><option><flag filterparent="{0}"/></option><worldbody>
  <geom size="1"/><geom size="1" contype="2" conaffinity="4"/>
  <body name="fixed"><geom size="1" contype="4" conaffinity="1"/></body>
  <body name="a"><freejoint/><geom size="1"/><geom size="1" contype="6" conaffinity="2"/>
    <body name="b"><joint axis="0 0 1"/><geom size="1" contype="2" conaffinity="3"/>
      <body name="welded"><geom size="1"/></body>
      <body name="c"><joint axis="0 1 0"/><geom size="1" contype="0" conaffinity="0"/><geom size="1"/></body>
    </body></body>
  <body name="d"><freejoint/><geom size="1" contype="7"/></body></worldbody>
  <contact><exclude body1="a" body2="d"/></contact></mujoco>"""


@pytest.mark.parametrize("flag", ["enable", "disable"])
def test_geoms_are_those_of_the_contacts_of_overlapping_spheres(flag: str) -> None:
    model = mujoco.MjModel.from_xml_string(TEXT.format(flag))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    pairs = {tuple(sorted(contact.geom.tolist())) for contact in data.contact}
    expected = Counter(chain.from_iterable(pairs))
    everything = [True] * model.ngeom
    assert touched_geoms(model, everything).tolist() == [expected[g] for g in range(model.ngeom)]
    assert expected
    assert not touched_geoms(model, [False] * model.ngeom).any()


def test_very_many_geoms_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_GEOMS", 3)
    model = mujoco.MjModel.from_xml_string(TEXT.format("enable"))
    np.testing.assert_array_equal(touched_geoms(model, [True] * 10), np.zeros(10))

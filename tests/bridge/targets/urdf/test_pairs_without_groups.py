"""A URDF without Drake's extensions states no pairs: those that differ from the source are named."""

from __future__ import annotations

import mujoco
import pytest

import bridge
import loaders

ARM = """
<mujoco>
  <worldbody>
    <body name="base"><freejoint/><geom size=".1"/>
      <body name="upper"><joint axis="1 0 0"/><geom size=".1"/>
        <body name="lower"><joint axis="0 1 0"/><geom size=".1"/>
          <body name="hand"><joint axis="0 0 1"/><geom size=".1"/></body>
        </body>
      </body>
    </body>
  </worldbody>
  {contact}
</mujoco>
"""
"""All shapes are at one place, so that MuJoCo's contacts are the pairs that may touch."""
EXCLUDE = '<contact><exclude body1="base" body2="hand"/></contact>'


def _in_mujoco(model: mujoco.MjModel) -> set[frozenset[str]]:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    bodies = (model.geom_bodyid[list(pair)] for pair in data.contact.geom)
    return {frozenset(model.body(i).name for i in pair) for pair in bodies}


@pytest.mark.parametrize("contact", ["", EXCLUDE], ids=["plain", "excluded"])
def test_the_pairs_that_a_reader_adds_are_named(contact: str) -> None:
    text = ARM.format(contact=contact)
    source = loaders.load_string(text, format="mjcf", quiet=True)
    urdf = bridge.to_urdf(source, extensions=("gazebo",), quiet=True)
    free = str(urdf).replace(
        "</robot>", '<mujoco><compiler fusestatic="false" strippath="false"/></mujoco></robot>'
    )
    # MuJoCo fixes the root of a URDF: its rule for a fixed parent adds one pair
    read = _in_mujoco(mujoco.MjModel.from_xml_string(free)) - {frozenset(("base", "upper"))}
    read = {pair for pair in read if "world" not in pair}
    added = {
        frozenset(pair.split(" and "))
        for entry in urdf.diagnostics
        if entry.code == "urdfout.pairs-together"
        for pair in entry.arguments["pairs"]
    }
    assert added == read - _in_mujoco(mujoco.MjModel.from_xml_string(text))
    assert bool(added) is bool(contact)


def test_the_pairs_that_a_reader_excludes_are_named() -> None:
    text = ARM.format(contact="").replace("<freejoint/>", "")
    urdf = bridge.to_urdf(
        loaders.load_string(text, format="mjcf", quiet=True), extensions=("gazebo",), quiet=True
    )
    (entry,) = (entry for entry in urdf.diagnostics if entry.code == "urdfout.pairs-apart")
    assert set(entry.subjects) == {"base", "upper"}
    assert frozenset(entry.subjects) in _in_mujoco(mujoco.MjModel.from_xml_string(text))

"""The MjSpec equals the compiled text, and has bodies that are nested too deeply for XML."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.mjcf import to_mjcf, to_mjspec
from loaders.diagnostics import ExportError
from tests.support.mjcf_scenes import chain, codes, cone_scene, random_tree
from tests.support.mujoco_oracle import compiled


def test_a_spec_has_the_assets_too():
    assert to_mjspec(cone_scene()).compile().nmesh == 1


def test_a_chain_of_490_links_is_the_longest_that_xml_holds():
    assert compiled(to_mjcf(chain(490))).nbody == 491
    with pytest.raises(ExportError, match=r"nested 491 bodies deep.*to_mjspec") as caught:
        to_mjcf(chain(491))
    assert codes(caught.value.diagnostics) == ["mjcf.too-deep"]


def test_a_deeper_chain_is_built_without_xml():
    scene = chain(1000)
    model = to_mjspec(scene).compile()
    assert (model.nbody, model.nv) == (1001, 999 + 6)
    last = model.joint("j999")
    assert (last.damping[0], tuple(last.range), tuple(last.axis)) == (0.1, (-1.0, 1.0), (1.0, 0.0, 0.0))
    assert tuple(last.solimp if hasattr(last, "solimp") else model.jnt_solimp[-1])[:2] == (0.9999, 0.9999)


def test_both_ways_to_build_give_the_same_model():
    scene = random_tree(5, size=6)
    by_text, by_spec = compiled(to_mjcf(scene)), to_mjspec(scene).compile()
    for name in ("body_pos", "body_quat", "body_inertia", "body_iquat", "jnt_axis", "jnt_pos", "qpos0", "dof_damping"):
        assert np.array_equal(getattr(by_text, name), getattr(by_spec, name)), name

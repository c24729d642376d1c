"""Frames, constraints, force elements and filters of Drake, read back."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.diff import differences
from loaders import model as m
from loaders.pose import Pose, frozen
from tests.support.scenes import UNIT_BOX, joint, link, scene
from tests.support.urdf_writer import read

P, Q = frozen((0.1, 0.2, 0.3)), frozen((0.4, 0.5, 0.6))
ENDS = {"link_A": "a", "link_B": "c", "p_AP": P, "p_BQ": Q}
FLEX = dict.fromkeys(("torque_stiffness", "torque_damping", "force_stiffness", "force_damping"), P)


@pytest.mark.parametrize(
    "items",
    [
        {"constraints": (m.BallConstraint(**ENDS),)},
        {"constraints": (m.DistanceConstraint(**ENDS, distance=1.0, stiffness=2.0, damping=3.0),)},
        {
            "constraints": (
                m.TendonConstraint(joints=("ab", "bc"), coefficients=(1.0, -2.0), lower=-1.0),
            )
        },
        {"forces": (m.SpringDamper(**ENDS, free_length=1.0, stiffness=2.0, damping=3.0),)},
        {"frames": (m.Frame(name="f", link="b", X_LF=Pose.from_xyz_rpy(P, Q)),)},
        {
            "filter_groups": (m.FilterGroup(name="g", links=("a", "c")),),
            "filter_rules": (m.FilterRule(a="g", b="g"),),
        },
    ],
    ids=lambda items: next(iter(items)),
)
def test_items(items: dict[str, tuple[object, ...]]) -> None:
    links = [link(name, shape=UNIT_BOX) for name in "abc"]
    given = scene(links, [joint("ab", "a", "b"), joint("bc", "b", "c")], **items)
    found = read(given)
    assert [
        d for d in differences(given, found) if d.kind not in ("link", "joint", "model", "scene")
    ] == []
    (key,) = [key for key in items if key != "filter_rules"]
    assert len(getattr(found, key)) == 1


def test_a_bushing_refers_to_frames() -> None:
    bushing = m.Bushing(link_A="a", X_LA=Pose.of(p=P), link_C="b", X_LC=Pose.of(), **FLEX)
    found = read(scene([link("a"), link("b")], [joint("ab", "a", "b")], forces=(bushing,)))
    np.testing.assert_array_equal(found.forces[0].X_LA.p, P)  # type: ignore[union-attr]
    assert [frame.link for frame in found.frames] == ["a"]


def test_a_frame_of_the_world_stays_where_it_is_beside_a_free_root_that_is_elsewhere() -> None:
    X = Pose.of(p=(1.0, 2.0, 3.0))
    given = scene([link("a", X_WL=X)], frames=(m.Frame(name="f", link=m.WORLD, X_LF=X),))
    found = read(given)
    assert found.frames[0].X_LF.is_close(X, 1e-15)
    assert found.links[0].X_WL.is_close(X, 1e-15)

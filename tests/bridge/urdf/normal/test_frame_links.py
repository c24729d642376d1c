"""The old frame of a link that moved, and the frames of the source, are links without mass at the
same place.
"""

from __future__ import annotations

import dataclasses

import numpy as np

import bridge
from bridge.diff.mechanics import mechanical_error
from loaders import model as m
from loaders.pose import Pose
from tests.support.scenes import joint, link, scene
from tests.support.urdf_writer import read, with_poses

BESIDE = Pose.of(p=(0.1, 0.2, 0.3))
MOVED = with_poses(scene([link("a"), link("b")], [joint("j", "a", "b", X_CJ=BESIDE)]))
FRAMED = dataclasses.replace(MOVED, frames=(m.Frame(name="f", link="b", X_LF=BESIDE),))


def test_the_old_frame_moves_with_its_link() -> None:
    found = read(MOVED)
    for q in np.linspace(-1.0, 1.0, 5):
        old = bridge.lower(MOVED).link_poses({"j": (float(q),)})["b"]
        assert bridge.lower(found).link_poses({"j": (float(q),)})["b_origin"].is_close(old, 1e-9)
    assert "b_origin" not in {item.name for item in read(MOVED, frame_links="none").links}


def test_a_frame_of_the_source_becomes_a_link_where_it_is_asked_for() -> None:
    assert "f" in {frame.name for frame in read(FRAMED).frames}
    found = read(FRAMED, frame_links="all", extensions=())
    assert found.frames == ()
    place = bridge.lower(FRAMED).link_poses()["b"] @ BESIDE
    assert bridge.lower(found).link_poses()["f"].is_close(place, 1e-9)


def test_the_mass_stays() -> None:
    error = mechanical_error(MOVED, read(MOVED))
    assert max(error.mass, error.mass_matrix) < 1e-12


def test_a_second_writing_adds_no_link() -> None:
    assert str(bridge.to_urdf(read(MOVED))) == str(bridge.to_urdf(MOVED))

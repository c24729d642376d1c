"""Shapes of compiled models that were written by hand in MJCF."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.parity.engines.mujoco.shapes import roles_in_export, surfaces_in_mujoco

mujoco = pytest.importorskip("mujoco")


def test_geoms_are_read_with_their_poses_and_friction() -> None:
    geoms = """
    <geom type="box" size="1 2 3" pos="1 0 0" friction=".4"/><geom type="capsule" size=".5 1"/>
    <geom type="cylinder" size=".5 1"/><geom type="ellipsoid" size="1 2 3"/><geom size=".5"/>
    <geom group="2" contype="0" conaffinity="0" type="box" size="1 1 1" pos="0 0 7"/>"""
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body name='a'>{geoms}</body></worldbody></mujoco>"
    )
    found = surfaces_in_mujoco(mujoco, model, {1: "a"}, roles_in_export(mujoco, model))
    highest = found.supports["a"][:, [0, 2]]
    assert highest.tolist() == [[2.0, 3.0], [0.5, 1.5], [0.5, 1.0], [1.0, 3.0], [0.5, 0.5]]
    assert found.friction["a"] == [0.4, 1.0, 1.0, 1.0, 1.0]
    assert [X.p.tolist() for X in found.visuals["a"]] == [[0.0, 0.0, 7.0]]


def test_the_pose_of_a_mesh_is_that_of_its_file() -> None:
    vertices = "0 0 0 1 0 0 0 2 0 0 0 3"
    model = mujoco.MjModel.from_xml_string(f"""
    <mujoco><asset><mesh name="m" vertex="{vertices}"/></asset><worldbody><body name="a">
    <geom group="2" contype="0" conaffinity="0" type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/>
    <geom type="mesh" mesh="m" pos="1 2 3"/>
    </body></worldbody></mujoco>""")
    found = surfaces_in_mujoco(mujoco, model, {1: "a"}, roles_in_export(mujoco, model))
    assert found.visuals["a"][0].p == pytest.approx((1.0, 2.0, 3.0), abs=1e-6)
    assert np.array(found.supports["a"][0, :6]) == pytest.approx(
        (2.0, 4.0, 6.0, -1.0, -2.0, -3.0), abs=1e-6
    )


def test_what_a_tendon_wraps_around_is_no_shape_of_its_link() -> None:
    """The geoms of an export around which tendons wrap touch nothing and have no mass."""
    tendons = "".join(
        f"<spatial><site site='s'/><geom geom='{geom}'/><site site='t'/></spatial>"
        for geom in ("ball", "rod")
    )
    model = mujoco.MjModel.from_xml_string(f"""
    <mujoco><worldbody><body name="a"><geom type="box" size="1 2 3"/><site name="s" pos="-9 0 0"/>
    <geom name="ball" size=".5" contype="0" conaffinity="0" group="4"/><site name="t" pos="9 0 0"/>
    <geom name="rod" type="cylinder" size=".5 1" contype="0" conaffinity="0" group="4"/>
    </body></worldbody><tendon>{tendons}</tendon></mujoco>""")
    found = surfaces_in_mujoco(mujoco, model, {1: "a"}, roles_in_export(mujoco, model))
    assert found.supports["a"][:, :3].tolist() == [[1.0, 2.0, 3.0]]
    assert len(found.friction["a"]) == 1


def test_a_geom_for_display_or_for_a_tendon_that_may_touch_something_collides() -> None:
    """Neither has masks in an export; one that has them by mistake must show among the shapes."""
    text = """<mujoco><worldbody><site name="s"/><site name="r" pos="1 0 0"/>
    <geom group="2" contype="{0}" conaffinity="0" size="1"/><geom name="g" contype="0" conaffinity="{0}" size=".1"/>
    </worldbody><tendon><spatial><site site="s"/><geom geom="g"/><site site="r"/></spatial></tendon></mujoco>"""
    found = [
        roles_in_export(mujoco, mujoco.MjModel.from_xml_string(text.format(mask)))
        for mask in (0, 1)
    ]
    assert found == [[(False, True), (False, False)], [(True, True), (True, False)]]

"""Lidars: where each ray goes, and how many there are."""

import math

import mujoco
import numpy as np
import pytest

import loaders
from bridge import to_mjcf
from tests.support.mujoco_oracle import compiled

ROOM = """<sdf version='1.11'><world name='w'>
<model name='walls'><static>true</static><link name='l'>
<collision name='front'><pose>2 0 0 0 0 0</pose><geometry><box><size>1 20 20</size></box></geometry></collision></link>
</model><model name='m'><link name='eye'>
<sensor name='lidar' type='{kind}'>{scan}</sensor></link></model></world></sdf>"""
SCAN = """<{0}><scan><horizontal><samples>{1}</samples><min_angle>{2}</min_angle><max_angle>{3}</max_angle></horizontal>
<vertical><samples>{4}</samples><min_angle>{5}</min_angle><max_angle>{6}</max_angle></vertical></scan>
<range><min>.1</min><max>{7}</max></range></{0}>"""


def read(kind, *scan):
    """The export, and what each sensor of the lidar reads, by its name."""
    mjcf = to_mjcf(
        loaders.load_string(ROOM.format(kind=kind, scan=SCAN.format(*scan)), format="sdf")
    )
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return mjcf, {model.sensor(i).name: float(data.sensor(i).data[0]) for i in range(model.nsensor)}


@pytest.mark.parametrize(
    ("kind", "tag"),
    [("lidar", "lidar"), ("gpu_lidar", "lidar"), ("ray", "ray"), ("gpu_ray", "ray")],
)
def test_rays_are_ordered_by_row_and_read_the_distance_that_geometry_gives(kind, tag):
    mjcf, found = read(kind, tag, 5, -0.8, 0.4, 3, -0.3, 0.3, 30)
    expected = [
        1.5 / math.cos(pitch) / math.cos(yaw)
        for pitch in np.linspace(-0.3, 0.3, 3)
        for yaw in np.linspace(-0.8, 0.4, 5)
    ]
    assert [name.rpartition("::")[2] for name in found] == [f"lidar_{i}" for i in range(15)]
    assert list(found.values()) == pytest.approx(expected, abs=1e-9)
    assert not any(entry.code == "mjcf.sensor-rays" for entry in mjcf.diagnostics)


def test_rays_turn_left_and_up():
    """The directions of the four corners of the fan."""
    mjcf, _ = read("lidar", "lidar", 2, 0.0, 0.5, 2, 0.0, 0.5, 30)
    model = compiled(mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    ahead, left, up, both = (
        data.site(i).xmat.reshape(3, 3)[:, 2]
        for i in range(model.nsite)
        if "lidar" in data.site(i).name
    )
    assert ahead == pytest.approx((1, 0, 0))
    assert left == pytest.approx((math.cos(0.5), math.sin(0.5), 0))
    assert up == pytest.approx((math.cos(0.5), 0, math.sin(0.5)))
    assert both == pytest.approx((math.cos(0.5) ** 2, math.cos(0.5) * math.sin(0.5), math.sin(0.5)))


def test_a_ray_without_a_hit_reads_its_range():
    _, found = read("lidar", "lidar", 1, 0.0, 0.0, 1, 0.0, 0.0, 1.2)
    assert list(found.values()) == [1.2]


@pytest.mark.parametrize(("samples", "written"), [(100, 100), (640, 92), (10**9, 100)])
def test_many_rays_are_sampled_evenly_and_the_count_is_reported(samples, written):
    mjcf, found = read("lidar", "lidar", samples, -0.5, 0.5, 1, 0.0, 0.0, 30)
    assert len(found) == written
    told = [entry.message for entry in mjcf.diagnostics if entry.code == "mjcf.sensor-rays"]
    assert [f"{samples} rays" in message for message in told] == [True] * (samples > 100)

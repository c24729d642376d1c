"""Planes and soft bodies, by the contacts that MuJoCo finds."""

from __future__ import annotations

import pytest

from tests.support.mjcf_documents import read
from tests.support.mjcf_round_trip import compiled

BLOCK = (
    '<flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing="0.2 0.2 0.2" pos="0 0 -0.3" '
    'radius="0.01" mass="1">'
    '<edge equality="true"/><contact selfcollide="none"/></flexcomp>'
)
FLOOR = '<geom name="floor" type="plane" size="5 5 1" pos="0 0 -0.5" rgba="1 0 0 1"{}/>'


def contacts(model) -> int:
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return int(data.ncon)


@pytest.mark.parametrize("more", ["", ' quat="1 0.1 0 0"', ' group="3"'])
def test_a_soft_body_touches_a_plane_once(more: str) -> None:
    original, exported = compiled(BLOCK + FLOOR.format(more))
    assert contacts(exported) == contacts(original) > 0


def test_a_plane_is_drawn_as_before() -> None:
    """The viewer of MuJoCo shows the groups 0 to 2."""
    _, exported = compiled(BLOCK + FLOOR.format(""))
    drawn = [exported.geom(i) for i in range(exported.ngeom) if exported.geom(i).group[0] <= 2]
    assert [(geom.name, geom.rgba.tolist()) for geom in drawn] == [("floor", [1, 0, 0, 1])]
    (link,) = (link for link in read(BLOCK + FLOOR.format("")).links if link.name == "world")
    assert (len(link.visuals), len(link.collisions)) == (1, 1)

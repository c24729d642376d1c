"""Names of materials are unique; one without a color is Gazebo's, since other readers refuse it."""

from __future__ import annotations

import pytest

import bridge
from loaders import model as m
from loaders.pose import IDENTITY
from tests.code_examples import scenes as s
from tests.support.scenes import UNIT_BOX
from tests.support.urdf_writer import read


def _visuals(*looks: m.Material | None) -> tuple[m.Visual, ...]:
    return tuple(
        m.Visual(name=f"v{i}", X_LG=IDENTITY, geometry=UNIT_BOX, material=look)
        for i, look in enumerate(looks)
    )


def test_two_materials_of_one_name_get_two_names() -> None:
    looks = [m.Material(name="paint", diffuse=(x, 0.0, 0.0, 1.0)) for x in (0.0, 1.0, 0.0)]
    found = [v.material for v in read(s.one(visuals=_visuals(*looks))).links[0].visuals]
    assert [material.name for material in found if material] == ["paint", "paint_2", "paint"]
    assert [material.diffuse for material in found if material] == [look.diffuse for look in looks]


def test_the_name_of_a_material_without_color_is_in_gazebos_element() -> None:
    given = s.one(visuals=_visuals(*[m.Material(name="Gazebo/Wood")] * 2))
    assert "<material>Gazebo/Wood</material>" in bridge.to_urdf(given)
    assert "<material name" not in bridge.to_urdf(given)
    assert {v.material for v in read(given).links[0].visuals} == {m.Material(name="Gazebo/Wood")}


@pytest.mark.parametrize(
    ("looks", "extensions"),
    [
        ([m.Material(name="a"), m.Material(name="b")], ("gazebo",)),
        ([m.Material(name="a"), None], ("gazebo",)),
        ([m.Material(name="a"), m.Material(name="a", diffuse=(1.0, 0.0, 0.0, 1.0))], ("gazebo",)),
        ([m.Material(name="a")], ("drake", "pybullet")),
    ],
)
def test_a_name_that_has_no_place_is_reported(
    looks: list[m.Material | None], extensions: tuple[str, ...]
) -> None:
    urdf = bridge.to_urdf(s.one(visuals=_visuals(*looks)), extensions=extensions)  # type: ignore[arg-type]
    assert "<material>" not in urdf
    assert "urdfout.material" in {entry.code for entry in urdf.diagnostics}
    found = read(s.one(visuals=_visuals(*looks)), extensions=extensions).links[0].visuals
    assert [v.material for v in found] == [k if k and k.diffuse else None for k in looks]

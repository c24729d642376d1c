"""Materials: physically based values and maps."""

from __future__ import annotations

from loaders.model import (
    Material,
)
from tests.support.sdf import (
    link_with,
)


def material_with(inside: str) -> Material:
    """Return a material with the given child elements."""
    visual = link_with(f"<visual name='v'><geometry><box/></geometry><material>{inside}</material></visual>").visuals[0]
    assert visual.material is not None
    return visual.material


def test_physically_based_materials_keep_their_numbers_and_maps() -> None:
    read_material = material_with(
        "<pbr><metal><metalness>0.4</metalness><roughness>0.6</roughness><albedo_map>a.png</albedo_map>"
        "<normal_map type='tangent'>n.png</normal_map></metal></pbr>"
        "<script><uri>u</uri><name>Gazebo/Red</name></script>"
    )
    assert (read_material.metalness, read_material.roughness, read_material.texture) == (0.4, 0.6, "a.png")
    assert read_material.maps == (("albedo_map", "a.png"), ("normal_map", "n.png"))
    assert read_material.name == "Gazebo/Red"

"""Materials: physically based values and maps."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from loaders.model import Material
from tests.support.sdf import link_with


def material_with(inside: str) -> Material:
    """Return a material with the given child elements."""
    visual = link_with(
        f"<visual name='v'><geometry><box/></geometry><material>{inside}</material></visual>"
    ).visuals[0]
    assert visual.material is not None
    return visual.material


def test_physically_based_materials_keep_their_numbers_and_maps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    maps = {
        kind: str(tmp_path / file)
        for kind, file in (("albedo_map", "a.png"), ("normal_map", "n.png"))
    }
    for file in maps.values():
        Path(file).touch()
    read_material = material_with(
        "<pbr><metal><metalness>0.4</metalness><roughness>0.6</roughness><albedo_map>a.png</albedo_map>"
        "<normal_map type='tangent'>n.png</normal_map></metal></pbr>"
        "<script><uri>u</uri><name>Gazebo/Red</name></script>"
    )
    assert (read_material.metalness, read_material.roughness, read_material.texture) == (
        0.4,
        0.6,
        maps["albedo_map"],
    )
    assert dict(read_material.maps) == maps
    assert read_material.name == "Gazebo/Red"


def test_the_default_name_of_a_missing_normal_map_is_no_file() -> None:
    shader = (
        "<material><shader type='vertex'><normal_map>__default__</normal_map></shader></material>"
    )
    visual = f"<visual name='v'><geometry><sphere/></geometry>{shader}</visual>"
    text = f"<sdf version='1.9'><model name='m'><link name='l'>{visual}</link></model></sdf>"
    scene = loaders.load_string(text, format="sdf")
    assert scene.diagnostics == ()
    assert scene.links[0].visuals[0].material.maps == ()

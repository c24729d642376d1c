"""A package has a description, and names its meshes by package URIs that its own reader finds."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.targets.folder import package_xml
from bridge.targets.target import BUILT_IN

ARM = Path(__file__).parents[4] / "assets" / "arm" / "model.sdf"


def test_the_description_names_the_package() -> None:
    root = ET.fromstring(package_xml("arm"))
    assert (root.tag, root.get("format"), root.findtext("name")) == ("package", "2", "arm")


def test_meshes_of_a_package_are_found_by_its_name(tmp_path: Path) -> None:
    result = bridge.export_urdf(ARM, tmp_path / "arm", meshes="package")
    assert "package.xml" in result.files
    assert 'filename="package://arm/assets/finger.obj"' in result.path.read_text()
    found = loaders.load(result.path, package_map={"arm": tmp_path / "arm"})
    paths = {
        v.geometry.path
        for item in found.links
        for v in item.visuals
        if isinstance(v.geometry, loaders.model.Mesh)
    }
    assert paths == {
        str(tmp_path / "arm" / "assets" / name) for name in ("ellipsoid.obj", "finger.obj")
    }


def test_one_file_is_no_package() -> None:
    with pytest.raises(ValueError, match="a package is a folder"):
        BUILT_IN["urdf"].single_file(ARM, assets="x", meshes="package")

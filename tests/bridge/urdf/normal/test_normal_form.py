"""The normal form of a scene is what its document says."""

from __future__ import annotations

import pytest

from bridge.diff import differences
from bridge.targets.options import UrdfExportOptions
from bridge.targets.report import Report
from bridge.targets.urdf.normal_form import normal_form
from tests.support.every_field import one_tree
from tests.support.urdf_writer import read

SCENE = one_tree()


@pytest.mark.parametrize(
    "extensions", [("drake", "gazebo", "pybullet"), ("drake",), ("drake", "pybullet")]
)
def test_the_document_says_the_normal_form(extensions: tuple[str, ...]) -> None:
    form = normal_form(SCENE, UrdfExportOptions(extensions=extensions), Report("urdf"))  # type: ignore[arg-type]
    found = differences(form.scene, read(SCENE, extensions=extensions))
    assert [
        entry for entry in found if not entry.field.endswith("geometry.path")
    ] == []  # the meshes are not written

"""The description of a model names its file and the version of SDFormat that this has."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from bridge.targets.sdf.document import model_config


def test_the_description_names_the_file_and_its_version() -> None:
    root = ET.fromstring(model_config("my robot", "robot.sdf", "1.9"))
    assert root.tag == "model"
    assert root.findtext("name") == "my robot"
    assert root.findtext("sdf") == "robot.sdf"
    assert root.find("sdf[@version='1.9']") is not None

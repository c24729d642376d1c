"""Models written by hand that combine features of MJCF, each against its export, both run by
MuJoCo.

They have contacts, constraints, sensors, cameras and keyframes, so that nothing that MuJoCo
computes may differ. Classes come through an include, and a model is attached.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("mujoco")

import mujoco

import bridge
import loaders
from benchmarks.mjcf_schema import behaviour, differences

FOLDER = Path(__file__).parent / "models"
PARTS = {"included_classes", "attached_arm"}
MODELS = sorted(path.stem for path in FOLDER.glob("*.xml") if path.stem not in PARTS)


@pytest.mark.parametrize("name", MODELS)
def test_an_export_behaves_as_the_original(name: str) -> None:
    path = FOLDER / f"{name}.xml"
    mjcf = bridge.to_mjcf(loaders.load(path, quiet=True), quiet=True)
    original, exported = (
        mujoco.MjModel.from_xml_path(str(path)),
        mujoco.MjModel.from_xml_string(str(mjcf), mjcf.assets),
    )
    assert differences(behaviour(original), behaviour(exported)) == []


def test_the_models_have_what_they_are_for() -> None:
    """No kind of element that MuJoCo counts is in none of them, but for plugins."""
    counted = (
        "neq",
        "ntendon",
        "nu",
        "nsensor",
        "nkey",
        "npair",
        "nexclude",
        "nmocap",
        "nflex",
        "nmesh",
        "ncam",
        "nlight",
    )
    models = [mujoco.MjModel.from_xml_path(str(FOLDER / f"{name}.xml")) for name in MODELS]
    assert [name for name in counted if not any(getattr(model, name) for model in models)] == []

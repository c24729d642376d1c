"""The folder of an export: its files, its replacement and what it refuses."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import mujoco
import numpy as np
import pytest

from bridge.targets.mjcf import export_mjcf
from bridge.targets.target import BUILT_IN
from loaders.inertia import SpatialInertia
from tests.support.mjcf_scenes import cone_scene, link, scene_of
from tests.support.mujoco_oracle import quietly


def test_a_folder_holds_a_model_a_scene_assets_readme_and_fidelity_report(tmp_path):
    found = export_mjcf(cone_scene(), tmp_path / "demo")
    assert found.path == tmp_path / "demo" / "demo.xml"
    assert found.files == ("FIDELITY.md", "README.md", "assets/cone.obj", "demo.xml", "scene.xml")
    for file in ("demo.xml", "scene.xml"):
        quietly(lambda file=file: mujoco.MjModel.from_xml_path(str(tmp_path / "demo" / file)))
    fidelity = (tmp_path / "demo" / "FIDELITY.md").read_text()
    assert "robot.sdf:9" in fidelity
    assert "mjcf.velocity-limit" in fidelity
    assert "- 1 approximated" in fidelity
    assert "`j` | hinge | 0" in (tmp_path / "demo" / "README.md").read_text()


def test_the_file_of_a_model_has_no_ending_of_its_source(tmp_path):
    found = export_mjcf(dataclasses.replace(cone_scene(), name="table.urdf"), tmp_path / "demo")
    assert found.path.name == "table.xml"


def test_the_same_source_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        export_mjcf(cone_scene(), tmp_path / name / "demo")
    files = sorted(
        p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*") if p.is_file()
    )
    assert len(files) == 6
    assert all(
        (tmp_path / "one" / f).read_bytes() == (tmp_path / "two" / f).read_bytes() for f in files
    )


def test_an_outdated_output_is_reported(tmp_path):
    out = tmp_path / "demo"
    assert "demo.xml" in BUILT_IN["mjcf"].stale_files(cone_scene(), out)
    export_mjcf(cone_scene(), out)
    assert BUILT_IN["mjcf"].stale_files(cone_scene(), out) == ()
    (out / "assets" / "old.obj").write_text("v 0 0 0\n")
    (out / "demo.xml").write_text("<mujoco/>")
    assert BUILT_IN["mjcf"].stale_files(cone_scene(), out) == ("assets/old.obj", "demo.xml")
    with pytest.raises(FileExistsError, match=r"edited since it was written: demo\.xml"):
        export_mjcf(cone_scene(), out)
    export_mjcf(cone_scene(), out, force=True)
    assert BUILT_IN["mjcf"].stale_files(cone_scene(), out) == ("assets/old.obj",)


def test_a_long_name_of_a_model_is_cut_in_the_name_of_its_file(tmp_path):
    one, two = (
        export_mjcf(
            dataclasses.replace(cone_scene(), name="x" * 300 + end), tmp_path / end
        ).path.name
        for end in "ab"
    )
    assert len(one) < 110
    assert one != two


def test_files_of_others_are_never_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match=r"not written by sdfbridge: notes\.txt"):
        export_mjcf(cone_scene(), tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_a_refused_export_leaves_no_trace(tmp_path):
    impossible = SpatialInertia.of(1.0, I_Lcm=np.diag((1.0, 1.0, 5.0)))
    with pytest.raises(ValueError, match="link a"):
        export_mjcf(scene_of(link("a", inertia=impossible)), tmp_path / "demo")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../escape", "a/b", "scene", "", "con spaces", "..", "käfer"])
def test_a_models_name_never_leads_out_of_the_folder(tmp_path, name):
    out = tmp_path / "in" / "demo"
    found = export_mjcf(dataclasses.replace(cone_scene(), name=name), out)
    assert found.path.parent == out
    assert found.path.name not in {"scene.xml", ".xml"}
    assert sorted(p.name for p in (tmp_path / "in").iterdir()) == ["demo"]
    quietly(lambda: mujoco.MjModel.from_xml_path(os.fspath(out / "scene.xml")))


def test_a_printed_result_says_how_to_view_the_model_and_how_to_write_actuators(
    tmp_path: Path, assets: Path
) -> None:
    result = export_mjcf(assets / "arm" / "model.sdf", tmp_path / "arm")
    text = str(result)
    assert text.splitlines()[0] == str(result.path)
    command = next(line for line in text.splitlines() if line.startswith("view it: "))
    assert Path(command.partition("--mjcf=")[2]).is_file()
    assert 'actuators="motor"' in text
    driven = export_mjcf(assets / "arm" / "model.sdf", tmp_path / "driven", actuators="motor")
    assert "actuators" not in str(driven)

"""The files of an assembly that do not read back are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

import bridge
import loaders
from bridge.targets.directives.folder import folder_files
from loaders import model as m
from loaders.diagnostics import ExportError
from loaders.pose import IDENTITY
from tests.support.scenes import UNIT_BOX, joint, link, scene

MODELS = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in "mn")
TWO = scene([link("m::a", model="m"), link("n::a", model="n")], models=MODELS)


def test_a_missing_model_is_found() -> None:
    contents = folder_files(TWO, {})
    contents.check()
    text = contents.files[contents.main].decode()
    contents.files[contents.main] = text.replace("name: n\n", "name: other\n").encode()
    with pytest.raises(ExportError, match="n::a is only in A"):
        contents.check()


def test_models_with_files_of_the_same_name_keep_their_own(tmp_path: Path) -> None:
    names = ("M", "m")
    links = [link(f"{name}::a", model=name, shape=UNIT_BOX) for name in names]
    models = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in names)
    result = bridge.export_directives(scene(links, models=models), tmp_path / "out")
    assert {file.lower() for file in result.files if file.endswith(".sdf")} == {"m.sdf", "m_2.sdf"}


@pytest.mark.parametrize("models", ["sdf", "urdf"])
def test_the_changed_names_have_the_order_of_the_source(
    models: Literal["sdf", "urdf"], tmp_path: Path
) -> None:
    names = [f"link_{i}" for i in range(20)]
    joints = [joint(f"joint_{i}", names[i], names[i + 1]) for i in range(19)]
    chain = scene([link(name) for name in names], joints)
    result = bridge.export_directives(chain, tmp_path / "out", models=models)
    assert list(result.names) == [*names, *(item.name for item in joints)]


@pytest.mark.parametrize("models", ["sdf", "urdf"])
@pytest.mark.parametrize("joint", ["ball", "free"])
def test_a_lost_inertia_of_a_joint_is_reported_and_no_failure(
    models: Literal["sdf", "urdf"], joint: str, tmp_path: Path
) -> None:
    geom = '<geom size="0.1"/>'
    root = f'<joint type="free" armature="{0.2 if joint == "free" else 0}"/>'
    child = f'<joint type="ball" armature="{0.1 if joint == "ball" else 0}"/>'
    bodies = f'<body name="a">{root}{geom}<body name="b">{child}{geom}</body></body>'
    mjcf = (
        f'<mujoco model="m"><worldbody>{bodies}<body name="c" '
        f'mocap="true">{geom}</body></worldbody></mujoco>'
    )
    result = bridge.export_directives(
        loaders.load_string(mjcf, format="mjcf"), tmp_path / "out", models=models
    )
    lost = [entry for entry in result.diagnostics if entry.arguments.get("field") == "inertia"]
    assert {entry.arguments["kind"] for entry in lost} == {"joint axis"}
    assert loaders.load(result.path).links

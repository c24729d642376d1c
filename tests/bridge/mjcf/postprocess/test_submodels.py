"""A world in several files compiles to the same model as in one piece, and each file reads well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

import loaders
from bridge import export_mjcf, to_mjcf
from bridge.targets.target import BUILT_IN

ROOT = Path(__file__).parents[4]
SHAPE = "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision>"
WORLD = f"""<sdf version='1.11'><world name='yard'>
  <model name='slab'><static>true</static><link name='l'>{SHAPE}</link></model>
  <include><uri>{ROOT}/assets/arm/model.sdf</uri><name>left</name><pose>0 1 0 0 0 0</pose></include>
  <model name='box'><pose>3 0 1 0 0 0</pose><link name='l'><inertial><mass>1</mass></inertial>{SHAPE}</link></model>
  <include><uri>{ROOT}/assets/arm/model.sdf</uri><name>right</name><pose>0 -1 0 0 0 0</pose></include>
  <light name='sun' type='directional'><direction>0 0 -1</direction></light>
</world></sdf>"""


@pytest.fixture(scope="module")
def yard() -> loaders.Scene:
    return loaders.load_string(WORLD, format="sdf", unsafe_paths=True)


def arrays(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Every array of a model but the lengths of paths, which hold where its files are."""
    found = {name: getattr(model, name) for name in dir(model) if name != "_sizes"}
    return {name: value for name, value in found.items() if isinstance(value, np.ndarray)}


@pytest.mark.parametrize("actuators", ["none", "position"])
def test_several_files_and_one_text_compile_to_the_same_model(
    yard: loaders.Scene, tmp_path: Path, actuators: str
) -> None:
    found = export_mjcf(yard, tmp_path / "yard", actuators=actuators)
    text = to_mjcf(yard, actuators=actuators)
    whole = mujoco.MjModel.from_xml_string(text, text.assets)
    cut = mujoco.MjModel.from_xml_path(str(found.path))
    assert cut.names == whole.names
    a, b = arrays(whole), arrays(cut)
    assert len(a) > 100
    assert [name for name in a if not np.array_equal(a[name], b[name], equal_nan=True)] == []
    mujoco.MjModel.from_xml_path(str(found.path.parent / "scene.xml"))


def test_a_model_of_several_links_has_a_file_and_what_is_its_own_stands_there(
    yard: loaders.Scene, tmp_path: Path
) -> None:
    folder = tmp_path / "yard"
    found = export_mjcf(yard, folder, actuators="motor")
    assert {"left.xml", "right.xml", "yard.xml", "scene.xml"} <= set(found.files)
    left, world = (folder / "left.xml").read_text(), (folder / "yard.xml").read_text()
    assert '<body name="left::pedestal"' in left
    assert '<exclude body1="left::pedestal"' in left
    assert 'joint="left::waist"' in left
    assert "right::" not in left
    assert "left::" not in world
    assert (
        world.index("slab::l")
        < world.index('file="left.xml"')
        < world.index("box::l")
        < world.index("right.xml")
    )
    assert 'file="finger.obj"' in world, "both arms have it"
    assert "`left.xml`" in (folder / "README.md").read_text()


def test_what_ties_two_models_stays_with_the_world(tmp_path: Path) -> None:
    joint = (
        "<joint name='tie' "
        "type='ball'><parent>left::flange</parent><child>right::flange</child></joint>"
    )
    scene = loaders.load_string(
        WORLD.replace("</world>", f"{joint}</world>"), format="sdf", unsafe_paths=True
    )
    found = export_mjcf(scene, tmp_path / "yard")
    text = to_mjcf(scene)
    assert "<equality>" in found.path.read_text()
    cut = mujoco.MjModel.from_xml_path(str(found.path))
    whole = mujoco.MjModel.from_xml_string(text, text.assets)
    assert [
        n for n, a in arrays(whole).items() if not np.array_equal(a, arrays(cut)[n], equal_nan=True)
    ] == []


def test_a_model_that_has_gone_leaves_no_file_behind(yard: loaders.Scene, tmp_path: Path) -> None:
    folder = tmp_path / "yard"
    export_mjcf(yard, folder)
    without = WORLD[: WORLD.index("<model name='box'>")] + WORLD[WORLD.index("  <light") :]
    fewer = loaders.load_string(without, format="sdf", unsafe_paths=True)
    assert "right.xml" in BUILT_IN["mjcf"].stale_files(fewer, folder)
    export_mjcf(fewer, folder)
    assert BUILT_IN["mjcf"].stale_files(fewer, folder) == ()
    assert not (folder / "right.xml").exists()


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    (tmp_path / "yard.sdf").write_text(WORLD)
    code = (
        "import sys, bridge; bridge.export_mjcf(sys.argv[1], sys.argv[2], unsafe_paths=True, "
        "actuators='position')"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", code, str(tmp_path / "yard.sdf"), str(tmp_path / seed)]
        subprocess.run(command, env=environment, check=True, timeout=120)
    one, two = (
        sorted(p for p in (tmp_path / seed).rglob("*") if p.is_file()) for seed in ("1", "2")
    )
    assert len(one) == len(two) > 5
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(one, two, strict=True))


def test_the_readme_states_a_version(yard: loaders.Scene, tmp_path: Path) -> None:
    export_mjcf(yard, tmp_path / "yard")
    assert "sdfbridge 0." in (tmp_path / "yard" / "README.md").read_text()


def test_a_scene_that_includes_a_model_keeps_its_own_defaults(tmp_path: Path) -> None:
    found = export_mjcf(ROOT / "assets" / "arm" / "model.sdf", tmp_path / "arm")
    mine = (
        "<body name='mine' pos='0 0 3'><joint name='turn' range='-1 1'/><geom type='box' "
        "size='1 1 1'/></body>"
    )
    scene = found.path.parent / "mine.xml"
    scene.write_text(
        f"<mujoco><include file='{found.path.name}'/><worldbody>{mine}</worldbody></mujoco>"
    )
    model = mujoco.MjModel.from_xml_path(str(scene))
    plain = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{mine}</worldbody></mujoco>")
    assert model.body("mine").mass == plain.body("mine").mass == 8000.0
    assert np.array_equal(model.jnt_solimp[model.joint("turn").id], plain.jnt_solimp[0])
    assert model.body("gripper::palm").mass == 0.6

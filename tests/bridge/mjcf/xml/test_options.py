"""Options of an export: names, values, their documentation, and the option ``strict``."""

from __future__ import annotations

import pytest

import loaders
from bridge.targets.mjcf import export_mjcf, to_mjcf, to_mjspec
from bridge.targets.target import MJCF
from loaders.model import WORLD
from tests.support.mjcf_scenes import hinge, link, scene_of


def test_an_unknown_kind_of_actuator_is_the_callers_mistake():
    known = "none, motor, dcmotor, position, velocity"
    with pytest.raises(
        ValueError, match=f"unknown value 'spring' of actuators; expected one of: {known}"
    ):
        to_mjcf(scene_of(link("a")), actuators="spring")


@pytest.mark.parametrize("source", [scene_of(link("a")), "assets/leg.sdf"])
@pytest.mark.parametrize("call", [to_mjcf, to_mjspec, export_mjcf, MJCF.stale_files])
def test_an_option_that_there_is_not_is_the_callers_mistake(call, source, tmp_path):
    folder = (tmp_path / "out",) if call in (export_mjcf, MJCF.stale_files) else ()
    with pytest.raises(TypeError, match="unknown option"):
        call(source, *folder, actuator="motor")


# --- strict ---------------------------------------------------------------------------------------


EXPORTS = {
    "text": lambda source, _folder, **options: to_mjcf(source, **options),
    "spec": lambda source, _folder, **options: to_mjspec(source, **options),
    "folder": export_mjcf,
    "comparison with a folder": MJCF.stale_files,
}
UNREAD = "<robot name='r'><link name='a'/><nonsense/></robot>"
LIMITED = scene_of(link("a"), joints=[hinge("j", WORLD, "a", velocity=1.0)])


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_strict_refuses_what_mujoco_does_not_support(export, tmp_path):
    export(LIMITED, tmp_path / "tolerant")
    with pytest.raises(loaders.ExportError) as caught:
        export(LIMITED, tmp_path / "strict", strict=True)
    assert {(entry.code, entry.subjects) for entry in caught.value.diagnostics} == {
        ("mjcf.velocity-limit", ("j",))
    }
    assert not (tmp_path / "strict").exists()


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_strict_refuses_what_was_lost_in_reading_the_scene(export, tmp_path):
    source = loaders.load_string(UNREAD, format="urdf")
    with pytest.raises(loaders.ExportError) as caught:
        export(source, tmp_path / "strict", strict=True)
    assert "xml.unread" in {entry.code for entry in caught.value.diagnostics}
    assert not (tmp_path / "strict").exists()


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_strict_refuses_a_file_with_an_element_that_the_reader_does_not_support(export, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(UNREAD)
    export(path, tmp_path / "tolerant")
    with pytest.raises(loaders.LoadError) as caught:
        export(path, tmp_path / "strict", strict=True)
    assert "xml.unread" in {entry.code for entry in caught.value.diagnostics}
    assert not (tmp_path / "strict").exists()


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_strict_accepts_a_model_without_losses(export, tmp_path):
    export(scene_of(link("a"), joints=[hinge("j", WORLD, "a")]), tmp_path / "out", strict=True)


def test_a_folder_does_not_depend_on_strict(tmp_path):
    source = scene_of(link("a"), joints=[hinge("j", WORLD, "a")])
    export_mjcf(source, tmp_path / "out", strict=True)
    assert MJCF.stale_files(source, tmp_path / "out") == ()

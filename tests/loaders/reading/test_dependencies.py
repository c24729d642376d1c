"""The files on which a load depends."""

from __future__ import annotations

import hashlib
from pathlib import Path

import loaders
from bridge.targets.mjcf import to_mjcf
from loaders.files.read_file import note_file, note_files, note_read, recorded

ASSETS = Path(__file__).parents[3] / "assets"


def dependencies(path: Path) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    with recorded(lambda file, digest: found.update({file: digest or found.get(file)})):
        to_mjcf(loaders.load(path, quiet=True), quiet=True)
    return found


def test_every_file_of_a_model_is_told_with_its_content() -> None:
    found = dependencies(ASSETS / "arm" / "model.sdf")
    names = {
        "arm/model.sdf",
        "gripper/model.config",
        "gripper/model.sdf",
        "gripper/meshes/finger.obj",
    }
    paths = {str(ASSETS / name) for name in names}
    assert paths <= found.keys()
    for path in paths:
        assert found[path] in {None, hashlib.sha256(Path(path).read_bytes()).hexdigest()}
    assert found[str(ASSETS / "arm" / "model.sdf")] is not None


def test_the_places_where_a_file_is_missing_are_told(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    shape = (
        "<visual "
        "name='v'><geometry><mesh><uri>model://other/part.obj</uri></mesh></geometry></visual>"
    )
    path.write_text(
        f"<sdf version='1.11'><model name='m'><link name='a'>{shape}</link></model></sdf>"
    )
    assert str(tmp_path / "other" / "part.obj") in dependencies(path)


def test_nothing_is_told_outside_of_a_block(tmp_path: Path) -> None:
    found: list[str] = []
    with recorded(lambda file, digest: found.append(file)):
        note_read(tmp_path / "a", b"")
        note_file(str(tmp_path / "b\0"))
        note_files([tmp_path / "d", str(tmp_path / "e")])
    note_file(tmp_path / "c")
    assert found == [str(tmp_path / name) for name in ("a", "b", "d", "e")]

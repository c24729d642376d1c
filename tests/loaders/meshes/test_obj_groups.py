"""Groups of OBJ files as submeshes: the faces of one group, whatever their material."""

from __future__ import annotations

import numpy as np
import pytest

from loaders.meshes.trimesh_formats import group_of

CAR = """mtllib none.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
g Wheel_Front Wheels
usemtl rubber
f 1 2 3
usemtl steel
f 1 2 4
g
f 2 3 4
g Wheel_Back Wheels
v 9 9 9
usemtl rubber
f 1 3 4
"""


@pytest.mark.parametrize(
    ("name", "faces"),
    [("Wheel_Front", 2), ("Wheel_Back", 1), ("Wheels", 3), ("Wheel_Front Wheels", 2)],
)
def test_a_group_is_a_submesh(read, name: str, faces: int) -> None:
    data = read(CAR, name="car.obj", submesh=name)
    assert sum(len(part.faces) for part in data.parts) == faces
    assert {part.names for part in data.parts} == {(name,)}
    assert np.abs(data.vertices).max() <= 9.0


def test_the_whole_file_keeps_all_faces(read) -> None:
    assert sum(len(part.faces) for part in read(CAR, name="car.obj").parts) == 4


def test_an_unknown_group_is_reported(read) -> None:
    assert read(CAR, name="car.obj", submesh="Door") is None
    assert read.codes == ["mesh.unreadable"]


def test_an_object_of_the_name_comes_first() -> None:
    assert (
        group_of(CAR.replace("g Wheel_Back Wheels", "o Wheel_Front").encode(), "Wheel_Front")
        is None
    )

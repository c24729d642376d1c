"""Values are equal within a tolerance, files by content."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from bridge.diff.differences import compare_values
from loaders import model as m
from loaders.inertia import SpatialInertia
from loaders.pose import Pose


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1.0, 1.0 + 1e-12, True),
        (1.0, 1.1, False),
        (math.inf, math.inf, True),
        (True, 1, False),
        (None, None, True),
    ],
)
def test_numbers_and_words(a: object, b: object, equal: bool) -> None:
    assert (list(compare_values(a, b, 1e-9, "x")) == []) is equal


def test_shapes_of_different_types_differ() -> None:
    assert list(
        compare_values(m.Sphere(radius=1.0), m.Box(size=(1.0, 1.0, 1.0)), 1e-9, "geometry")
    ) == [("geometry", "sphere", "box")]


def test_meshes_are_equal_if_their_files_have_the_same_content(tmp_path: Path) -> None:
    meshes = []
    for name, data in (("a", b"1"), ("b", b"1"), ("c", b"2")):
        (tmp_path / name).write_bytes(data)
        meshes.append(m.Mesh(uri=name, path=str(tmp_path / name)))
    assert list(compare_values(meshes[0], meshes[1], 1e-9)) == []
    assert [found[0] for found in compare_values(meshes[0], meshes[2], 1e-9)] == ["path"]


def test_meshes_that_were_not_found_differ_by_their_uris() -> None:
    meshes = [m.Mesh(uri=uri, path=None) for uri in ("a.obj", "b.obj")]
    assert list(compare_values(*meshes, 1e-9, "geometry")) == [("geometry.uri", "a.obj", "b.obj")]


def test_settings_are_compared_by_name() -> None:
    a = (("rate", "1"), ("gone", "x"), ("range", "1"), ("range", "2"))
    b = (("range", "1"), ("range", "3"), ("rate", "1"))
    assert list(compare_values(a, b, 1e-9, "parameters")) == [
        ("parameters[gone]", "x", None),
        ("parameters[range]", "2", "3"),
    ]


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        (SpatialInertia.of(2.5), "2.5 kg"),
        (m.Material(name="paint", diffuse=(1.0, 0.5, 0.0, 1.0)), "color 1 0.5 0 1"),
        (
            m.Material(name="paint", diffuse=(1.0, 1.0, 1.0, 1.0), texture="/somewhere/wood.png"),
            "color 1 1 1 1, wood.png",
        ),
        (m.Material(name="paint"), "paint"),
        (Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)), (1.0, 2.0, 3.0)),
        ((m.Sphere(radius=1.0), m.Box(size=(1.0, 1.0, 1.0))), "sphere, box"),
    ],
)
def test_an_item_that_one_side_lacks_is_shown_in_short(item: object, shown: object) -> None:
    ((path, absent, present),) = compare_values(None, item, 1e-9, "part")
    assert (path, absent) == ("part", None)
    assert (present[:3] if isinstance(present, tuple) else present) == shown

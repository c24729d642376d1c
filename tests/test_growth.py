"""The work of reading and exporting grows in proportion to the size of a file, counted in calls of
functions.
"""

from __future__ import annotations

import dataclasses
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

import bridge
import loaders
from benchmarks import schema_growth
from benchmarks.growth import (
    BEGIN,
    END,
    INPUTS,
    LISTED,
    PAGE,
    calls,
    counted,
    each,
    exponent,
    mjcf,
    with_table,
    written,
)
from bridge import Mechanism
from bridge.diff.mechanics import MAX_DOFS, mechanical_error
from bridge.geometry import overlap
from bridge.lowering.transform import mechanism_of
from bridge.robot_checks import doubts
from loaders import limits
from loaders.pose import IDENTITY
from loaders.scene import Scene
from tests.support.scenes import UNIT_BOX, link, scene

LINEAR = 1.15
"""Largest exponent of work that counts as linear; a constant part of the work only makes it
smaller.
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in INPUTS if name not in LISTED])
def test_work_is_linear(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        limits, "MAX_COMPARISONS", 20_000
    )  # so many suggestions are made, whatever the size
    given = dataclasses.replace(INPUTS[name], size=max(20, INPUTS[name].size // 5))
    assert exponent(*counted(given, tmp_path)) < LINEAR


def test_the_page_has_the_place_of_the_table_with_every_input() -> None:
    page = PAGE.read_text(encoding="utf-8")
    table = page.partition(BEGIN)[2].partition(END)[0]
    assert [
        line.split(" | ")[0].removeprefix("| ") for line in table.strip().splitlines()[2:]
    ] == list(INPUTS)
    assert with_table(with_table(page, ["new"]), table.strip().splitlines()) == page


def test_the_exponent_of_quadratic_work_is_two() -> None:
    small, large = (calls(lambda n=n: [len("") for _ in range(n * n)]) for n in (50, 200))  # type: ignore[misc]
    assert exponent(small, large) == pytest.approx(2.0, abs=0.01)


WRITTEN = [
    *(
        (write, name, 100)
        for write in (bridge.to_urdf, bridge.to_sdf)
        for name in ("frames", "URDF extensions")
    ),
    (bridge.to_urdf, "joints", MAX_DOFS + 1),
    *(
        (bridge.to_sdf, name, MAX_DOFS // 6 + 1)
        for name in ("includes", "free bodies", "filter rules", "many names")
    ),
]
"""A writer, an input that it can write, and its smaller size, at which the check of the export is
linear already.
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "name", "size"), WRITTEN, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_writing_a_scene_is_linear(
    write: Callable[..., str], name: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    files = (
        written(INPUTS[name].files(count), tmp_path / str(count)) for count in (size, 4 * size)
    )
    small, large = (loaders.load(file, quiet=True) for file in files)
    write(small, quiet=True)  # modules are imported on first use
    few, many = (calls(lambda one=one: write(one, quiet=True)) for one in (small, large))  # type: ignore[misc]
    assert exponent(few, many) < LINEAR


def directives(count: int) -> dict[str, str]:
    """Return models that are placed one from another, each with a weld, a frame and a filter
    group.
    """
    model = "<sdf version='1.11'><model name='m'><link name='l'/></model></sdf>"
    text = "directives:\n"
    for i in range(count):
        base = f"base_frame: 'm{i - 1}::l', " if i else ""
        pose = f", default_free_body_pose: {{l: {{{base}translation: [1, 0, 0]}}}}"
        text += f"- add_model: {{name: m{i}, file: 'package://p/m.sdf'{pose}}}\n"
        text += f"- add_model: {{name: w{i}, file: 'package://p/m.sdf'}}\n"
        text += f"- add_weld: {{parent: 'm{i}::l', child: 'w{i}::l'}}\n"
        text += f"- add_frame: {{name: f{i}, X_PF: {{base_frame: 'm{i}::l'}}}}\n"
        text += f"- add_collision_filter_group: {{name: g{i}, members: ['m{i}::l', 'w{i}::l']}}\n"
    return {
        "main.dmd.yaml": text,
        "m.sdf": model,
        "package.xml": "<package><name>p</name></package>",
    }


@pytest.mark.slow
def test_reading_directives_is_linear(tmp_path: Path) -> None:
    """A directive takes thousands of calls, beside which a walk over all frames for each one is
    little: 1.12.
    """
    first, *files = [written(directives(count), tmp_path / str(count)) for count in (1, 50, 200)]
    loaders.load(first, quiet=True)  # modules are imported on first use
    few, many = (calls(lambda file=file: loaders.load(file, quiet=True)) for file in files)  # type: ignore[misc]
    assert exponent(few, many) < 1.05


def test_the_check_of_an_export_is_linear_in_free_bodies() -> None:
    def bodies(count: int) -> Scene:
        return scene([link(f"l{i}", shape=UNIT_BOX) for i in range(count)])

    few, many = bodies(MAX_DOFS // 6 + 1), bodies(4 * (MAX_DOFS // 6 + 1))
    small, large = (
        calls(lambda one=one: mechanical_error(one, one, pairs=False)) for one in (few, many)
    )  # type: ignore[misc]
    assert exponent(small, large) < LINEAR


@pytest.mark.slow
def test_the_export_of_hinged_bodies_that_may_touch_is_linear() -> None:
    first, few, many = hinges(2), hinges(50), hinges(200)
    bridge.to_mjcf(first, quiet=True)  # modules are imported on first use
    small, large = (calls(lambda one=one: bridge.to_mjcf(one, quiet=True)) for one in (few, many))  # type: ignore[misc]
    assert exponent(small, large) < LINEAR


# --- every element of every format ----------------------------------------------------------------

SCHEMA = schema_growth.inputs()
SAMPLES = (
    *("sdf model/link", "sdf model/link/visual", "urdf robot/joint", "mjcf mujoco/body"),
    *("srdf robot/disable_collisions", "directives/add_weld", "obj/usemtl", "gltf/materials"),
)


def calls_of_stages(maker: schema_growth.Maker, count: int, folder: Path) -> int:
    folder.mkdir()
    main = schema_growth.written(maker(count), folder)
    return calls(lambda: schema_growth.stages(main))


def grows(name: str, folder: Path, count: int) -> float:
    """Return the exponent of the calls for an element that is repeated."""
    (folder / "first").mkdir(parents=True)
    schema_growth.stages(schema_growth.written(SCHEMA[name](2), folder / "first"))
    few, many = (calls_of_stages(SCHEMA[name], n, folder / str(n)) for n in (count, 4 * count))
    return exponent(few, many)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_the_work_for_an_element_that_is_repeated_is_linear(name: str, tmp_path: Path) -> None:
    assert grows(name, tmp_path, 10) < LINEAR


@pytest.mark.slow
def test_the_work_for_any_element_that_is_repeated_is_linear(tmp_path: Path) -> None:
    names = random.Random(0).sample(sorted(SCHEMA), 20)
    found = {name: grows(name, tmp_path / f"{k}", 25) for k, name in enumerate(names)}
    assert {name: power for name, power in found.items() if power >= LINEAR} == {}


def hinges(count: int) -> Scene:
    """Return bodies with a hinge on the world."""
    body = "<body pos='{} 0 0'><joint/><geom size='1'/></body>"
    text = mjcf(each(count, lambda i: body.format(3 * i)))["robot.xml"]
    return loaders.load_string(str(text), format="mjcf", quiet=True)


def test_the_memory_of_jacobians_is_that_of_one() -> None:
    mechanism = mechanism_of(hinges(200))
    mechanism.jacobians()
    tracemalloc.start()
    try:
        count = sum(1 for _ in mechanism.jacobians().values())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 200
    assert peak < 1_500_000  # all have 200 * 6 * 200 numbers of 8 bytes: 1.9 MB


def piled(count: int) -> Scene:
    """Return bodies that stand in each other, all held by the world."""
    text = mjcf("<body><geom size='1'/></body>" * count)["robot.xml"]
    return loaders.load_string(str(text), format="mjcf", quiet=True)


def loose(count: int) -> Scene:
    """Return bodies that nothing connects."""
    return scene([link(f"l{i}", shape=UNIT_BOX) for i in range(count)])


@pytest.mark.parametrize(
    ("make", "use"),
    [
        pytest.param(piled, lambda mechanism: mechanism.overlaps, id="overlaps"),
        pytest.param(loose, doubts, id="doubts"),
    ],
)
def test_what_is_found_out_about_a_robot_is_linear(
    make: Callable[[int], Scene], use: Callable[[Mechanism], object]
) -> None:
    first, few, many = (mechanism_of(make(count)) for count in (2, 100, 400))
    use(first)  # modules are imported on first use
    assert exponent(calls(lambda: use(few)), calls(lambda: use(many))) < LINEAR


def test_no_more_boxes_and_depths_are_looked_at_than_the_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(overlap, "MAX_BOXES", 150)
    boxes = [link(f"l{i}", shape=UNIT_BOX) for i in range(20)]
    here = dict.fromkeys((f"l{i}" for i in range(20)), IDENTITY)
    groups = {name: i for i, name in enumerate(here)}
    model = overlap.ShapeModel(boxes)
    assert 100 < len(model.overlaps(here, groups)) < 150
    monkeypatch.setattr(overlap, "MAX_DEPTHS", 30)
    assert len(model.overlaps(here, groups)) == 30

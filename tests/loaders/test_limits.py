"""Limits on one load, errors of libraries, and the pause of the garbage collector."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import os
import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import bridge
import loaders
from docs.make_security_tables import with_tables
from loaders.files import fuel
from loaders.limits import (
    MAX_REASON,
    Budget,
    LimitError,
    Limits,
    budgeted,
    collector_paused,
    raised_as,
    spend,
)
from tests.support.mesh_files import collada

# Limits on one load: every file, element and diagnostic of all files counts.

SDF = "<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>"
PAGE = Path(__file__).parents[2] / "docs" / "security.md"


def refusal(path: Path, **limits: int) -> loaders.Diagnostic:
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path, limits=Limits(**limits))
    return next(entry for entry in caught.value.diagnostics if entry.code == "file.limit")


@pytest.mark.parametrize("option", ["files", "bytes", "elements"])
def test_a_load_past_a_limit_is_an_error_that_names_the_limit_and_its_option(
    tmp_path: Path, option: str
) -> None:
    (tmp_path / "a.sdf").write_text(SDF)
    entry = refusal(tmp_path / "a.sdf", **{option: 0})
    assert (entry.arguments["option"], entry.arguments["limit"]) == (option, 0)
    assert f"limits=Limits({option}=...)" in entry.hint
    exact = {"files": 1, "bytes": len(SDF), "elements": 3}[option]
    assert loaders.load(tmp_path / "a.sdf", limits=Limits(**{option: exact})).links
    assert refusal(tmp_path / "a.sdf", **{option: exact - 1})


def test_directives_that_include_the_next_file_twice_end_at_the_limit(tmp_path: Path) -> None:
    for i in range(25):
        line = f"- add_directives: {{file: f{i + 1}.dmd.yaml}}\n"
        (tmp_path / f"f{i}.dmd.yaml").write_text(f"directives:\n{line * 2}")
    (tmp_path / "f25.dmd.yaml").write_text("directives: []\n")
    assert refusal(tmp_path / "f0.dmd.yaml", files=100).arguments["limit"] == 100


def test_a_model_that_directives_add_counts_each_time(tmp_path: Path) -> None:
    (tmp_path / "a.sdf").write_text(SDF)
    lines = "".join(f"- add_model: {{name: m{i}, file: a.sdf}}\n" for i in range(50))
    (tmp_path / "a.dmd.yaml").write_text(f"directives:\n{lines}")
    assert refusal(tmp_path / "a.dmd.yaml", elements=250)
    assert len(loaders.load(tmp_path / "a.dmd.yaml", quiet=True).links) == 50


def test_further_diagnostics_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.sdf").write_text(
        SDF.replace("<link name='l'/>", f"<link name='l'>{'<none/>' * 30}</link>")
    )
    found = loaders.load(tmp_path / "a.sdf", limits=Limits(diagnostics=10), quiet=True).diagnostics
    assert [entry.code for entry in found] == ["xml.unread"] * 10 + ["file.unlisted"]
    assert found[-1].arguments["count"] == 20


def test_an_error_is_listed_after_any_number_of_warnings(tmp_path: Path) -> None:
    link = f"<link name='l'>{'<none/>' * 30}<inertial><mass>heavy</mass></inertial></link>"
    (tmp_path / "a.sdf").write_text(SDF.replace("<link name='l'/>", link))
    with pytest.raises(loaders.LoadError, match="heavy"):
        loaders.load(tmp_path / "a.sdf", limits=Limits(diagnostics=10))


def test_a_budget_is_spent_by_all_together() -> None:
    budget = Budget(Limits(files=2))
    budget.spend("files", 2)
    with pytest.raises(LimitError, match="more than 2 files"):
        budget.spend("files", 1)


def test_the_security_page_has_the_limits_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_tables(page) == page, "run python docs/make_security_tables.py"
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) ", page, re.MULTILINE))
    stated = {name: int(number.replace(",", "")) for name, number in rows.items()}
    assert stated == dataclasses.asdict(Limits())
    monkeypatch.setattr(fuel, "MAX_SECONDS", 7.0)
    assert with_tables(page) != page


def test_the_text_of_the_security_page_has_the_limits_of_downloads() -> None:
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition("### Downloads")[2].partition("## ")[0]
    numbers = (f"{fuel.MAX_BYTES >> 20} MiB", f"{fuel.MAX_SECONDS:g} s", *fuel.FUEL_HOSTS)
    assert [number for number in numbers if number not in section] == []
    assert f"at most {fuel.MAX_REDIRECTIONS - 1} are followed" in section


# --- meshes and pictures: one budget for each public call -----------------------------------------

MESHES = 3
TERRAIN = "<heightmap><uri>{}.png</uri><size>1 1 1</size></heightmap>"


def shapes(folder: Path, geometry: str, names: str) -> Path:
    """Write a static model with a shape for each of some files."""
    body = "".join(
        f"<visual name='{n}'><geometry>{geometry.format(n)}</geometry></visual>" for n in names
    )
    (folder / "a.sdf").write_text(
        f"<sdf version='1.9'><model name='m'><static>true</static><link "
        f"name='l'>{body}</link></model></sdf>"
    )
    return folder / "a.sdf"


@pytest.fixture
def meshes(tmp_path: Path) -> Path:
    for i in range(MESHES):
        (tmp_path / f"{i}.obj").write_text(
            f"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 {i + 1}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4"
        )
    return shapes(tmp_path, "<mesh><uri>{}.obj</uri></mesh>", "012")


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    for name in "01":
        Image.new("L", (10, 8)).save(tmp_path / f"{name}.png")
    return shapes(tmp_path, TERRAIN, "01")


def call_past(call: Callable[..., object], path: Path, **limits: int) -> loaders.Diagnostic:
    with pytest.raises(loaders.LoadError) as caught:
        call(path, limits=Limits(**limits), quiet=True)
    (entry,) = caught.value.diagnostics
    assert (entry.code, entry.where.file) == ("file.limit", str(path))
    assert f"limits=Limits({entry.arguments['option']}=...)" in entry.hint
    return entry


def test_triangles_of_all_meshes_of_a_call_count(meshes: Path) -> None:
    assert bridge.to_mjcf(meshes, limits=Limits(triangles=4 * MESHES))
    assert (
        call_past(bridge.to_mjcf, meshes, triangles=4 * MESHES - 1).arguments["limit"]
        == 4 * MESHES - 1
    )
    assert call_past(bridge.to_mjspec, meshes, triangles=4)


def test_a_mesh_from_the_cache_counts_like_one_that_is_read(
    meshes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(meshes.parent / "cache"))
    for _ in range(2):
        assert bridge.to_mjcf(meshes, limits=Limits(triangles=4 * MESHES))
        assert call_past(bridge.to_mjcf, meshes, triangles=4 * MESHES - 1)


def test_pixels_of_all_pictures_of_a_call_count(pictures: Path) -> None:
    assert bridge.to_mjcf(pictures, limits=Limits(pixels=160))
    assert call_past(bridge.to_mjcf, pictures, pixels=159)


def test_meshes_that_the_load_needs_for_inertia_count(meshes: Path) -> None:
    body = (
        "<inertial auto='true'/>"
        + "<collision name='c'><geometry><mesh><uri>0.obj</uri></mesh></geometry></collision>"
    )
    meshes.write_text(
        f"<sdf version='1.11'><model name='m'><link name='l'>{body}</link></model></sdf>"
    )
    assert loaders.load(meshes, limits=Limits(triangles=4)).links[0].inertia is not None
    assert refusal(meshes, triangles=3).arguments["option"] == "triangles"


def test_a_refused_call_leaves_nothing_in_pybullet(meshes: Path, pictures: Path) -> None:
    pybullet = pytest.importorskip("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    load = partial(bridge.load_into_pybullet, physicsClientId=client)
    assert call_past(load, pictures, pixels=100)
    assert call_past(load, pictures, triangles=150).arguments["option"] == "triangles"
    assert pybullet.getNumBodies(client) == 0
    pybullet.disconnect(client)


def test_a_budget_is_that_of_the_innermost_call_and_has_the_limits_of_the_outer_one() -> None:
    with budgeted(Limits(pixels=5)):
        spend("pixels", 5)
        with budgeted():
            spend("pixels", 5)
            with pytest.raises(LimitError):
                spend("pixels", 1)
        with pytest.raises(LimitError):
            spend("pixels", 1)
    spend("pixels", 10**12)


def test_excluded_pairs_count(tmp_path: Path) -> None:
    """Six links in one filter group make 15 pairs."""
    links = "".join(
        f"<link name='l{i}'><collision name='c'><geometry><sphere/></geometry></collision></link>"
        for i in range(6)
    )
    members = "".join(f"<drake:member>l{i}</drake:member>" for i in range(6))
    group = (
        f"<drake:collision_filter_group name='g'>{members}<drake:ignored_collision_filter_group>g"
    )
    group += "</drake:ignored_collision_filter_group></drake:collision_filter_group>"
    (tmp_path / "a.sdf").write_text(
        f"<sdf version='1.9'><model name='m'>{links}{group}</model></sdf>"
    )
    assert bridge.to_mjcf(tmp_path / "a.sdf", limits=Limits(pairs=15), quiet=True)
    assert call_past(bridge.to_mjcf, tmp_path / "a.sdf", pairs=14).arguments["limit"] == 14


def welded(count: int) -> str:
    """A model of links that are all welded to the first, each with a shape."""
    shape = (
        "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    )
    links = "".join(f"<link name='l{i}'>{shape}</link>" for i in range(count))
    joints = "".join(
        f"<joint name='j{i}' type='fixed'><parent>l0</parent><child>l{i}</child></joint>"
        for i in range(1, count)
    )
    return f"<sdf version='1.9'><model name='m'>{links}{joints}</model></sdf>"


def test_links_that_are_welded_together_count_no_pairs(tmp_path: Path, bullet_client: int) -> None:
    """60 links have 1,770 pairs, none of which a target lists; the conformance format does."""
    (tmp_path / "a.sdf").write_text(welded(60))
    limits = Limits(pairs=100)
    assert bridge.to_mjcf(tmp_path / "a.sdf", limits=limits, quiet=True)
    assert (
        bridge.load_into_pybullet(
            tmp_path / "a.sdf", limits=limits, quiet=True, physicsClientId=bullet_client
        )
        >= 0
    )
    assert (
        len(loaders.load(tmp_path / "a.sdf").to_dict()["excluded_collision_pairs"]) == 60 * 59 // 2
    )
    with pytest.raises(loaders.LoadError, match="more than 1769 pairs"):
        loaders.load(tmp_path / "a.sdf").to_dict(limits=Limits(pairs=1769))


# --- limits on one file ---------------------------------------------------------------------------

MESH_MODEL = "<sdf version='1.9'><model name='m'><link name='l'>{}</link></model></sdf>"
STATIC = MESH_MODEL.replace("<link", "<static>1</static><link")
SHAPE = "<{0} name='s'><geometry>{1}</geometry></{0}>"
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
MESH = "<mesh><uri>mesh.obj</uri></mesh>"
ELEMENTS = collada().count("<") - collada().count("</") - collada().count("<?")
COPIES = "<mujoco><worldbody><replicate count='6'><geom size='1'/></replicate></worldbody></mujoco>"
ONE_FILE = {
    "text_file_bytes": ("a.sdf", SDF, len(SDF)),
    "yaml_bytes": ("a.dmd.yaml", "directives: []\n", 15),
    "yaml_elements": ("a.dmd.yaml", "directives: []\n", 2),
    "mjcf_elements": ("a.xml", COPIES, 14),
    "mesh_file_bytes": ("a.sdf", MESH_MODEL.format(SHAPE.format("visual", MESH)), len(OBJ)),
    "mesh_triangles": ("a.sdf", MESH_MODEL.format(SHAPE.format("visual", MESH)), 4),
    "mesh_parts": ("a.sdf", MESH_MODEL.format(SHAPE.format("visual", MESH)), 2),
    "mesh_elements": (
        "a.sdf",
        MESH_MODEL.format(SHAPE.format("visual", MESH.replace("obj", "dae"))),
        ELEMENTS,
    ),
    "mesh_nodes": (
        "a.sdf",
        MESH_MODEL.format(SHAPE.format("visual", MESH.replace("obj", "dae"))),
        2,
    ),
    "picture_pixels": ("a.sdf", STATIC.format(SHAPE.format("collision", TERRAIN.format("a"))), 81),
}
"""A file for each limit, and the smallest limit under which it is read."""


BESIDE = (
    "mesh_elements",
    "mesh_file_bytes",
    "mesh_nodes",
    "mesh_parts",
    "mesh_triangles",
    "picture_pixels",
)
"""Limits on a mesh or picture, which lenient loading leaves out."""


def past_limit(folder: Path, option: str) -> tuple[Path, dict[str, Any]]:
    """Write a model that exceeds a limit by one; return it and the options of its load."""
    name, text, least = ONE_FILE[option]
    (folder / name).write_text(text)
    (folder / "mesh.dae").write_text(collada())
    (folder / "mesh.obj").write_text("usemtl a\n" * 2 + OBJ if option == "mesh_parts" else OBJ)
    Image.linear_gradient("L").resize((9, 9)).save(folder / "a.png")
    return folder / name, {"limits": Limits(**{option: least - 1}), "quiet": True}


@pytest.mark.parametrize("option", BESIDE)
def test_a_mesh_or_picture_past_its_limit_is_an_error_that_names_file_limit_and_option(
    tmp_path: Path, bullet_client: int, option: str
) -> None:
    path, options = past_limit(tmp_path, option)
    calls: list[Callable[[], object]] = [
        partial(bridge.to_mjcf, path, **options),
        partial(bridge.export_mjcf, path, tmp_path / "out", **options),
        partial(bridge.load_into_pybullet, path, physicsClientId=bullet_client, **options),
    ]
    for call in calls:
        with pytest.raises(loaders.LoadError) as caught:
            call()
        (entry,) = caught.value.diagnostics
        assert (entry.code, entry.arguments["option"]) == ("file.limit", option)
        assert Path(entry.where.file).name == (
            "a.png" if option == "picture_pixels" else f"mesh{suffix(option)}"
        )
        assert f"limits=Limits({option}=...)" in entry.hint
    assert not (tmp_path / "out").exists()


def test_a_mesh_from_the_cache_has_the_limits_of_one_that_is_read(tmp_path: Path) -> None:
    path, options = past_limit(tmp_path, "mesh_triangles")
    bridge.to_mjcf(path, quiet=True)
    with pytest.raises(
        loaders.LoadError, match=r"mesh\.obj: error: the file has more than 3 mesh_triangles"
    ):
        bridge.to_mjcf(path, **options)


@pytest.mark.parametrize("option", BESIDE)
def test_lenient_loading_leaves_out_a_mesh_or_picture_past_its_limit(
    tmp_path: Path, option: str
) -> None:
    path, options = past_limit(tmp_path, option)
    result = bridge.export_mjcf(path, tmp_path / "out", lenient=True, **options)
    assert len([entry for entry in result.diagnostics if option in entry.message]) == 1


def suffix(option: str) -> str:
    return ".dae" if option in ("mesh_elements", "mesh_nodes") else ".obj"


@pytest.mark.parametrize("option", sorted(ONE_FILE))
def test_a_file_past_its_limit_is_not_read_and_the_finding_names_the_limit(
    tmp_path: Path, option: str
) -> None:
    name, text, least = ONE_FILE[option]
    (tmp_path / name).write_text(text)
    mesh = "usemtl a\n" * 2 + OBJ if option == "mesh_parts" else OBJ
    (tmp_path / "mesh.obj").write_text(
        mesh + " " * (option != "mesh_file_bytes") * sorted(ONE_FILE).index(option)
    )
    (tmp_path / "mesh.dae").write_text(collada())
    Image.linear_gradient("L").resize((9, 9)).save(tmp_path / "a.png")

    def findings(limit: int) -> list[str]:
        try:
            options = {"limits": Limits(**{option: limit}), "quiet": True}
            result = bridge.export_mjcf(
                loaders.load(tmp_path / name, **options), tmp_path / "out", **options
            )
        except loaders.ModelError as error:
            return [str(entry) for entry in error.diagnostics if option in str(entry)]
        return [str(entry) for entry in result.diagnostics if option in str(entry)]

    assert len(findings(least - 1)) == 1  # first: the cache keeps what a higher limit let through
    assert findings(least) == []


def test_a_manifest_past_its_limit_makes_no_package(tmp_path: Path) -> None:
    package = tmp_path / "folder"
    package.mkdir()
    (package / "package.xml").write_text("<package><name>p</name></package>")
    (package / "mesh.obj").write_text(OBJ)
    shape = "<visual><geometry><mesh filename='package://p/mesh.obj'/></geometry></visual>"
    (tmp_path / "a.urdf").write_text(f"<robot name='r'><link name='l'>{shape}</link></robot>")
    least = len("<package><name>p</name></package>")
    found = [
        loaders.resolve(
            tmp_path / "a.urdf", paths=[tmp_path], limits=Limits(side_file_bytes=limit)
        )[0].path
        for limit in (least, least - 1)
    ]
    assert found == [package / "mesh.obj", None]


def test_terrain_that_pybullet_has_no_memory_for_is_an_error(
    tmp_path: Path, bullet_client: int
) -> None:
    Image.linear_gradient("L").resize((9, 9)).save(tmp_path / "a.png")
    model = STATIC.format(SHAPE.format("collision", TERRAIN.format("a")))
    (tmp_path / "a.sdf").write_text(model)
    load = partial(
        bridge.load_into_pybullet, tmp_path / "a.sdf", physicsClientId=bullet_client, quiet=True
    )
    assert load(limits=Limits(terrain_triangles=128)) >= 0
    with pytest.raises(loaders.LoadError, match="more than 127 terrain_triangles"):
        load(limits=Limits(terrain_triangles=127))


# Errors of libraries: one type of error comes out, and what does not belong to files goes through.


class OurError(Exception):
    pass


@pytest.mark.parametrize(
    "cause", [MemoryError(), RecursionError("deep"), AssertionError("x"), UnboundLocalError("y")]
)
def test_everything_that_a_library_raises_becomes_one_error(cause: Exception) -> None:
    with (
        pytest.raises(OurError, match=f"damaged: {type(cause).__name__}") as caught,
        raised_as(OurError, "damaged"),
    ):
        raise cause
    assert caught.value.__cause__ is cause


def test_an_error_of_ours_is_not_wrapped_again() -> None:
    with pytest.raises(OurError, match=r"^mine$"), raised_as(OurError, "damaged"):
        raise OurError("mine")


def test_an_interrupt_is_not_an_error_of_the_file() -> None:
    with pytest.raises(KeyboardInterrupt), raised_as(OurError, "damaged"):
        raise KeyboardInterrupt


def test_a_message_has_an_end() -> None:
    with pytest.raises(OurError) as caught, raised_as(OurError, "damaged"):
        raise ValueError("x" * 10_000_000)
    assert len(str(caught.value)) < MAX_REASON + 100


# The pause of the garbage collector, as the interpreter reports it.

ROBOT = '<robot name="r"><link name="a"><inertial><mass value="1"/></inertial></link></robot>'


@pytest.fixture(autouse=True)
def _collector_on() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_the_collector_runs_again_after_nested_pauses_and_after_an_error() -> None:
    with collector_paused():
        with pytest.raises(KeyError), collector_paused():
            raise KeyError
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_the_caller_turned_off_stays_off() -> None:
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()


def test_the_collector_runs_again_when_the_last_of_several_threads_is_done() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with collector_paused():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with collector_paused():
        thread.start()
        assert inside.wait(10)
    assert not gc.isenabled()
    leave.set()
    thread.join(10)
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the operating system has no fork")
def test_the_collector_runs_in_a_process_that_is_forked_during_a_pause() -> None:
    with collector_paused():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [ROBOT, "<robot", '<robot name="r"><joint name="j" type="fixed"/></robot>']
)
def test_the_collector_runs_after_a_load_and_then_frees_all_elements(text: str) -> None:
    """Elements refer to each other in circles; none of them is kept by anything else."""

    def elements() -> int:
        gc.collect()
        return sum(type(item).__name__ == "Node" for item in gc.get_objects())

    before = elements()
    with contextlib.suppress(loaders.LoadError):
        loaders.load_string(text, format="urdf", quiet=True)
    assert gc.isenabled()
    assert elements() == before

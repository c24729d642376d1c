"""The command that measures sdfbridge and its peers: what it makes of the times."""

from __future__ import annotations

import json
import math
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as bench
from benchmarks import mjcf_times, outputs, written_robots
from benchmarks.field import __main__ as field


def result(name: str, ours: float, peer: float) -> dict[str, Any]:
    times = {
        key: {"best": 0.9 * ms, "median": ms} for key, ms in ((bench.OURS, ours), ("Drake", peer))
    }
    return {"group": "Reading", "name": name, "rounds": 3, "ms": times}


def test_a_ratio_that_grew_by_a_quarter_is_a_regression_on_a_slower_machine_too() -> None:
    earlier = [result("a", 10.0, 10.0), result("b", 10.0, 10.0)]
    now = [result("a", 24.0, 20.0), result("b", 26.0, 20.0), result("new", 90.0, 1.0)]
    assert bench.ratios(now[1]) == pytest.approx({"Drake": 1.3})
    assert bench.regressions(now, earlier) == ["b: 1.30 times Drake, before 1.00"]


def test_a_file_that_is_measured_in_two_groups_is_compared_in_each() -> None:
    earlier = [result("a", 10.0, 10.0), result("a", 10.0, 5.0) | {"group": "Loading"}]
    now = [result("a", 20.0, 10.0), result("a", 10.0, 5.0) | {"group": "Loading"}]
    assert bench.regressions(now, earlier) == ["a: 2.00 times Drake, before 1.00"]


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A machine, and files of runs in an empty folder."""
    monkeypatch.setattr(bench, "STORED", tmp_path / "speed")
    monkeypatch.setattr(bench, "PAGE", tmp_path / "page.md")
    bench.PAGE.write_text(f"before\n{bench.BEGIN}\n{bench.END}\nafter\n")
    return bench.machine() | {"processor": "Xeon(R) @ 2.1 GHz", "cores": 2, "python": "3.11.2"}


def test_a_run_is_compared_with_the_last_one_on_the_same_processor(where: dict[str, Any]) -> None:
    bench.store([result("a", 10.0, 10.0)], where)
    lines, status = bench.verdict([result("a", 20.0, 10.0)], where)
    assert (lines[1:], status) == (["a: 2.00 times Drake, before 1.00"], 1)
    assert bench.verdict([result("a", 11.0, 10.0)], where)[1] == 0
    assert "| a | 9.0 / 10.0 | Drake 9.0 / 10.0 | 1.00 | 3 |" in bench.PAGE.read_text()


@pytest.mark.parametrize("change", [{"processor": "EPYC"}, {"cores": 8}, {"python": "3.13.1"}])
def test_a_run_on_another_kind_of_machine_is_not_compared(
    where: dict[str, Any], change: dict[str, Any]
) -> None:
    bench.store([result("a", 10.0, 10.0)], where)
    other = where | change
    assert bench.verdict([result("a", 20.0, 10.0)], other) == (
        [f"nothing is compared: there is no stored run of {bench.kind(other)}"],
        0,
    )
    bench.store([result("a", 20.0, 10.0)], other)
    assert (
        bench.verdict([result("a", 20.0, 10.0)], where)[1] == 1
    )  # the run of this machine is still there


def test_other_versions_of_peers_are_named(where: dict[str, Any]) -> None:
    bench.store([result("a", 10.0, 10.0)], where | {"versions": {"mujoco": "3.8.0"}})
    lines, _ = bench.verdict([result("a", 10.0, 10.0)], where | {"versions": {"mujoco": "3.17.0"}})
    assert lines[1:] == ["mujoco 3.17.0, before 3.8.0", "no ratio grew by more than a quarter"]


def test_the_page_has_the_table_of_a_stored_run() -> None:
    runs = [json.loads(path.read_text()) for path in bench.STORED.glob("*.json")]
    text = bench.PAGE.read_text().split(bench.BEGIN)[1].split(bench.END)[0].strip()
    assert text in {bench.table(run["results"], run["machine"]) for run in runs}
    assert {bench.stored_path(run["machine"]) for run in runs} == set(bench.STORED.glob("*.json"))


def test_the_table_has_every_case_with_versions_and_machine() -> None:
    where = bench.machine()
    assert {"numpy", "mujoco"} <= set(where["versions"])
    text = bench.table([result("a", 10.0, 20.0), result("b", 30.0, 20.0)], where)
    assert "| a | 9.0 / 10.0 | Drake 18.0 / 20.0 | 0.50 | 3 |" in text
    assert "| b | 27.0 / 30.0 | Drake 18.0 / 20.0 | 1.50 | 3 |" in text
    assert where["python"] in text


def test_the_times_are_those_of_processes_too() -> None:
    from benchmarks.cases import Case, run

    def busy() -> None:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass

    code = "import time\nwhile time.process_time() < 0.2: pass"
    case = Case(group="g", name="n", ours=busy, peers={"process": lambda: run("-c", code)})
    times = bench.measure(case, 1)["ms"]
    assert times[bench.OURS]["median"] > 40.0
    assert times["process"]["median"] > 150.0


ARM = """<mujoco model="arm"><worldbody><body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" damping="0.1"/>
<geom name="g" type="box" size="0.1 0.1 0.3" pos="0 0 -0.3" mass="2"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("form", ["urdf", "sdf"])
def test_a_written_robot_moves_as_the_original(form: str, tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    entry = written_robots.examined(tmp_path / "arm.xml", form, ["L0", "L1"], ["mujoco"])
    assert entry["alike"]
    assert entry["rows"] == entry["equal"] > 0
    table = written_robots.table([{"robot": "arm.xml", "format": form, **entry}])
    assert (
        f"| arm.xml | {form} | yes | {entry['unknown']} | {entry['rows']} | {entry['rows']} |  |  |"
        in table
    )


def test_robots_with_a_result_are_not_examined_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, results = written_robots.ROBOTS[0], tmp_path / "results.jsonl"
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text("<not a robot")
    monkeypatch.setattr("sys.argv", ["written_robots", str(tmp_path), str(results)])
    written_robots.main()
    first = results.read_text()
    assert [entry["format"] for entry in written_robots.read(results)] == list(
        written_robots.CHAINS
    )
    written_robots.main()
    assert results.read_text() == first
    assert capsys.readouterr().out.count(f"| {name} | urdf |") == 2


@pytest.mark.slow
def test_a_sweep_of_repositories_has_a_row_for_each_file(tmp_path: Path) -> None:
    robots = tmp_path / "owner+name" / "robots"
    robots.mkdir(parents=True)
    (robots / "good.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    (robots / "bad.sdf").write_text("<sdf version='1.9'><model/></sdf>")
    out = tmp_path / "owner+name" / "out"
    field.main(["sweep", str(tmp_path), str(out), "--stages", "load", "--jobs", "1"])
    bad, good = field.rows(out)
    assert (good["repository"], good["file"], good["links"]) == (
        "owner/name",
        "robots/good.urdf",
        1,
    )
    assert (good["default"], bad["default"]) == (True, False)
    assert (out / "index.html").is_file()


def test_files_are_counted_whose_reading_takes_less_than_the_goal(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    assert all(0.1 < ratio < 100.0 for ratio in mjcf_times.ratios(tmp_path / "arm.xml", 2))
    text = mjcf_times.summary([(1.0, 1.2), (2.0, 1.4), (4.0, 3.0)])
    assert (
        text
        == "first: median 2.00, 1 of 3 files below 1.5; best: median 1.40, 2 of 3 files below 1.5"
    )


def recorded(folder: Path, text: str) -> Path:
    """A record of all stages of a model with this text, made in a process of its own."""
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "arm.sdf").write_text(text)
    model = outputs.Model(
        name="files/arm.sdf", path=folder / "files" / "arm.sdf", paths=(folder / "files",)
    )
    outputs.record([(model, list(outputs.STAGES))], folder / "records", 1)
    for stage in outputs.STAGES:
        path = outputs.record_path(folder / "records", stage, model.name)
        path.write_text(path.read_text().replace(str(folder), "<folder>"))
    return folder / "records"


BOX = """<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>1</mass></inertial><collision name="c">
<geometry><box><size>1 1 1</size></box></geometry></collision></link></model></sdf>"""


@pytest.mark.slow
def test_a_change_is_found_in_each_stage_that_it_touches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, same = recorded(tmp_path / "before", BOX), recorded(tmp_path / "same", BOX)
    assert outputs.main(["compare", str(before), str(same)]) == 0
    text = capsys.readouterr().out
    assert [line.split(",")[0] for line in text.splitlines()] == [
        f"{stage}: 1 of 1 models equal" for stage in outputs.STAGES
    ]
    heavier = recorded(tmp_path / "heavier", BOX.replace("<mass>1<", "<mass>2<"))
    assert (
        outputs.main(
            ["compare", str(before), str(heavier), "--stages", "scene,mjcf,sdf,urdf,pybullet"]
        )
        == 1
    )
    text = capsys.readouterr().out
    assert "  links[].inertia.mass: 1 times in 1 models\n      files/arm.sdf: 1.0 -> 2.0\n" in text
    assert "  files[*.xml].text <inertial> mass: 1 times" in text
    assert (
        "  files[*.sdf].text <mass>: 1 times in 1 models\n      files/arm.sdf: <mass>1</mass> -> "
        "<mass>2</mass>"
    ) in text
    assert "  bodies[].getDynamicsInfo[][]: 1 times" in text
    assert text.count("0 of 1 models equal, 1 differ") == 5


def test_a_refused_file_is_recorded_with_its_findings(tmp_path: Path) -> None:
    folder = recorded(tmp_path, BOX.replace("<mass>1<", "<mass>one<"))
    scene = outputs.read(outputs.record_path(folder, "scene", "files/arm.sdf"))
    assert scene["error"] == "LoadError"
    assert scene["diagnostics"][0]["fate"] == "Fate.INVALID"
    assert scene["diagnostics"][0]["message"] in scene["text"]


@pytest.mark.parametrize(
    ("work", "found"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGTERM), {"crash": "SIGTERM"}),
        (lambda: os.kill(os.getpid(), signal.SIGXCPU), {"late": outputs.SECONDS}),
    ],
)
def test_a_process_that_ends_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Any, found: dict[str, Any]
) -> None:
    monkeypatch.setattr(
        outputs, "exported", lambda scene, form: work() if form == "mjcf" else {"form": form}
    )
    (tmp_path / "arm.sdf").write_text(BOX)
    outputs.record(
        [(outputs.Model(name="arm.sdf", path=tmp_path / "arm.sdf"), ["mjcf", "sdf"])], tmp_path, 1
    )
    records = [
        json.loads(outputs.record_path(tmp_path, stage, "arm.sdf").read_text())
        for stage in ("mjcf", "sdf")
    ]
    assert records == [found, {"form": "sdf"}]


def test_values_are_compared_as_they_are_written(tmp_path: Path) -> None:
    for name, values in (("a.json", [1, 0.0, math.nan]), ("b.json", [1.0, -0.0, math.nan])):
        (tmp_path / name).write_text(json.dumps(values))
    found = outputs.differences(
        outputs.read(tmp_path / "a.json"), outputs.read(tmp_path / "b.json"), "x"
    )
    assert [*found] == [("x[]", "1 -> 1.0"), ("x[]", "0.0 -> -0.0")]


def test_findings_are_compared_by_their_codes() -> None:
    old = {"code": "a.b", "fate": "Fate.NOTED", "message": "is small"}
    assert [*outputs.differences([old], [old | {"message": "is tiny"}])] == [
        ("diagnostic a.b.message", "is small -> is tiny")
    ]
    assert [*outputs.differences([old], [old, old | {"code": "c.d"}])] == [
        ("diagnostic c.d: only after", "is small")
    ]
    assert [
        *outputs.differences([old, old | {"code": "c.d"}], [old | {"code": "c.d"}, old], "x")
    ] == [("x: order", '["a.b", "c.d"] -> ["c.d", "a.b"]')]

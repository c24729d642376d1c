"""What is done with each model, functions of the caller, and options that are checked before a
batch begins.
"""

from __future__ import annotations

import functools
import importlib.util
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.batches.results import BatchOutcome
from bridge.batches.tasks import (
    check,
    checked_options,
    code_of,
    compare,
    convert,
    modules_of,
    name_of,
    name_of_function,
)
from bridge.batches.worker import close_servers
from bridge.output import OutputFolderError
from bridge.targets.target import BUILT_IN
from tests.support import batch_calls

# What is done with each model, in this process.

ASSETS = Path(__file__).parents[3] / "assets"
PENDULUM = str(ASSETS / "double_pendulum.urdf")
DEGREES = """<link name="tool"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><box size="1 1 1"/></geometry></visual></link>
<joint name="turn" type="revolute"><parent link="bracket"/><child link="tool"/><axis xyz="0 0 1"/>
<limit lower="-90" upper="90" effort="1" velocity="1"/></joint></robot>"""
WEIGHTLESS = (
    "<sdf version='1.11'><model name='m'><link "
    "name='a'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy>"
    "<izz>9</izz></inertia></inertial></link></model></sdf>"
)


def test_a_folder_with_a_manifest_is_a_model() -> None:
    assert check(str(ASSETS / "arm"), "", {})["outcome"] is BatchOutcome.VALID


def test_a_check_draws_no_picture_that_nobody_asked_for(tmp_path: Path) -> None:
    assert check(PENDULUM, str(tmp_path), {})["thumbnail"] == ""
    assert check(PENDULUM, str(tmp_path), {"thumbnails": True})["thumbnail"]


def test_a_check_says_what_is_wrong_with_the_robot(tmp_path: Path) -> None:
    path = tmp_path / "m.urdf"
    path.write_text(Path(PENDULUM).read_text().replace("</robot>", DEGREES))
    codes = {entry["code"] for entry in check(str(path), "", {})["diagnostics"]}
    assert "robot.degrees" in codes


_IMPORTED_BY_A_CALL = """
import importlib, sys
from bridge.batches import tasks
for name in tasks.MODULES["check"]:
    importlib.import_module(name)
before = set(sys.modules)
for path in sys.argv[1:]:
    tasks.check(path, "", {})
own = ("loaders", "bridge", "mujoco", "lxml", "numpy")
print(*sorted(n for n in set(sys.modules) - before if n.partition(".")[0] in own))
"""


@pytest.mark.slow
def test_a_warm_process_has_imported_what_a_check_needs() -> None:
    """A fork for each model would import it again, which took longer than the check."""
    models = [PENDULUM, str(ASSETS / "arm/model.sdf"), str(ASSETS / "leg.sdf")]
    run = subprocess.run(
        [sys.executable, "-c", _IMPORTED_BY_A_CALL, *models],
        check=True,
        capture_output=True,
        text=True,
    )
    assert run.stdout.split() == [], run.stderr


def test_a_strict_check_refuses_what_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    path.write_text(
        "<sdf version='1.11'><model name='m'><link name='a'><unknown/></link></model></sdf>"
    )
    assert check(str(path), "", {})["outcome"] is BatchOutcome.VALID
    assert check(str(path), "", {"strict": True})["outcome"] is BatchOutcome.INVALID


def test_a_model_that_the_target_cannot_represent_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    path.write_text(WEIGHTLESS)
    fields = convert(str(path), str(tmp_path), {"to": "mjcf"})
    assert fields["outcome"] is BatchOutcome.REFUSED
    assert fields["detail"]
    assert (
        convert(str(path), str(tmp_path), {"to": "mjcf", "inertia": "repair"})["outcome"]
        is BatchOutcome.CONVERTED
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_target_is_written_and_read_back(name: str, tmp_path: Path) -> None:
    fields = convert(PENDULUM, str(tmp_path), {"to": name})
    assert fields["outcome"] is BatchOutcome.CONVERTED
    report = tmp_path / fields["report"]
    assert report.name == "FIDELITY.md"
    (file,) = (
        path
        for suffix in BUILT_IN[name].suffixes
        for path in report.parent.glob(f"*{suffix}")
        if path.name != "scene.xml" and "package" not in path.name
    )
    assert [
        joint.name.rpartition("::")[2] for joint in loaders.load(file).joints if joint.axes
    ] == [
        "shoulder",
        "elbow",
    ]


def test_a_comparison_without_a_folder_writes_nothing() -> None:
    fields = compare(PENDULUM, "", {"engines": ("mujoco",), "levels": ("L0",), "configurations": 1})
    assert fields["report"] == ""
    assert fields["severities"].keys() <= {"note", "warning"}


def test_the_names_of_folders_are_safe_and_differ() -> None:
    sources = [
        "../a/model.sdf",
        "a/model.sdf",
        "a model.sdf",
        "a/\u00e9.sdf",
        "...",
        "x" * 500,
        "a/b<script>.sdf",
        "\udcff",
    ]
    names = [name_of(source) for source in sources]
    assert len(set(names)) == len(sources)
    assert all(
        len(name) < 100 and name.replace("-", "").replace("_", "").isalnum() and name.isascii()
        for name in names
    )


@pytest.mark.slow
def test_a_picture_that_was_edited_is_kept_unless_forced(tmp_path: Path) -> None:
    drawn = {"thumbnails": True}
    fields = check(PENDULUM, str(tmp_path), drawn)
    assert check(PENDULUM, str(tmp_path), drawn) == fields
    picture = tmp_path / fields["thumbnail"]
    picture.write_bytes(b"mine")
    with pytest.raises(OutputFolderError, match="did not write it"):
        check(PENDULUM, str(tmp_path), drawn)
    assert picture.read_bytes() == b"mine"
    check(PENDULUM, str(tmp_path), {"force": True, **drawn})
    assert picture.read_bytes() != b"mine"


# Functions of the caller as tasks.


@pytest.fixture(scope="module")
def thread() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor
    close_servers()


def test_a_function_has_the_same_name_in_every_run() -> None:
    assert name_of_function(batch_calls.double) == "double"
    partial = functools.partial(batch_calls.power, 3)
    assert name_of_function(partial) == "functools.partial(<function power>, 3)"
    assert modules_of(partial) == modules_of(batch_calls.power) == ("tests.support.batch_calls",)


def test_a_partial_function_is_a_task_whose_results_are_kept(
    thread: Executor, tmp_path: Path
) -> None:
    for number in range(2):
        cube = functools.partial(batch_calls.power, 3)
        results = list(bridge.batch([1, 2], cube, executor=thread, out=tmp_path / "o", resume=True))
        assert sorted(result.value for result in results) == [1, 8]
        assert {result.resumed for result in results} == {bool(number)}
    square = functools.partial(batch_calls.power, 2)
    (result,) = bridge.batch([2], square, executor=thread, out=tmp_path / "o", resume=True)
    assert (result.value, result.resumed) == (4, False)


def test_a_function_whose_file_changes_is_another_one(tmp_path: Path) -> None:
    def loaded() -> Any:
        spec = importlib.util.spec_from_file_location("changing", tmp_path / "changing.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    codes = []
    for text in ("def f(x): return 1", "def f(x): return 2 "):
        (tmp_path / "changing.py").write_text(text)
        codes.append(code_of(loaded().f))
    assert len(set(codes)) == 2
    assert "" not in codes
    assert code_of(len) == ""


def test_a_source_that_is_a_file_counts_though_the_function_opens_it(
    thread: Executor, tmp_path: Path
) -> None:
    file = tmp_path / "words.txt"
    found = []
    for text in ("one two", "one two", "two"):
        file.write_text(text)
        (result,) = bridge.batch(
            [file], batch_calls.first_word, executor=thread, out=tmp_path / "o", resume=True
        )
        found.append((result.value, result.resumed))
    assert found == [("one", False), ("one", True), ("two", False)]


def test_a_value_is_the_same_whether_it_was_kept_or_not(thread: Executor, tmp_path: Path) -> None:
    sources = [(1, (2, 3)), {"a": (1,)}]
    for resumed in (False, True):
        results = list(
            bridge.batch(
                sources, batch_calls.as_it_is, executor=thread, out=tmp_path / "o", resume=True
            )
        )
        assert {result.source: result.value for result in results} == {
            "(1, (2, 3))": [1, [2, 3]],
            "{'a': (1,)}": {"a": [1]},
        }
        assert {result.resumed for result in results} == {resumed}


def test_a_value_that_cannot_be_used_is_an_error_of_its_model(
    thread: Executor, tmp_path: Path
) -> None:
    path = str(tmp_path / "x")
    (result,) = bridge.batch([path], batch_calls.folder_of, executor=thread, out=tmp_path / "o")
    assert (result.outcome, result.value) == ("error", None)
    assert result.detail.startswith("the value cannot be written as JSON: Object of type PosixPath")
    (result,) = bridge.batch([path], batch_calls.folder_of, executor=thread)
    assert result.value == tmp_path
    (result,) = bridge.batch([path], batch_calls.Unreadable, executor=thread)
    assert result.outcome == "error"
    assert result.detail.startswith("the value cannot be unpickled: ")


@pytest.mark.parametrize(
    ("task", "source"), [(batch_calls.as_it_is, threading.Lock()), ((lambda x: x), None)]
)
def test_what_cannot_be_pickled_is_a_mistake_of_the_caller(
    task: Any, source: Any, thread: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cloudpickle", None)
    with pytest.raises(TypeError, match=r"task .* or its source cannot be pickled: "):
        list(bridge.batch([source], task, executor=thread))


# Options are checked before a batch begins.


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("check", {"strict": True, "paths": ["."]}),
        ("convert", {"to": "urdf", "inertia": "repair"}),
        ("convert", {"actuators": "motor", "lenient": True, "policy": None}),
        ("convert", {"to": "directives", "models": "urdf", "strict": True}),
        ("compare", {"engines": "mujoco,reference", "levels": "L0,L1", "seed": 3}),
    ],
)
def test_known_options_are_taken(task: str, options: dict[str, Any]) -> None:
    assert checked_options(task, options) == options


@pytest.mark.parametrize(
    ("task", "options", "error", "message"),
    [
        ("check", {"stric": True}, TypeError, "unknown option 'stric'; did you mean 'strict'?"),
        (
            "convert",
            {"to": "mjc"},
            ValueError,
            "unknown target 'mjc'; expected one of: mjcf, sdf, urdf, directives",
        ),
        ("convert", {"to": "sdf", "actuators": "motor"}, TypeError, "unknown option 'actuators'"),
        ("convert", {"to": "urdf", "joints": "some"}, ValueError, "unknown value 'some' of joints"),
        ("convert", {"to": "urdf", "couplings": "no"}, TypeError, "couplings = 'no'; expected Tr"),
        ("convert", {"quiet": True}, TypeError, "unknown option 'quiet'"),
        ("compare", {"levels": ("L7",)}, ValueError, "unknown level 'L7'"),
        (None, {"strict": True}, TypeError, "unknown option 'strict'"),
    ],
)
def test_others_are_refused(
    task: str | None, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        checked_options(task, options)
    assert message in str(caught.value)

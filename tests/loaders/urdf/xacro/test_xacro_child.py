"""xacro runs in a process whose time and memory have an end, which the operating system sets."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

import loaders
from loaders import Limits
from loaders.limits import LimitError, budgeted
from loaders.urdf.xacro import ExpansionError, run_xacro

pytest.importorskip("xacro")

HEAD = "xmlns:xacro='http://www.ros.org/wiki/xacro'"
NEXT_TWICE = "".join(
    f"<xacro:macro name='m{i}'><xacro:m{i + 1}/><xacro:m{i + 1}/></xacro:macro>" for i in range(40)
)
ENDLESS = '<link name="${[0 for x in range(10**15) if x == -1]}"/>'


def written(folder: Path, body: str) -> Path:
    path = folder / "robot.urdf.xacro"
    path.write_text(f"<robot name='r' {HEAD}>{body}</robot>")
    return path


def refusal(path: Path, **limits: int) -> loaders.Diagnostic:
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path, allow_xacro=True, quiet=True, limits=Limits(**limits))
    return caught.value.diagnostics[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [ENDLESS, "<link name='${9**9**9**9}'/>", f"{NEXT_TWICE}<xacro:macro name='m40'/><xacro:m0/>"],
    ids=["loop", "power", "macros"],
)
def test_an_expansion_that_would_take_for_ever_ends_at_the_limit_of_time(
    tmp_path: Path, body: str
) -> None:
    entry = refusal(written(tmp_path, body), xacro_seconds=1, elements=10**9)
    assert entry.code == "file.limit"
    assert (entry.arguments["limit"], entry.arguments["option"]) == (1, "xacro_seconds")
    assert (entry.where.file, "limits=Limits(xacro_seconds=...)" in entry.hint) == (
        str(tmp_path / "robot.urdf.xacro"),
        True,
    )


@pytest.mark.parametrize("expression", ["[0] * 10**8", "'a' * 10**12", "list(range(10**9))"])
def test_an_expansion_that_needs_much_memory_ends_at_the_limit(
    tmp_path: Path, expression: str
) -> None:
    entry = refusal(written(tmp_path, f'<link name="${{{expression}}}"/>'), xacro_bytes=300_000_000)
    assert entry.code == "file.limit"
    assert (entry.arguments["limit"], entry.arguments["option"]) == (300_000_000, "xacro_bytes")
    assert "the file needs more than 300000000 xacro_bytes" in entry.message


def test_a_macro_that_calls_itself_ends_by_itself(tmp_path: Path) -> None:
    body = "<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>"
    assert refusal(written(tmp_path, body)).code == "xacro.failed"


def test_a_process_that_only_waits_is_ended_too(tmp_path: Path) -> None:
    path = written(tmp_path, "")

    def never(question: dict[str, object]) -> tuple[dict[str, object], bytes]:
        threading.Event().wait(0.5)
        return {}, path.read_bytes()

    with budgeted(Limits(xacro_seconds=0)), pytest.raises(LimitError, match="0 xacro_seconds"):
        run_xacro(path, {}, never)


def test_a_python_that_cannot_be_started_is_a_plain_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    entry = refusal(written(tmp_path, "<link name='a'/>"))
    assert (entry.code, "Python cannot be started" in entry.message) == ("xacro.failed", True)
    with pytest.raises(ExpansionError):
        run_xacro(tmp_path / "robot.urdf.xacro", {}, lambda _: ({}, b""))


def test_expansions_in_several_threads_do_not_mix(tmp_path: Path) -> None:
    names: dict[str, list[str]] = {}

    def load(name: str) -> None:
        (tmp_path / name).mkdir()
        path = written(tmp_path / name, f"<link name='{name}${{1 + 1}}'/>")
        names[name] = [link.name for link in loaders.load(path, allow_xacro=True, quiet=True).links]

    threads = [threading.Thread(target=load, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == {name: [f"{name}2"] for name in "abc"}

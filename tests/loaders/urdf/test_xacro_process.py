"""The process of xacro: it reads only what the load may read, within limits of time and memory."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import loaders
from loaders import Limits
from loaders.limits import LimitError, budgeted
from loaders.urdf.xacro import ExpansionError, run_xacro
from loaders.urdf.xacro_process import MAX_LOG

pytest.importorskip("xacro")


# xacro reads only what the load may read, and its work has an end. The file system is the witness
# of what is read.

SECRET = "top-secret"
HEAD = "xmlns:xacro='http://www.ros.org/wiki/xacro'"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.xacro").write_text(f"<robot {HEAD}><link name='{SECRET}'/></robot>")
    (tmp_path / "secret.yaml").write_text(f"name: {SECRET}")
    (tmp_path / "model").mkdir()
    return tmp_path / "model"


def load(folder: Path, body: str, **options: object) -> loaders.Scene:
    path = folder / "robot.urdf.xacro"
    path.write_text(f"<robot name='r' {HEAD}>{body}</robot>")
    return loaders.load(path, allow_xacro=True, quiet=True, **options)


def refusal(folder: Path, body: str, **options: object) -> loaders.Diagnostic:
    with pytest.raises(loaders.LoadError) as caught:
        load(folder, body, **options)
    assert SECRET not in str(caught.value)
    return next(entry for entry in caught.value.diagnostics if entry.severity == "error")


INCLUDE = "<xacro:include filename='{}'/><link name='a'/>"
YAML = (
    "<xacro:property name='d' value=\"${{xacro.load_yaml('{}')}}\"/><link name=\"${{d['name']}}\"/>"
)


@pytest.mark.parametrize(
    "name", ["../secret.xacro", "link.xacro", "sub/../../secret.xacro", "../s*.xacro"]
)
def test_an_include_outside_the_folders_is_refused(folder: Path, name: str) -> None:
    os.symlink(folder.parent / "secret.xacro", folder / "link.xacro")
    (folder / "sub").mkdir()
    assert refusal(folder, INCLUDE.format(name)).code == "resource.outside"
    assert SECRET in {
        link.name for link in load(folder, INCLUDE.format(name), unsafe_paths=True).links
    }


def test_an_absolute_path_and_a_yaml_file_outside_are_refused(folder: Path) -> None:
    assert (
        refusal(folder, INCLUDE.format(folder.parent / "secret.xacro")).code == "resource.outside"
    )
    assert refusal(folder, YAML.format("../secret.yaml")).code == "resource.outside"
    (folder / "own.yaml").write_text("name: own")
    assert [link.name for link in load(folder, YAML.format("own.yaml")).links] == ["own"]


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "none.xacro", "."])
def test_what_is_not_a_regular_file_is_not_read(folder: Path, name: str) -> None:
    os.mkfifo(folder / "pipe")
    assert refusal(folder, INCLUDE.format(name)).code in {
        "xacro.failed",
        "xacro.include-not-found",
        "resource.outside",
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_doctype_is_refused_in_included_files_too(folder: Path, encoding: str) -> None:
    entities = "".join(f"<!ENTITY e{i + 1} '{f'&e{i};' * 10}'>" for i in range(8))
    text = (
        f"<?xml version='1.0' encoding='{encoding}'?><!DOCTYPE robot [<!ENTITY e0 "
        f"'x'>{entities}]><robot>&e8;</robot>"
    )
    (folder / "bomb.xacro").write_bytes(text.encode(encoding))
    assert refusal(folder, INCLUDE.format("bomb.xacro")).code == "xml.doctype"


def test_macros_that_call_the_next_twice_end_at_the_limit(folder: Path) -> None:
    macros = "".join(
        f"<xacro:macro name='m{i}'><xacro:m{i + 1}/><xacro:m{i + 1}/></xacro:macro>"
        for i in range(30)
    )
    body = f"{macros}<xacro:macro name='m30'><link name='a'/></xacro:macro><xacro:m0/>"
    entry = refusal(folder, body, limits=Limits(elements=2_000))
    assert (entry.code, entry.arguments["option"]) == ("file.limit", "elements")


def test_a_file_that_includes_itself_and_a_macro_that_calls_itself_end(folder: Path) -> None:
    entry = refusal(folder, INCLUDE.format("robot.urdf.xacro"), limits=Limits(files=50))
    assert entry.code in {"file.limit", "xacro.failed"}
    body = "<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>"
    assert refusal(folder, body).code in {"file.limit", "xacro.failed"}


@pytest.mark.parametrize(
    "expression",
    [
        "'a' * 10**15",
        "[0] * 10**15",
        "(lambda f: f(f))(lambda f: f(f))",
        "__import__('os')",
        "1/0",
        "'\\ud800'",
    ],
)
def test_whatever_an_expression_raises_is_an_error_of_the_file(
    folder: Path, expression: str
) -> None:
    refusal(folder, f'<link name="${{{expression}}}"/><link/>')


def test_warnings_do_not_control_the_terminal(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    load(folder, "<xacro:include filename='\u009b31m*.xacro'/><link name='a'/>")
    out, err = capfd.readouterr()
    assert "\u009b" not in out + err


# xacro runs in a process whose time and memory have an end, which the operating system sets.

NEXT_TWICE = "".join(
    f"<xacro:macro name='m{i}'><xacro:m{i + 1}/><xacro:m{i + 1}/></xacro:macro>" for i in range(40)
)
ENDLESS = '<link name="${[0 for x in range(10**15) if x == -1]}"/>'


def written(folder: Path, body: str) -> Path:
    path = folder / "robot.urdf.xacro"
    path.write_text(f"<robot name='r' {HEAD}>{body}</robot>")
    return path


def child_refusal(path: Path, **limits: int) -> loaders.Diagnostic:
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
    entry = child_refusal(written(tmp_path, body), xacro_seconds=1, elements=10**9)
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
    entry = child_refusal(
        written(tmp_path, f'<link name="${{{expression}}}"/>'), xacro_bytes=300_000_000
    )
    assert entry.code == "file.limit"
    assert (entry.arguments["limit"], entry.arguments["option"]) == (300_000_000, "xacro_bytes")
    assert "the file needs more than 300000000 xacro_bytes" in entry.message


def test_a_macro_that_calls_itself_ends_by_itself(tmp_path: Path) -> None:
    body = "<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>"
    assert child_refusal(written(tmp_path, body)).code == "xacro.failed"


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
    entry = child_refusal(written(tmp_path, "<link name='a'/>"))
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


# The process of xacro asks for every file, and sends its result with the warnings of xacro.

FILES = {
    "/none/robot.xacro": f"<robot {HEAD}><xacro:include filename='part.xacro'/>"
    "<xacro:include filename='$(find p)/q.xacro'/></robot>",
    "/none/part.xacro": "<robot><a>${xacro.warning('\u009bcareful')}</a></robot>",
    "/package/q.xacro": "<robot><b/></robot>",
}


def test_the_process_reads_no_file_by_itself() -> None:
    asked: list[str] = []

    def answer(question: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        asked.append(question["name"])
        return (
            ({"folder": "/package"}, b"")
            if question["kind"] == "find"
            else ({}, FILES[question["name"]].encode())
        )

    message, data = run_xacro(Path("/none/robot.xacro"), {}, answer)
    assert asked == ["/none/robot.xacro", "/none/part.xacro", "p", "/package/q.xacro"]
    assert (message["kind"], message["log"], message["elements"] > 3) == (
        "expanded",
        "warning: \u009bcareful\n",
        True,
    )
    assert b"<b/>" in data


@pytest.mark.parametrize(
    ("reply", "error"),
    [({"refused": "no"}, "RefusedError"), ({"error": [2, "No such file", "x"]}, "XacroException")],
)
def test_a_file_that_is_not_to_be_had_is_an_error_of_the_expansion(
    reply: dict[str, Any], error: str
) -> None:
    message, _ = run_xacro(Path("/none/robot.xacro"), {}, lambda _: (reply, b""))
    assert (message["kind"], message["type"]) == ("failed", error)


def test_warnings_are_sent_up_to_a_limit() -> None:
    text = (
        f"<robot {HEAD}><a b=\"${{[xacro.message('x' * 1000) for i in range(1000)][0]}}\"/></robot>"
    )
    message, _ = run_xacro(Path("/none/robot.xacro"), {}, lambda _: ({}, text.encode()))
    assert message["kind"] == "expanded"
    assert MAX_LOG - 2000 < len(message["log"]) <= MAX_LOG

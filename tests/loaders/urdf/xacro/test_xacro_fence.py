"""xacro reads only what the load may read, and its work has an end. The file system is the witness
of what is read.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import loaders
from loaders import Limits

pytest.importorskip("xacro")

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

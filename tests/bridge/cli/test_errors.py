"""Failures and interruptions: exit status, one message or one JSON report, and no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import loaders
from bridge.cli import main
from bridge.cli.errors import (
    DIFFERENT,
    INTERRUPTED,
    MISSING,
    USAGE,
    Interruption,
    UsageError,
    interruptible,
)
from tests.support.command_line import ROOT, call

# Each kind of failure has its exit status, one message, and no traceback.

ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"


def test_wrong_usage_has_its_status() -> None:
    error = UsageError("expected a file", "usage: ...")
    assert (error.status, str(error), error.usage) == (USAGE, "expected a file", "usage: ...")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["compare", ARM, "--engines", "ode", "--level", "L0"], USAGE, "unknown engine 'ode'"),
        (["compare", ARM, "--set", "elbo=0.3", "--level", "L0"], USAGE, "unknown joint 'elbo'"),
        (["convert", ARM, "/proc/x"], USAGE, "cannot write /proc/x: "),
        pytest.param(["demo", "/proc/x"], USAGE, "cannot write /proc/x: ", marks=pytest.mark.slow),
        (["compare", ARM, "--report", "/proc/x", "--level", "L0"], USAGE, "cannot write /proc/x: "),
        (["graph", ARM, "-o", "/proc/x.svg"], USAGE, "cannot write /proc/x.svg: "),
        (["graph", ARM, "-o", "arm.jpg"], USAGE, "expected a file that ends in .dot, .svg or .png"),
        (["resolve", "-"], USAGE, "expected its name, not standard input"),
        (["check", ARM, "--json", "--format", "sarif"], USAGE, "exclude each other"),
        (["info", "/no/such/file.sdf"], DIFFERENT, "cannot read the file"),
        (["view", ARM], MISSING, "needs a display"),
    ],
    ids=lambda value: " ".join(map(str, value))[:40] if isinstance(value, list) else "",
)
def test_a_failure_has_a_status_and_a_message(
    words: list[object], status: int, message: str
) -> None:
    done = call(*words, DISPLAY="", WAYLAND_DISPLAY="")
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "Errno" not in done.stderr


def read_until(terminal: int, word: str) -> str:
    """What a terminal gets up to a word, or to the end of what writes there."""
    text = ""
    while word not in text:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # nothing has it open any more
            break
        text += data.decode()
    return text


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_command_ends_without_a_traceback() -> None:
    command = [
        sys.executable,
        "-m",
        "sdfbridge",
        "compare",
        str(ARM),
        "--configurations",
        "1000000",
    ]
    terminal, end = os.openpty()  # what goes on is shown in a terminal alone
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, cwd=ROOT) as process:
        os.close(end)
        try:
            err = read_until(terminal, "comparing")
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
            err += read_until(terminal, "interrupted")
        finally:
            process.kill()
            os.close(terminal)
    assert (process.returncode, out) == (INTERRUPTED, b"")
    assert "interrupted" in err
    assert "Traceback" not in err


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interruption_is_not_repeated_once_the_command_is_over() -> None:
    interruption = Interruption()
    with pytest.raises(KeyboardInterrupt), interruptible(interruption):
        signal.raise_signal(signal.SIGINT)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    interruption(signal.SIGALRM, None)  # as where the time has run out while the block ended


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interruption_in_the_exec_of_a_text_has_its_status(tmp_path: Path) -> None:
    program = """
import os, signal, sys, bridge.cli
bridge.cli._run = lambda _: exec("os.kill(os.getpid(), signal.SIGINT); [0] * 9999999")
sys.exit(bridge.cli.main([]))
"""
    (tmp_path / "interrupted.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "interrupted"],
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (INTERRUPTED, b"\nsdfbridge: interrupted\n")


# A command that is interrupted ends, also where a library discards the interruption or mistakes it.

PROGRAM = """
import contextlib, os, signal, sys, time
import bridge.cli
import bridge.cli.execution

def discarding(options, words):
    with contextlib.suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    time.sleep(60)

def mistaking(options, words):
    with contextlib.suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    return 3

def ending(options, words):
    with contextlib.suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    return 0

bridge.cli.execution.execute = {name}
status = bridge.cli.main(["check", "robot.urdf"])
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
sys.exit(status)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("name", "status"), [("discarding", INTERRUPTED), ("mistaking", INTERRUPTED), ("ending", 0)]
)
def test_an_interruption_ends_the_command(name: str, status: int) -> None:
    program = PROGRAM.replace("{name}", name)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        timeout=50,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert ("interrupted" in done.stderr) == (status == INTERRUPTED)
    assert "Traceback" not in done.stderr


# With ``--json``, a command that fails prints one report, as the published schema describes it.

EXECUTION_ARM = ROOT / "assets" / "arm" / "model.sdf"
SCHEMA = json.loads((ROOT / "docs" / "schema" / "report.schema.json").read_text(encoding="utf-8"))


def report_of(*words: object) -> dict[str, Any]:
    """The JSON that a command prints; it satisfies the schema and repeats the exit status."""
    import jsonschema

    done = call(*words, "--json", DISPLAY="", WAYLAND_DISPLAY="")
    report: dict[str, Any] = json.loads(done.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert report["status"] == done.returncode
    assert report["command"] == words[0]
    return report


def test_the_schema_is_valid_and_refuses_an_unknown_key() -> None:
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"sdfbridge": 1, "colour": "red"}, SCHEMA)


@pytest.mark.parametrize("command", ["check", "info", "graph", "convert", "compare"])
def test_a_broken_file_is_a_report_of_all_its_errors(
    command: str, broken: Path, tmp_path: Path
) -> None:
    report = report_of(command, broken, *([tmp_path / "out"] if command == "convert" else []))
    with pytest.raises(loaders.LoadError) as error:
        loaders.load(broken)
    expected = [(d.code, d.where.line, d.message) for d in error.value.diagnostics]
    assert [(d["code"], d["line"], d["message"]) for d in report["diagnostics"]] == expected
    assert report["files"] == [str(broken)]
    assert report["status"] == 1


def test_a_failure_outside_the_files_is_the_error_of_the_report() -> None:
    assert (
        "unknown joint 'elbo'"
        in report_of("compare", EXECUTION_ARM, "--set", "elbo=1", "--level", "L0")["error"]
    )
    assert "needs a display" in report_of("view", EXECUTION_ARM)["error"]


def test_a_missing_package_has_the_status_of_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(
        '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="b"/></robot>'
    )
    monkeypatch.setitem(sys.modules, "xacro", None)
    assert main(["info", str(file), "--xacro"]) == 3
    assert "[xacro.not-installed]" in capsys.readouterr().err
    assert main(["info", str(file)]) == 1, "without permission, the file is refused"


def test_check_prints_a_report_of_valid_files_too() -> None:
    report = report_of("check", EXECUTION_ARM, ROOT / "assets" / "leg.sdf")
    assert (report["status"], report["valid"], report["error"]) == (0, True, None)
    assert [result["valid"] for result in report["results"]] == [True, True]

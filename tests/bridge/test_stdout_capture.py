"""Capture of PyBullet's output: nothing reaches the console, the caller gets the lines, and no
other output is lost.
"""

import ctypes
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from bridge import load_into_pybullet, stdout_capture
from loaders.model import JointType
from tests.support.scenes import UNIT_BOX, joint, link, scene

ASSETS = Path(__file__).parents[2] / "assets"


def test_the_console_stays_silent(bullet_client, capfd):
    source = scene([link("a", shape=UNIT_BOX), link("b")], [joint("j", "a", "b", JointType.BALL)])
    load_into_pybullet(source, physicsClientId=bullet_client)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


PRINTED = """
import ctypes, os, sys
from bridge.stdout_capture import capture_stdout

library = ctypes.CDLL(None)
library.printf(b"before\\n")
lines, inner = [], []
with capture_stdout(lines):
    library.printf(b"b3Warning[examples/x.cpp,126]:\\nhello\\n")
    library.puts(b"foreign 1")
    with capture_stdout(inner, everything=True):
        library.puts(b"nested")
        library.printf(b"foreign 2 ")
        library.printf(b"b3Printf: inside\\n")
    library.perror(b"there")
    library.printf(b"b3Printf: last\\n")
    library.printf(b"%s", b"no end of line")
    print("Python prints on")
    os.write(2, b"and so do descriptors\\n")
library.printf(b"; after\\n")
library.fflush(None)
assert inner == ["inside", "nested", "foreign 2"], inner
assert lines == ["hello", "last"], lines
"""


@pytest.mark.skipif(
    not stdout_capture._pointers(), reason="the streams of this C library are constants"
)
def test_messages_of_pybullet_are_kept_for_the_caller_and_all_else_goes_its_way() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stderr.splitlines()
    assert (first, second[:7]) == ("and so do descriptors", "there: ")
    lines = [line for line in done.stdout.splitlines() if line != "Python prints on"]
    assert lines == ["before", "foreign 1", "nested", "foreign 2 no end of line; after"]


def test_where_the_streams_are_constants_the_descriptors_are_redirected(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stdout_capture, "_pointers", tuple)
    lines: list[str] = []
    before = [os.fstat(stream)[:2] for stream in (1, 2)]
    with stdout_capture.capture_stdout(lines):
        ctypes.CDLL(None).puts(b"b3Printf: hello")
        os.write(1, b"printed by others\n")
        os.write(2, b"b3Warning[x.cpp,1]: there")
    assert lines == ["hello", "there"]
    assert [os.fstat(stream)[:2] for stream in (1, 2)] == before
    assert capfd.readouterr().out == "printed by others\n"


def test_an_error_in_the_block_restores_the_streams() -> None:
    before = [pointer.value for pointer in stdout_capture._pointers()]
    with suppress(KeyError), stdout_capture.capture_stdout([]):
        raise KeyError
    assert [pointer.value for pointer in stdout_capture._pointers()] == before


THREADS = f"""
import os, sys, threading, warnings
import pybullet
from bridge import load_into_pybullet

warnings.simplefilter("ignore")
before = [os.fstat(stream)[:2] for stream in (1, 2)]
stop, printed, failures = threading.Event(), [0], []

def load():
    try:
        client = pybullet.connect(pybullet.DIRECT)
        for _ in range(2):
            robot = load_into_pybullet({str(ASSETS / "arm" / "model.sdf")!r}, physicsClientId=client)
            assert not [entry for entry in robot.diagnostics if "line" in str(entry.message)], robot.diagnostics
            robot.remove()
        pybullet.disconnect(client)
    except BaseException as error:
        failures.append(repr(error))

def talk():
    while not stop.is_set():
        print("line", printed[0], flush=True)
        os.write(2, b"line on the other stream\\n")
        printed[0] += 1

talker = threading.Thread(target=talk)
talker.start()
threads = [threading.Thread(target=load) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
stop.set()
talker.join()
assert not failures, failures
assert [os.fstat(stream)[:2] for stream in (1, 2)] == before
print("end", printed[0], flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not stdout_capture._pointers(), reason="the streams of this C library are constants"
)
def test_threads_that_load_lose_no_line_of_a_thread_that_prints() -> None:
    done = subprocess.run(
        [sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *lines, end = done.stdout.splitlines()
    count = int(end.removeprefix("end "))
    assert lines == [f"line {k}" for k in range(count)]
    others = [
        line for line in done.stderr.splitlines() if not line.startswith("pybullet build time")
    ]
    assert others == ["line on the other stream"] * count
    assert count > 0


C_THREADS = f"""
import ctypes, threading, warnings
import pybullet
from bridge import load_into_pybullet

warnings.simplefilter("ignore")
library, stop, failures = ctypes.CDLL(None), threading.Event(), []
LINES = 3000

def load():
    try:
        client = pybullet.connect(pybullet.DIRECT)
        while not stop.is_set():
            robot = load_into_pybullet({str(ASSETS / "arm" / "model.sdf")!r}, physicsClientId=client)
            assert not [entry for entry in robot.diagnostics if "line" in str(entry.message)], robot.diagnostics
            robot.remove()
        pybullet.disconnect(client)
    except BaseException as error:
        failures.append(repr(error))

threads = [threading.Thread(target=load) for _ in range(2)]
for thread in threads:
    thread.start()
for k in range(LINES):  # while these loads go on, C code of this thread prints
    library.printf(b"line %d\\n", ctypes.c_int(k))
    if k % 100 == 0:
        stop.wait(0.01)
stop.set()
for thread in threads:
    thread.join()
assert not failures, failures
library.fflush(None)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not stdout_capture._pointers(), reason="the streams of this C library are constants"
)
def test_threads_that_load_lose_no_line_of_c_code_in_another_thread() -> None:
    done = subprocess.run(
        [sys.executable, "-c", C_THREADS], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [
        line for line in done.stdout.splitlines() if not line.startswith("pybullet build time")
    ]
    assert sorted(lines) == sorted(f"line {k}" for k in range(3000))

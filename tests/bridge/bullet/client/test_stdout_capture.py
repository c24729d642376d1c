"""Capture of PyBullet's output: nothing reaches the console, and the caller gets the lines."""

import os
import subprocess
import sys

from bridge import load_into_pybullet
from loaders.model import JointType
from tests.support.scenes import UNIT_BOX, joint, link, scene


def test_the_console_stays_silent(bullet_client, capfd):
    source = scene([link("a", shape=UNIT_BOX), link("b")], [joint("j", "a", "b", JointType.BALL)])
    load_into_pybullet(source, physicsClientId=bullet_client)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_what_is_printed_meanwhile_is_kept_for_the_caller():
    from bridge.bullet.client.stdout_capture import capture_stdout

    lines = []
    with capture_stdout(lines):
        os.write(1, b"b3Warning[examples/x.cpp,126]:\nhello\n")
        os.write(2, b"there")
    assert lines == ["hello", "there"]


THREADS = """
import os, threading
from bridge.bullet.client.stdout_capture import capture_stdout

before = [os.fstat(stream)[:2] for stream in (1, 2)]
found = []

def work(i):
    for k in range(100):
        lines = []
        with capture_stdout(lines), capture_stdout([]) if k % 5 == 0 else capture_stdout(lines):
            os.write(1, f"inside {i} {k}\\n".encode())
        found.append(lines == ([] if k % 5 == 0 else [f"inside {i} {k}"]))

threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert [os.fstat(stream)[:2] for stream in (1, 2)] == before
assert len(found) == 800 and all(found)
print("still here")
"""


def test_threads_leave_the_streams_of_the_process_as_they_were() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "still here\n", "")

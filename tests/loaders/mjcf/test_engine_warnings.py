"""MuJoCo's warnings go to the block of their thread, to the caller's handler elsewhere, and never
to a file.
"""

from __future__ import annotations

import threading
from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders.mjcf.compiler import engine_warnings

FAR = """<sdf version="1.9"><model name="m"><link name="l"><inertial><pose>1e6 1e6 1e6 0 0 0</pose><mass>10</mass>
<inertia><ixx>1e-11</ixx><iyy>1e-11</iyy><izz>1e-11</izz></inertia></inertial></link></model></sdf>"""
"""A link of whose mass matrix newer versions of MuJoCo say that it is almost singular."""


BALL = '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'


def warn() -> None:
    """Let MuJoCo warn of a position that is not a number."""
    model = mujoco.MjModel.from_xml_string(BALL)
    data = mujoco.MjData(model)
    data.qpos[0] = np.nan
    mujoco.mj_step(model, data)


def test_an_export_leaves_no_file_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bridge.export_mjcf(loaders.load_string(FAR, format="sdf", quiet=True), "out", quiet=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    warn()  # MuJoCo itself does leave one
    assert (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_nested_blocks_collect_their_own_warnings_and_give_the_handler_back() -> None:
    outer: list[str] = []
    inner: list[str] = []
    with engine_warnings(mujoco, outer):
        warn()
        with engine_warnings(mujoco, inner):
            warn()
        warn()
    assert (len(outer), len(inner)) == (2 * len(inner), len(inner))
    assert "QPOS" in inner[0]
    assert mujoco.get_mju_user_warning() is None


def test_blocks_that_overlap_in_threads_give_the_callers_handler_back() -> None:
    """The first block ends last; the warnings of a thread without a block reach the caller's
    handler meanwhile.
    """
    heard: list[str] = []
    found: dict[str, list[str]] = {"first": [], "second": []}
    entered, left = threading.Event(), threading.Event()

    def first() -> None:
        with engine_warnings(mujoco, found["first"]):
            entered.set()
            left.wait(10)
            warn()

    mujoco.set_mju_user_warning(heard.append)
    try:
        thread = threading.Thread(target=first)
        thread.start()
        assert entered.wait(10)
        with engine_warnings(mujoco, found["second"]):
            warn()
        warn()
        left.set()
        thread.join()
        count = len(heard)
        warn()
    finally:
        mujoco.set_mju_user_warning(None)
    assert len(found["first"]) == len(found["second"]) == count > 0
    assert len(heard) == 2 * count

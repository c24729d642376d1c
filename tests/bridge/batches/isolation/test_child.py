"""What the fork of a call may and may not do; see also `test_worker.py`."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.batches.worker import Request, close_servers, run_isolated


@pytest.fixture(scope="module", autouse=True)
def _no_process_is_left() -> Iterator[None]:
    yield
    close_servers()


def test_its_temporary_folder_is_removed() -> None:
    ended = run_isolated(Request(pickle.dumps((tempfile.mkdtemp, (), {})), "", 30.0, 1 << 30))
    folder = Path(pickle.loads(ended.value))
    assert not folder.exists()
    assert folder.parent != Path(tempfile.gettempdir())


def test_it_leads_a_group_of_its_own() -> None:
    ended = run_isolated(Request(pickle.dumps((os.getpgrp, (), {})), "", 30.0, 1 << 30))
    assert pickle.loads(ended.value) != os.getpgrp()


def test_a_value_that_cannot_be_pickled_is_an_exception() -> None:
    ended = run_isolated(Request(pickle.dumps((os.scandir, (".",), {})), "", 30.0, 1 << 30))
    assert ended.how == "exception"
    assert "pickle" in ended.detail

"""The worker answers requests, states errors, and ends when its requests end."""

from __future__ import annotations

import io
import pickle
from typing import Any

import pytest

import bridge
from bridge.parity.engines.dart.worker import CLOSE, OPEN, serve
from loaders.model import WORLD
from tests.support.scenes import joint, link, scene

pytest.importorskip("dartpy")


def replies(*requests: tuple[int, str, tuple[Any, ...]]) -> list[Any]:
    sent, received = io.BytesIO(b"".join(map(pickle.dumps, requests))), io.BytesIO()
    serve(sent, received)
    received.seek(0)
    return [pickle.load(received) for _ in requests]


def test_each_request_has_a_reply() -> None:
    mechanism = bridge.lower(scene([link("a")], [joint("j", WORLD, "a")]))
    found = replies(
        (4, OPEN, (mechanism, False)),
        (4, "set_state", ({"j": 0.25}, {})),
        (4, "positions", ()),
        (4, "jump", ()),
        (4, CLOSE, ()),
    )
    assert [succeeded for succeeded, _ in found] == [True, True, True, False, True]
    assert found[2][1]["j"] == pytest.approx((0.25,))
    assert "jump" in found[3][1]

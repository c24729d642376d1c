"""One warning for each call says that something is lost, at the line of the caller; the logger has
the details.
"""

from __future__ import annotations

import dataclasses
import logging
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import bridge
import loaders
from loaders.diagnostics import Diagnostic, Fate, LossSummary, LossWarning

LOSSY = """<sdf version="1.11"><model name="arm"><link name="base"/><link name="tip"/>
<joint name="elbow" type="revolute"><parent>base</parent><child>tip</child><axis><xyz>0 1 0</xyz>
<limit><velocity>2</velocity></limit></axis></joint></model></sdf>"""
"""A model whose velocity limit MuJoCo drops; nothing is lost on reading."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "arm.sdf"
    path.write_text(LOSSY, encoding="utf-8")
    return path


def emitted(call: Callable[[], object]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


def test_an_export_warns_once_at_the_line_of_the_caller(path: Path, tmp_path: Path) -> None:
    calls: list[Callable[[], object]] = [
        lambda: bridge.to_mjcf(path),
        lambda: bridge.to_mjspec(path),
        lambda: bridge.export_mjcf(path, tmp_path / "out"),
        lambda: bridge.to_mjcf(loaders.load(path)),
    ]
    pytest.importorskip("mujoco")
    for call in calls:
        (warning,) = emitted(call)
        assert warning.category is LossWarning
        assert warning.filename == __file__
        assert "1 dropped (mjcf.velocity-limit)" in str(warning.message)
        assert "\n" not in str(warning.message)


def test_the_name_is_the_path_as_it_was_given(path: Path) -> None:
    (warning,) = emitted(lambda: bridge.to_mjcf(str(path)))
    assert str(warning.message).startswith(f"{path}: ")
    (warning,) = emitted(lambda: bridge.to_mjcf(loaders.load(path)))
    assert str(warning.message).startswith("arm: ")


def test_losses_of_reading_are_counted_once_and_with_the_export_of_a_path_in_one_line(
    path: Path,
) -> None:
    path.write_text(LOSSY.replace("<axis>", "<axis><dynamics><damping>-1</damping></dynamics>", 1))
    scene: list[loaders.Scene] = []
    (of_reading,) = emitted(lambda: scene.append(loaders.load(path)))
    (of_both,) = emitted(lambda: bridge.to_mjcf(path))
    (of_export,) = emitted(lambda: bridge.to_mjcf(scene[0]))
    code = next(entry.code for entry in scene[0].diagnostics if entry.severity == "warning")
    assert code in str(of_reading.message)
    assert code in str(of_both.message)
    assert "mjcf.velocity-limit" in str(of_both.message)
    assert code not in str(of_export.message)


def test_loading_into_pybullet_warns_once(path: Path, bullet_client: int) -> None:
    (warning,) = emitted(lambda: bridge.load_into_pybullet(path, physicsClientId=bullet_client))
    assert warning.filename == __file__
    assert "pybullet." in str(warning.message)


def test_there_is_no_warning_without_a_loss_or_with_quiet(path: Path, assets: Path) -> None:
    assert emitted(lambda: loaders.load(path)) == []
    assert emitted(lambda: bridge.to_mjcf(path, quiet=True)) == []


def test_a_comparison_is_silent_since_its_result_holds_the_diagnostics(path: Path) -> None:
    pytest.importorskip("mujoco")
    caught = emitted(lambda: bridge.compare(path, ("mujoco",), levels=("L0",), configurations=1))
    assert [warning for warning in caught if warning.category is LossWarning] == []


def test_the_category_can_be_made_an_error(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", LossWarning)
        with pytest.raises(LossWarning, match="1 dropped"):
            bridge.to_mjcf(path)


def test_strict_raises_and_warns_of_nothing(path: Path, bullet_client: int) -> None:
    def strict() -> None:
        with pytest.raises(loaders.ExportError):
            bridge.load_into_pybullet(path, strict=True, physicsClientId=bullet_client)

    assert emitted(strict) == []


def test_the_logger_has_every_finding_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="sdfbridge")
    mjcf = bridge.to_mjcf(path, quiet=True)
    assert [record.getMessage() for record in caplog.records] == [
        str(entry) for entry in mjcf.diagnostics
    ]
    losses = [record for record in caplog.records if record.levelno == logging.INFO]
    assert len(losses) == 1


def test_no_more_than_three_codes_are_named() -> None:
    def call() -> None:
        with LossSummary("arm.sdf") as losses:
            losses.add(Diagnostic(f"a.{i}", Fate.ASSUMED, "text") for i in range(5))

    (warning,) = emitted(call)
    assert str(warning.message).startswith("arm.sdf: 5 assumed (a.0, a.1, a.2, ...); ")


def test_what_moves_the_model_otherwise_comes_first_and_in_words() -> None:
    """By harm, not in the order of the findings, nor by their codes; equal codes with a count."""
    unread = [Diagnostic("a.unread", Fate.DROPPED, f"text {i}") for i in range(12)]
    limited = Diagnostic("b.limited", Fate.APPROXIMATED, "slower: {names}", harm=1)
    falls = [
        Diagnostic("c.falls", Fate.ASSUMED, "{link} falls", hint="hold it", harm=2,
                   arguments={"link": name}) for name in ("base", "foot")
    ]  # fmt: skip
    limited = dataclasses.replace(limited, arguments={"names": ("j", "k")})

    def call() -> None:
        with LossSummary("arm.sdf") as losses:
            losses.add([*unread, limited, *falls])

    (warning,) = emitted(call)
    assert str(warning.message) == (
        "arm.sdf: base falls (hold it) [c.falls], and 1 more like it; slower: j, k [b.limited]; "
        "12 dropped, 1 approximated, 2 assumed (a.unread x 12); see the diagnostics of the result, "
        "or pass quiet=True"
    )

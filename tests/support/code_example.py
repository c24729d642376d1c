"""An input that provokes a diagnostic, and how to read, lower, export or load it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from loaders import Diagnostic, Scene
from loaders.diagnostics import ModelError

Setup = Callable[[Path, pytest.MonkeyPatch], None]
"""Prepares the folder of a test, and what the test replaces."""


def _nothing(_folder: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    pass


@dataclass(frozen=True)
class Example:
    """A minimal input that provokes a code.

    Attributes:
        diagnose: The findings about the input, given an empty folder.
        subjects: The subjects that the finding must have; None if they depend on the engine.
        setup: Runs before.
    """

    diagnose: Callable[[Path], Iterable[Diagnostic]]
    subjects: tuple[str, ...] | None = None
    setup: Setup = _nothing


def findings(produce: Callable[[], Iterable[Diagnostic]]) -> tuple[Diagnostic, ...]:
    """The diagnostics of a result, or of the error that takes its place."""
    try:
        return tuple(produce())
    except ModelError as error:
        return error.diagnostics


def reading(
    content: str | bytes,
    *subjects: str,
    name: str = "main.sdf",
    files: Mapping[str, str | bytes] | None = None,
    setup: Setup = _nothing,
    **options: Any,
) -> Example:
    """A file to load.

    Args:
        content: What is in the file.
        subjects: The subjects that the finding must have.
        name: The name of the file.
        files: Other files beside it, by their relative path.
        setup: Runs before.
        options: Options of `loaders.load`.
    """

    def diagnose(folder: Path) -> Iterable[Diagnostic]:
        for path, data in {**(files or {}), name: content}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data.encode() if isinstance(data, str) else data)
        return findings(lambda: loaders.load(folder / name, **options).diagnostics)

    return Example(diagnose, subjects, setup)


def lowering(scene: Scene, *subjects: str) -> Example:
    """A scene to lower."""
    return Example(lambda _: findings(lambda: bridge.lower(scene).diagnostics), subjects)


def exporting(scene: Scene, *subjects: str, setup: Setup = _nothing, **options: Any) -> Example:
    """A scene to export to MJCF."""
    return Example(
        lambda _: findings(lambda: bridge.to_mjcf(scene, **options).diagnostics), subjects, setup
    )


def loading_into_pybullet(
    scene: Scene, *subjects: str, setup: Setup = _nothing, **options: Any
) -> Example:
    """A scene to load into a PyBullet server of its own."""

    def diagnose(_folder: Path) -> Iterable[Diagnostic]:
        pybullet = pytest.importorskip("pybullet")
        client = pybullet.connect(pybullet.DIRECT)
        try:
            body = findings(
                lambda: (
                    bridge.load_into_pybullet(scene, physicsClientId=client, **options).diagnostics
                )
            )
        finally:
            pybullet.disconnect(client)
        return body

    return Example(diagnose, subjects, setup)

"""The scene: its short text form."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import loaders
from loaders.diagnostics import Diagnostic, Fate
from loaders.scene import Scene


def test_repr_states_name_counts_and_source(assets: Path) -> None:
    scene = loaders.load(assets / "double_pendulum.urdf")
    counts = f"1 model, {len(scene.links)} links, {len(scene.joints)} joints"
    assert repr(scene).startswith(f"<Scene {scene.name!r}: {counts} from ")
    assert repr(scene).endswith("double_pendulum.urdf>")
    assert repr(Scene(name="s")) == "<Scene 's': 0 models, 0 links, 0 joints>"


def test_repr_is_short_for_long_names() -> None:
    assert len(repr(Scene(name="n" * 500, source="/folder" * 100))) < 200
    assert len(repr(Diagnostic("a.code", Fate.NOTED, "text " * 100))) < 200


def test_replace_keeps_the_type_of_a_scene() -> None:
    assert type(dataclasses.replace(Scene(name="s"), name="t")) is Scene

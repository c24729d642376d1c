"""Sources that public functions take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import loaders
from bridge.lowering import lower
from bridge.lowering.sources import mechanism_of, split_options

PENDULUM = Path(__file__).parents[3] / "assets" / "double_pendulum.urdf"


def test_a_path_a_scene_and_a_mechanism_give_the_same_mechanism() -> None:
    scene = loaders.load(PENDULUM)
    for source in (PENDULUM, str(PENDULUM), scene, lower(scene)):
        assert mechanism_of(source).v_order == (("shoulder", 0), ("elbow", 0))


def test_other_sources_and_unknown_options_are_refused() -> None:
    with pytest.raises(TypeError, match="expected a path, a Scene or a Mechanism, not int"):
        mechanism_of(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="strickt"):
        mechanism_of(PENDULUM, strickt=True)  # type: ignore[call-arg]


@dataclass
class Options:
    strict: bool = False
    scale: float = 1.0


def test_options_go_to_the_export_or_to_the_load_and_strict_to_both() -> None:
    keywords = {"strict": True, "scale": 2.0, "quiet": True, "paths": None}
    of_export, of_load = split_options(Options, keywords)
    assert of_export == Options(strict=True, scale=2.0)
    assert of_load == {"strict": True, "quiet": True}

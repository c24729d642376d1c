"""Sources that public functions take."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from bridge.lowering import lower
from bridge.lowering.inputs import mechanism_of

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

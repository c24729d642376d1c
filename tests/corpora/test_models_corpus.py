"""A random sample of real models in both running engines; `docs/models.md` lists all models."""

from __future__ import annotations

import random

import pytest

from tests.corpora.models_corpus import CORPUS, FAULTS, Model, examine_all, models
from tests.corpora.motion_corpus import WITHIN, move_all

COUNT = 16


def sample() -> list[Model]:
    available = models() if CORPUS.is_dir() else []
    sound = [model for model in available if model.name not in FAULTS]
    return random.Random(0).sample(sound, min(COUNT, len(sound)))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("model", sample(), ids=str)
def test_a_real_model_agrees_with_its_mechanism_in_both_engines(model: Model) -> None:
    (finding,) = examine_all([model])
    assert (finding.crash, finding.leftover_files) == ("", ())
    assert finding.mujoco.defects == finding.pybullet.defects == ()


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("model", sample()[:4], ids=str)
def test_a_real_model_runs_in_mujoco_without_warnings_within_its_limits(model: Model) -> None:
    (motion,) = move_all([model])
    assert (motion.crash, motion.differs) == ("", ())
    assert {
        kind: run.warning for kind, run in motion.runs.items() if kind in WITHIN
    } == dict.fromkeys(WITHIN, "")
    assert motion.causes or motion.runs["motor"].warning == ""

"""A few real models, drawn by a seed, from the file to both running engines; all are in `docs/models.md`."""

from __future__ import annotations

import random

import pytest
from models_corpus import CORPUS, FAULTS, Model, examine, models
from motion_corpus import move

COUNT = 16


def drawn() -> list[Model]:
    known = models() if CORPUS.is_dir() else []
    sound = [model for model in known if model.name not in FAULTS]
    return random.Random(0).sample(sound, min(COUNT, len(sound)))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("model", drawn(), ids=str)
def test_a_real_model_is_in_both_engines_what_its_file_says(model: Model) -> None:
    finding = examine(model)
    assert (finding.crash, finding.left) == ("", ())
    assert finding.mujoco.defects == finding.pybullet.defects == ()


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("model", drawn()[:4], ids=str)
def test_a_real_model_bears_full_controls_in_mujoco_or_its_ledger_says_why_not(model: Model) -> None:
    motion = move(model)
    assert (motion.crash, motion.differs) == ("", ())
    assert motion.causes or all(run.warning == "" for run in motion.runs.values())

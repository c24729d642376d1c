"""A few real models, drawn by a seed, from the file to both running engines; all are in `docs/models.md`."""

from __future__ import annotations

import random

import pytest

from tests.corpora.models_corpus import CORPUS, FAULTS, Model, examine, models
from tests.corpora.motion_corpus import WITHIN, move

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
def test_a_real_model_bears_all_controls_within_its_limits_in_mujoco(model: Model) -> None:
    motion = move(model)
    assert (motion.crash, motion.differs) == ("", ())
    assert {kind: run.warning for kind, run in motion.runs.items() if kind in WITHIN} == dict.fromkeys(WITHIN, "")
    assert motion.causes or motion.runs["motor"].warning == ""

"""Minimal logs for the codes of what cannot be replayed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bridge
from loaders import Diagnostic, Scene
from loaders import model as m
from loaders.diagnostics import ModelError
from tests.code_examples.scenes import hinge
from tests.support.code_example import Example
from tests.support.scenes import joint, link, scene

GOOD = "time,j.position,j.command_effort\n0,0,0\n0.1,0,0\n0.2,0,0\n"


def log(text: str, *subjects: str, model: Scene | None = None) -> Example:
    def diagnose(folder: Path) -> Iterable[Diagnostic]:
        (folder / "log.csv").write_text(text)
        try:
            return bridge.replay(model or hinge(), folder / "log.csv", engines="mujoco").diagnostics
        except ModelError as error:
            return error.findings

    return Example(diagnose, subjects)


TWO = scene([link("a"), link("b")], [joint("j", m.WORLD, "a"), joint("k", m.WORLD, "b")])

EXAMPLES = {
    "log.column": log(
        GOOD.replace("j.command", "i.effort,j.command").replace(",0,0\n", ",0,0,0\n")
    ),
    "log.column-twice": log(GOOD.replace("j.command_effort", "q_j"), "j"),
    "log.form": log("time\n0\n"),
    "log.gains": log(GOOD.replace("effort", "position"), "j"),
    "log.joint": log(GOOD, "k", model=TWO),
    "log.times": log(GOOD.replace("0.2", "0.05")),
    "log.value": log(GOOD.replace("0.1,0", "0.1,x")),
}

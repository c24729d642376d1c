"""Minimal scenes for the codes of the export to Drake's directives."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bridge
from bridge.diagnostic_codes import CODES
from bridge.targets.report import read_back_mechanics
from loaders import Diagnostic, Scene, load_string
from loaders import model as m
from loaders.pose import IDENTITY, frozen
from tests.code_examples.scenes import touching_in_mujoco
from tests.support.code_example import Example, findings
from tests.support.scenes import UNIT_BOX, joint, link, scene

MODELS = tuple(m.Model(name=name, X_WM=IDENTITY, canonical_link=f"{name}::a") for name in "mn")


def writing(given: Scene, *subjects: str, models: Any = "sdf") -> Example:
    """A scene to write as directives."""

    def diagnose(folder: Path) -> Iterable[Diagnostic]:
        return findings(
            lambda: (
                bridge.export_directives(
                    given, folder / "out", models=models, quiet=True
                ).diagnostics
            )
        )

    return Example(diagnose, subjects)


def two_models(*joints: m.Joint) -> Scene:
    """A link in each of two models."""
    return scene([link("m::a", model="m"), link("n::a", model="n")], list(joints), models=MODELS)


def not_equal(_folder: Path) -> Iterable[Diagnostic]:
    """A scene, and files that say another one."""
    files = {"x.sdf": str(bridge.to_sdf(scene([link("a")]))).encode()}
    wanted = scene([link("b")])
    return read_back_mechanics(
        files,
        "x.sdf",
        wanted,
        {},
        CODES["dmdout.read-back"],
        package_map={},
        as_source=lambda found: found,
    )


def two_frictions() -> Scene:
    """A scene in MuJoCo's form whose links, of two models, state other coefficients."""
    text = (
        "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='.3'/>"
        "<body name='box'><freejoint/><geom size='.1' friction='.8'/></body></worldbody></mujoco>"
    )
    return load_string(text, format="mjcf", quiet=True)


EXAMPLES = {
    "dmdout.friction-rule": writing(two_frictions(), "box", "world"),
    "dmdout.joined-links": writing(touching_in_mujoco(), "arm", "base"),
    "dmdout.name": writing(scene([link("a")]), "a"),
    "dmdout.out-of-scope": writing(two_models(joint("j", "m::a", "n::a")), "j", "m::a", "n::a"),
    "dmdout.read-back": Example(not_equal, ("b",)),
    "dmdout.split-model": writing(
        scene([link("a", shape=UNIT_BOX), link("b", shape=UNIT_BOX)]), "a", "b", models="urdf"
    ),
    "dmdout.world-settings": writing(
        dataclasses.replace(two_models(), gravity=frozen((0.0, 0.0, -1.62))), "test"
    ),
}

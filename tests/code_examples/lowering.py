"""Minimal scenes for the codes of lowering and of the shapes and textures of a target."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import trimesh

import bridge
from bridge.geometry import convex_decomposition
from bridge.lowering.inertia import with_minimum_inertia
from bridge.lowering.lower import report_overlaps_in_motion
from bridge.lowering.transform import mechanism_of
from loaders import Diagnostic, Scene
from loaders import model as m
from loaders.diagnostics import Diagnostics
from loaders.pose import Pose
from tests.code_examples.scenes import (
    BALL,
    ENDLESS,
    IMPOSSIBLE,
    NOTHING,
    POINT,
    T,
    coupled,
    curved,
    hinge,
    hollow,
    looped,
    one,
    textured,
    touching,
    written,
)
from tests.support.code_example import Example, exporting, findings, loading_into_pybullet, lowering
from tests.support.scenes import joint, link, scene


def from_folder(
    build: Any, *subjects: str, setup: Any = None, target: str = "mjcf", **options: Any
) -> Example:
    """A scene with files, to export."""

    def diagnose(folder: Path) -> Iterable[Diagnostic]:
        return findings(lambda: bridge.to_mjcf(build(folder), **options).diagnostics)

    def load(folder: Path) -> Iterable[Diagnostic]:
        return loading_into_pybullet(build(folder), **options).diagnose(folder)

    return Example(diagnose if target == "mjcf" else load, subjects, *([setup] if setup else []))


def two_balls() -> Scene:
    """Two balls at one place, each on a joint of its own."""
    links = [link("r"), link("a", shape=BALL), link("b", shape=BALL)]
    return scene(links, [joint(f"to_{name}", "r", name) for name in "ab"])


def overlapping_in_motion(_folder: Path) -> Iterable[Diagnostic]:
    """Two balls of radius 0.5 that turn about axes 2 m apart, at 1 m from them: they start at a
    distance of 4 m, and meet in the middle.
    """
    links = [link("r"), link("a", shape=BALL), link("c", shape=BALL)]
    joints = [
        joint("to_a", "r", "a", X_CJ=Pose.of(p=(1.0, 0.0, 0.0))),
        joint("to_c", "r", "c", X_PJ=Pose.of(p=(2.0, 0.0, 0.0)), X_CJ=Pose.of(p=(-1.0, 0.0, 0.0))),
    ]
    mechanism, diagnostics = bridge.lower(scene(links, joints)), Diagnostics()
    found = bridge.overlaps_in_motion(mechanism, samples=100)
    report_overlaps_in_motion(mechanism, found, 100, 0, diagnostics)
    return diagnostics


def no_coacd(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convex_decomposition, "installed", lambda: False)


def no_parts(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convex_decomposition, "MAX_FACES", 1)


def cache_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))


def repaired(_folder: Path) -> Iterable[Diagnostic]:
    """A scene whose inertias are to be repaired."""
    return mechanism_of(one(inertia=IMPOSSIBLE), repair_inertia=True).diagnostics


def regularized(source: Scene, *subjects: str) -> Example:
    """A scene, lowered and made usable by every engine."""
    return Example(lambda _: with_minimum_inertia(bridge.lower(source)).diagnostics, subjects)


def shoulder() -> Scene:
    """Three hinges that meet in one point; the second can align the others."""
    links = [link("b", inertia=NOTHING), link("c", inertia=NOTHING), link("a")]
    ends = ((m.WORLD, "b", (0, 0, 1)), ("b", "c", (1, 0, 0)), ("c", "a", (0, 1, 0)))
    joints = [joint(f"to_{child}", parent, child, xyz=xyz) for parent, child, xyz in ends]
    return scene(links, joints)


UP = Pose.of(p=(0.0, 0.0, 1.0))
TWISTED = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 2.0), (1.0, 1.0))
CHANGED = {
    "model.bad-number": lowering(one(inertia=ENDLESS), "a"),
    "model.duplicate-name": lowering(scene([link("a"), link("a")]), "a"),
    "model.pose-against-joint": lowering(
        scene([link("a", X_WL=UP)], [joint("j", m.WORLD, "a")]), "a", "j"
    ),
    "model.unknown-name": lowering(scene([link("a")], [joint("j", "a", "nothing")]), "nothing"),
}
LOWERING = {
    "lower.coupling-without-freedom": lowering(
        coupled("ab", "bc", T.REVOLUTE, T.FIXED), "ab", "bc"
    ),
    "lower.curve-of-several-pieces": lowering(hinge(T.CURVILINEAR, curved(2)), "j"),
    "lower.gearbox-without-hinges": lowering(
        scene([link("a"), link("b")], [joint("gears", "a", "b", T.GEARBOX, gear_reference="a")]),
        "gears",
    ),
    "lower.kinematic": lowering(one(kinematic=True), "a"),
    "lower.kinematic-in-joint": lowering(
        scene([link("a", kinematic=True)], [joint("j", m.WORLD, "a")]), "a"
    ),
    "lower.loop": lowering(looped(), "ca"),
    "lower.massless-free-link": regularized(one(inertia=NOTHING), "a"),
    "lower.overlap": exporting(scene([link(name, shape=BALL) for name in "ab"]), "a", "b"),
    "lower.overlap-excluded": exporting(two_balls(), "a", "b"),
    "lower.overlap-in-motion": Example(overlapping_in_motion, ("a", "c")),
    "lower.repaired-inertia": Example(repaired, ("a",)),
    "lower.sampled-pairs": exporting(two_balls(), exclude="sampled", exclude_samples=10),
    "lower.singular-position": regularized(shoulder(), "to_b", "to_a", "to_c", "b", "c"),
    "lower.static-joint": lowering(
        scene([link("a"), link("b")], [joint("w", "a", "b", T.FIXED), joint("j", "a", "b")]), "j"
    ),
    "lower.thin-link": regularized(one(inertia=POINT), "a"),
}

GEOMETRY = {
    "mesh.cone": exporting(touching(m.Cone(radius=1.0, length=1.0)), "a"),
    "mesh.convex-hull": from_folder(written(hollow()), "a"),
    "mesh.convex-parts": from_folder(
        written(hollow()), "a", setup=cache_here, collision_meshes="decompose"
    ),
    "mesh.decomposition": from_folder(
        written(hollow()), "a", setup=no_parts, collision_meshes="decompose"
    ),
    "mesh.degenerate": exporting(touching(m.Polyline(outlines=(((0.0, 0.0),) * 3,))), "a"),
    "mesh.flat": from_folder(
        written(trimesh.Trimesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])), "a"
    ),
    "mesh.large-hull": from_folder(written(trimesh.creation.icosphere(4)), "a", setup=cache_here),
    "mesh.missing": exporting(touching(m.Mesh(uri="none.stl", path=None)), "a"),
    "mesh.no-coacd": from_folder(written(hollow()), setup=no_coacd, collision_meshes="decompose"),
    "mesh.polyline": exporting(
        touching(m.Polyline(outlines=(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),))), "a"
    ),
    "mesh.shape": from_folder(written(hollow()), "a", setup=cache_here, shapes="box"),
    "mesh.shape-none": from_folder(written(hollow()), "a", shapes="none"),
    "mesh.shape-unknown": exporting(touching(m.Mesh(uri="none.stl", path=None)), "a", shapes="box"),
    "mesh.skin": loading_into_pybullet(
        scene(
            [link("a")],
            engine_elements=(
                m.EngineElement(engine="mujoco", name="s", section="skin", tag="skin"),
            ),
        ),
        "s",
    ),
    "mesh.separate-parts": from_folder(
        written(
            trimesh.util.concatenate(
                [trimesh.creation.box(), trimesh.creation.box().apply_translation((3, 0, 0))]
            )
        ),
        "a",
        setup=cache_here,
    ),
    "mesh.polyline-not-simple": exporting(touching(m.Polyline(outlines=(TWISTED,))), "a"),
    "texture.format": from_folder(textured(b"no image"), "a"),
    "texture.unreadable": from_folder(textured(None), "a"),
}

EXAMPLES: dict[str, Example] = CHANGED | LOWERING | GEOMETRY

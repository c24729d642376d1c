"""Settings and elements of MuJoCo in a scene: what they name, whatever becomes of the scene."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.diff.files import compare_files
from loaders import LoadError, Scene
from loaders.engine_settings import SETTINGS, named_kind, stated_settings
from loaders.finish.transform import merge, place, renamed
from loaders.model import WORLD
from tests.support.mjcf_documents import document, read

mujoco = pytest.importorskip("mujoco")

CORPUS = (
    Path(os.environ.get("SDFBRIDGE_CORPUS", Path(__file__).resolve().parents[4] / "shared/corpus"))
    / "mjcf"
)
BODY = """<geom name="floor" type="plane" size="1 1 .1" pos="0 0 -3"/>
<body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-60 60"/>
<geom name="ball" size=".1" pos=".1 .2 .3"/><site name="s" pos="0 .1 0"/>
<camera name="eye" pos=".3 0 0"/>
<body name="b" pos="0 .4 0"><joint name="k" axis="1 0 0"/><geom name="tip" size=".05" pos="0 0 .2"/>
<site name="t" pos="0 0 .5"/></body></body>"""
SECTIONS = """<option gravity="0 0 0"/><sensor>
<framepos name="of the floor" objtype="geom" objname="floor"/>
<framepos name="of the ball" objtype="geom" objname="ball" reftype="xbody" refname="b"/>
<framepos name="of the eye" objtype="camera" objname="eye"/>
<framepos name="of a body" objtype="xbody" objname="b" reftype="site" refname="s"/>
<distance name="between" geom1="ball" geom2="tip" cutoff="5"/>
<jointpos name="of a joint" joint="k"/><jointlimitpos name="to a limit" joint="j"/>
<tendonpos name="of a tendon" tendon="rope"/><actuatorfrc name="of a force" actuator="pull"/>
<subtreecom name="of a part" body="b"/></sensor>
<tendon><spatial name="rope"><site site="s"/><site site="t"/></spatial></tendon>
<actuator><general name="pull" site="s" refsite="t" gear="1 0 0 0 0 0"/>
<general name="stick" body="b"/><general name="turn" jointinparent="k"/></actuator>
<equality><weld name="w" body1="a" body2="b" active="false"/><joint joint1="j" active="false"/></equality>
"""


def named(scene: Scene) -> dict[str, set[str]]:
    """The names of the items of a scene, by kind."""
    parts = (
        part for link in scene.links for part in (*link.collisions, *link.visuals, *link.sensors)
    )
    return {
        "link": {WORLD, *(link.name for link in scene.links)},
        "joint": {joint.name for joint in scene.joints},
        "frame": {frame.name for frame in scene.frames},
        "actuator": {actuator.name for actuator in scene.actuators},
        "tendon": {tendon.name for tendon in scene.tendons},
        "engine element": {element.name for element in scene.engine_elements},
        "part": {part.name for part in parts},
    }


def references(scene: Scene) -> Iterator[tuple[str, str]]:
    """Kind and name of each item that a setting or an element of MuJoCo names."""
    for element in scene.engine_elements:
        for attribute, name in element.references:
            yield named_kind(attribute, element.settings), name
    for item in (*scene.couplings, *scene.actuators, *scene.constraints):
        for _, settings in getattr(item, "engine_settings", ()):
            kinds = ((named_kind(attribute), name) for attribute, name in settings)
            yield from ((kind, name) for kind, name in kinds if kind not in {"", "constraint"})


def lost(scene: Scene) -> list[tuple[str, str]]:
    """The names among these of items that the scene does not have."""
    names = named(scene)
    return [(kind, name) for kind, name in references(scene) if name not in names[kind]]


def with_other_names(scene: Scene) -> Scene:
    kinds = ("link", "joint", "frame", "actuator")
    names = named(scene)
    return renamed(scene, {kind: {name: f"x_{name}" for name in names[kind]} for kind in kinds})


CHANGES: dict[str, Callable[[Scene], Scene]] = {
    "none": lambda scene: scene,
    "a scope": lambda scene: place(scene, "scope"),
    "other names": with_other_names,
    "another scene before": lambda scene: merge(place(scene, "one"), place(scene, "two")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_settings_and_elements_name_is_in_the_scene(change: str) -> None:
    scene = CHANGES[change](read(BODY, SECTIONS))
    assert {kind for kind, _ in references(scene)} >= {"link", "joint", "frame", "tendon", "part"}
    assert lost(scene) == []


def answers(text: str, assets: Any = None) -> dict[str, list[float]]:
    """What the sensors of a model in MuJoCo measure, by name without scope."""
    model = mujoco.MjModel.from_xml_string(text, assets or {})
    data = mujoco.MjData(model)
    data.qpos[:] = 0.3
    data.ctrl[:] = 1.0
    mujoco.mj_forward(model, data)
    return {
        model.sensor(i).name.rpartition("::")[2]: data.sensor(i).data.round(9).tolist()
        for i in range(model.nsensor)
    }


@pytest.mark.parametrize("change", ["none", "a scope", "other names"])
def test_the_sensors_of_an_export_measure_what_those_of_the_source_measure(change: str) -> None:
    expected = answers(document(BODY, SECTIONS))
    assert len(expected) == 10
    mjcf = bridge.to_mjcf(CHANGES[change](read(BODY, SECTIONS)), quiet=True)
    assert answers(mjcf, mjcf.assets) == expected


def test_an_element_of_one_of_two_shapes_of_a_name_is_reported() -> None:
    """No name tells them apart, so no sensor measures the wrong one."""
    scene = CHANGES["another scene before"](read(BODY, SECTIONS))
    found = [e for e in bridge.to_mjcf(scene, quiet=True).diagnostics if e.code == ELEMENT]
    names = {f"{scope}::{name}" for scope in ("one", "two") for name in ("of the ball", "between")}
    assert {entry.subjects[0] for entry in found} >= names


ELEMENT = "mjcf.mujoco-element"


def test_other_names_are_no_difference() -> None:
    names = {"a": "upper", "b": "lower", "k": "knee", "s": "start", "t": "top", "pull": "muscle"}
    body, sections = BODY, SECTIONS
    for old, new in names.items():
        body, sections = (text.replace(f'"{old}"', f'"{new}"') for text in (body, sections))
    found = compare_files(read(BODY, SECTIONS), read(body, sections), names=names)
    assert found.differences == ()


@pytest.mark.slow
def test_settings_of_published_models_have_an_effect_and_name_items_of_the_scene() -> None:
    if not CORPUS.is_dir():
        pytest.skip("the corpus is not there")
    count = 0
    for path in sorted(CORPUS.rglob("*.xml"))[::12]:
        try:
            scene = loaders.load(path, quiet=True)
        except LoadError:
            continue
        count += 1
        paths = {setting.path for setting in stated_settings(scene)}
        laws = {path for path in paths if path.startswith("actuator/")}
        assert paths - laws <= SETTINGS.keys(), path
        for change in CHANGES.values():
            assert lost(change(scene)) == [], path
    assert count > 10

"""Options and settings of MuJoCo, those of models that others are attached to, and what settings
name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from bridge.diff.files import compare_files
from docs.make_settings_table import TABLE, table
from loaders import LoadError, Scene
from loaders.engine_settings import (
    SETTINGS,
    named_kind,
    stated_settings,
    without_attribute,
)
from loaders.finish.transform import merge, place, renamed
from loaders.mjcf.settings import text_of, unless
from loaders.model import WORLD
from tests.support.mjcf_documents import BALL, document, read
from tests.support.mjcf_round_trip import compiled

# Options of the simulation.

BODY = f"<body>{BALL}</body>"


def test_gravity_and_time_step() -> None:
    scene = read(BODY, '<option timestep="0.004" gravity="1 2 3"/>')
    assert (scene.gravity.tolist(), scene.physics.time_step) == ([1.0, 2.0, 3.0], 0.004)
    assert read(BODY).gravity.tolist() == [0.0, 0.0, -9.81]


def test_the_flag_switches_gravity_off() -> None:
    assert read(BODY, '<option><flag gravity="disable"/></option>').gravity.tolist() == [
        0.0,
        0.0,
        0.0,
    ]


CHILD = (
    '<mujoco model="child"><option iterations="100" solver="CG" o_margin="0.1" '
    'actuatorgroupdisable="1 3">'
    '<flag damper="disable" energy="enable"/></option>'
    f'<worldbody><body name="root"><joint damping="3"/>{BALL}</body></worldbody></mujoco>'
)
PARENT = (
    '<mujoco><compiler conflict="{policy}"/><option iterations="50" tolerance="1e-6"/>'
    '<asset><model name="child" file="child.xml"/></asset>'
    '<worldbody><attach model="child" body="root" prefix="x-"/></worldbody></mujoco>'
)


@pytest.mark.parametrize("policy", ["merge", "warning"])
def test_options_are_those_that_mujoco_makes_of_all_attached_models(
    policy: str, tmp_path: Path
) -> None:
    (tmp_path / "child.xml").write_text(CHILD)
    (tmp_path / "parent.xml").write_text(PARENT.format(policy=policy))
    original = mujoco.MjModel.from_xml_path(str(tmp_path / "parent.xml"))
    exported = bridge.to_mjspec(loaders.load(tmp_path / "parent.xml", quiet=True)).compile()
    assert (original.opt.iterations, original.opt.disableflags) == (
        (100, 64) if policy == "merge" else (50, 0)
    )
    names = [name for name in dir(original.opt) if not name.startswith("_")]
    one, two = (
        [np.asarray(getattr(model.opt, name)).tolist() for name in names]
        for model in (original, exported)
    )
    assert dict(zip(names, one, strict=True)) == dict(zip(names, two, strict=True))


def test_an_export_asks_for_the_memory_that_the_source_states() -> None:
    """A model of many bodies, for which MuJoCo would choose more than there is, compiles only with
    it.
    """
    scene = read(BODY, '<size memory="20M"/>')
    assert bridge.to_mjspec(scene).compile().narena == 20 * 2**20
    found = bridge.to_sdf(scene).diagnostics
    assert not [entry for entry in found if "size/memory" in str(entry)]


# Settings of MuJoCo: those that differ from its defaults, and whether an export has them.

JOINT = '<body><joint range="-1 1" {}/>' + BALL + "</body>"
GEOM = '<body><joint/><geom size="0.1" mass="1" {}/></body>'
STATED = {
    "jnt_margin": JOINT.format('margin="0.1"'),
    "jnt_solref": JOINT.format('solreflimit="0.1 0.5"'),
    "jnt_solimp": JOINT.format('solimplimit="0.8 0.9 0.01"'),
    "dof_solref": JOINT.format('solreffriction="-100 -5" frictionloss="1"'),
    "jnt_actfrcrange": JOINT.format('actuatorfrcrange="-1 2"'),
    "geom_condim": GEOM.format('condim="6"'),
    "geom_friction": GEOM.format('friction="0.5 0.1 0.2"'),
    "geom_priority": GEOM.format('priority="2"'),
    "geom_solmix": GEOM.format('solmix="3"'),
    "geom_solref": GEOM.format('solref="0.1 2"'),
    "geom_margin": GEOM.format('margin="0.1"'),
    "geom_gap": GEOM.format('margin="0.1" gap="0.05"'),
    "body_gravcomp": f'<body gravcomp="0.5"><joint/>{BALL}</body>',
}


@pytest.mark.parametrize(("array", "body"), STATED.items())
def test_an_export_has_what_the_source_states(array: str, body: str) -> None:
    original, exported = compiled(body)
    assert np.array_equal(getattr(original, array)[-1], getattr(exported, array)[-1])


def test_adhesion_and_surface_velocity_are_those_of_each_geom() -> None:
    import mujoco

    if not hasattr(mujoco.MjModel, "geom_adhesion"):
        return  # an older version refuses the attributes
    geoms = '<geom size="1" name="{}" adhesion="{}" surfacevel="0 {} 0 0 0 0"/>'
    body = f"<body><joint/>{geoms.format('a', 2, 3)}{geoms.format('b', 4, 5)}</body>"
    pair = '<contact><pair geom1="floor" geom2="a" adhesion="3"/></contact>'
    original, exported = compiled(f'<geom name="floor" type="plane" size="1 1 1"/>{body}', pair)
    for array in ("geom_adhesion", "geom_surfacevel", "pair_adhesion"):
        stated, found = (
            getattr(model, array).reshape(getattr(model, array).shape[0], -1)
            for model in (original, exported)
        )
        assert np.array_equal(stated[stated.any(axis=1)], found[found.any(axis=1)]), (
            array
        )  # what is drawn has none


def test_the_limit_of_a_ball_joint() -> None:
    original, exported = compiled(f'<body><joint type="ball" range="0 30"/>{BALL}</body>')
    assert original.jnt_range.tolist() == exported.jnt_range.tolist()
    assert exported.jnt_limited[0] == 1


def test_the_table_of_the_documentation_is_up_to_date() -> None:
    assert TABLE.read_text() == table(), "run python docs/make_settings_table.py"


def test_defaults_are_left_out() -> None:
    scene = read(JOINT.format(""))
    assert scene.joints[0].engine_settings == ()
    assert scene.links[0].collisions[0].surface.engine_settings == ()


def test_numbers_are_exact() -> None:
    values = [1.0, 0.1 + 0.2, 1e-300]
    assert [float(word) for word in text_of(values).split()] == values
    assert list(unless("x", [1.0], [1.0])) == []


# Settings and elements of MuJoCo in a scene: what they name, whatever becomes of the scene.

CORPUS = (
    Path(os.environ.get("SDFBRIDGE_CORPUS", Path(__file__).resolve().parents[4] / "shared/corpus"))
    / "mjcf"
)
ENGINE_SETTINGS_BODY = """<geom name="floor" type="plane" size="1 1 .1" pos="0 0 -3"/>
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
    scene = CHANGES[change](read(ENGINE_SETTINGS_BODY, SECTIONS))
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
    expected = answers(document(ENGINE_SETTINGS_BODY, SECTIONS))
    assert len(expected) == 10
    mjcf = bridge.to_mjcf(CHANGES[change](read(ENGINE_SETTINGS_BODY, SECTIONS)), quiet=True)
    assert answers(mjcf, mjcf.assets) == expected


def test_an_element_of_one_of_two_shapes_of_a_name_is_reported() -> None:
    """No name tells them apart, so no sensor measures the wrong one."""
    scene = CHANGES["another scene before"](read(ENGINE_SETTINGS_BODY, SECTIONS))
    found = [e for e in bridge.to_mjcf(scene, quiet=True).diagnostics if e.code == ELEMENT]
    names = {f"{scope}::{name}" for scope in ("one", "two") for name in ("of the ball", "between")}
    assert {entry.subjects[0] for entry in found} >= names


ELEMENT = "mjcf.mujoco-element"


def test_other_names_are_no_difference() -> None:
    names = {"a": "upper", "b": "lower", "k": "knee", "s": "start", "t": "top", "pull": "muscle"}
    body, sections = ENGINE_SETTINGS_BODY, SECTIONS
    for old, new in names.items():
        body, sections = (text.replace(f'"{old}"', f'"{new}"') for text in (body, sections))
    found = compare_files(read(ENGINE_SETTINGS_BODY, SECTIONS), read(body, sections), names=names)
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
        paths = {without_attribute(setting.path) for setting in stated_settings(scene)}
        laws = {path for path in paths if path.startswith("actuator/")}
        assert paths - laws <= SETTINGS.keys(), path
        for change in CHANGES.values():
            assert lost(change(scene)) == [], path
    assert count > 10


# Options of models that others are attached to.

MERGED_OPTIONS_CHILD = (
    "<mujoco model='c'><worldbody><body name='r'><geom size='1'/></body></worldbody></mujoco>"
)
MERGED_OPTIONS_PARENT = (
    "<mujoco><option {}><flag energy='enable' contact='disable'/></option>"
    "<asset><model name='c' file='c.xml'/></asset>"
    "<worldbody><attach model='c' body='r' prefix='x'/></worldbody></mujoco>"
)


def test_only_what_is_not_the_default_is_stated(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(MERGED_OPTIONS_CHILD)
    (tmp_path / "p.xml").write_text(
        MERGED_OPTIONS_PARENT.format("iterations='100' integrator='RK4' impratio='2'")
    )
    stated = dict(loaders.load(tmp_path / "p.xml", quiet=True).physics.parameters)
    assert stated == {
        "option/integrator": "RK4",
        "option/impratio": "2",
        "flag/energy": "enable",
        "flag/contact": "disable",
    }

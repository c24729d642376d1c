"""Each setting of MuJoCo that acts on motion or contact is resolved in the document, or the loss has
its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import pybullet
import pytest

import bridge
from loaders import load_string
from loaders.diagnostics import ExportError
from loaders.engine_settings import PHYSICS_SETTINGS, RESOLVED, Effect, full_name
from tests.support.mujoco_settings import CASES, edited
from tests.support.seeds import spread

WRITERS: dict[str, Callable[..., Any]] = {
    "sdf": bridge.to_sdf,
    "urdf": bridge.to_urdf,
    "directives": bridge.to_directives,
}
RESOLVED_PATHS = {
    *(f"flag/{name}" for name in RESOLVED),
    "flag/filterparent",
    "flag/override",
    "option/actuatorgroupdisable",
    "option/o_friction",
}
"""Settings whose outcome is written."""
NOT_IN_PARTS = ("tendon/", "pair/", "geom/fluid")
"""Settings that go by what no model of directives has: tendons, pairs, the medium of the world."""
ARM = """<mujoco><compiler angle="radian"/><option><flag {flag}/></option><worldbody><body name="a">
<joint name="j" axis="0 1 0" range="-.5 .5" damping="2" frictionloss="1"/><geom size=".1" pos=".3 0 0"/>
<body name="b"><joint name="k" axis="1 0 0"/><geom size=".1" pos=".6 0 0"/></body></body></worldbody>
<equality><joint joint1="k" joint2="j"/></equality></mujoco>"""


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("path", spread([path for path in CASES if path not in RESOLVED_PATHS], 2))
def test_a_loss_has_the_name_of_the_setting(path: str, kind: str) -> None:
    _, after = CASES[path]
    try:
        mujoco.MjModel.from_xml_string(edited(after))
    except ValueError as error:
        pytest.skip(f"MuJoCo {mujoco.__version__} does not know the setting: {error}")
    if kind == "directives" and path.startswith(NOT_IN_PARTS):
        return
    scene = load_string(edited(after), format="mjcf")
    warnings = [
        e.message for e in WRITERS[kind](scene, quiet=True).diagnostics if e.severity == "warning"
    ]
    assert any(f"{full_name(path)}=" in message for message in warnings)
    with pytest.raises(ExportError):
        WRITERS[kind](scene, quiet=True, strict=True)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("limit", ("lower", "<limit")),
        ("damper", ("<damping>2", 'damping="2"')),
        ("frictionloss", ("<friction>1", 'friction="1"')),
        ("equality", ("mimic",)),
        ("constraint", ("mimic", "lower", "<friction>1", 'friction="1"')),
    ],
)
def test_a_document_has_what_a_flag_leaves(flag: str, words: tuple[str, ...], kind: str) -> None:
    def document(state: str) -> str:
        scene = load_string(ARM.format(flag=f'{flag}="{state}"'), format="mjcf")
        done = WRITERS[kind](scene, quiet=True)
        return str(done) + "".join(map(bytes.decode, getattr(done, "assets", {}).values()))

    assert any(word in document("enable") for word in words)
    found = document("disable")
    assert not any(word in found for word in words if word != "<limit")


WORLD = """<sdf version="1.9"><world name="w"><physics type="{engine}">{physics}</physics>{wind}
<model name="m">{model}<link name="l"/></model></world></sdf>"""
WIND = "<wind><linear_velocity>1 0 0</linear_velocity></wind>"
FELT = "<enable_wind>true</enable_wind>"


def physics_of(path: str, value: str) -> str:
    *outer, name = path.split("/")
    text = f"<{name}>{value}</{name}>"
    for tag in reversed(outer):
        text = f"<{tag}>{text}</{tag}>"
    return text


@pytest.mark.parametrize("path", PHYSICS_SETTINGS)
def test_settings_of_gazebos_engines_are_named_by_their_effect(path: str) -> None:
    engine, meaning = path.partition("/")[0], PHYSICS_SETTINGS[path]
    value = "true" if path.endswith(("split_impulse", "_correction", "_rescaling")) else "7"
    scene = load_string(
        WORLD.format(engine=engine, physics=physics_of(path, value), wind="", model=""),
        format="sdf",
    )
    if not any(name == path for name, _ in scene.physics.parameters):
        return  # SDFormat has no such setting of this engine
    acts = meaning.effect in {Effect.MOTION, Effect.CONTACT}
    client = pybullet.connect(pybullet.DIRECT)
    loaded = bridge.load_into_pybullet(scene, quiet=True, physicsClientId=client)
    for found in (bridge.to_mjcf(scene, quiet=True).diagnostics, loaded.diagnostics):
        (entry,) = (e for e in found if f'physics {path}="{value}"' in e.message)
        assert entry.severity == ("warning" if acts else "note")
    pybullet.disconnect(client)
    other = "ode" if engine != "ode" else "bullet"
    unused = load_string(
        WORLD.format(engine=other, physics=physics_of(path, value), wind="", model=""), format="sdf"
    )
    losses = [e for e in bridge.to_mjcf(unused, quiet=True).diagnostics if e.severity == "warning"]
    assert losses == []


@pytest.mark.parametrize(("wind", "model"), [(WIND, ""), ("", FELT), (WIND, FELT)])
def test_a_wind_is_lost_where_it_acts(wind: str, model: str) -> None:
    scene = load_string(
        WORLD.format(engine="ode", physics="", wind=wind, model=model), format="sdf"
    )
    found = [e for e in bridge.to_mjcf(scene, quiet=True).diagnostics if e.code == "mjcf.wind"]
    assert bool(found) == bool(wind and model)

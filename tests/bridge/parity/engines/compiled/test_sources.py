"""Names of the elements of originals and exports, and what both state."""

from __future__ import annotations

import mujoco

import bridge
import loaders
from bridge.parity.engines.mujoco.compiled_model import original_names
from bridge.parity.engines.mujoco.engine import MujocoEngine

PLUGIN = (
    "<mujoco><extension><plugin plugin='mujoco.pid'/></extension>"
    "<worldbody><body name='a'><joint name='j' range='30 90'/><geom size='1'/><site "
    "name='p'/></body></worldbody>"
    "<actuator><plugin name='p' joint='j' plugin='mujoco.pid'/><motor name='m' "
    "joint='j'/></actuator>"
    "<keyframe><key name='k' qpos='1'/></keyframe></mujoco>"
)


def test_what_the_reader_drops_has_no_name_but_for_elements_of_other_kinds() -> None:
    mechanism = bridge.lower(loaders.load_string(PLUGIN, format="mjcf", quiet=True))
    name_of = original_names(mechanism, {"actuator": ("p", "m"), "site": ("p",)})
    assert [name_of("actuator", i) for i in (0, 1)] == [None, "m"]
    assert name_of("site", 0) == "p"


def test_a_plugin_of_a_body_takes_no_name_from_an_actuator() -> None:
    text = (
        "<mujoco><extension><plugin "
        "plugin='mujoco.elasticity.cable'/></extension><worldbody><body name='p'>"
        "<joint name='j'/><geom type='capsule' size='1 1'/><plugin "
        "plugin='mujoco.elasticity.cable'/></body>"
        "</worldbody><actuator><motor name='p' joint='j'/></actuator></mujoco>"
    )
    mechanism = bridge.lower(loaders.load_string(text, format="mjcf", quiet=True))
    assert [e.subjects for e in mechanism.scene.diagnostics if e.code == "mjcf-in.plugin"] == [
        ("p",)
    ]
    assert original_names(mechanism, {"actuator": ("p",)})("actuator", 0) == "p"


def test_an_export_has_further_keys_and_sites_that_do_not_count() -> None:
    engine = MujocoEngine(bridge.lower(loaders.load_string(PLUGIN, format="mjcf", quiet=True)))
    assert engine.model.nkey == 2
    labels = {label for label, _ in engine.compiled_statements()}
    assert {label for label in labels if label.startswith("keyframe")} == {
        "keyframe k",
        "keyframe k of m",
    }
    assert "frame p of a" in labels


def test_options_that_an_engine_changes_are_those_of_the_document() -> None:
    engine = MujocoEngine(bridge.lower(loaders.load_string(PLUGIN, format="mjcf", quiet=True)))
    assert engine.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    assert engine.compiled_statements()["option disableflags", ()].tolist() == [0.0]

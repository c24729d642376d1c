"""Each setting of MuJoCo that acts on motion or contact is resolved in the document, or the loss has
its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import pytest

import bridge
from loaders import load_string
from loaders.diagnostics import ExportError
from loaders.engine_settings import full_name
from loaders.switches import RESOLVED
from tests.support.mujoco_settings import CASES, edited

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
@pytest.mark.parametrize("path", [path for path in CASES if path not in RESOLVED_PATHS])
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

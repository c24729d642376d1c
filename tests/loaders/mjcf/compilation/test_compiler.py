"""MuJoCo as the compiler."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import loaders
from loaders.mjcf.compiler import CompileError, compile_text
from tests.support.mjcf_documents import BALL, TETRAHEDRON, document


def test_a_refusal_has_the_line() -> None:
    with pytest.raises(CompileError, match="unrecognized attribute") as caught:
        compile_text("<mujoco>\n<worldbody>\n<body foo='1'/></worldbody></mujoco>", {}, {})
    assert caught.value.line == 3


def test_flags_and_names_are_those_of_mujoco() -> None:
    text = document(
        f"<body>{BALL}</body>", '<option><flag gravity="disable" energy="enable"/></option>'
    )
    compiled = compile_text(text, {}, {})
    assert (set(compiled.disabled), set(compiled.enabled)) == ({"gravity"}, {"energy"})
    assert compiled.names["mjtSensor"][0] == "mjSENS_TOUCH"


def test_warnings_are_collected_and_the_callers_handler_is_kept() -> None:
    import mujoco

    heard: list[str] = []
    mujoco.set_mju_user_warning(heard.append)
    try:
        compiled = compile_text(document(f'<body pos="nan 0 0">{BALL}</body>'), {}, {})
        assert heard == []
        assert "NaN" in compiled.warnings[0]
        assert mujoco.get_mju_user_warning() is not None
    finally:
        mujoco.set_mju_user_warning(None)


def test_files_of_soft_bodies_and_of_meshes_are_found_among_the_contents() -> None:
    soft = '<flexcomp name="f" type="mesh" file="f.obj" mass="1" rigid="true"/>'
    mesh = '<asset><mesh name="m" file="m.obj"/></asset>'
    files = {name: TETRAHEDRON.encode() for name in ("f.obj", "m.obj")}
    geom = '<body><geom type="mesh" mesh="m"/></body>'
    assert (
        compile_text(document(f"<body name='p'>{soft}</body>{geom}", mesh), {}, files).model.nflex
        == 1
    )
    assert compile_text(document(geom, mesh), {}, files).model.nmesh == 1
    attach = '<frame><attach model="n" body="b" prefix="n_"/></frame>'
    child = document(f'<body name="b">{soft}<geom type="mesh" mesh="m"/></body>', mesh, name="n")
    declared = '<asset><model name="n" file="n.xml"/></asset>'
    assert compile_text(document(attach, declared), {"n.xml": child}, files).model.nflex == 1


def test_every_character_of_an_attribute_reaches_mujoco() -> None:
    name = "a&amp;b&lt;c&gt;&quot;d&apos; é::e/f"
    scene = loaders.load_string(
        document(f'<body name="{name}">{BALL}</body>'), format="mjcf", quiet=True
    )
    assert scene.links[0].name == "a&b<c>\"d' é::e/f"


@pytest.mark.parametrize("flag", ["enable", "disable"])
def test_a_compiled_model_is_that_of_mujoco(flag: str) -> None:
    """MuJoCo's own model has the same numbers, although ours is compiled without a look at
    contacts.
    """
    import mujoco

    def stored(model: Any) -> bytes:
        buffer = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
        mujoco.mj_saveModel(model, None, buffer)
        return buffer.tobytes()

    text = (
        f'<mujoco><option><flag contact="{flag}"/></option><worldbody><geom type="plane" size="1 '
        f'1 .1"/>'
        '<body pos="0 0 .05"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    )
    assert stored(compile_text(text, {}, {}).model) == stored(mujoco.MjModel.from_xml_string(text))


CONVEX = (
    '<mujoco><asset><mesh name="m" inertia="convex" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 '
    '0 1 3 0 3 2 1 2 3"/>'
    "</asset><worldbody>{}</worldbody></mujoco>"
)


def test_an_inertia_of_a_hull_that_no_shape_has_ends_no_process() -> None:
    """MuJoCo 3.8 to 3.11 end the process on it."""
    assert compile_text(CONVEX.format('<geom size="1"/>'), {}, {}).model.ngeom == 1


def test_a_shape_that_is_fitted_to_such_a_mesh_is_refused_where_mujoco_would_crash() -> None:
    text = CONVEX.format('<body><joint/><geom type="box" mesh="m"/></body>')
    if tuple(map(int, mujoco.__version__.split(".")[:2])) >= (3, 12):
        assert compile_text(text, {}, {}).model.body_mass[1] > 0.0
    else:
        with pytest.raises(CompileError, match=r"use 3\.12") as refusal:
            compile_text(text, {}, {})
        assert refusal.value.line == 1

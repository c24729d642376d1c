"""MuJoCo as the compiler: its arrays, the names and places in them, and the files that it decodes."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loaders
from loaders.mjcf.compiled_model import Rows, inertias, poses
from loaders.mjcf.compiler import CompileError, compile_text
from loaders.model import Mesh, Sphere
from loaders.pose import quaternion_to_matrix
from tests.support.mjcf_documents import BALL, TETRAHEDRON, document, read, written

# MuJoCo as the compiler.


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


def test_warnings_of_python_are_collected_whatever_its_filters_are() -> None:
    """MuJoCo's package raises some of them as Python does, which "error" would make an error."""
    text = document('<body><geom size="1" user="nan"/></body>')
    before = warnings.showwarning
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert any("nan" in message.lower() for message in compile_text(text, {}, {}).warnings)
        assert warnings.showwarning is before


def test_warnings_of_other_threads_stay_with_them() -> None:
    mesh = '<asset><mesh name="x" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    text = document('<body><geom type="mesh" mesh="x"/></body>', mesh)
    shown: list[str] = []
    heard: list[str] = []
    ended = threading.Event()

    def warn() -> None:
        while not ended.is_set():
            heard.append("")
            warnings.warn("of the user", UserWarning, stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: shown.append(str(message))
        thread = threading.Thread(target=warn)
        thread.start()
        found = [compile_text(text, {}, {}).warnings for _ in range(100)]
        ended.set()
        thread.join()
    assert found == [[]] * 100
    assert len(shown) == len(heard) > 100


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


@pytest.mark.parametrize(
    "shape", ['<geom size="1"/>', '<body><joint/><geom type="box" mesh="m"/></body>']
)
def test_an_inertia_of_a_hull_that_no_shape_has_ends_no_process(shape: str) -> None:
    """Versions of MuJoCo that are older than the ones supported end the process on it."""
    assert compile_text(CONVEX.format(shape), {}, {}).model.ngeom == 1


# The files that MuJoCo decodes: those on which a number of the scene depends.

INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
MESH = '<geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/>'
CASES = {
    "inferred inertia": (MESH, True),
    "stated inertia": (INERTIAL + MESH, False),
    "no mass": ('<geom size="1"/>' + MESH.replace("/>", ' mass="0"/>'), False),
    "no density": ('<geom size="1"/>' + MESH.replace("/>", ' density="0"/>'), False),
    "mass without density": (MESH.replace("/>", ' density="0" mass="2"/>'), True),
    "fitted shape": (INERTIAL + MESH.replace('"mesh"', '"box"', 1), True),
}


@pytest.mark.parametrize(("body", "is_decoded"), CASES.values(), ids=CASES)
def test_only_a_mesh_that_matters_is_decoded(body: str, is_decoded: bool, tmp_path: Path) -> None:
    """A damaged file is an error exactly if MuJoCo computes something from it."""
    text = document(f"<body>{body}</body>", '<asset><mesh name="m" file="m.stl"/></asset>')
    path = written(tmp_path, text)
    (tmp_path / "m.stl").write_bytes(b"damaged")
    if is_decoded:
        with pytest.raises(loaders.LoadError):
            loaders.load(path, quiet=True)
    else:
        assert len(loaders.load(path, quiet=True).links[0].collisions) == body.count("<geom")


@pytest.mark.parametrize("compiler", ["", 'inertiafromgeom="true"', 'inertiafromgeom="false"'])
@pytest.mark.parametrize("frame", ["", 'scale="2 3 -4"', 'refpos="0.1 0.2 0.3" refquat="1 2 3 4"'])
def test_a_mesh_is_at_the_same_place_whether_it_is_decoded_or_not(
    frame: str, compiler: str, tmp_path: Path
) -> None:
    text = document(
        f"<body>{MESH}</body><body>{INERTIAL}{MESH}</body>",
        f'<compiler {compiler}/><asset><mesh name="m" file="m.obj" {frame}/></asset>',
    ).replace("<body>", f"<body>{INERTIAL if 'false' in compiler else ''}", 1)
    stated = text.replace(f"<body>{MESH}</body>", "")
    whole = loaders.load(written(tmp_path / "whole", text, m_obj=TETRAHEDRON), quiet=True).links[-1]
    alone = loaders.load(written(tmp_path / "alone", stated, m_obj=TETRAHEDRON), quiet=True).links[
        -1
    ]
    (a,), (b,) = whole.collisions, alone.collisions
    assert isinstance(a.geometry, Mesh)
    assert isinstance(b.geometry, Mesh)
    assert a.geometry.scale == b.geometry.scale
    assert a.X_LG.is_close(b.X_LG, 1e-12)


def test_the_cache_of_mujoco_does_not_move_a_mesh(tmp_path: Path) -> None:
    """It holds a decoded file by its name and contents, whatever ``refpos`` the document states."""
    centers = []
    for refpos in ("0 0 0", "1 0 0"):
        asset = f'<asset><mesh name="m" file="m.obj" refpos="{refpos}"/></asset>'
        body = '<body><geom type="mesh" mesh="m"/></body>'
        path = written(tmp_path / refpos.replace(" ", ""), document(body, asset), m_obj=TETRAHEDRON)
        inertia = loaders.load(path, quiet=True).links[0].inertia
        assert inertia is not None
        centers.append(inertia.p_LLcm[0])
    assert centers[0] - centers[1] == pytest.approx(1.0)


def test_a_file_that_cannot_be_read_is_reported_whether_it_is_needed_or_not(tmp_path: Path) -> None:
    text = document(
        f"<body>{INERTIAL}{MESH}</body>", '<asset><mesh name="m" file="m.stl"/></asset>'
    )
    (tmp_path / "m.stl").mkdir()
    with pytest.raises(loaders.LoadError):
        loaders.load(written(tmp_path, text), quiet=True)


# The arrays of a compiled model.


def test_rotations_are_those_of_one_quaternion_at_a_time() -> None:
    quaternions = np.random.default_rng(0).normal(size=(20, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    expected = np.array([quaternion_to_matrix(q) for q in quaternions])
    found = poses(np.ones((20, 3)), quaternions)
    assert np.abs(np.array([X.R for X in found]) - expected).max() < 1e-15
    assert not found[0].R.flags.writeable
    assert not found[0].p.flags.writeable
    assert found[0].p.tolist() == [1.0, 1.0, 1.0]


def test_arrays_are_lists_and_other_attributes_are_those_of_the_model() -> None:
    import mujoco

    model = mujoco.MjModel.from_xml_string(document(f'<body pos="1 2 3">{BALL}</body>'))
    rows = Rows(model)
    assert rows.body_pos[1] == [1.0, 2.0, 3.0]
    assert rows.nbody == 2
    assert rows.opt.timestep == model.opt.timestep
    with pytest.raises(AttributeError):
        rows.of_another_version  # noqa: B018


def test_an_array_that_is_read_with_others_may_be_asked_for_numbers_alone() -> None:
    import mujoco

    body = '<body pos="1 2 3"><geom size="1" fluidshape="{}"/><site pos="4 5 6"/></body>'
    plain, in_fluid = (
        Rows(mujoco.MjModel.from_xml_string(document(body.format(shape))))
        for shape in ("none", "ellipsoid")
    )
    assert (plain.has("geom_fluid"), in_fluid.has("geom_fluid")) == (False, True)
    assert [X.p.tolist() for X in plain.poses("site")] == [[4.0, 5.0, 6.0]]
    assert [X.p.tolist() for X in plain.poses("body")] == [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]
    for name in ("jnt_type", "cam_mode", "light_type", "actuator_trntype", "eq_type"):
        assert getattr(plain, name) == []  # a kind of which there is nothing


def test_inertias_are_in_the_axes_of_the_body() -> None:
    import mujoco

    stated = (
        '<inertial pos="1 0 0" mass="2" fullinertia="3 4 5 0.1 0.2 0.3"/><geom size="1" mass="0"/>'
    )
    model = mujoco.MjModel.from_xml_string(
        document(f'<body>{stated}<joint/></body><body name="empty"/>')
    )
    world, body, empty = inertias(Rows(model))
    assert world is empty is None
    assert body is not None
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1] / np.linalg.norm(model.body_iquat[1]))
    compiled = R.reshape(3, 3) @ np.diag(model.body_inertia[1]) @ R.reshape(3, 3).T
    assert np.allclose(body.I_Lcm, compiled, rtol=0.0, atol=1e-14)
    stated_moments = [
        [3, 0.1, 0.2],
        [0.1, 4, 0.3],
        [0.2, 0.3, 5],
    ]  # the eigenvectors of MuJoCo 3.8 are less exact
    assert np.allclose(body.I_Lcm, stated_moments, rtol=0.0, atol=1e-5)
    assert (body.mass, body.p_LLcm.tolist()) == (2.0, [1.0, 0.0, 0.0])


def test_a_turn_whose_cosine_rounds_to_one_is_kept() -> None:
    import mujoco

    text = document('<body name="a" quat="1 3e-9 0 0"><geom size="1"/></body>')
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    (pose,) = poses(model.body_pos[1:], model.body_quat[1:])
    assert model.body_quat[1, 0] == 1.0
    assert np.allclose(pose.R, data.xmat[1].reshape(3, 3), rtol=0.0, atol=1e-15)
    assert pose.R[2, 1] == pytest.approx(6e-9, rel=1e-12)


# Names and places of a compiled model.


def test_a_number_that_is_taken_gets_an_underscore() -> None:
    scene = read(f'<body>{BALL}</body><body name="body_1">{BALL}</body>')
    assert [link.name for link in scene.links] == ["_body_1", "body_1"]


def test_replicas_share_the_line_of_their_template() -> None:
    scene = read(
        f'\n<replicate count="2" offset="1 0 0">\n<body name="r">{BALL}</body></replicate>'
    )
    assert [link.name for link in scene.links] == ["r0", "r1"]
    assert [link.where.line for link in scene.links] == [3, 3]


BODIES = """
<body pos="1 0 0">
<body pos="0 0 1">
<geom size="0.2"/>
</body>
<frame pos="0 1 0">
<geom size="0.3"/>
<body>
<joint axis="1 0 0"/>
<geom size="0.4"/>
</body>
</frame>
<geom size="0.5"/>
<body>
<joint axis="1 0 0"/>
<geom size="0.6"/>
</body>
<body pos="0 0 2">
<geom size="0.8"/>
</body>
</body>
<geom size="0.7"/>"""
"""Bodies before the geoms of their parent, of which each radius tells its line; nothing has a
name.
"""


@pytest.mark.parametrize("compiler", ["", '<compiler fusestatic="true"/>'])
def test_places_are_those_of_the_elements_in_any_order(compiler: str) -> None:
    """MuJoCo lists the geoms of a body before those of its children, and fuses bodies without
    joints with parents.
    """
    stated = {
        line.split('"')[1]: i for i, line in enumerate(BODIES.splitlines(), 1) if "<geom" in line
    }
    scene = read(BODIES, compiler)
    shapes = [shape for link in scene.links for shape in link.collisions]
    found = {
        str(shape.geometry.radius): shape.where.line
        for shape in shapes
        if isinstance(shape.geometry, Sphere)
    }
    assert found == stated

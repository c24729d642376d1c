"""The document of a mechanism: its sections, elements, options and diagnostics."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import mujoco
import numpy as np
import pytest

import loaders
from bridge import lower
from bridge.targets.mjcf import export_mjcf, to_mjcf, to_mjspec
from bridge.targets.mjcf.context import (
    DEFAULT_SOLIMP,
    DEFAULT_SOLREF,
    HARD_SOLIMP,
    MjcfContext,
    MjcfDocument,
    MjcfElement,
    hard_solref,
    write,
)
from bridge.targets.numbers import round_to_short
from bridge.targets.options import MjcfExportOptions
from bridge.targets.target import MJCF
from loaders.diagnostics import Code, Fate
from loaders.model import WORLD, Collision, Physics, Plane
from loaders.pose import IDENTITY, frozen
from tests.support.mjcf_scenes import codes, cone_scene, hinge, link, scene_of
from tests.support.mujoco_oracle import compiled

# The document of a mechanism: simulator options, bodies and diagnostics.


def test_the_rounding_of_a_sum_is_not_written():
    assert (
        round_to_short(0.1 + 0.2),
        round_to_short(math.sin(math.pi)),
        round_to_short(1 / 3),
    ) == (0.3, 0.0, 1 / 3)


def test_gravity_and_time_step_are_the_scenes():
    scene = scene_of(link("a"), gravity=frozen((0.1, 0.2, -1.6)), physics=Physics(time_step=0.004))
    model = compiled(to_mjcf(scene))
    assert (tuple(model.opt.gravity), model.opt.timestep) == ((0.1, 0.2, -1.6), 0.004)


@pytest.mark.parametrize("step", [0.0, -1.0])
def test_an_invalid_time_step_becomes_the_default_and_is_reported(step):
    mjcf = to_mjcf(scene_of(link("a"), physics=Physics(time_step=step)))
    assert compiled(mjcf).opt.timestep == 0.001
    assert "mjcf.time-step" in codes(mjcf)


def test_the_cone_of_friction_is_elliptic_and_an_mjcf_source_keeps_its_own():
    elliptic, pyramidal = mujoco.mjtCone.mjCONE_ELLIPTIC, mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert compiled(to_mjcf(scene_of(link("a")))).opt.cone == elliptic
    for option, cone in (
        ("", pyramidal),
        ('<option cone="pyramidal"/>', pyramidal),
        ('<option cone="elliptic"/>', elliptic),
    ):
        source = (
            f"<mujoco>{option}<worldbody><body><freejoint/><geom "
            f"size='.1'/></body></worldbody></mujoco>"
        )
        assert compiled(to_mjcf(loaders.load_string(source, format="mjcf"))).opt.cone == cone


def test_a_link_without_gravity_floats():
    model = compiled(to_mjcf(scene_of(link("a", gravity=False))))
    data = mujoco.MjData(model)
    for _ in range(100):
        mujoco.mj_step(model, data)
    assert np.abs(data.qvel).max() <= 1e-12


def test_a_link_named_world_is_the_world():
    ground = link(
        "world", model="ground", collisions=(Collision(name="g", X_LG=IDENTITY, geometry=Plane()),)
    )
    model = compiled(to_mjcf(scene_of(ground, link("a"))))
    assert (model.nbody, model.geom("g").bodyid[0]) == (2, 0)


def test_every_finding_names_its_target():
    mjcf = to_mjcf(cone_scene())
    assert {entry.target for entry in mjcf.diagnostics} == {"mjcf"}
    assert {entry.fate for entry in mjcf.diagnostics} == {Fate.DROPPED, Fate.APPROXIMATED}


# MuJoCo accepts the solver parameters of hard constraints unchanged, and knows the default ones.


def limit(attributes: str) -> mujoco.MjModel:
    joint = f'<joint range="-1 1" {attributes}/><geom size="1"/>'
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body>{joint}</body></worldbody></mujoco>"
    )


def test_the_defaults_are_mujocos() -> None:
    model = limit("")
    assert tuple(model.jnt_solref[0]) == pytest.approx(DEFAULT_SOLREF)
    assert tuple(model.jnt_solimp[0][:3]) == pytest.approx(DEFAULT_SOLIMP)


def test_hard_parameters_are_within_mujocos_bounds() -> None:
    text = " ".join(map(str, HARD_SOLIMP))
    model = limit(f'solimplimit="{text}" solreflimit="{hard_solref(0.002)[0]} 1"')
    assert tuple(model.jnt_solimp[0][:3]) == HARD_SOLIMP
    assert tuple(model.jnt_solref[0]) == (0.004, 1.0)
    assert HARD_SOLIMP[0] <= mujoco.mjMAXIMP


# The text of MJCF elements: indentation, escaping, order of attributes.


def test_text_is_indented_escaped_and_in_order():
    root = MjcfElement("mujoco", model='a "b" <c> & d')
    root.add("option", timestep=0.001, gravity=(0.0, 0.0, -9.8), none=None)
    assert write(root, ["one -- two"]) == (
        "<!-- one - - two -->\n"
        '<mujoco model="a &quot;b&quot; &lt;c&gt; &amp; d">\n\n'
        '  <option timestep="0.001" gravity="0 0 -9.8"/>\n'
        "</mujoco>\n"
    )


def test_a_line_ends_where_the_next_attribute_does_not_fit_into_110_columns() -> None:
    for length in range(8, 60):
        lines = write(
            MjcfElement("geom", **{f"a{i}": "x" * length for i in range(6)}), []
        ).splitlines()
        assert max(map(len, lines)) <= 110
        for line, following in pairwise(lines):
            assert len(f"{line} {following.split()[0]}") > 110


def test_mujoco_reads_a_document_without_comments_whose_sections_stand_apart() -> None:
    root = MjcfElement("mujoco")
    root.add("option", timestep=0.25)
    root.add("worldbody").add("body", name="ball").add("geom", size=1.0)
    text = write(root)
    model = mujoco.MjModel.from_xml_string(text)
    assert (model.opt.timestep, model.body("ball").id) == (0.25, 1)
    assert [section.split()[0] for section in text.split("\n\n")] == [
        "<mujoco>",
        "<option",
        "<worldbody>",
    ]


# The context of an export: order of sections and assets, time step, prefix of codes.


def context(step: float = 0.001) -> MjcfContext:
    scene = dataclasses.replace(scene_of(link("a")), physics=Physics(time_step=step))
    return MjcfContext(
        mechanism=lower(scene),
        options=MjcfExportOptions(),
        document=MjcfDocument(scene.name),
    )


def test_sections_and_assets_have_mujocos_order_however_they_are_written() -> None:
    document = MjcfDocument("m")
    document["sensor"].add("gyro", site="s")
    document["asset"].add("mesh", file="a.obj")
    document["asset"].add("texture", file="a.png")
    document["worldbody"].add("body", name="b")
    root = document.root()
    assert [section.tag for section in root.children] == ["asset", "worldbody", "sensor"]
    assert [asset.tag for asset in root.children[0].children] == ["texture", "mesh"]


@pytest.mark.parametrize(
    ("stated", "used"), [(0.004, 0.004), (0.0, 0.001), (-1.0, 0.001), (float("inf"), 0.001)]
)
def test_the_time_step_is_the_scenes_if_it_is_positive_and_finite(
    stated: float, used: float
) -> None:
    assert context(stated).time_step == used


def test_a_finding_has_the_prefix_and_the_target() -> None:
    export = context()
    export.add(
        Code("mjcf.mjx", Fate.NOTED, "no {feature}", meaning=""), subjects=("a",), feature="wind"
    )
    (entry,) = export.entries
    assert (entry.code, entry.target, entry.message, entry.subjects) == (
        "mjcf.mjx",
        "mjcf",
        "no wind",
        ("a",),
    )


# Options of an export: names, values, their documentation, and the option ``strict``.


def test_an_unknown_kind_of_actuator_is_the_callers_mistake():
    known = "none, motor, dcmotor, position, velocity"
    with pytest.raises(
        ValueError, match=f"unknown value 'spring' of actuators; expected one of: {known}"
    ):
        to_mjcf(scene_of(link("a")), actuators="spring")


@pytest.mark.parametrize("source", [scene_of(link("a")), "assets/leg.sdf"])
@pytest.mark.parametrize("call", [to_mjcf, to_mjspec, export_mjcf, MJCF.stale_files])
def test_an_option_that_there_is_not_is_the_callers_mistake(call, source, tmp_path):
    folder = (tmp_path / "out",) if call in (export_mjcf, MJCF.stale_files) else ()
    with pytest.raises(TypeError, match="unknown option"):
        call(source, *folder, actuator="motor")


# --- strict ---------------------------------------------------------------------------------------


EXPORTS = {
    "text": lambda source, _folder, **options: to_mjcf(source, **options),
    "spec": lambda source, _folder, **options: to_mjspec(source, **options),
    "folder": export_mjcf,
    "comparison with a folder": MJCF.stale_files,
}
UNREAD = "<robot name='r'><link name='a'/><nonsense/></robot>"
LIMITED = scene_of(link("a"), joints=[hinge("j", WORLD, "a", velocity=1.0)])


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_strict_refuses_what_mujoco_does_not_support(export, tmp_path):
    export(LIMITED, tmp_path / "tolerant")
    with pytest.raises(loaders.ExportError) as caught:
        export(LIMITED, tmp_path / "strict", strict=True)
    assert {(entry.code, entry.subjects) for entry in caught.value.diagnostics} == {
        ("mjcf.velocity-limit", ("j",))
    }
    assert not (tmp_path / "strict").exists()


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_strict_refuses_what_was_lost_in_reading_the_scene(export, tmp_path):
    source = loaders.load_string(UNREAD, format="urdf")
    with pytest.raises(loaders.ExportError) as caught:
        export(source, tmp_path / "strict", strict=True)
    assert "xml.unread" in {entry.code for entry in caught.value.diagnostics}
    assert not (tmp_path / "strict").exists()


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_strict_refuses_a_file_with_an_element_that_the_reader_does_not_support(export, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(UNREAD)
    export(path, tmp_path / "tolerant")
    with pytest.raises(loaders.LoadError) as caught:
        export(path, tmp_path / "strict", strict=True)
    assert "xml.unread" in {entry.code for entry in caught.value.diagnostics}
    assert not (tmp_path / "strict").exists()


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_strict_accepts_a_model_without_losses(export, tmp_path):
    export(scene_of(link("a"), joints=[hinge("j", WORLD, "a")]), tmp_path / "out", strict=True)


def test_a_folder_does_not_depend_on_strict(tmp_path):
    source = scene_of(link("a"), joints=[hinge("j", WORLD, "a")])
    export_mjcf(source, tmp_path / "out", strict=True)
    assert MJCF.stale_files(source, tmp_path / "out") == ()

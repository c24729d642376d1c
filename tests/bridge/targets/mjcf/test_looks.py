"""Looks of a source in MJCF: MuJoCo compiles the same materials and pictures from the export."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import loaders
from bridge import export_mjcf, to_sdf, to_urdf
from tests.support.mujoco_oracle import quietly

MATERIAL = (
    *("texrepeat", "texuniform", "emission", "specular", "shininess", "reflectance"),
    *("metallic", "roughness", "rgba"),
)
SIDES = " ".join(f'file{side}="b.png"' for side in ("right", "left", "up", "down", "front", "back"))
SIZE = 'width="8" height="8"'
TEXTURES = {
    "cube of one file": 'type="cube" file="a.png"',
    "cube without a type": 'file="a.png"',
    "cube of six files": f'type="cube" {SIDES}',
    "cube of a grid": 'type="cube" file="grid.png" gridsize="3 4" gridlayout=".U..LFRB.D.."',
    "flat file": 'type="2d" file="a.png"',
    "mirrored file": 'type="2d" file="a.png" hflip="true" vflip="true"',
    "file of sRGB": 'type="2d" file="srgb.png"',
    "file said to be linear": 'type="2d" file="srgb.png" colorspace="linear"',
    "checker": f'type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 1 0" {SIZE}',
    "gradient on a cube": 'type="cube" builtin="gradient" rgb1="1 0 0" width="8" height="48"',
    "flat with marks": f'type="2d" builtin="flat" mark="cross" markrgb="1 1 0" rgb1="0 0 1" {SIZE}',
    "random dots": f'type="2d" builtin="flat" mark="random" random="0.2" {SIZE}',
}
MATERIALS = {
    "": "",
    "repeated": 'texrepeat="3 4" texuniform="true"',
    "mirror": 'reflectance="0.4" specular="0.1" shininess="0.9"',
    "painted": 'rgba="0.5 0.25 1 0.5" emission="0.25" metallic="0.5" roughness="0.125"',
}


def write_pictures(folder: Path) -> None:
    Image = pytest.importorskip("PIL.Image")
    from PIL.PngImagePlugin import PngInfo

    random = np.random.default_rng(1)
    for name, size in (("a", (8, 8)), ("b", (8, 8)), ("grid", (24, 32))):
        pixels = random.integers(0, 256, (*size, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{name}.png")
    stated = PngInfo()
    stated.add(b"sRGB", b"\0")
    Image.fromarray(pixels).save(folder / "srgb.png", pnginfo=stated)


def picture(model: Any, texture: int) -> tuple[Any, ...]:
    height, width, channels = (
        int(getattr(model, f"tex_{key}")[texture]) for key in ("height", "width", "nchannel")
    )
    start = int(model.tex_adr[texture])
    data = model.tex_data[start : start + height * width * channels].tobytes()
    kind, space = int(model.tex_type[texture]), int(model.tex_colorspace[texture])
    return kind, space, height, width, data


def looks(model: Any) -> list[Any]:
    """The look of each geom as MuJoCo has it."""
    found = []
    for geom in range(model.ngeom):
        material = int(model.geom_matid[geom])
        stated = [getattr(model, f"mat_{key}")[material].tolist() for key in MATERIAL]
        textures = [int(t) for t in np.atleast_1d(model.mat_texid[material]) if t >= 0]
        found.append((stated, [picture(model, t) for t in textures]))
    return found


@pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS)
def test_materials_and_pictures_of_an_mjcf_source_stay_as_they_are(
    material: str, tmp_path: Path
) -> None:
    write_pictures(tmp_path)
    assets, geoms = [], []
    for i, texture in enumerate(TEXTURES.values()):
        assets.append(f'<texture name="t{i}" {texture}/>')
        assets.append(f'<material name="m{i}" texture="t{i}" {material}/>')
        geoms.append(f'<geom type="box" size="1 1 1" material="m{i}" contype="0" conaffinity="0"/>')
    source = tmp_path / "m.xml"
    source.write_text(
        f"<mujoco><asset>{''.join(assets)}</asset><worldbody>{''.join(geoms)}</worldbody></mujoco>",
        encoding="utf-8",
    )
    before = mujoco.MjModel.from_xml_path(str(source))
    result = export_mjcf(loaders.load(source), tmp_path / "out")
    after = quietly(lambda: mujoco.MjModel.from_xml_path(str(result.path)))
    assert looks(after) == looks(before)


SKYBOX = 2
"""MuJoCo's number of the type of a texture around the scene."""
SKIES = {
    "gradient": f'builtin="gradient" rgb1="1 0 0" rgb2="0 0 1" {SIZE}',
    "stars": f'builtin="flat" mark="random" random="0.2" markrgb="1 1 1" {SIZE}',
    "one file": 'file="a.png"',
    "six files": SIDES,
    "grid": 'file="grid.png" gridsize="3 4" gridlayout=".U..LFRB.D.." colorspace="sRGB"',
}


def skies(model: Any) -> list[tuple[Any, ...]]:
    return [picture(model, t) for t in range(model.ntex) if model.tex_type[t] == SKYBOX]


@pytest.mark.parametrize("name", ['name="heaven"', ""], ids=["named", "nameless"])
@pytest.mark.parametrize("sky", SKIES.values(), ids=SKIES)
def test_the_sky_of_an_mjcf_source_stays_as_it_is(sky: str, name: str, tmp_path: Path) -> None:
    write_pictures(tmp_path)
    source = tmp_path / "m.xml"
    source.write_text(
        f'<mujoco><asset><texture {name} type="skybox" {sky}/></asset>'
        '<worldbody><geom size="1"/></worldbody></mujoco>',
        encoding="utf-8",
    )
    before = mujoco.MjModel.from_xml_path(str(source))
    scene = loaders.load(source)
    assert scene.diagnostics == ()
    result = export_mjcf(scene, tmp_path / "out")
    model, drawn = (
        quietly(lambda file=file: mujoco.MjModel.from_xml_path(str(file)))
        for file in (result.path, result.path.parent / "scene.xml")
    )
    assert skies(model) == skies(drawn) == skies(before)


def test_documents_of_other_formats_name_the_sky_that_they_lack() -> None:
    text = (
        f'<mujoco><asset><texture name="heaven" type="skybox" {SKIES["gradient"]}/></asset>'
        '<worldbody><geom size="1"/></worldbody></mujoco>'
    )
    scene = loaders.load_string(text, format="mjcf")
    for export in (to_sdf, to_urdf):
        findings = export(scene, quiet=True).diagnostics
        named = [entry for entry in findings if 'skybox name="heaven"' in entry.message]
        assert [entry.severity for entry in named] == ["note"]


def test_layers_of_an_mjcf_source_keep_their_roles(tmp_path: Path) -> None:
    write_pictures(tmp_path)
    source = tmp_path / "m.xml"
    layer = '<layer role="{}" texture="{}"/>'.format
    source.write_text(
        '<mujoco><asset><texture name="a" type="2d" file="a.png"/><texture name="b" type="2d" '
        'file="b.png"/>'
        f'<material name="both">{layer("rgb", "a")}{layer("normal", "b")}</material>'
        f'<material name="bare">{layer("normal", "b")}{layer("roughness", "a")}</material>'
        '</asset><worldbody><geom type="box" size="1 1 1" material="both" contype="0" '
        'conaffinity="0"/><geom type="box" size="1 1 1" material="bare" contype="0" '
        'conaffinity="0"/></worldbody></mujoco>',
        encoding="utf-8",
    )
    before = mujoco.MjModel.from_xml_path(str(source))
    scene = loaders.load(source, quiet=True)
    assert scene.diagnostics == ()
    result = export_mjcf(scene, tmp_path / "out")
    after = quietly(lambda: mujoco.MjModel.from_xml_path(str(result.path)))
    roles = [
        [[role for role in range(10) if model.mat_texid[m][role] >= 0] for m in model.geom_matid]
        for model in (before, after)
    ]
    assert roles[0] == roles[1]
    assert looks(after) == looks(before)


BONES = (
    '<bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 0.3"/>'
    '<bone body="b" bindpos="0 0 0.1" bindquat="0.6 0.8 0 0" vertid="2 3" vertweight="0.7 1"/>'
)
INSIDE = 'vertex="0 0 0 1 0 0 0 1 0 0 0 0.1" face="0 1 2 0 2 3" texcoord="0 0 1 0 0 1 0.1 1"'
SKINNED = """<mujoco><asset>
<texture name="t" type="2d" file="a.png"/><material name="p" texture="t" rgba="1 0.5 0.25 1"/>
</asset><worldbody><body name="a"><freejoint/><geom size="0.1"/><body name="b" pos="0 0 0.3">
<joint/><geom size="0.1" material="p"/></body></body></worldbody>
<deformable><skin name="s" {}>{}</skin></deformable></mujoco>"""


def skin_file() -> bytes:
    """Return a skin of four vertices and two bones in MuJoCo's format."""
    bones = [(b"a", (0, 0, 0, 1, 0, 0, 0), (0, 1)), (b"b", (0, 0, 0.1, 0.6, 0.8, 0, 0), (1, 2, 3))]
    data = struct.pack("<4i", 4, 0, 2, 2) + np.arange(12, dtype="<f4").tobytes()
    data += np.array((0, 1, 2, 0, 2, 3), "<i4").tobytes()
    for body, pose, vertices in bones:
        data += struct.pack("<40s7fi", body, *pose, len(vertices))
        data += np.array(vertices, "<i4").tobytes() + np.ones(len(vertices), "<f4").tobytes()
    return data


def skins(model: Any) -> dict[str, Any]:
    """Return all that a compiled model has of skins, with the names of bodies in place of their
    numbers.
    """
    found = {
        key: np.array(getattr(model, key)).tolist()
        for key in dir(model)
        if key.startswith(("skin_", "nskin")) and key not in {"skin_bonebodyid", "skin_pathadr"}
    }
    return found | {"bodies": [model.body(i).name for i in model.skin_bonebodyid]}


@pytest.mark.parametrize(
    ("stated", "bones"),
    [
        (f'{INSIDE} material="p" group="2" inflate="0.01"', BONES),
        (f'{INSIDE} rgba="0.1 0.2 0.3 0.4"', BONES),
        ('file="s.skn"', ""),
    ],
)
def test_a_skin_of_an_mjcf_source_stays_as_it_is(stated: str, bones: str, tmp_path: Path) -> None:
    write_pictures(tmp_path)
    (tmp_path / "s.skn").write_bytes(skin_file())
    source = tmp_path / "source.xml"
    source.write_text(SKINNED.format(stated, bones))
    export = export_mjcf(source, tmp_path / "out", quiet=True)
    models = [mujoco.MjModel.from_xml_path(str(path)) for path in (source, export.path)]
    a, b = map(skins, models)
    has_material = a.pop("skin_matid") != [-1]
    assert (b.pop("skin_matid") != [-1]) is has_material
    assert a == b
    if has_material:
        rgba, texture = (
            [getattr(m, key)[m.skin_matid[0]].tolist() for m in models]
            for key in ("mat_rgba", "mat_texid")
        )
        assert rgba[0] == rgba[1]
        pictures = [picture(m, max(row)) for m, row in zip(models, texture, strict=True)]
        assert pictures[0] == pictures[1]
    assert "mesh.skin" in [entry.code for entry in to_urdf(source, quiet=True).diagnostics]
    assert "mesh.skin" in [entry.code for entry in to_sdf(source, quiet=True).diagnostics]


@pytest.mark.parametrize(("role", "texture"), [("orm", "a"), ("opacity", "a"), ("normal", "made")])
def test_layers_that_a_scene_does_not_hold_are_named(
    role: str, texture: str, tmp_path: Path
) -> None:
    write_pictures(tmp_path)
    source = tmp_path / "m.xml"
    source.write_text(
        '<mujoco><asset><texture name="a" type="2d" file="a.png"/>'
        f'<texture name="made" type="2d" builtin="checker" {SIZE}/>'
        f'<material name="m"><layer role="rgb" texture="{texture}"/>'
        f'<layer role="{role}" texture="{texture}"/></material></asset>'
        '<worldbody><geom type="box" size="1 1 1" material="m"/></worldbody></mujoco>',
        encoding="utf-8",
    )
    scene = loaders.load(source, quiet=True)
    assert any(f"layer {role} {texture}" in entry.message for entry in scene.diagnostics)


VISUAL = {name.rstrip("_"): name for name in dir(mujoco.MjSpec().visual) if name[0] != "_"}
OTHER_TEXTS = {
    ("headlight", "active"): "0",
    ("global", "bvactive"): "false",
    ("global", "ellipsoidinertia"): "true",
    ("global", "orthographic"): "true",
}
"""Values of switches."""
NOT_READ = {"global/bvactive", "rgba/bv", "rgba/bvactive"}
"""Attributes of bounding volumes, which MuJoCo does not read."""


def looks_of_scene(model: Any) -> dict[str, list[float]]:
    groups = {name: getattr(model.vis, field) for name, field in VISUAL.items()}
    groups["statistic"] = model.stat
    return {
        f"{name}/{key}": np.ravel(getattr(group, key)).tolist()
        for name, group in groups.items()
        for key in dir(group)
        if key[0] != "_"
    }


def test_what_a_source_in_mjcf_says_about_the_looks_of_the_scene_stays(tmp_path: Path) -> None:
    stated = ""
    for name, field in VISUAL.items():
        group = getattr(mujoco.MjSpec().visual, field)
        default = {key: np.ravel(getattr(group, key)) for key in dir(group) if key[0] != "_"}
        texts = {key: " ".join(f"{x + 1 if x > 1 else x / 2 + 0.375:g}" for x in value)
            for key, value in default.items()}  # fmt: skip
        texts |= {key: text for (owner, key), text in OTHER_TEXTS.items() if owner == name}
        texts.pop("cameraid", None)
        stated += f"<{name} " + " ".join(f'{k}="{v}"' for k, v in texts.items()) + "/>"
    source = tmp_path / "m.xml"
    source.write_text(
        f"<mujoco><visual>{stated}</visual><statistic extent='3' center='1 2 3' meansize='0.25' "
        "meanmass='2'/><worldbody><geom size='1'/></worldbody></mujoco>",
        encoding="utf-8",
    )
    before = looks_of_scene(mujoco.MjModel.from_xml_path(str(source)))
    default = looks_of_scene(mujoco.MjModel.from_xml_string("<mujoco/>"))
    same = {key for key, value in before.items() if value == default[key]}
    assert same <= {"global/cameraid", "statistic/meaninertia", *NOT_READ}
    scene = loaders.load(source)
    assert scene.diagnostics == ()
    result = export_mjcf(scene, tmp_path / "out")
    for file in (result.path, result.path.parent / "scene.xml"):
        after = looks_of_scene(quietly(lambda file=file: mujoco.MjModel.from_xml_path(str(file))))
        assert {key for key in before if before[key] != after[key]} <= {"statistic/meaninertia"}


def test_documents_of_other_formats_name_the_light_that_they_lack() -> None:
    text = (
        '<mujoco><visual><headlight ambient="1 0 0"/></visual><statistic extent="2"/>'
        '<worldbody><geom size="1"/></worldbody></mujoco>'
    )
    scene = loaders.load_string(text, format="mjcf")
    for export in (to_sdf, to_urdf):
        (note,) = (e for e in export(scene, quiet=True).diagnostics if "headlight" in e.message)
        assert note.severity == "note"
        assert "statistic extent" in note.message

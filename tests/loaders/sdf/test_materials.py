"""Materials: scripts of Gazebo classic, physically based values, maps and colors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import loaders
from loaders.model import Material
from tests.support.sdf import link_with

# Material scripts of Gazebo classic: colors, textures, and malformed scripts.

SCRIPT = """
// comments of both kinds /* are not statements */
material Shop/Base
{
  technique
  {
    pass
    {
      ambient 0.1 0.2 0.3 1
      diffuse 0.4 0.5 0.6
      specular 0.7 0.8 0.9 1 12.5
      texture_unit { texture floor.png }
      texture_unit { texture light.png }
    }
    pass { diffuse 1 0 0 }
  }
}
material Shop/Child : Shop/Base
{ technique { pass { emissive 0.5 0 0 2 } } }
material Shop/Bare { technique { pass { specular .1 .1 .1 128 } } }
"""


def read(folder: Path, body: str) -> tuple[Material, list[str]]:
    visual = f"<visual name='v'><geometry><box/></geometry><material>{body}</material></visual>"
    path = folder / "model.sdf"
    path.write_text(
        f"<sdf version='1.9'><model name='m'><link name='a'>{visual}</link></model></sdf>"
    )
    scene = loaders.load(path)
    material = scene.links[0].visuals[0].material
    assert material is not None
    return material, [entry.code for entry in scene.diagnostics]


def script(name: str, *uris: str) -> str:
    return (
        "<script>" + "".join(f"<uri>{uri}</uri>" for uri in uris) + f"<name>{name}</name></script>"
    )


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The folder of a model with the layout of Gazebo."""
    for folder in ("scripts", "textures"):
        (tmp_path / "materials" / folder).mkdir(parents=True)
    (tmp_path / "materials" / "scripts" / "shop.material").write_text(SCRIPT)
    (tmp_path / "materials" / "textures" / "floor.png").write_bytes(b"png")
    return tmp_path


@pytest.mark.parametrize(
    "uris",
    [("materials/scripts", "materials/textures"), ("materials/scripts/shop.material",)],
    ids=["folders", "file"],
)
def test_a_script_has_colors_and_a_texture(shop: Path, uris: tuple[str, ...]) -> None:
    material, codes = read(shop, script("Shop/Base", *uris))
    assert material == Material(
        name="Shop/Base",
        ambient=(0.1, 0.2, 0.3, 1.0),
        diffuse=(0.4, 0.5, 0.6, 1.0),
        specular=(0.7, 0.8, 0.9, 1.0),
        shininess=12.5,
        texture=str(shop / "materials" / "textures" / "floor.png"),
    )
    assert codes == []


def test_a_material_inherits_from_its_parent_and_colors_are_clamped(shop: Path) -> None:
    material, _ = read(shop, script("Shop/Child", "materials/scripts"))
    assert (material.diffuse, material.emissive) == ((0.4, 0.5, 0.6, 1.0), (0.5, 0.0, 0.0, 1.0))


def test_a_missing_diffuse_color_is_white(shop: Path) -> None:
    material, _ = read(shop, script("Shop/Bare", "materials/scripts"))
    assert (material.diffuse, material.specular, material.shininess) == (
        (1, 1, 1, 1),
        (0.1, 0.1, 0.1, 1.0),
        128.0,
    )


def test_values_of_the_material_element_have_precedence_over_the_script(shop: Path) -> None:
    body = (
        script("Shop/Base", "materials/scripts")
        + "<diffuse>0 1 0</diffuse><shininess>3</shininess>"
    )
    material, _ = read(shop, body)
    assert (material.diffuse, material.shininess) == ((0.0, 1.0, 0.0, 1.0), 3.0)
    assert material.ambient == (0.1, 0.2, 0.3, 1.0)


@pytest.mark.parametrize(
    ("name", "diffuse", "emissive"),
    [
        ("Gazebo/Grey", (0.7, 0.7, 0.7, 1.0), None),
        ("Gazebo/Orange", (1.0, 0.5088, 0.0468, 1.0), None),
        ("Gazebo/GreenGlow", (0.0, 1.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)),
        ("Gazebo/LightOff", (1.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0)),
        ("Gazebo/GreyTransparent", (0.5, 0.5, 0.5, 0.5), None),
    ],
)
def test_the_colors_of_gazebo_are_known(
    tmp_path: Path, name: str, diffuse: object, emissive: object
) -> None:
    material, codes = read(tmp_path, script(name, "file://media/materials/scripts/gazebo.material"))
    assert (material.name, material.diffuse, material.emissive) == (name, diffuse, emissive)
    assert codes == []


def test_a_material_whose_picture_is_part_of_gazebo_has_one_color_of_its_kind(
    tmp_path: Path,
) -> None:
    material, codes = read(tmp_path, script("Gazebo/Wood", "file://media"))
    assert material.diffuse is not None
    red, green, blue, alpha = material.diffuse
    assert 0.8 > red > green > blue > 0.1
    assert alpha == 1.0
    assert codes == ["sdf.unknown-material"]


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("Gazebo/Nothing", "file://media/materials/scripts/gazebo.material"),
        ("Shop/Gone", "materials/scripts"),
        ("Shop/Base", "model://gone/materials/scripts"),
        ("Grey", "materials/scripts"),
    ],
)
def test_a_material_that_is_not_found_is_noted_and_keeps_its_name(
    shop: Path, name: str, uri: str
) -> None:
    material, codes = read(shop, script(name, uri))
    assert material == Material(name=name)
    assert codes == ["sdf.unknown-material"]


def test_a_texture_that_is_not_found_is_noted(shop: Path) -> None:
    (shop / "materials" / "textures" / "floor.png").unlink()
    material, codes = read(shop, script("Shop/Base", "materials/scripts"))
    assert (material.texture, material.diffuse) == (None, (0.4, 0.5, 0.6, 1.0))
    assert codes == ["sdf.unknown-material"]


def test_textures_are_searched_only_in_the_folders_of_the_script(shop: Path) -> None:
    (shop / "secret.png").write_bytes(b"png")
    (shop / "materials" / "scripts" / "evil.material").write_text(
        "material Evil { technique { pass { texture_unit { texture ../../secret.png } } } }"
    )
    assert read(shop, script("Evil", "materials/scripts"))[0].texture is None


@pytest.mark.parametrize(
    "text",
    [
        "}}}}{{{{",
        "material",
        "material {",
        "material A : A { pass { diffuse a b c\nambient inf 1 1\n texture } }",
        "\x00",
    ],
)
def test_a_malformed_script_does_not_affect_other_scripts(shop: Path, text: str) -> None:
    (shop / "materials" / "scripts" / "a.material").write_text(text)
    assert read(shop, script("Shop/Base", "materials/scripts"))[0].diffuse == (0.4, 0.5, 0.6, 1.0)
    read(shop, script("A", "materials/scripts"))


def test_a_deeply_nested_script_is_read_within_the_time_limit(shop: Path) -> None:
    (shop / "materials" / "scripts" / "deep.material").write_text("{ " * 200_000)
    code = "import sys, loaders; loaders.load(sys.argv[1])"
    read(shop, script("Shop/Base", "materials/scripts"))
    subprocess.run([sys.executable, "-c", code, shop / "model.sdf"], check=True, timeout=30)


def test_values_of_the_specular_workflow_are_ignored_with_a_note(tmp_path: Path) -> None:
    pbr = "<pbr><specular><specular>0.3</specular><glossiness>0.4</glossiness></specular></pbr>"
    assert read(tmp_path, pbr)[1] == ["sdf.appearance", "sdf.appearance"]


@pytest.mark.parametrize("what", ["script", "texture", "pipe"])
def test_links_out_of_the_model_and_pipes_are_not_read(tmp_path: Path, what: str) -> None:
    outside, model = tmp_path / "outside", tmp_path / "model"
    for folder in (outside, model / "materials" / "scripts", model / "materials" / "textures"):
        folder.mkdir(parents=True)
    (outside / "floor.png").write_bytes(b"secret")
    (outside / "shop.material").write_text(SCRIPT)
    script = model / "materials" / "scripts" / "shop.material"
    if what == "script":
        script.symlink_to(outside / "shop.material")
    elif what == "pipe":
        os.mkfifo(script)
    else:
        script.write_text(SCRIPT)
    (model / "materials" / "textures" / "floor.png").symlink_to(outside / "floor.png")
    uris = "<uri>materials/scripts</uri><uri>materials/textures</uri>"
    material, codes = read(model, f"<script>{uris}<name>Shop/Base</name></script>")
    assert material.texture is None
    assert "sdf.unknown-material" in codes


@pytest.mark.parametrize("text", ["/* ", "/*", "*/*", "// ", "/**", '"'])
def test_a_script_of_a_mebibyte_of_comments_is_read_in_linear_time(
    tmp_path: Path, text: str
) -> None:
    """A quadratic expression takes hours for this."""
    (tmp_path / "a.material").write_text(text * ((1 << 20) // len(text)))
    _, codes = read(tmp_path, "<script><uri>a.material</uri><name>none</name></script>")
    assert codes == ["sdf.unknown-material"]


# Materials: physically based values and maps.


def material_with(inside: str) -> Material:
    """Return a material with the given child elements."""
    visual = link_with(
        f"<visual name='v'><geometry><box/></geometry><material>{inside}</material></visual>"
    ).visuals[0]
    assert visual.material is not None
    return visual.material


def test_physically_based_materials_keep_their_numbers_and_maps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    maps = {
        kind: str(tmp_path / file)
        for kind, file in (("albedo_map", "a.png"), ("normal_map", "n.png"))
    }
    for file in maps.values():
        Path(file).touch()
    read_material = material_with(
        "<pbr><metal><metalness>0.4</metalness><roughness>0.6</roughness><albedo_map>a.png</albedo_map>"
        "<normal_map type='tangent'>n.png</normal_map></metal></pbr>"
        "<script><uri>u</uri><name>Gazebo/Red</name></script>"
    )
    assert (read_material.metalness, read_material.roughness, read_material.texture) == (
        0.4,
        0.6,
        maps["albedo_map"],
    )
    assert dict(read_material.maps) == maps
    assert read_material.name == "Gazebo/Red"


def test_the_default_name_of_a_missing_normal_map_is_no_file() -> None:
    shader = (
        "<material><shader type='vertex'><normal_map>__default__</normal_map></shader></material>"
    )
    visual = f"<visual name='v'><geometry><sphere/></geometry>{shader}</visual>"
    text = f"<sdf version='1.9'><model name='m'><link name='l'>{visual}</link></model></sdf>"
    scene = loaders.load_string(text, format="sdf")
    assert scene.diagnostics == ()
    assert scene.links[0].visuals[0].material.maps == ()


# Colors in 0..1, with optional opacity.


def test_colors_have_three_or_four_numbers_in_zero_to_one() -> None:
    read_material = material_with("<diffuse>1 0 0</diffuse><ambient>0 1 0 0.5</ambient><emissive/>")
    assert (read_material.diffuse, read_material.ambient) == ((1, 0, 0, 1), (0, 1, 0, 0.5))
    assert read_material.emissive is None
    for bad in ("1 2 0", "1 0", "1 0 0 1 0", "red"):
        with pytest.raises(loaders.LoadError, match="xml"):
            material_with(f"<diffuse>{bad}</diffuse>")


def test_statements_of_scripts_that_are_not_drawn_are_noted(shop: Path) -> None:
    (shop / "materials" / "scripts" / "other.material").write_text(
        "material Plain { technique { pass { diffuse 1 0 0\n cull_hardware clockwise\n "
        "texture_unit { scale 1.00 1.0\n scroll 0 0\n } } } }\n"
        "material Tiled { technique { pass { diffuse vertexcolour\n "
        "texture_unit { scale 0.5 1\n } } } }\n",
        encoding="utf-8",
    )
    assert read(shop, script("Plain", "materials/scripts"))[1] == []
    assert read(shop, script("Tiled", "materials/scripts"))[1] == ["sdf.appearance"]

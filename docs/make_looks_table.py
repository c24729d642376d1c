"""Write ``docs/data/looks-statements.csv``: every statement of a model about looks, and what becomes
of it in each target.

Each is added to a small model; a target carries it if what it makes changes, and reports it if
there is another finding. Run it from the root of the project: ``python docs/make_looks_table.py``.
"""

from __future__ import annotations

import csv
import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

import pybullet  # noqa: E402
from PIL import Image  # noqa: E402

import bridge  # noqa: E402
import loaders  # noqa: E402

TABLE = ROOT / "docs" / "data" / "looks-statements.csv"
_SDF = (
    "<sdf version='1.12'><model name='m'><link name='l'><visual name='v'>"
    "<geometry><box><size>1 1 1</size></box></geometry>{}</visual></link></model></sdf>"
)
_OF_VISUAL = {"cast_shadows": "false", "transparency": "0.5"}
_OF_MATERIAL = {
    **dict.fromkeys(("ambient", "diffuse", "specular", "emissive"), "0.9 0.1 0.2 1"),
    "shininess": "5",
    "lighting": "false",
    "render_order": "1",
    "double_sided": "true",
    "shader type='normal_map_object_space'": "<normal_map>a.png</normal_map>",
    "script": "<uri>file://media/materials/scripts/gazebo.material</uri><name>Gazebo/Red</name>",
}
_OF_METAL = {
    **dict.fromkeys(
        (
            *("albedo_map", "roughness_map", "metalness_map", "environment_map", "normal_map"),
            *("ambient_occlusion_map", "emissive_map", "light_map"),
        ),
        "a.png",
    ),
    "roughness": "0.25",
    "metalness": "0.25",
}
_URDF = (
    "<robot name='m'><link name='l'><visual><geometry><box size='1 1 1'/></geometry>{}</visual>"
    "</link>{}</robot>"
)
_OF_URDF = {
    "material/color": ("<material name='p'><color rgba='1 0 0 0.5'/></material>", ""),
    "material/texture": ("<material name='p'><texture filename='a.png'/></material>", ""),
    "gazebo/material": ("", "<gazebo reference='l'><material>Gazebo/Red</material></gazebo>"),
    "gazebo/visual": (
        "",
        "<gazebo reference='l'><visual><transparency>0.5</transparency></visual></gazebo>",
    ),
}
_MJCF = (
    "<mujoco>{visual}<asset>{assets}<material name='p' {material}>{layer}</material></asset><worldbody>"
    "<body name='b'><freejoint/><geom size='1 1 1' type='box' material='p' {geom}/></body>"
    "</worldbody><deformable>{skin}</deformable></mujoco>"
)
_PLACES = dict.fromkeys(("visual", "assets", "material", "layer", "geom", "skin"), "")
_BUILTIN = "builtin='checker' width='8' height='8'"
_SIDES = " ".join(
    f"file{side}='a.png'" for side in ("right", "left", "up", "down", "front", "back")
)
_OF_MJCF: dict[str, dict[str, str]] = {
    **{
        f"material/{key}": {"material": f"{key}='{value}'"}
        for key, value in {
            "texrepeat": "2 3", "texuniform": "true", "emission": "0.5", "specular": "0.1",
            "shininess": "0.1", "reflectance": "0.5", "metallic": "0.5", "roughness": "0.5",
            "rgba": "1 0 0 0.5",
        }.items()
    },
    "material/layer": {
        "assets": "<texture name='n' type='2d' file='a.png'/>",
        "layer": "<layer role='normal' texture='n'/>",
    },
    **{
        f"texture/{key}": {
            "assets": f"<texture name='t' {attributes}/>", "material": "texture='t'"
        }
        for key, attributes in {
            "type='2d', file": "type='2d' file='a.png'",
            "type='cube', file": "type='cube' file='a.png'",
            "type='cube', fileright, ...": f"type='cube' {_SIDES}",
            "gridsize, gridlayout": "type='cube' file='a.png' gridsize='1 1' gridlayout='U'",
            "hflip, vflip": "type='2d' file='a.png' hflip='true' vflip='true'",
            "colorspace": "type='2d' file='a.png' colorspace='sRGB'",
            "builtin, rgb1, rgb2": f"type='2d' {_BUILTIN} rgb1='1 0 0' rgb2='0 1 0'",
            "mark, markrgb": f"type='2d' {_BUILTIN} mark='cross' markrgb='1 0 0'",
            "random": f"type='2d' {_BUILTIN} mark='random' random='0.5'",
        }.items()
    },
    "texture/type='skybox'": {
        "assets": "<texture type='skybox' builtin='gradient' width='8' height='48'/>"
    },
    "geom/rgba": {"geom": "rgba='1 0 0 1'"},
    "skin": {
        "skin": "<skin vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'><bone body='b' bindpos='0 0 0' "
        "bindquat='1 0 0 0' vertid='0 1 2' vertweight='1 1 1'/></skin>"
    },
    "visual/headlight": {"visual": "<visual><headlight ambient='1 0 0'/></visual>"},
}  # fmt: skip


class Statement(NamedTuple):
    """A statement about looks."""

    form: str
    """The format."""
    name: str
    """Path of the element or attribute."""
    without: str
    """A document without it."""
    document: str
    """The same document with it."""


def statements() -> Iterator[Statement]:
    """Yield every statement of each format, in the order of the table."""
    for key, text in _OF_VISUAL.items():
        yield Statement(
            "sdf", f"visual/{key}", _SDF.format(""), _SDF.format(f"<{key}>{text}</{key}>")
        )
    for key, text in _OF_MATERIAL.items():
        tag = key.partition(" ")[0]
        stated = _SDF.format(f"<material><{key}>{text}</{tag}></material>")
        yield Statement("sdf", f"material/{tag}", _SDF.format(""), stated)
    for key, text in _OF_METAL.items():
        stated = _SDF.format(
            f"<material><pbr><metal><{key}>{text}</{key}></metal></pbr></material>"
        )
        yield Statement("sdf", f"material/pbr/metal/{key}", _SDF.format(""), stated)
    for key, parts in _OF_URDF.items():
        yield Statement("urdf", key, _URDF.format("", ""), _URDF.format(*parts))
    for key, parts in _OF_MJCF.items():
        yield Statement("mjcf", key, _MJCF.format(**_PLACES), _MJCF.format(**_PLACES | parts))


def _in_pybullet(source: Path) -> tuple[Any, set[str]]:
    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = bridge.load_into_pybullet(source, physicsClientId=client, quiet=True)
        shapes = [
            (shape[2], shape[4], shape[7])
            for shape in pybullet.getVisualShapeData(int(body), physicsClientId=client)
        ]
    finally:
        pybullet.disconnect(client)
    return shapes, _codes(body)


def _written(write: Callable[..., Any]) -> Callable[[Path], tuple[Any, set[str]]]:
    def made(source: Path) -> tuple[Any, set[str]]:
        text = write(source, quiet=True)
        return re.sub(r"<!--.*?-->|/[^\"<]*/", "", text), _codes(text)

    return made


_TARGETS = {
    "MuJoCo": _written(bridge.to_mjcf),
    "PyBullet": _in_pybullet,
    "SDFormat": _written(bridge.to_sdf),
    "URDF": _written(bridge.to_urdf),
}


_OF_WHOLE_MATERIAL = {"pybullet.appearance", "urdfout.field"}
"""Findings that the material of the document without a statement has too."""


def _codes(made: Any) -> set[str]:
    return {entry.code for entry in made.diagnostics}


def _fate(
    target: Callable[[Path], tuple[Any, set[str]]], plain: Path, stated: Path, read: set[str]
) -> str:
    """Return whether a target carries a statement, and the codes of what is reported of it."""
    (before, known), (after, found) = target(plain), target(stated)
    words = ["carried"] if before != after else []
    codes = sorted((found | read) - known - {"mjcf.dm-control"})
    if not words and not codes:  # the finding about the material says so of all its properties
        codes = sorted(known & _OF_WHOLE_MATERIAL)
    return ", ".join(words + [f"`{code}`" for code in codes]) or "no effect"


def table() -> str:
    """Return the table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["format", "statement", *_TARGETS])
    names = {"sdf": "SDFormat", "urdf": "URDF", "mjcf": "MJCF"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        picture = Image.new("RGB", (4, 4), (255, 0, 0))
        picture.putpixel((0, 1), (0, 255, 0))
        picture.save(folder / "a.png")
        for statement in statements():
            suffix = {"mjcf": "xml"}.get(statement.form, statement.form)
            plain, stated = folder / f"plain.{suffix}", folder / f"stated.{suffix}"
            plain.write_text(statement.without)
            stated.write_text(statement.document)
            read = _codes(loaders.load(stated, quiet=True)) - _codes(
                loaders.load(plain, quiet=True)
            )
            fates = (_fate(target, plain, stated, read) for target in _TARGETS.values())
            writer.writerow([names[statement.form], f"`{statement.name}`", *fates])
    return text.getvalue()


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")

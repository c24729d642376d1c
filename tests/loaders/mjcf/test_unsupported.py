"""Content without a place in a scene, and assets that no shape uses, are reported, and no other."""

from __future__ import annotations

import mujoco
import pytest

import loaders
from tests.support.mjcf_documents import BALL, document, read

# Assets that no shape uses are named, and the others are not; MuJoCo's compiled model says which
# geom uses what.

CORNERS = "0 0 0 1 0 0 0 1 0 0 0 1"
ASSETS = (
    "<asset>"
    + "".join(f"<mesh name='{name}' vertex='{CORNERS}'/>" for name in ("m", "idle_m", "fitted"))
    + "".join(
        f"<hfield name='{name}' nrow='2' ncol='2' size='1 1 1 1'/>" for name in ("h", "idle_h")
    )
    + "".join(
        f"<texture name='{name}' builtin='flat' type='2d' width='8' height='8'/>"
        for name in ("t", "idle_t")
    )
    + "<material name='w' texture='t'/><material name='idle_w'/><material name='of_site'/></asset>"
)
BODY = (
    "<geom type='hfield' hfield='h'/><body name='a'><geom type='mesh' mesh='m' material='w'/>"
    "<geom type='box' mesh='fitted'/><site material='of_site'/></body>"
)
IDLE = ("mesh idle_m", "hfield idle_h", "material idle_w", "texture idle_t")


def noted(text: str) -> list[tuple[str, ...]]:
    """The names in each finding about unused assets."""
    scene = loaders.load_string(text, format="mjcf", quiet=True)
    return [
        entry.arguments["names"]
        for entry in scene.diagnostics
        if entry.code == "mjcf-in.unused-asset"
    ]


def test_one_finding_names_all_assets_that_no_shape_uses() -> None:
    text = document(BODY, ASSETS)
    model = mujoco.MjModel.from_xml_string(text)
    used = {
        model.mesh(i).name
        for kind, i in zip(model.geom_type, model.geom_dataid, strict=True)
        if kind == 7
    }
    assert used == {"m"}, "a fitted box has the size of a mesh and is none"
    assert noted(text) == [IDLE]


@pytest.mark.parametrize("asset", IDLE)
def test_without_the_others_each_is_found_alone(asset: str) -> None:
    kind, name = asset.split()
    attributes = {
        "mesh": f"vertex='{CORNERS}'",
        "hfield": "nrow='2' ncol='2' size='1 1 1 1'",
        "material": "",
        "texture": "builtin='flat' type='2d' width='8' height='8'",
    }
    assert noted(
        document("<geom size='1'/>", f"<asset><{kind} name='{name}' {attributes[kind]}/></asset>")
    ) == [(asset,)]


def test_a_document_without_idle_assets_has_no_finding() -> None:
    assert (
        noted(document("<geom size='1' material='w'/>", "<asset><material name='w'/></asset>"))
        == []
    )
    assert noted(document("<geom size='1'/>")) == []
    sky = "<asset><texture type='skybox' builtin='gradient' width='8' height='8'/></asset>"
    assert noted(document("<geom size='1'/>", sky)) == []


def test_a_second_sky_is_left_out_by_its_name() -> None:
    texture = "<texture name='{}' type='skybox' builtin='gradient' width='8' height='8'/>"
    skies = f"<asset>{texture.format('first')}{texture.format('second')}</asset>"
    assert noted(document("<geom size='1'/>", skies)) == [("texture second",)]


# What a document states without a place in a scene is noted, and what has one is not.

LEFT_OUT_BODY = f'<body name="a"{{}}><joint name="j"{{}}/>{BALL}<site name="s"{{}}/></body>'
STATED = {
    "body/user": (LEFT_OUT_BODY.format(' user="1"', "", ""), ""),
    "body/sleep": (LEFT_OUT_BODY.format(' sleep="never"', "", ""), ""),
    "body/simple": (LEFT_OUT_BODY.format(' simple="false"', "", ""), ""),
    "camera/user": ('<camera user="1"/>', ""),
    "compiler/discardvisual": ("", '<compiler discardvisual="true"/>'),
    "flexcomp/material": (
        (
            '<flexcomp name="f" type="grid" dim="1" count="3 1 1" spacing="1 1 1" mass="1" '
            'material="w"/>'
        ),
        '<asset><material name="w"/></asset>',
    ),
    "joint/group": (LEFT_OUT_BODY.format("", ' group="2"', ""), ""),
    "site/rgba": (LEFT_OUT_BODY.format("", "", ' rgba="1 0 0 1"'), ""),
    "statistic/meaninertia": ("", '<statistic meaninertia="2"/>'),
    "numeric": ("", '<custom><numeric name="n" data="1"/></custom>'),
    "text": ("", '<custom><text name="t" data="x"/></custom>'),
    "spatial/width": (
        LEFT_OUT_BODY.format("", "", "")
        + f'<body name="b">{BALL}<site name="t" pos="1 0 0"/></body>',
        '<tendon><spatial width="0.1"><site site="s"/><site site="t"/></spatial></tendon>',
    ),
    "size/nconmax": ("", '<size nconmax="100"/>'),
    "size/nuser_sensor": ("", '<size nuser_sensor="1"/>'),
    "key/time": (LEFT_OUT_BODY.format("", "", ""), '<keyframe><key time="2"/></keyframe>'),
    "motor/user": (
        LEFT_OUT_BODY.format("", "", ""),
        '<actuator><motor joint="j" user="1"/></actuator>',
    ),
}


def left_out_noted(body: str, outside: str) -> list[str]:
    scene = loaders.load_string(document(body, outside), format="mjcf", quiet=True)
    entries = [entry for entry in scene.diagnostics if entry.code == "mjcf-in.not-carried"]
    return [name for entry in entries for name in entry.arguments["names"]]


@pytest.mark.parametrize(("name", "stated"), STATED.items(), ids=STATED)
def test_what_changes_no_motion_is_noted(name: str, stated: tuple[str, str]) -> None:
    assert name in left_out_noted(*stated)


def test_what_is_carried_is_not_noted() -> None:
    body = (
        '<body name="a"><joint name="j" damping="1" range="0 1"/><geom size="1" friction="2" '
        'rgba="1 0 0 1"/></body>'
    )
    assert left_out_noted(body, '<actuator><motor joint="j" gear="2" group="1"/></actuator>') == []


# Reports of the content that a scene does not hold.

UNSUPPORTED_BODY = f'<body name="b"><joint name="j"/>{BALL}</body>'


@pytest.mark.parametrize(
    ("body", "section", "subjects"),
    [
        (UNSUPPORTED_BODY.replace('"j"', '"j" range="-1 1" limited="false"'), "", ("j",)),
        (
            UNSUPPORTED_BODY,
            (
                '<actuator><motor name="m" joint="j" forcerange="-1 1" '
                'forcelimited="false"/></actuator>'
            ),
            ("m",),
        ),
    ],
)
def test_what_is_not_carried_is_noted(body: str, section: str, subjects: tuple[str, ...]) -> None:
    (entry,) = read(body, section).diagnostics
    assert (entry.code, entry.fate, entry.subjects) == ("mjcf-in.not-carried", "noted", subjects)

"""Assets that no shape uses are named, and the others are not; MuJoCo's compiled model says which
geom uses what.
"""

from __future__ import annotations

import mujoco
import pytest

import loaders
from tests.support.mjcf_documents import document

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

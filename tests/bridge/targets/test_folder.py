"""The files of an export: one form for every format, with the assets that a document names beside
it.
"""

from __future__ import annotations

import importlib
import json
import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.cli import main
from bridge.diagnostic_codes import CODES
from bridge.targets.folder import AssetFiles, Export, Files, package_xml, repaired, scene_of, stale
from bridge.targets.options import SdfExportOptions, changed_options
from bridge.targets.report import Report, read_back, require_equal
from bridge.targets.target import BUILT_IN
from loaders.diagnostics import ExportError
from tests.code_examples.scenes import IMPOSSIBLE
from tests.support.scenes import joint, link, scene

# The files of an export: one format as the other has a document, a README and a report, and is read
# back.

CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
ARM = scene([link("a"), link("b")], [joint("a", "a", "b")])


@pytest.mark.parametrize(
    ("export", "suffix"), [(bridge.export_sdf, "sdf"), (bridge.export_urdf, "urdf")]
)
def test_the_readme_tells_what_was_made_from_what(
    export: Callable[..., Any], suffix: str, tmp_path: Path
) -> None:
    result = export(ARM, tmp_path / "m", inertia="repair", strict=False)
    readme = (tmp_path / "m" / "README.md").read_text()
    assert result.path == tmp_path / "m" / f"test.{suffix}"
    assert f'bridge.export_{suffix}("a scene in memory", "test", inertia="repair")' in readme
    assert "FIDELITY.md" in readme


def test_the_readme_lists_changed_names(tmp_path: Path) -> None:
    bridge.export_sdf(ARM, tmp_path / "m")
    assert "| `joint a` | `a_joint` |" in (tmp_path / "m" / "README.md").read_text()


def test_files_that_say_another_scene_are_refused() -> None:
    text = str(bridge.to_sdf(scene([link("b")]))).encode()
    code = CODES["sdfout.read-back"]
    with pytest.raises(ExportError, match="link a is only in A"):
        require_equal(read_back({"x.sdf": text}, "x.sdf", ARM, code))
    same = loaders.load_string(text.decode(), format="sdf")
    require_equal(read_back({"x.sdf": text}, "x.sdf", same, code))


def test_changed_options_are_those_that_differ_from_the_defaults() -> None:
    assert changed_options(SdfExportOptions()) == {}
    assert changed_options(SdfExportOptions(version="1.9", strict=True)) == {"version": "1.9"}


# Files that a document names are copied beside it; one that is missing keeps its URI.

ASSETS = Path(__file__).parents[3] / "assets"


def test_a_mesh_is_copied() -> None:
    urdf = bridge.to_urdf(ASSETS / "arm" / "model.sdf", quiet=True)
    assert "finger.obj" in urdf.assets
    assert 'filename="assets/finger.obj"' in urdf


@pytest.mark.parametrize("code", ["sdfout.missing-file", "urdfout.missing-file"])
def test_a_missing_file_keeps_its_uri_and_is_reported(code: str) -> None:
    files = Files(Report("sdf"), AssetFiles(), CODES[code])
    assert files.uri(None, "model://x/y.stl") == "model://x/y.stl"
    assert [entry.code for entry in files.report.entries] == [code]


# A package has a description, and names its meshes by package URIs that its own reader finds.

PACKAGE_ARM = Path(__file__).parents[3] / "assets" / "arm" / "model.sdf"


def test_the_description_names_the_package() -> None:
    root = ET.fromstring(package_xml("arm"))
    assert (root.tag, root.get("format"), root.findtext("name")) == ("package", "2", "arm")


def test_meshes_of_a_package_are_found_by_its_name(tmp_path: Path) -> None:
    result = bridge.export_urdf(PACKAGE_ARM, tmp_path / "arm", meshes="package")
    assert "package.xml" in result.files
    assert 'filename="package://arm/assets/finger.obj"' in result.path.read_text()
    found = loaders.load(result.path, package_map={"arm": tmp_path / "arm"})
    paths = {
        v.geometry.path
        for item in found.links
        for v in item.visuals
        if isinstance(v.geometry, loaders.model.Mesh)
    }
    assert paths == {
        str(tmp_path / "arm" / "assets" / name) for name in ("ellipsoid.obj", "finger.obj")
    }


def test_one_file_is_no_package() -> None:
    with pytest.raises(ValueError, match="a package is a folder"):
        BUILT_IN["urdf"].single_file(PACKAGE_ARM, assets="x", meshes="package")


# A document alone: no word of a model is taken for one of the writer, and what was checked is what
# is written.

WORDS = ("sdfbridge-content", "package://out_files/", "package://m/", "out_assets", "sdfbridge-")


@pytest.mark.parametrize("suffix", ["sdf", "urdf", "xml", "dmd.yaml"])
@pytest.mark.parametrize("word", WORDS)
def test_a_document_alone_is_what_was_checked(
    suffix: str, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stl = word.encode().ljust(80, b"\0") + struct.pack("<I", 4)
    for a, b, c in ((0, 1, 2), (0, 3, 1), (1, 3, 2), (0, 2, 3)):
        corners = [coordinate for corner in (a, b, c) for coordinate in CORNERS[corner]]
        stl += struct.pack("<12fH", 0, 0, 0, *corners, 0)
    (tmp_path / "a.stl").write_bytes(stl)
    source = tmp_path / "m.sdf"
    source.write_text(
        f"<sdf version='1.9'><model name='m'><link name='{word.replace(':', '.')}'>"
        "<visual name='v'><geometry><mesh><uri>a.stl</uri></mesh></geometry></visual>"
        "</link></model></sdf>"
    )
    checked: list[dict[str, bytes]] = []
    for module in ("bridge.targets.report", "bridge.targets.mjcf.spec"):
        name = "write_folder" if module.endswith("report") else "compiled"
        place = importlib.import_module(module)
        original = getattr(place, name)

        def kept(first: Any, second: Any, *more: Any, original: Any = original) -> Any:
            checked.append(dict(first if isinstance(first, dict) else second))
            return original(first, second, *more)

        monkeypatch.setattr(place, name, kept)
    out = tmp_path / f"out.{suffix}"
    assert main(["convert", str(source), str(out), "-q"]) == 0
    written = [path.read_bytes() for path in tmp_path.glob("out_*/*/**/*") if path.is_file()]
    assert stl in written or suffix == "xml"  # MuJoCo gets a mesh of its own form
    assert checked
    if suffix != "dmd.yaml":  # it is checked as a folder, in which the package has another name
        assert any(out.read_bytes().startswith(text) for text in checked[-1].values())
        assert all(data in checked[-1].values() for data in written)
    assert next(link.name for link in loaders.load(out, quiet=True).links).endswith(
        word.replace(":", ".")
    )


# Meshes are copied with the files that they refer to, and never two contents under one name.


def test_a_mesh_takes_its_materials_and_pictures_along(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text("mtllib m.mtl\n")
    (tmp_path / "m.mtl").write_text("newmtl x\nmap_Kd t.png\n")
    (tmp_path / "t.png").write_bytes(b"png")
    assets = AssetFiles()
    assert assets.add(str(tmp_path / "m.obj")) == "assets/m/m.obj"
    assert set(assets.files) == {"m/m.obj", "m/m.mtl", "m/t.png"}


@pytest.mark.parametrize("kind", ["obj", "gltf"])
@pytest.mark.parametrize("form", ["absolute", "relative", "link", "two folders up"])
def test_a_mesh_takes_no_file_along_from_outside_its_folders(
    tmp_path: Path, kind: str, form: str
) -> None:
    """An export would carry the secret to whoever gets it."""
    folder = tmp_path / "others" / "robot" / "meshes"
    folder.mkdir(parents=True)
    secret = tmp_path / "secret.mtl"
    secret.write_text("secret")
    (folder / "link.mtl").symlink_to(secret)
    name = {"absolute": str(secret), "relative": "../../../secret.mtl", "link": "link.mtl"}.get(
        form, "../../s.mtl"
    )
    (tmp_path / "others" / "s.mtl").write_text("secret")
    document = json.dumps(
        {"asset": {"version": "2.0"}, "buffers": [{"uri": name, "byteLength": 6}]}
    )
    (folder / f"m.{kind}").write_text(document if kind == "gltf" else f"mtllib {name}\nv 0 0 0\n")
    assets = AssetFiles()
    assert assets.add(str(folder / f"m.{kind}")) == f"assets/m.{kind}"
    assert b"secret" not in assets.files.values()


def test_equal_names_with_different_content_are_distinguished(tmp_path: Path) -> None:
    places = []
    assets = AssetFiles()
    for folder, data in (("a", b"1"), ("b", b"2"), ("c", b"1")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.stl").write_bytes(data)
        places.append(assets.add(str(tmp_path / folder / "x.stl")))
    assert places[0] == places[2] == "assets/x.stl"
    assert places[1] != places[0]
    assert sorted(assets.files.values()) == [b"1", b"2"]


def test_a_missing_file_has_no_place() -> None:
    assert AssetFiles().add("/no/such.stl") is None
    assert AssetFiles().add(None) is None


@pytest.mark.parametrize("kind", ["obj", "mtl", "gltf"])
def test_a_mesh_takes_no_file_along_that_is_no_material_buffer_or_picture(
    tmp_path: Path, kind: str
) -> None:
    (tmp_path / "id_rsa").write_text("secret")
    (tmp_path / "m.mtl").write_text("newmtl x\nmap_Kd id_rsa\n")
    (tmp_path / "m.gltf").write_text(
        json.dumps({"asset": {"version": "2.0"}, "images": [{"uri": "id_rsa"}]})
    )
    (tmp_path / "m.obj").write_text("mtllib id_rsa\n" if kind == "obj" else "mtllib m.mtl\n")
    assets = AssetFiles()
    assert assets.add(str(tmp_path / ("m.gltf" if kind == "gltf" else "m.obj")))
    assert b"secret" not in assets.files.values()


# A folder is stale if a file differs, is missing or superfluous.


def test_stale_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "x").write_bytes(b"1")
    assert stale({"a": b"1", "b": b"2"}, tmp_path) == ("b", "x")
    assert stale({"a": b"2", "x": b"1"}, tmp_path) == ("a",)
    assert str(Export(path=tmp_path, files=(), diagnostics=())) == str(tmp_path)


# A source is a path, a scene or a mechanism.

LEG = Path(__file__).parents[3] / "assets" / "leg.sdf"


def test_every_source_gives_a_scene() -> None:
    given = scene([link("a")])
    assert scene_of(given, {}) is given
    assert scene_of(bridge.lower(given), {}).links[0].name == "a"
    assert scene_of(LEG, {}).links
    with pytest.raises(TypeError, match="expected a path"):
        scene_of(3, {})  # type: ignore[arg-type]


def test_inertias_are_repaired_on_request() -> None:
    given = scene([link("a", inertia=IMPOSSIBLE)])
    report = Report("sdf")
    assert repaired(given, report, wanted=False) is given
    assert repaired(given, report, wanted=True).links[0].inertia.defects() == []
    assert [entry.code for entry in report.entries] == ["lower.repaired-inertia"]


def test_documents_and_exports_are_short_in_a_line_and_cards_in_a_notebook(tmp_path: Path) -> None:
    path = Path(__file__).parents[3] / "assets" / "double_pendulum.urdf"
    for made in (
        bridge.to_mjcf(path, quiet=True),
        bridge.export_mjcf(path, tmp_path / "out", quiet=True),
    ):
        assert len(repr(made)) < 300
        card = made._repr_html_()
        assert "mujoco</b>" in card
        assert "<details" in card
        assert "<script" not in card

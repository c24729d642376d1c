"""Formats: random documents are read or refused, and a reader of another package reads its own
format.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bridge
import loaders
from loaders import LoadError
from loaders.formats import _XML_READERS, ENTRY_POINTS, registered_reader, registered_tags
from tests.support.xml_nodes import FUZZ

# Random documents are read or refused with a LoadError.

TAGS = (
    *(
        "sdf",
        "world",
        "model",
        "link",
        "joint",
        "frame",
        "pose",
        "include",
        "uri",
        "merge",
        "name",
        "static",
        "plugin",
    ),
    *(
        "collision",
        "visual",
        "geometry",
        "box",
        "size",
        "mesh",
        "polyline",
        "point",
        "material",
        "script",
        "surface",
    ),
    *(
        "inertial",
        "inertia",
        "mass",
        "friction",
        "ode",
        "mu",
        "axis",
        "axis2",
        "xyz",
        "limit",
        "lower",
        "mimic",
    ),
    *(
        "parent",
        "child",
        "sensor",
        "light",
        "gripper",
        "physics",
        "gravity",
        "placement_frame",
        "actor",
        "state",
    ),
    *("drake:joint", "experimental:params", "population"),
)


NAMES = ("", "a", "b", "a::b", "world", "__model__", "__root__", "a::__model__", "::", "m")


KEYS = (
    "name",
    "relative_to",
    "attached_to",
    "expressed_in",
    "type",
    "frame",
    "placement_frame",
    "merge",
    "auto",
    "joint",
)


TEXTS = st.one_of(
    st.sampled_from(
        [
            *NAMES,
            "true",
            "1 0 0",
            "0 0 0 0 0 0",
            "nan",
            "1e999",
            "-1",
            "revolute",
            "model://a",
            "0 0 0 x",
        ]
    ),
    st.text("ab01 .:-_xé", max_size=6),
)


ATTRIBUTES = st.dictionaries(
    st.sampled_from(KEYS), st.one_of(st.sampled_from([*NAMES, "revolute", "true"])), max_size=3
)


def element(tag: str, attributes: dict[str, str], content: list[str]) -> str:
    words = "".join(f" {key}='{value}'" for key, value in attributes.items())
    return f"<{tag}{words}>{''.join(content)}</{tag}>"


ELEMENTS = st.recursive(
    st.builds(element, st.sampled_from(TAGS), ATTRIBUTES, TEXTS.map(lambda text: [text])),
    lambda inner: st.builds(
        element, st.sampled_from(TAGS), ATTRIBUTES, st.lists(inner, max_size=5)
    ),
    max_leaves=25,
)


def load_or_refuse(text: str, format: str = "sdf") -> None:
    with contextlib.suppress(LoadError):
        loaders.load_string(text, format=format)


@pytest.mark.slow
@FUZZ
@given(
    st.sampled_from(["1.0", "1.2", "1.4", "1.6", "1.7", "1.12", "7"]),
    st.lists(ELEMENTS, max_size=4),
)
def test_any_tree_of_known_words_is_read_or_refused(version: str, body: list[str]) -> None:
    load_or_refuse(f"<sdf version='{version}'><world name='w'>{''.join(body)}</world></sdf>")
    load_or_refuse(f"<sdf version='{version}'><model name='m'>{''.join(body)}</model></sdf>")
    load_or_refuse(f"<sdf version='{version}'>{''.join(body)}</sdf>")


@pytest.mark.slow
@FUZZ
@given(st.text(max_size=40), st.sampled_from(["sdf", "urdf"]))
def test_any_text_is_read_or_refused(text: str, format: str) -> None:
    load_or_refuse(text, format)
    load_or_refuse(f"<sdf version='1.9'>{text}</sdf>", format)


SOUND = """<sdf version='1.9'><model name='m'><pose>1 0 0 0 0 0</pose><link name='a'><inertial><mass>2</mass></inertial>
<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link><link name='b'/>
<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""


@FUZZ
@given(st.integers(0, len(SOUND) - 1), st.integers(0, 30), st.text(max_size=4))
def test_a_sound_file_with_a_piece_exchanged_is_read_or_refused(
    start: int, length: int, piece: str
) -> None:
    load_or_refuse(SOUND[:start] + piece + SOUND[start + length :])


# The reader of docs/own_reader.md, installed as a package of its own, reads its format everywhere.

ROOT = Path(__file__).parents[2]
BLOCKS = dict(
    re.findall(
        r"```(\w+)\n(.*?)```",
        (ROOT / "docs" / "own_reader.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
)
"""The document, the reader and the project of the page."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages with that of the page, as pip would lay it out."""
    folder = tmp_path / "site"
    metadata = folder / "chain_format-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "chain_format.py").write_text(BLOCKS["python"], encoding="utf-8")
    project = tomllib.loads(BLOCKS["toml"])["project"]
    points = project["entry-points"][ENTRY_POINTS] | {
        "broken": "chain_format:gone",
        "odd": "builtins:print",
    }
    lines = [f"[{ENTRY_POINTS}]", *(f"{name} = {value}" for name, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "chain_format", raising=False)
    return folder


def test_the_page_says_what_a_user_gets(site: Path, tmp_path: Path) -> None:
    path = tmp_path / "rope.xml"
    path.write_text(BLOCKS["xml"], encoding="utf-8")
    scene = loaders.load(path)
    assert [joint.name for joint in scene.joints] == ["hinge_0", "hinge_1", "hinge_2"]
    poses = bridge.lower(scene).link_poses({"hinge_1": np.pi / 2})
    assert np.abs(poses["rod_2"].p - (-0.2, 0.0, -0.2)).max() < 1e-12
    assert loaders.load_string(BLOCKS["xml"], format="chain").name == "rope"


def test_the_command_reads_the_format_in_a_new_process(site: Path, tmp_path: Path) -> None:
    (tmp_path / "rope.xml").write_text(BLOCKS["xml"], encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(site)))}
    command = [sys.executable, "-m", "sdfbridge", "info", "rope.xml"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("rope: 1 model, 3 links, 3 joints")


def test_sdformat_and_directives_include_the_format(site: Path, tmp_path: Path) -> None:
    (tmp_path / "rope.xml").write_text(BLOCKS["xml"], encoding="utf-8")
    (tmp_path / "w.sdf").write_text(
        "<sdf version='1.9'><world name='w'><include><uri>rope.xml</uri><name>one</name><pose>1 0 "
        "0 0 0 0</pose>"
        "</include></world></sdf>",
        encoding="utf-8",
    )
    (tmp_path / "w.dmd.yaml").write_text(
        "directives:\n- add_model: {name: one, file: rope.xml}\n", encoding="utf-8"
    )
    for name, x in (("w.sdf", 1.0), ("w.dmd.yaml", 0.0)):
        links = {link.name: link for link in loaders.load(tmp_path / name, quiet=True).links}
        assert links["one::rod_1"].X_WL.p.tolist() == [x, 0.0, -0.2]


def test_errors_and_unread_content_are_reported_as_in_our_formats(site: Path) -> None:
    scene = loaders.load_string('<chain length="1" color="red"/>', format="chain", quiet=True)
    assert [entry.code for entry in scene.diagnostics] == ["xml.unread"]
    with pytest.raises(LoadError) as caught:
        loaders.load_string('\n<chain count="0" length="1"/>', format="chain")
    assert [(entry.code, entry.where.line) for entry in caught.value.diagnostics] == [
        ("chain.count", 2)
    ]


@pytest.mark.parametrize(
    ("tag", "reason"), [("broken", "AttributeError"), ("odd", "returned no scene and no error")]
)
def test_a_reader_that_fails_is_an_error_of_the_load(tag: str, reason: str, site: Path) -> None:
    with pytest.raises(LoadError, match=reason) as caught:
        loaders.load_string(f"<{tag}/>", format=tag)
    assert [entry.code for entry in caught.value.diagnostics] == ["file.reader"]


def test_an_unknown_root_element_names_the_registered_ones(site: Path) -> None:
    with pytest.raises(LoadError, match="<chain>"):
        loaders.load_string("<html/>", format="sdf")
    with pytest.raises(ValueError, match=r"unknown format 'html'; expected one of: sdf, .*chain"):
        loaders.load_string("<html/>", format="html")
    assert registered_reader("html") is None
    assert {"chain", "broken"} <= set(registered_tags())


def test_our_readers_are_registered_too() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = project["entry-points"][ENTRY_POINTS].items()
    assert dict(points) == {tag: reader.target for tag, reader in _XML_READERS.items()}


def test_a_scene_that_a_package_keeps_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = loaders.Scene(name="kept")
    point = SimpleNamespace(
        name="kept", value="package:read", load=lambda: lambda root, context: kept
    )
    monkeypatch.setattr("loaders.formats._entry_points", lambda: [point])
    scene = loaders.load_string("<kept/>", format="kept", base="folder")
    assert scene.source == os.path.join("folder", "<string>.kept")
    assert kept.source == ""

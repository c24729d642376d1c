"""Invalid files: each raises one error with code, place, message and remedy, and never a
traceback.
"""

from __future__ import annotations

import errno
import gzip
import pickle
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import bridge
import loaders
from bridge.diagnostic_codes import CODES
from tests.support.command_line import call

LINK = "<link name='{}'/>"
MASSES = (
    "<inertial><mass>{}</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
)
URDF_JOINT = "<joint name='{0}' type='fixed'><parent link='{1}'/><child link='{2}'/></joint>"
SDF_JOINT = "<joint name='{0}' type='fixed'><parent>{1}</parent><child>{2}</child></joint>"


@dataclass(frozen=True)
class Bad:
    """An invalid file.

    Attributes:
        name: Name of the file.
        code: Code of the error.
        content: The file.
        lines: Lines of which the error must name one.
        words: Words that the text of the error must contain.
    """

    name: str
    code: str
    content: str | bytes
    lines: tuple[int, ...]
    words: tuple[str, ...]


def sdf(*lines: str) -> str:
    """Return an SDFormat model; the first of ``lines`` is line 3 of the file."""
    return "\n".join(["<sdf version='1.11'>", "<model name='m'>", *lines, "</model>", "</sdf>"])


def urdf(*lines: str) -> str:
    """Return a URDF robot; the first of ``lines`` is line 2 of the file."""
    return "\n".join(["<robot name='r'>", *lines, "</robot>"])


BAD = [
    Bad(
        "duplicate_link.sdf",
        "sdf.duplicate-name",
        sdf(LINK.format("arm"), LINK.format("arm")),
        (4,),
        ("arm",),
    ),
    Bad(
        "duplicate_link.urdf",
        "urdf.duplicate-name",
        urdf(LINK.format("arm"), LINK.format("arm")),
        (3,),
        ("arm",),
    ),
    Bad(
        "missing_link.sdf",
        "sdf.joint-child",
        sdf(LINK.format("arm"), SDF_JOINT.format("j", "arm", "hand")),
        (4,),
        ("hand",),
    ),
    Bad(
        "missing_link.urdf",
        "urdf.unknown-link",
        urdf(LINK.format("arm"), URDF_JOINT.format("j", "arm", "hand")),
        (3,),
        ("hand",),
    ),
    Bad(
        "frame_cycle.sdf",
        "sdf.pose-cycle",
        sdf(
            LINK.format("arm"),
            "<frame name='one'><pose relative_to='two'/></frame>",
            "<frame name='two'><pose relative_to='one'/></frame>",
        ),
        (4, 5),
        ("one", "two"),
    ),
    Bad(
        "attachment_cycle.sdf",
        "sdf.attached-to-cycle",
        sdf(
            LINK.format("arm"),
            "<frame name='one' attached_to='two'/>",
            "<frame name='two' attached_to='one'/>",
        ),
        (4, 5),
        ("one", "two"),
    ),
    Bad(
        "loop.urdf",
        "urdf.two-parents",
        urdf(
            *(LINK.format(name) for name in "abc"),
            URDF_JOINT.format("ab", "a", "b"),
            URDF_JOINT.format("bc", "b", "c"),
            URDF_JOINT.format("ac", "a", "c"),
        ),
        (7,),
        ("c", "bc", "ac"),
    ),
    Bad(
        "ring.urdf",
        "urdf.loop",
        urdf(
            *(LINK.format(name) for name in "ab"),
            URDF_JOINT.format("ab", "a", "b"),
            URDF_JOINT.format("ba", "b", "a"),
        ),
        (4, 5),
        ("a", "b"),
    ),
    Bad(
        "nan_mass.sdf",
        "xml.not-finite",
        sdf(f"<link name='arm'>{MASSES.format('nan')}</link>"),
        (3,),
        ("nan",),
    ),
    Bad(
        "nan_mass.urdf",
        "xml.not-finite",
        urdf(
            "<link name='arm'><inertial>",
            "<mass value='nan'/>",
            "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>",
            "</inertial></link>",
        ),
        (3,),
        ("nan",),
    ),
    Bad("words.txt", "xml.syntax", "this is not XML", (1,), ("XML",)),
    Bad("cut_off.sdf", "xml.syntax", sdf(LINK.format("arm"))[:-8], (4,), ("XML",)),
    Bad("empty.urdf", "xml.syntax", "", (1,), ("XML",)),
    Bad("other.xml", "file.unknown-format", "<html>\n</html>", (1,), ("html", "sdf")),
    Bad(
        "doctype.urdf",
        "xml.doctype",
        "<!DOCTYPE robot [<!ENTITY m '1'>]>\n" + urdf(LINK.format("arm")),
        (1,),
        ("DOCTYPE",),
    ),
    Bad(
        "packed.sdf",
        "file.compressed",
        gzip.compress(sdf(LINK.format("arm")).encode(), mtime=0),
        (),
        ("compressed", "decompress"),
    ),
]


@pytest.fixture(params=BAD, ids=lambda bad: bad.name)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Bad, Path]:
    bad = request.param
    path = tmp_path / bad.name
    path.write_bytes(bad.content if isinstance(bad.content, bytes) else bad.content.encode())
    return bad, path


def test_an_error_names_the_file_the_line_and_what_is_wrong(case: tuple[Bad, Path]) -> None:
    bad, path = case
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path)
    errors = [entry for entry in caught.value.diagnostics if entry.severity == "error"]
    assert [entry.code for entry in errors] == [bad.code]
    assert errors[0].where.file == str(path)
    assert errors[0].where.line in (bad.lines or (0,))
    text = str(caught.value)
    for word in bad.words:
        assert re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE), text
    assert f"[{bad.code}]" in text.splitlines()[0]


def test_every_error_states_a_remedy_or_what_was_expected(case: tuple[Bad, Path]) -> None:
    _, path = case
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path)
    errors = [entry for entry in caught.value.diagnostics if entry.severity == "error"]
    assert errors
    assert [entry for entry in errors if not (entry.hint or CODES[entry.code].remedy)] == []


def test_the_command_line_prints_the_error_and_ends_with_one(case: tuple[Bad, Path]) -> None:
    bad, path = case
    run = call("check", path)
    assert run.returncode == 1, run.stderr
    assert "Traceback" not in run.stdout + run.stderr
    assert bad.name in run.stdout + run.stderr


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(tmp_path / "nowhere.sdf")
    (entry,) = caught.value.diagnostics
    assert entry.where.file == str(tmp_path / "nowhere.sdf")
    assert entry.code == "file.unreadable"
    assert entry.hint


def test_a_missing_file_is_one_error_for_every_caller(tmp_path: Path, bullet_client: int) -> None:
    def into_pybullet(path: Path) -> object:
        return bridge.load_into_pybullet(path, physicsClientId=bullet_client)

    for read in (loaders.load, bridge.to_mjcf, bridge.compare, into_pybullet):
        for path in (tmp_path / "nowhere.sdf", Path("nowhere.sdf")):
            with pytest.raises(loaders.LoadError, match=r"nowhere\.sdf") as caught:
                read(path)
            assert isinstance(caught.value, FileNotFoundError)
            assert isinstance(caught.value, ValueError)
            assert caught.value.errno == errno.ENOENT
            assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    (tmp_path / "empty.sdf").touch()
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(tmp_path / "empty.sdf")
    assert not isinstance(caught.value, OSError)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(tmp_path)
    assert [entry.code for entry in caught.value.diagnostics] == ["file.unreadable"]
    assert "name a file in the folder" in str(caught.value)
    assert not isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("name", ["a.xml", "a.sdf", "a.urdf", "a.dmd.yaml", "a.yaml"])
@pytest.mark.parametrize("head", ["", "\ufeff", "<?xml version='1.0'?>\n<!-- a mesh -->\n"])
def test_an_unknown_root_element_is_named_with_those_that_are_known(
    name: str, head: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(f"{head}<mesh><vertex/></mesh>", encoding="utf-8")
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(tmp_path / name)
    (entry,) = caught.value.diagnostics
    assert (entry.code, entry.arguments["tag"]) == ("file.unknown-format", "mesh")
    assert {"<sdf>", "<robot>", "<mujoco>"} <= set(entry.arguments["known"])
    assert entry.where.line == head.count("\n") + 1


def test_yaml_that_merges_a_mapping_is_no_xml(tmp_path: Path) -> None:
    (tmp_path / "a.dmd.yaml").write_text("<<: {directives: []}\n")
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(tmp_path / "a.dmd.yaml")
    assert all(entry.code.startswith("directives.") for entry in caught.value.diagnostics)


def test_one_error_holds_all_the_problems_of_an_sdf_file(tmp_path: Path) -> None:
    path = tmp_path / "many.sdf"
    path.write_text(
        sdf(
            f"<link name='arm'>{MASSES.format('nan')}</link>",
            LINK.format("arm"),
            LINK.format("hand"),
            SDF_JOINT.format("j", "arm", "nobody"),
            "<frame name='one'><pose relative_to='two'/></frame>",
            "<frame name='two'><pose relative_to='one'/></frame>",
            "<link name='far'><pose>0 0 x 0 0 0</pose></link>",
        )
    )
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path)
    lines = {entry.where.line for entry in caught.value.diagnostics if entry.severity == "error"}
    assert {3, 4, 6, 9} <= lines
    assert lines & {7, 8}


def test_one_error_holds_all_the_problems_of_a_urdf_file(tmp_path: Path) -> None:
    path = tmp_path / "many.urdf"
    path.write_text(
        urdf(
            (
                "<link name='arm'><inertial><mass value='nan'/><inertia ixx='1' iyy='1' "
                "izz='1'/></inertial></link>"
            ),
            LINK.format("arm"),
            LINK.format("hand"),
            URDF_JOINT.format("j", "arm", "nobody"),
            "<joint name='k' type='sliding'><parent link='arm'/><child link='hand'/></joint>",
        )
    )
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path)
    assert {
        entry.where.line for entry in caught.value.diagnostics if entry.severity == "error"
    } >= {2, 3, 5, 6}

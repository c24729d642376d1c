"""Findings in files that xacro expands name the place in the source, whose lines are counted in the
test.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders

pytest.importorskip("xacro")

HEAD = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
PART = f"""{HEAD}

  <xacro:macro name='part' params='n *block'>
    <link name='l${{n}}'>
      <inertial>
        <mass value='${{n}}'/>
        <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>
      </inertial>
      <visual><geometry><mesh filename='{{}}'/></geometry></visual>
      <xacro:insert_block name='block'/>
    </link>
  </xacro:macro>
</robot>"""


def line_of(text: str, words: str) -> int:
    """The line of a text, from 1, on which some words are."""
    (line,) = (i for i, content in enumerate(text.splitlines(), 1) if words in content)
    return line


def write(folder: Path, main: str, mesh: str = "nowhere.stl") -> tuple[Path, str]:
    """Write a file that includes the macro, in another folder; return it with its text."""
    (folder / "macros").mkdir()
    (folder / "macros/part.xacro").write_text(PART.replace("{}", mesh))
    text = (
        f"<?xml version='1.0'?>\n{HEAD}\n  <xacro:include "
        f"filename='macros/part.xacro'/>\n{main}\n</robot>"
    )
    (folder / "main.urdf.xacro").write_text(text)
    return folder / "main.urdf.xacro", text


def place(error: loaders.LoadError | loaders.Scene, code: str) -> tuple[str, int]:
    (found,) = (entry.where for entry in error.diagnostics if entry.code == code)
    return found.file, found.line


def test_an_element_that_is_passed_to_a_macro_has_its_own_place(tmp_path: Path) -> None:
    main, text = write(
        tmp_path,
        (
            "  <xacro:part n='1'>\n    <collision>\n    <geometry><box "
            "size='x'/></geometry></collision>\n  </xacro:part>"
        ),
    )
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(main, allow_xacro=True)
    assert place(caught.value, "xml.not-a-number") == (str(main), line_of(text, "<box"))


def test_a_mesh_of_a_macro_is_found_beside_the_main_file(tmp_path: Path) -> None:
    main, _ = write(
        tmp_path,
        (
            "  <xacro:part n='1'><visual><geometry><sphere "
            "radius='1'/></geometry></visual></xacro:part>"
        ),
    )
    scene = loaders.load(main, allow_xacro=True, quiet=True)
    macro = tmp_path / "macros/part.xacro"
    assert place(scene, "resource.not-found") == (str(macro), line_of(macro.read_text(), "<mesh"))
    (missing,) = loaders.resolve(main, allow_xacro=True)
    (tmp_path / "nowhere.stl").write_text("solid\nendsolid\n")
    (found,) = loaders.resolve(main, allow_xacro=True)
    for lookup in (missing, found):
        assert (lookup.file, lookup.line) == (str(macro), line_of(macro.read_text(), "<mesh"))
    assert "resource.not-found" not in [
        x.code for x in loaders.load(main, allow_xacro=True, quiet=True).diagnostics
    ]


def test_a_link_of_a_macro_keeps_its_place_in_the_scene(tmp_path: Path) -> None:
    main, text = write(
        tmp_path,
        "  <link name='own'/>\n  <xacro:if value='1'>\n    <link name='kept'/>\n  </xacro:if>",
    )
    own, kept = loaders.load(main, allow_xacro=True, quiet=True).links
    assert (own.where.file, own.where.line) == (str(main), line_of(text, "'own'"))
    assert (kept.where.file, kept.where.line) == (str(main), line_of(text, "'kept'"))


def test_items_of_a_macro_of_another_file_have_their_places_there(tmp_path: Path) -> None:
    macro = tmp_path / "arm.xacro"
    macro.write_text(f"""{HEAD}
<xacro:macro name='segment' params='n parent'>
  <link name='l${{n}}'>
    <visual name='v'><geometry><sphere radius='1'/></geometry></visual>
    <collision name='c'><geometry><sphere radius='1'/></geometry></collision>
  </link>
  <joint name='j${{n}}' type='continuous'><parent link='${{parent}}'/><child link='l${{n}}'/></joint>
</xacro:macro>
</robot>""")
    main = tmp_path / "main.urdf.xacro"
    call = "<link name='base'/>\n<xacro:segment n='1' parent='base'/>"
    main.write_text(f"{HEAD}<xacro:include filename='arm.xacro'/>{call}</robot>")
    scene = loaders.load(main, allow_xacro=True, quiet=True)
    (base, link), (joint,) = scene.links, scene.joints
    assert base.where.file == str(main)
    items = (link, joint, *link.visuals, *link.collisions)
    words = ("<link", "<joint", "<visual", "<collision")
    assert [(item.where.file, item.where.line) for item in items] == [
        (str(macro), line_of(macro.read_text(), word)) for word in words
    ]
    assert joint.where.path == "/robot[r]/joint[j1]"


def test_a_name_that_is_taken_in_another_file_says_which(tmp_path: Path) -> None:
    macro = tmp_path / "arm.xacro"
    macro.write_text(
        f"{HEAD}\n<xacro:macro name='m'>\n\n  <link name='a'/>\n</xacro:macro></robot>"
    )
    main = tmp_path / "main.urdf.xacro"
    calls = "<xacro:m/>\n<link name='a'/>\n<link name='a'/>"
    main.write_text(f"{HEAD}<xacro:include filename='arm.xacro'/>\n{calls}</robot>")
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(main, allow_xacro=True)
    assert [
        (x.where.line, x.message)
        for x in caught.value.diagnostics
        if x.code == "urdf.duplicate-name"
    ] == [(line, f"duplicate link name a; the first is in {macro}:4") for line in (3, 4)]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("<link name='${1+}'/>", "xacro.failed"),
        ("<xacro:if value='${nothing}'><link name='k'/></xacro:if>", "xacro.failed"),
        ("<xacro:property value='1'/>", "xacro.failed"),
        ("<xacro:prat n='1'/>", "xacro.unknown-macro"),
        ("<xacro:part m='1'><link name='k'/></xacro:part>", "xacro.failed"),
    ],
)
def test_an_error_of_xacro_has_the_line_where_it_is(
    content: str, code: str, tmp_path: Path
) -> None:
    main, text = write(tmp_path, f"  <link name='a'/>\n  {content}\n  <link name='b'/>")
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(main, allow_xacro=True)
    assert place(caught.value, code) == (str(main), line_of(text, content))


def test_an_error_in_a_macro_has_the_line_of_the_macro(tmp_path: Path) -> None:
    main, _ = write(
        tmp_path, "  <xacro:part n='1'><link name='k'/></xacro:part>", mesh="${missing}"
    )
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(main, allow_xacro=True)
    macro = tmp_path / "macros/part.xacro"
    assert place(caught.value, "xacro.failed") == (str(macro), line_of(macro.read_text(), "<mesh"))

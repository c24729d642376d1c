"""What MuJoCo refuses is reported in one go, each error at its line; its warnings reach the right
handler.
"""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders.diagnostics import Diagnostic
from loaders.mjcf import compiler
from loaders.mjcf.compiler import MAX_CHARACTERS, MAX_REFUSALS, engine_warnings
from tests.support.mjcf_documents import BALL, document, problems, written
from tests.support.seeds import seeds

# Everything that MuJoCo refuses in a document is reported in one go, each error at its line of the
# source.

ROBOT = """<mujoco>
<compiler angle="radian"/>
<default><default class="thick"><geom size="1"/></default></default>
<worldbody>
<body name="a" pos="0 0 1">
<geom name="ga" type="box" size="1 1 1"/>
<joint name="j" axis="0 0 1"/>
<body name="b"><geom class="thick"/>
<joint name="k" type="slide"/></body>
</body>
</worldbody>
<contact><exclude body1="a" body2="b"/></contact>
<actuator>
<motor joint="j"/>
<motor joint="k"/>
</actuator>
<sensor>
<jointpos joint="j"/></sensor>
</mujoco>"""
FAULTS = {
    2: ("angle=", "angel="),
    5: ("0 0 1", "0 0"),
    6: ("box", "bx"),
    7: ("0 0 1", "0 0 0"),
    8: ("thick", "thin"),
    9: ('name="k"', 'name="k" range="1"'),
    12: ('b"/>', 'c"/>'),
    14: ("motor", "moter"),
    18: ('"j"', '"no"'),
}
"""A fault for a line of the robot."""


def refusals_problems(text: str, path: Path) -> list[tuple[int, str]]:
    path.write_text(text)
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(path)
    assert {entry.code for entry in caught.value.diagnostics} == {"mjcf-in.refused"}
    return [
        (entry.where.line, entry.message) for entry in sorted(caught.value.diagnostics, key=_line)
    ]


def _line(entry: Diagnostic) -> int:
    return entry.where.line


def with_faults(*lines: int) -> str:
    texts = ROBOT.split("\n")
    for line in lines:
        assert FAULTS[line][0] in texts[line - 1]
        texts[line - 1] = texts[line - 1].replace(*FAULTS[line], 1)
    return "\n".join(texts)


def test_the_robot_without_faults_is_read() -> None:
    assert len(loaders.load_string(ROBOT, format="mjcf").joints) == 2


@pytest.mark.parametrize("seed", seeds(6))
def test_each_of_several_faults_is_reported_at_its_line(seed: int, tmp_path: Path) -> None:
    lines = sorted(random.Random(seed).sample(sorted(FAULTS), 1 + seed))
    assert [line for line, _ in refusals_problems(with_faults(*lines), tmp_path / "r.xml")] == lines


def test_the_message_names_the_element_and_no_line_of_the_text_that_mujoco_gets(
    tmp_path: Path,
) -> None:
    text = with_faults(6, 7).replace("<worldbody>", "<!-- a\ncomment -->\n\n<worldbody>")
    assert refusals_problems(text, tmp_path / "r.xml") == [
        (9, "MuJoCo refuses <geom>: invalid keyword: 'bx'"),
        (10, "MuJoCo refuses <joint>: axis too small in joint"),
    ]


def test_what_only_follows_from_an_error_is_not_reported(tmp_path: Path) -> None:
    found = refusals_problems(
        with_faults(7), tmp_path / "r.xml"
    )  # without the joint, line 14 and line 18 refer to nothing
    assert [line for line, _ in found] == [7]


def test_a_repeated_name_hides_no_error_inside(tmp_path: Path) -> None:
    bodies = '<body name="a"/>\n<body name="a"><geom type="bx"/>\n<geom material="m"/></body>'
    found = refusals_problems(
        f"<mujoco><worldbody>\n{bodies}</worldbody></mujoco>", tmp_path / "r.xml"
    )
    assert {line for line, _ in found} == {3, 4}
    assert any("repeated name 'a'" in text for _, text in found)


TEXTS = {
    "keyframes of wrong sizes": (
        '<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody>\n<keyframe>\n<key '
        'qpos="1 2"/>\n'
        '<key name="a" qpos="1"/>\n<key name="b" qvel="1 2 3" ctrl="1"/></keyframe></mujoco>',
        [3, 5, 5],
    ),
    "muscles whose ranges MuJoCo does not find": (
        '<mujoco><worldbody><body><joint name="j"/><geom '
        'size=".1"/></body></worldbody>\n<actuator>\n'
        '<motor joint="j"/>\n<muscle joint="j"/>\n<muscle joint="j"/></actuator></mujoco>',
        [4, 5],
    ),
    "bodies without mass in one another": (
        '<mujoco><worldbody>\n<body><joint/>\n<body><joint/>\n<body><joint/><inertial pos="0 0 0" '
        'mass="0"/>\n'
        "</body></body></body></worldbody></mujoco>",
        [2, 3, 4],
    ),
    "an error in the defaults, of which elements have their size": (
        '<mujoco><default>\n<geom sise=".1"/></default><worldbody>\n<geom/>\n<body><joint axis="0 '
        '0 0"/><geom/></body>'
        "</worldbody></mujoco>",
        [2, 4],
    ),
    "a missing class of children, with errors among them": (
        '<mujoco><worldbody>\n<body childclass="c">\n<geom/>\n<geom class="d"/>\n<joint/>\n<geom '
        'material="m"/></body>'
        "</worldbody></mujoco>",
        [2, 4, 6],
    ),
    "an actuator that a keyframe counts": (
        '<mujoco><worldbody><body><joint name="j"/><geom '
        'size=".1"/></body></worldbody><actuator><motor joint="j"/>\n'
        '<motor joint="k"/></actuator>\n<keyframe><key ctrl="1 2"/></keyframe></mujoco>',
        [2],
    ),
    "two orientations, with an error inside": (
        (
            '<mujoco><worldbody>\n<body quat="1 0 0 0" euler="1 0 0">\n<geom '
            'size="-1"/></body></worldbody></mujoco>'
        ),
        [2, 3],
    ),
}
"""Documents with the lines of their errors."""


@pytest.mark.parametrize(("text", "lines"), TEXTS.values(), ids=TEXTS)
def test_all_errors_and_no_others_are_reported(text: str, lines: list[int], tmp_path: Path) -> None:
    assert [line for line, _ in refusals_problems(text, tmp_path / "r.xml")] == lines


def test_errors_of_included_and_of_attached_files_have_their_places(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(
        '<mujocoinclude>\n\n<body><geom siz="1"/></body></mujocoinclude>'
    )
    (tmp_path / "hand.xml").write_text(
        '<mujoco>\n<worldbody>\n<body name="p"><geom typ="box"/></body></worldbody></mujoco>'
    )
    main = tmp_path / "main.xml"
    main.write_text(
        '<mujoco><asset><model name="h" file="hand.xml"/></asset>\n<worldbody><include '
        'file="part.xml"/>\n'
        '<frame><attach model="h" body="p" prefix="x"/></frame>\n<geom '
        'sizes="1"/></worldbody></mujoco>'
    )
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load(main)
    places = {(Path(entry.where.file).name, entry.where.line) for entry in caught.value.diagnostics}
    assert places == {("part.xml", 3), ("hand.xml", 3), ("main.xml", 4)}


def test_the_search_ends_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mesh that MuJoCo makes in seconds may stand in a document of a few lines."""
    monkeypatch.setattr(compiler, "MAX_SECONDS", 0.0)
    assert len(refusals_problems(with_faults(6, 7, 9), tmp_path / "r.xml")) == 1


def test_the_search_ends(tmp_path: Path) -> None:
    geoms = "\n".join(['<geom siz="1"/>'] * 100)
    document = "<mujoco><worldbody>{}{}</worldbody></mujoco>"
    assert len(refusals_problems(document.format(geoms, ""), tmp_path / "r.xml")) == MAX_REFUSALS
    filler = '<site pos="1.00000 2.00000 3.00000"/>' * (MAX_CHARACTERS // 30)
    assert len(refusals_problems(document.format(geoms, filler), tmp_path / "r.xml")) == 1


def test_braces_in_a_message_are_text(tmp_path: Path) -> None:
    ((_, message),) = refusals_problems(
        '<mujoco><worldbody><geom type="{x} {0}"/></worldbody></mujoco>', tmp_path / "r.xml"
    )
    assert "{x} {0}" in message


def test_a_long_cable_is_not_compiled_again_without_its_error(tmp_path: Path) -> None:
    """MuJoCo's time for a chain grows with the third power of its length; 500 parts take seconds of
    the processor.
    """
    text = """<mujoco><worldbody><composite type="cable" prefix="c" curve="s" count="500 1 1" size="1" unknown="1">
<joint kind="main"/><geom type="capsule" size=".005"/></composite></worldbody></mujoco>"""
    start = time.process_time()
    found = refusals_problems(text, tmp_path / "cable.xml")
    assert [message for _, message in found if "unrecognized attribute: 'unknown'" in message]
    assert time.process_time() - start < 1.0


# Errors that are found before MuJoCo is asked, together with what MuJoCo refuses.

WRONG = f'<body><joint name="j" axes="1 0 0"/>{BALL}</body>'
"""A joint with an attribute that MuJoCo does not have."""
UNKNOWN = '<actuator><motor joint="of the missing file"/></actuator>'
REFUSED = "mjcf-in.refused"


def codes(folder: Path, text: str, **files: str) -> list[str]:
    return sorted(problem.code for problem in problems(written(folder, text, **files)))


def test_a_number_that_is_none_and_a_refusal_are_both_reported(tmp_path: Path) -> None:
    text = document(
        f'{WRONG}\n<body pos="nan 0 0">{BALL}</body>\n<body pos="0 inf 0">{BALL}</body>', UNKNOWN
    )
    assert codes(tmp_path, text) == ["mjcf-in.not-finite", "mjcf-in.not-finite", REFUSED, REFUSED]


def test_of_a_document_without_an_included_file_only_what_does_not_follow_is_reported(
    tmp_path: Path,
) -> None:
    text = document(f'<include file="gone.xml"/>\n{WRONG}', UNKNOWN)
    assert codes(tmp_path, text) == ["mjcf-in.include", REFUSED]


def test_what_is_wrong_about_the_same_element_is_not(tmp_path: Path) -> None:
    """With 1 in the place of NaN the limits are refused, which says nothing about the file."""
    text = document(f'\n<body><joint range="nan 0.5" limited="true"/>{BALL}</body>\n')
    assert codes(tmp_path, text) == ["mjcf-in.not-finite"]


def test_what_is_wrong_about_an_element_in_the_same_line_is(tmp_path: Path) -> None:
    text = document(
        f"<body>{BALL}</body>", '<option timestep="nan"><flag gravty="disable"/></option>'
    )
    assert codes(tmp_path, text) == ["mjcf-in.not-finite", REFUSED]


def test_mujoco_is_not_asked_about_what_is_too_large(tmp_path: Path) -> None:
    assert REFUSED not in codes(tmp_path, document(WRONG, '<size nuserdata="2000000000"/>'))


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("/etc/passwd", "resource.outside"),
        ("gone.xml", "resource.not-found"),
        ("part.xml", "xml.syntax"),
    ],
)
def test_without_an_attached_model_the_rest_of_the_text_is_judged(
    file: str, expected: str, tmp_path: Path
) -> None:
    section = f'<asset><model name="m" file="{file}"/></asset>'
    text = document(f'{WRONG}<attach model="m" body="b" prefix="p"/>', section)
    found = codes(tmp_path, text, part_xml="<mujoco><worldbody>")
    assert REFUSED in found
    assert set(found) <= {"mjcf-in.include", REFUSED, expected}
    assert found.count(REFUSED) == 1


# MuJoCo's warnings go to the block of their thread, to the caller's handler elsewhere, and never to
# a file.

FAR = """<sdf version="1.9"><model name="m"><link name="l"><inertial><pose>1e6 1e6 1e6 0 0 0</pose><mass>10</mass>
<inertia><ixx>1e-11</ixx><iyy>1e-11</iyy><izz>1e-11</izz></inertia></inertial></link></model></sdf>"""
"""A link of whose mass matrix newer versions of MuJoCo say that it is almost singular."""


ENGINE_WARNINGS_BALL = (
    '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'
)


def warn() -> None:
    """Let MuJoCo warn of a position that is not a number."""
    model = mujoco.MjModel.from_xml_string(ENGINE_WARNINGS_BALL)
    data = mujoco.MjData(model)
    data.qpos[0] = np.nan
    mujoco.mj_step(model, data)


def test_an_export_leaves_no_file_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bridge.export_mjcf(loaders.load_string(FAR, format="sdf", quiet=True), "out", quiet=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    warn()  # MuJoCo itself does leave one
    assert (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_nested_blocks_collect_their_own_warnings_and_give_the_handler_back() -> None:
    outer: list[str] = []
    inner: list[str] = []
    with engine_warnings(mujoco, outer):
        warn()
        with engine_warnings(mujoco, inner):
            warn()
        warn()
    assert (len(outer), len(inner)) == (2 * len(inner), len(inner))
    assert "QPOS" in inner[0]
    assert mujoco.get_mju_user_warning() is None


def test_blocks_that_overlap_in_threads_give_the_callers_handler_back() -> None:
    """The first block ends last; the warnings of a thread without a block reach the caller's
    handler meanwhile.
    """
    heard: list[str] = []
    found: dict[str, list[str]] = {"first": [], "second": []}
    entered, left = threading.Event(), threading.Event()

    def first() -> None:
        with engine_warnings(mujoco, found["first"]):
            entered.set()
            left.wait(10)
            warn()

    mujoco.set_mju_user_warning(heard.append)
    try:
        thread = threading.Thread(target=first)
        thread.start()
        assert entered.wait(10)
        with engine_warnings(mujoco, found["second"]):
            warn()
        warn()
        left.set()
        thread.join()
        count = len(heard)
        warn()
    finally:
        mujoco.set_mju_user_warning(None)
    assert len(found["first"]) == len(found["second"]) == count > 0
    assert len(heard) == 2 * count

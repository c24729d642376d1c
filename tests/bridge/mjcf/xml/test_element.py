"""The text of MJCF elements: indentation, escaping, order of attributes."""

from __future__ import annotations

from itertools import pairwise

import mujoco

from bridge.targets.mjcf.context import MjcfElement, write


def test_text_is_indented_escaped_and_in_order():
    root = MjcfElement("mujoco", model='a "b" <c> & d')
    root.add("option", timestep=0.001, gravity=(0.0, 0.0, -9.8), none=None)
    assert write(root, ["one -- two"]) == (
        "<!-- one - - two -->\n"
        '<mujoco model="a &quot;b&quot; &lt;c&gt; &amp; d">\n\n'
        '  <option timestep="0.001" gravity="0 0 -9.8"/>\n'
        "</mujoco>\n"
    )


def test_a_line_ends_where_the_next_attribute_does_not_fit_into_110_columns() -> None:
    for length in range(8, 60):
        lines = write(
            MjcfElement("geom", **{f"a{i}": "x" * length for i in range(6)}), []
        ).splitlines()
        assert max(map(len, lines)) <= 110
        for line, following in pairwise(lines):
            assert len(f"{line} {following.split()[0]}") > 110


def test_mujoco_reads_a_document_without_comments_whose_sections_stand_apart() -> None:
    root = MjcfElement("mujoco")
    root.add("option", timestep=0.25)
    root.add("worldbody").add("body", name="ball").add("geom", size=1.0)
    text = write(root)
    model = mujoco.MjModel.from_xml_string(text)
    assert (model.opt.timestep, model.body("ball").id) == (0.25, 1)
    assert [section.split()[0] for section in text.split("\n\n")] == [
        "<mujoco>",
        "<option",
        "<worldbody>",
    ]

"""The text of MJCF elements: indentation, escaping, order of attributes."""

from __future__ import annotations

from bridge.mjcf.xml.element import Element, write


def test_text_is_indented_escaped_and_in_order():
    root = Element("mujoco", model='a "b" <c> & d')
    root.add("option", timestep=0.001, gravity=(0.0, 0.0, -9.8), none=None)
    assert write(root, ["one -- two"]) == (
        "<!-- one - - two -->\n"
        '<mujoco model="a &quot;b&quot; &lt;c&gt; &amp; d">\n\n'
        '  <option timestep="0.001" gravity="0 0 -9.8"/>\n'
        "</mujoco>\n"
    )

"""Random documents are read or refused with a LoadError."""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

import loaders
from loaders import LoadError
from tests.support.xml_nodes import FUZZ

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


@FUZZ
@given(
    st.sampled_from(["1.0", "1.2", "1.4", "1.6", "1.7", "1.12", "7"]),
    st.lists(ELEMENTS, max_size=4),
)
def test_any_tree_of_known_words_is_read_or_refused(version: str, body: list[str]) -> None:
    load_or_refuse(f"<sdf version='{version}'><world name='w'>{''.join(body)}</world></sdf>")
    load_or_refuse(f"<sdf version='{version}'><model name='m'>{''.join(body)}</model></sdf>")
    load_or_refuse(f"<sdf version='{version}'>{''.join(body)}</sdf>")


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

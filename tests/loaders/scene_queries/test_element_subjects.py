"""Subjects of elements without a name that connect others; ``tests/loaders/test_node.py`` has those
with a name.
"""

from __future__ import annotations

import pytest

import loaders

SPRING = (
    "<drake:linear_spring_damper><drake:linear_spring_damper_body_A{}<drake:linear_spring_damper_body_B{}"
    "<nonsense/></drake:linear_spring_damper>"
)
TENDON = (
    "<drake:tendon_constraint><drake:tendon_constraint_joint name='j' "
    "a='1'/><nonsense/></drake:tendon_constraint>"
)
JOINT = (
    "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 "
    "1</xyz></axis></joint>"
)
LINKS = "<link name='a'/><link name='b'/>"


def in_text(name: str, tag: str) -> str:
    return f">{name}</drake:linear_spring_damper_{tag}>"


def sdf(body: str, around: str = "{}") -> str:
    model = f"<model name='m'>{LINKS}{JOINT}{body}</model>"
    return f"<sdf version='1.11' xmlns:drake='http://drake.mit.edu'>{around.format(model)}</sdf>"


SDF_SPRING = SPRING.format(in_text("a", "body_A"), in_text("b", "body_B"))
SPRING_TO_WORLD = SPRING.format(in_text("world", "body_A"), in_text("b", "body_B"))
URDF_SPRING = SPRING.format(" name='a'/>", " name='b'/>")


@pytest.mark.parametrize(
    ("text", "form", "subjects"),
    [
        (sdf(SDF_SPRING), "sdf", ("a", "b")),
        (sdf(SPRING_TO_WORLD), "sdf", ("b",)),
        (sdf(TENDON), "sdf", ("j",)),
        (sdf(SDF_SPRING, "<world name='w'>{}</world>"), "sdf", ("m::a", "m::b")),
        (
            f"<robot name='m' xmlns:drake='http://drake.mit.edu'>{LINKS}{URDF_SPRING}</robot>",
            "urdf",
            ("a", "b"),
        ),
    ],
)
def test_an_element_that_connects_others_has_them_as_subjects(
    text: str, form: str, subjects: tuple[str, ...]
) -> None:
    with pytest.raises(loaders.LoadError) as caught:
        loaders.load_string(text, format=form)
    diagnostics = caught.value.diagnostics
    assert {entry.subjects for entry in diagnostics if entry.code.startswith("drake.")} == {
        subjects
    }

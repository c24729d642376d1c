"""Scoped names, and subjects of elements without a name."""

from __future__ import annotations

import pytest

import loaders
from loaders.model import WORLD, Link, Model
from loaders.pose import IDENTITY
from loaders.scene import Scene
from loaders.scoped_names import (
    Form,
    UnusedNames,
    from_1,
    from_2,
    local_name,
    outermost_scope,
    root_model,
    underscores_behind,
    underscores_in_front,
    unused_name,
)

# Scoped names, and the rule that tells a scene of one model from a world.


def _scene(name: str, canonical_link: str | None, links: dict[str, str]) -> Scene:
    return Scene(
        name=name,
        models=(Model(name="m", X_WM=IDENTITY, canonical_link=canonical_link),),
        links=tuple(Link(name=link, model=model, X_WL=IDENTITY) for link, model in links.items()),
    )


def test_parts_of_a_scoped_name() -> None:
    assert (local_name("a::b::c"), outermost_scope("a::b::c")) == ("c", "a")
    assert (local_name("c"), outermost_scope("c")) == ("c", "c")


@pytest.mark.parametrize(
    ("scene", "is_one_model"),
    [
        (_scene("m", "a", {"a": "m"}), True),
        (_scene("other", "a", {"a": "m"}), True),
        (_scene("w", "m::a", {"m::a": "m"}), False),
        (_scene("m", "m::a", {"m::a": "m"}), False),
        (_scene("m", "n::a", {"n::a": "n"}), True),
        (_scene("w", "m::n::a", {"m::n::a": "m::n"}), False),
        (_scene("m", None, {}), True),
        (_scene("w", None, {}), False),
        (_scene("w", "m::a", {WORLD: "m", "m::a": "m"}), False),
        (Scene(name="w"), False),
    ],
    ids=str,
)
def test_only_a_scene_of_one_model_leaves_out_its_scope(scene: Scene, is_one_model: bool) -> None:
    assert (root_model(scene) is not None) == is_one_model


def test_files_of_one_model_and_worlds_differ() -> None:
    body = '<model name="m"><link name="a"/></model>'
    one = loaders.load_string(f'<sdf version="1.9">{body}</sdf>', format="sdf")
    world = loaders.load_string(
        f'<sdf version="1.9"><world name="m">{body}</world></sdf>', format="sdf"
    )
    assert root_model(one) is one.models[0]
    assert root_model(world) is None


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (from_2, ["a", "a_2", "a_4", "b"]),
        (from_1, ["a", "a_1", "a_2", "b"]),
        (underscores_behind, ["a", "a_", "a__", "b"]),
        (underscores_in_front, ["a", "_a", "__a", "b"]),
    ],
)
def test_names_that_are_taken_get_the_next_form(form: Form, expected: list[str]) -> None:
    unused = UnusedNames({"a_3"}, form)
    assert [unused.claim(name) for name in ("a", "a", "a", "b")] == expected


def test_many_names_with_one_preferred_name_take_linear_time() -> None:
    count = 1000
    tried: list[str] = []
    taken: set[str] = set()
    attempts: dict[str, int] = {}

    def is_taken(name: str) -> bool:
        tried.append(name)
        return name in taken

    for _ in range(count):
        taken.add(unused_name("a", is_taken, attempts=attempts))
    assert taken == {"a", *(f"a_{number}" for number in range(2, count + 1))}
    assert len(tried) < 2 * count


# Subjects of elements without a name that connect others; ``tests/loaders/test_nodes.py`` has those
# with a name.

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

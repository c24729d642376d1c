"""The softness of constraints is stated once, and by those that differ."""

from __future__ import annotations

from bridge.targets.mjcf.context import MjcfElement
from bridge.targets.mjcf.default import DEFAULT, hard, share_softness

SOFT = {"solref": "0.1 1", "solimp": "0.8 0.9 0.01"}


def limits(*stated: dict[str, str]) -> list[MjcfElement]:
    return [
        MjcfElement("joint", **{f"{name}limit": text for name, text in each.items()})
        for each in stated
    ]


def test_the_most_common_softness_is_that_of_the_class() -> None:
    members = limits(SOFT, {}, SOFT)
    assert share_softness(members, DEFAULT, "limit") == {
        "solreflimit": "0.1 1",
        "solimplimit": "0.8 0.9 0.01",
    }
    assert [member.attributes for member in members] == [
        {},
        {"solreflimit": "0.02 1", "solimplimit": "0.9 0.95 0.001"},
        {},
    ]


def test_constraints_that_state_none_are_hard_where_the_caller_says_so() -> None:
    members = limits({}, SOFT, {})
    assert share_softness(members, hard(0.001), "limit")["solreflimit"] == "0.002 1"
    assert members[0].attributes == {}
    assert members[1].attributes["solimplimit"] == "0.8 0.9 0.01"


def test_a_class_with_another_curve_does_not_shorten_its_members() -> None:
    curved = {"solref": "0.1 1", "solimp": "0.8 0.9 0.01 0.3 4"}
    members = limits(curved, curved, {})
    assert share_softness(members, DEFAULT, "limit")["solimplimit"] == "0.8 0.9 0.01 0.3 4"
    assert members[2].attributes["solimplimit"] == "0.9 0.95 0.001 0.5 2"


def test_the_default_needs_no_class() -> None:
    members = limits({}, {}, SOFT)
    assert share_softness(members, DEFAULT, "limit") == share_softness([], DEFAULT) == {}
    assert members[2].attributes == {"solreflimit": "0.1 1", "solimplimit": "0.8 0.9 0.01"}

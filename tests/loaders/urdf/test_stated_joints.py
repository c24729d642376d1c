"""Joints with errors are checked like the others, so that one reading finds every error."""

from __future__ import annotations

import loaders
from tests.support.urdf_documents import LINKS, codes, errors, fixed, robot

MIMIC = (
    "<joint name='{0}' type='continuous'><parent link='{1}'/><child link='{2}'/><mimic "
    "joint='{3}'/></joint>\n"
)


def test_a_joint_with_one_error_is_checked_for_the_others() -> None:
    joints = (
        fixed("j", "a", "b")
        + MIMIC.format("j", "b", "nowhere", "nothing")
        + fixed("k", "missing", "c")
        + "<joint type='fixed'><parent link='b'/><child link='c'/></joint>"
    )
    found = errors(LINKS + joints)
    assert set(found) == {
        "urdf.duplicate-name",
        "urdf.unknown-link",
        "urdf.mimic",
        "xml.missing",
        "urdf.two-parents",
    }
    assert len(found["urdf.unknown-link"]) == 2
    assert len(found["xml.missing"]) == 1


def test_a_leader_with_an_error_is_not_unknown() -> None:
    joints = MIMIC.format("k", "a", "b", "j") + MIMIC.format("j", "nowhere", "c", "k").replace(
        "<mimic joint='k'/>", ""
    )
    assert set(errors(LINKS + joints)) == {"urdf.unknown-link"}


def test_a_leader_of_an_unknown_type_is_not_compared() -> None:
    joints = fixed("j", "a", "b").replace("fixed", "hinge") + MIMIC.format("k", "b", "c", "j")
    assert set(errors(LINKS + joints)) == {"urdf.joint-type"}


def test_lenient_loading_says_nothing_about_the_mimic_of_a_joint_that_it_leaves_out() -> None:
    text = (
        f"<robot "
        f"name='r'>{LINKS}{fixed('i', 'a', 'b')}{fixed('k', 'b', 'c')}{MIMIC.format('j', 'a', 'x', 'y')}</robot>"
    )
    scene = loaders.load_string(text, format="urdf", lenient=True, quiet=True)
    assert codes(scene) == ["urdf.unknown-link"]


def test_a_link_of_a_taken_name_is_checked_too() -> None:
    again = "<link name='a'><visual><geometry><sphere radius='x'/></geometry></visual></link>"
    assert set(errors(LINKS + again + fixed("j", "a", "b") + fixed("k", "b", "c"))) == {
        "urdf.duplicate-name",
        "xml.not-a-number",
    }


def test_a_coupling_of_valid_joints_is_read() -> None:
    joints = MIMIC.format("k", "a", "b", "j") + MIMIC.format("j", "b", "c", "k").replace(
        "<mimic joint='k'/>", ""
    )
    assert [(c.follower, c.leader) for c in robot(LINKS + joints).couplings] == [("k", "j")]

"""Names: missing, reserved, duplicate and scoped."""

from __future__ import annotations

from tests.support.sdf import (
    error_codes,
    read_sdf,
)

CLASH = """<model name='m'><link name='base'/><link name='tip'/>
  <joint name='tip' type='fixed'><parent>base</parent><child>tip</child></joint></model>"""


def test_before_1_7_a_joint_with_the_name_of_a_link_is_renamed_and_references_mean_the_link() -> (
    None
):
    scene = read_sdf(CLASH, "1.6")
    (only,) = scene.joints
    assert (only.name, only.parent, only.child) == ("tip_joint", "base", "tip")
    assert any(entry.code == "sdf.name-clash" for entry in scene.diagnostics)


def test_a_renamed_element_is_a_subject_under_both_names() -> None:
    (entry,) = [
        entry for entry in read_sdf(CLASH, "1.6").diagnostics if entry.code == "sdf.name-clash"
    ]
    assert entry.subjects == ("tip_joint", "tip")


def test_duplicate_names_are_errors_for_links_always_and_for_joints_from_1_7_on() -> None:
    assert "sdf.duplicate-name" in error_codes(CLASH, "1.7")
    for version in ("1.5", "1.7", "1.12"):
        assert "sdf.duplicate-name" in error_codes(
            "<model name='m'><link name='l'/><link name='l'/></model>", version
        )


def test_from_1_8_on_a_name_with_a_separator_is_an_error() -> None:
    flat = "<model name='m'><link name='arm::upper'/></model>"
    assert error_codes(flat, "1.8") == {"sdf.scoped-name"}
    assert [link.name for link in read_sdf(flat, "1.7").links] == ["arm::upper"]

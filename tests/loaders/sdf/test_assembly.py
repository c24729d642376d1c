"""Scenes of whole files: single lights, unknown elements, and interface models."""

from __future__ import annotations

import pytest

from tests.support.sdf import (
    error_codes,
    read_sdf,
)


def test_a_file_can_contain_only_a_light() -> None:
    scene = read_sdf("<light name='sun' type='point'><pose>1 2 3 0 0 0</pose></light>")
    assert (scene.lights[0].name, scene.lights[0].X_LLight.p.tolist()) == ("sun", [1, 2, 3])


def test_elements_of_other_namespaces_are_noted() -> None:
    scene = read_sdf(
        "<model name='m' my:mark='1'><link name='a'/><my:thing><link name='x'/></my:thing></model>"
    )
    assert {entry.severity for entry in scene.diagnostics} == {"note"}
    assert len(scene.links) == 1


def test_an_unknown_element_is_a_warning_with_a_suggestion() -> None:
    scene = read_sdf("<model name='m'><link name='a'><inertail/></link></model>")
    assert [entry.code for entry in scene.diagnostics] == ["xml.unread"]
    assert "inertial" in scene.diagnostics[0].hint


@pytest.mark.parametrize(
    "body",
    [
        "<frame name='f' attached_to='f'/>",
        "<link name='k'><pose relative_to='k'/></link>",
        (
            "<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose "
            "relative_to='f'/></frame>"
        ),
        "<joint name='j' type='fixed'><parent>l</parent><child>l</child></joint>",
        (
            "<frame name='f' attached_to='l'/><joint name='j' "
            "type='fixed'><parent>f</parent><child>l</child></joint>"
        ),
        "<joint name='j' type='bend'><parent>l</parent><child>k</child></joint><link name='k'/>",
        "<joint name='j' type='fixed'><child>l</child></joint>",
        "<frame name='f' attached_to='__root__'/>",
        "<frame name='__f__'/>",
        "<link name=''/>",
        "<link/>",
        "<link name='k'><gravity>maybe</gravity></link>",
        "<link name='k'><inertial><mass>heavy</mass></inertial></link>",
        "<model name='n'><link name='x'><pose relative_to='l'/></link></model>",
        (
            "<model name='n'><link name='x'/></model><model name='o'><link name='y'><pose "
            "relative_to='n'/></link></model>"
        ),
        "<link name='k'/><joint name='j' type='revolute'><parent>l</parent><child>k</child>"
        "<axis><xyz>0 0 0</xyz></axis></joint>",
        "<include><uri>nothing_of_this_name</uri></include>",
        "<include/>",
    ],
)
def test_these_are_errors_in_a_model(body: str) -> None:
    assert error_codes(f"<model name='m'><link name='l'/>{body}</model>")


@pytest.mark.parametrize(
    "body",
    [
        "<frame name='___'/>",
        "<link name='k'><visual name='x'/><collision name='x'/></link>",
        "<link name='k'><gravity>TRUE</gravity><kinematic>0</kinematic></link>",
        "<link name='k'/><joint name='j' type='FIXED'><parent>l</parent><child>k</child></joint>",
        (
            "<link name='k'/><joint name='j' "
            "type='revolute'><parent>l</parent><child>k</child><axis/></joint>"
        ),
        "<link name='k'><inertial><mass>0x10</mass></inertial></link>",
        "<frame name='f' attached_to='n::__model__'/><model name='n'><link name='x'/></model>",
        "<my:own xmlns:my='urn:x' attribute='1'><deep/></my:own>",
    ],
)
def test_these_are_valid_in_a_model(body: str) -> None:
    read_sdf(f"<model name='m'><link name='l'/>{body}</model>")

"""``<experimental:params>``: changes of an included model."""

from __future__ import annotations

from pathlib import Path

import pytest

import loaders
from loaders.model import Box, Sphere, by_name
from tests.support.sdf import (
    findings_in,
    in_world,
    load_main,
)


def with_params(change: str) -> str:
    return in_world(
        f"<include><uri>arm</uri><pose/><experimental:params>{change}</experimental:params></include>"
    )


def test_changes_add_modify_replace_and_remove_elements(folder: Path) -> None:
    scene = load_main(
        folder,
        with_params(
            "<link element_id='' name='extra' action='add'><pose>0 0 8 0 0 0</pose></link>"
            "<link element_id='tip' action='modify'><pose>2 0 0 0 0 0</pose></link>"
            "<visual element_id='base::v'>"
            "<geometry action='replace'><sphere><radius>4</radius></sphere></geometry></visual>"
            "<visual element_id='tip' name='w' action='add'><geometry><box><size>1 1 "
            "1</size></box></geometry></visual>"
            "<frame element_id='own' action='remove'/>"
        ),
    )
    links = by_name(scene.links)
    assert links["arm::extra"].X_WL.p.tolist() == [0, 0, 8]
    assert links["arm::tip"].X_WL.p.tolist() == [2, 0, 0]
    assert links["arm::base"].visuals[0].geometry == Sphere(radius=4)
    assert links["arm::tip"].visuals[0].geometry == Box(size=(1, 1, 1))
    assert [frame.name for frame in scene.frames] == ["arm::grasp"]


@pytest.mark.parametrize(
    "change",
    [
        "<link/>",
        "<link element_id='nowhere' action='modify'/>",
        "<link element_id='tip::' action='modify'/>",
        "<link element_id='tip' action='paint'/>",
        "<link element_id='' action='add'/>",
        "<visual element_id='base' name='v' action='add'/>",
        "<visual element_id='nowhere' name='v' action='add'/>",
        "<visual element_id='base::v'><geometry><box/></geometry></visual>",
        "<visual element_id='base::v'><geometry action='paint'/></visual>",
        "<visual element_id='base::v'><material action='remove'/></visual>",
        "<link element_id='base'><visual action='replace'/></link>",
        "<link element_id='base' action='modify'><sensor/></link>",
        "<link element_id='base' action='remove'><sensor/></link>",
    ],
)
def test_a_change_that_cannot_be_applied_is_an_error_and_the_others_are_applied(
    folder: Path, change: str
) -> None:
    found = findings_in(
        folder, with_params(change + "<link element_id='tip' action='modify'><pose>x</pose></link>")
    )
    assert [entry.code for entry in found if entry.severity == "error"] == [
        "sdf.params",
        "sdf.pose-format",
    ]


def test_lenient_loading_leaves_out_a_change_of_an_element_that_is_not_there(folder: Path) -> None:
    """Such an element is often in a model that is on Gazebo Fuel only."""
    change = "<link element_id='tip' action='modify'><pose>2 0 0 0 0 0</pose></link>"
    scene = load_main(
        folder, with_params("<plugin element_id='motor' action='remove'/>" + change), lenient=True
    )
    assert by_name(scene.links)["arm::tip"].X_WL.p.tolist() == [2, 0, 0]
    skipped = [entry for entry in scene.diagnostics if entry.fate is loaders.Fate.SKIPPED]
    assert [entry.code for entry in skipped] == ["sdf.params"]

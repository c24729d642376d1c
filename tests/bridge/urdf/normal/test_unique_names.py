"""Names lose their scopes and stay unique; a joint has another name than a link only where Gazebo
confuses them.
"""

from __future__ import annotations

import bridge
from bridge.targets.urdf.names import free_item_name, plain_name
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import joint, link, scene


def test_plain_names() -> None:
    assert plain_name(" a::b\tc\x01 ", "link") == "a_b_c_"
    assert plain_name("", "link") == "link"
    assert free_item_name(scene([link("a")]), "a") == "a_2"


def test_scoped_names_that_become_equal() -> None:
    models = (m.Model(name="m", X_WM=IDENTITY, canonical_link="x_y"),)
    urdf = bridge.to_urdf(
        scene([link("x_y"), link("x::y")], [joint("j", "x_y", "x::y")], models=models)
    )
    assert urdf.names == {"x::y": "x_y_2"}


def test_a_joint_with_the_name_of_a_link() -> None:
    links = [link("a"), link("b")]
    assert bridge.to_urdf(scene(links, [joint("a", "a", "b")])).names == {}
    sprung = joint("a", "a", "b", axis={"spring_stiffness": 1.0})
    assert bridge.to_urdf(scene(links, [sprung])).names == {"joint a": "a_joint"}

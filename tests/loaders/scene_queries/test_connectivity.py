"""Connected components of links."""

from __future__ import annotations

import loaders
from loaders.collision_pairs import connected_components, is_connection, is_weld, static_links
from loaders.model import WORLD

TEXT = """<robot name="r">{links}
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="bc" type="continuous"><parent link="b"/><child link="c"/></joint>
<joint name="cd" type="floating"><parent link="c"/><child link="d"/></joint></robot>""".format(
    links="".join(f'<link name="{name}"/>' for name in "abcd")
)


def test_components_by_welds_and_by_connections() -> None:
    scene = loaders.load_string(TEXT, format="urdf")
    assert connected_components(scene, is_weld) == [[WORLD], ["a", "b"], ["c"], ["d"]]
    assert connected_components(scene, is_connection) == [[WORLD], ["a", "b", "c"], ["d"]]


def test_links_of_static_models_are_connected_to_the_world() -> None:
    text = (
        '<sdf version="1.9"><model name="m"><static>1</static><link name="a"/><link '
        'name="b"/></model></sdf>'
    )
    scene = loaders.load_string(text, format="sdf")
    assert static_links(scene) == {"a", "b"}
    assert [set(component) for component in connected_components(scene, is_weld)] == [
        {WORLD, "a", "b"}
    ]

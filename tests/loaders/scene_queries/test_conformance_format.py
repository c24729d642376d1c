"""The conformance format is plain JSON with every pose, size and diagnostic."""

from __future__ import annotations

import json

import loaders

TEXT = """<sdf version="1.9"><model name="m"><link name="a"><pose>1 2 3 0 0 0</pose>
<inertial><mass>2</mass></inertial><collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision>
</link><link name="b"/><joint name="j" type="revolute"><parent>a</parent><child>b</child>
<axis><xyz>0 0 1</xyz></axis></joint><frame name="f" attached_to="b"/></model></sdf>"""


def test_a_scene_as_plain_data() -> None:
    plain = loaders.load_string(TEXT, format="sdf").to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["links"]["a"]["X_WL"] == [1, 2, 3, 1, 0, 0, 0]
    assert plain["links"]["a"]["inertia"] == [1, 1, 1, 0, 0, 0]
    assert plain["links"]["a"]["collisions"]["c"]["size"] == [1, 2, 3]
    assert plain["joints"]["j"]["axes"][0]["upper"] == "inf"
    assert plain["joints"]["j"]["axes"][0]["lower"] == "-inf"
    assert plain["frames"]["f"]["link"] == "b"
    assert plain["models"]["m"]["canonical_link"] == "a"

"""Stand-ins for the two models that most worlds of Gazebo include and few repositories hold: sun and ground plane."""

from __future__ import annotations

from loaders.diagnostics import Diagnostics
from loaders.node import Node
from loaders.xml import parse

_SUN = b"""<sdf version="1.12"><light type="directional" name="sun">
<cast_shadows>true</cast_shadows><pose>0 0 10 0 0 0</pose>
<diffuse>0.8 0.8 0.8 1</diffuse><specular>0.2 0.2 0.2 1</specular>
<attenuation><range>1000</range><constant>0.9</constant><linear>0.01</linear><quadratic>0.001</quadratic></attenuation>
<direction>-0.5 0.1 -0.9</direction></light></sdf>"""
_PLANE = b"<geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>"
_GROUND_PLANE = b"""<sdf version="1.12"><model name="ground_plane"><static>true</static><link name="link">
<collision name="collision">%b<surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction></surface></collision>
<visual name="visual">%b<cast_shadows>false</cast_shadows>
<material><ambient>0.8 0.8 0.8 1</ambient><diffuse>0.8 0.8 0.8 1</diffuse></material></visual>
</link></model></sdf>""" % (_PLANE, _PLANE)
_STAND_INS = {"sun": _SUN, "ground_plane": _GROUND_PLANE}
"""Documents, keyed by the name of the model: its light, or the friction and size of Gazebo classic's plane."""


def parse_stand_in(uri: str, diagnostics: Diagnostics) -> Node | None:
    """Return a new copy of the element that stands for a model; None if there is none for it.

    Args:
        uri: The URI of the model, such as ``model://sun`` or that of a model of Gazebo Fuel.
        diagnostics: Record to which the nodes report.
    """
    name = uri.rstrip("/").rpartition("/")[2].lower().replace("%20", "_").replace(" ", "_")
    data = _STAND_INS.get(name)
    root = None if data is None else parse(data, f"<stand-in>/{name}.sdf", diagnostics)
    return None if root is None else root.children[0].detach()

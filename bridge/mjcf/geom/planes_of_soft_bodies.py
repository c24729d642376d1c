"""Planes that soft bodies touch: each is one geom, drawn and for contact.

MuJoCo lets a soft body collide with every plane of a body of which another geom may collide with it, whatever the masks
of the plane itself. A plane written twice, once for drawing, would push twice.
"""

from __future__ import annotations

from bridge.mjcf.xml.context import Context
from bridge.mjcf.xml.element import Element

_PLACE = ("type", "size", "pos", "quat")
_LOOKS = ("material", "rgba")


def join_planes(context: Context) -> None:
    """Draw the planes for contact in place of equal ones that are only drawn, if the document has soft bodies."""
    if not context.document["deformable"].children:
        return
    for body in {id(body): body for body in (context.document["worldbody"], *context.document.bodies)}.values():
        _join(body)


def _join(body: Element) -> None:
    planes = [child for child in body.children if child.tag == "geom" and child.attributes.get("type") == "plane"]
    drawn = {_place(plane): plane for plane in planes if plane.attributes.get("class") == "visual"}
    for plane in planes:
        looks = drawn.pop(_place(plane), None) if plane.attributes.get("class") != "visual" else None
        if looks is not None:
            plane.set(group=2, **{key: looks.attributes.get(key) for key in _LOOKS})
            body.children.remove(looks)


def _place(plane: Element) -> tuple[str | None, ...]:
    return tuple(plane.attributes.get(key) for key in _PLACE)

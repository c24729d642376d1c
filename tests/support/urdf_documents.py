"""URDF documents, for tests."""

from __future__ import annotations

import pytest

import loaders
from loaders.scene import Scene


def robot(body: str, name: str = "r") -> Scene:
    return loaders.load_string(f"<robot name='{name}'>{body}</robot>", format="urdf")


def joint(scene: Scene, name: str = "j") -> loaders.model.Joint:
    return next(joint for joint in scene.joints if joint.name == name)


def arm(inside: str, kind: str = "revolute") -> Scene:
    """Two links and a joint with these elements."""
    ends = "<parent link='a'/><child link='b'/>"
    return robot(
        f"<link name='a'/><link name='b'/><joint name='j' type='{kind}'>{ends}{inside}</joint>"
    )


def fixed(name: str, parent: str, child: str, inside: str = "") -> str:
    """A fixed joint."""
    ends = f"<parent link='{parent}'/><child link='{child}'/>"
    return f"<joint name='{name}' type='fixed'>{ends}{inside}</joint>\n"


def codes(scene: Scene) -> list[str]:
    return [entry.code for entry in scene.diagnostics]


def errors(body: str) -> dict[str, list[int]]:
    """The lines of the errors of a file, by code."""
    with pytest.raises(loaders.LoadError) as caught:
        robot(body)
    found: dict[str, list[int]] = {}
    for entry in caught.value.diagnostics:
        if entry.severity == "error":
            found.setdefault(entry.code, []).append(entry.where.line)
    return found


RED, BLUE = "<color rgba='1 0 0 1'/>", "<color rgba='0 0 1 0.5'/>"


LINKS = "<link name='a'/>\n<link name='b'/>\n<link name='c'/>\n"

"""SDFormat documents, small models to include, and poses as 4x4 matrices, for tests of the SDFormat
reader.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import loaders
from loaders import WORLD, Diagnostic, LoadError, Pose, Scene
from loaders.diagnostics import Diagnostics
from loaders.model import Collision, Joint, Link, by_name
from loaders.node import Node
from loaders.sdf.upgrade import upgrade
from loaders.xml import parse

Q = math.pi / 2
Matrix = NDArray[np.float64]


# --- reading --------------------------------------------------------------------------------------


def read_sdf(body: str, version: str = "1.10", paths: Sequence[Path] = ()) -> Scene:
    """Read the content of an ``<sdf>`` element."""
    return loaders.load_string(f"<sdf version='{version}'>{body}</sdf>", format="sdf", paths=paths)


def error_codes(body: str, version: str = "1.10") -> set[str]:
    """Return the codes of the errors for which a document is rejected."""
    with pytest.raises(LoadError) as caught:
        read_sdf(body, version)
    return {entry.code for entry in caught.value.diagnostics if entry.severity == "error"}


def compose(library: Path, body: str, version: str = "1.10") -> Scene:
    """Read a document that includes models of the library."""
    return read_sdf(body, version, paths=[library])


def link_with(inside: str) -> Link:
    """Return a link with the given child elements."""
    return read_sdf(f"<model name='m'><link name='a'>{inside}</link></model>", "1.11").links[0]


def collision_with(inside: str) -> Collision:
    """Return a collision with the given child elements."""
    return link_with(f"<collision name='c'>{inside}</collision>").collisions[0]


# --- items of a scene -----------------------------------------------------------------------------


def X_WL(scene: Scene, name: str) -> Pose:
    """Return the pose of a link in the world."""
    return by_name(scene.links)[name].X_WL


def X_WF(scene: Scene, name: str) -> Pose:
    """Return the pose of a frame in the world."""
    frame = by_name(scene.frames)[name]
    return frame.X_LF if frame.link == WORLD else X_WL(scene, frame.link) @ frame.X_LF


def joint_of(scene: Scene, name: str) -> Joint:
    """Return a joint by its name."""
    return by_name(scene.joints)[name]


def X_WJ(scene: Scene, name: str) -> Pose:
    """Return the pose of a joint's frame on the child in the world."""
    return X_WL(scene, joint_of(scene, name).child) @ joint_of(scene, name).X_CJ


def axis_in_world(scene: Scene, name: str, index: int = 0) -> NDArray[np.float64]:
    """Return a joint axis in the world, shape (3,)."""
    return X_WJ(scene, name).R @ joint_of(scene, name).axes[index].xyz


# --- matrices -------------------------------------------------------------------------------------


def transform(
    x: float, y: float, z: float, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0
) -> Matrix:
    """Return a pose with roll, pitch and yaw as SDFormat defines them, as a 4x4 matrix, without the
    code under test.
    """
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a), math.cos(a)) for a in (roll, pitch, yaw))
    about_x = np.array(((1, 0, 0), (0, cr, -sr), (0, sr, cr)))
    about_y = np.array(((cp, 0, sp), (0, 1, 0), (-sp, 0, cp)))
    about_z = np.array(((cy, -sy, 0), (sy, cy, 0), (0, 0, 1)))
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = about_z @ about_y @ about_x, (x, y, z)
    return X


def chain(*poses: Matrix) -> Matrix:
    """Return the product of several matrices."""
    return reduce(np.matmul, poses)


def inverse(X: Matrix) -> Matrix:
    """Return the inverse of a matrix."""
    return np.linalg.inv(X)


def assert_pose(pose: Pose, *expected: Matrix) -> None:
    """Check a pose against the product of matrices."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = pose.R, pose.p
    np.testing.assert_allclose(X, chain(*expected), atol=1e-12)


# --- a library of models to include ---------------------------------------------------------------

CRANE = f"""<sdf version='1.8'><model name='crane'>
  <pose>4 5 6 0 0 0</pose>
  <link name='mast'><pose>0 0 2 0 0 0</pose></link>
  <link name='boom'><pose>0 3 2 0 0 {Q}</pose></link>
  <frame name='hook' attached_to='boom'><pose>0.25 0 -1 0 0 0</pose></frame>
  <frame name='lamp'><pose>0 0 9 0 0 0</pose></frame>
  <joint name='slew' type='revolute'><parent>mast</parent><child>boom</child>
    <axis><xyz expressed_in='__model__'>0 1 0</xyz></axis></joint>
  <joint name='weld' type='fixed'><parent>__model__</parent><child>ballast</child></joint>
  <link name='ballast'><pose relative_to='hook'>0 -2 0 0 0 0</pose></link>
</model></sdf>"""
X_MBOOM = transform(0, 3, 2, yaw=Q)
X_MHOOK = X_MBOOM @ transform(0.25, 0, -1)
HINGED = f"""<sdf version='1.4'><model name='gate'>
  <link name='post'/>
  <link name='leaf'><pose>0 1 0 0 0 {Q}</pose></link>
  <joint name='hinge' type='revolute'><pose>0 0 0.5 0 {Q} 0</pose>
    <parent>post</parent><child>leaf</child><axis><xyz>1 0 0</xyz></axis></joint>
</model></sdf>"""
IDOL = """<sdf version='1.8'><model name='idol'><static>true</static>
  <link name='stone'/><frame name='crown'><pose>0 0 1.5 0 0 0</pose></frame></model></sdf>"""
PAIR = """<sdf version='1.10'><model name='pair'>
  <frame name='between'><pose>0 0.5 0 0 0 0</pose></frame>
  <model name='left'><link name='l'/></model><model name='right'><pose>0 1 0 0 0 0</pose><link name='r'/></model>
  <joint name='bond' type='fixed'><parent>left</parent><child>right</child></joint></model></sdf>"""
ARM = """<sdf version='1.9'><model name='arm'><pose>9 9 9 0 0 0</pose>
<link name='base'><visual name='v'><geometry><box><size>1 2 3</size></box></geometry></visual></link>
<link name='tip'><pose>1 0 0 0 0 0</pose></link>
<frame name='grasp' attached_to='tip'><pose>0 0 1 0 0 0</pose></frame>
<frame name='own'><pose>0 5 0 0 0 0</pose></frame>
<joint name='j' type='revolute'><parent>__model__</parent><child>tip</child>
<axis><xyz expressed_in='__model__'>0 0 1</xyz></axis></joint>
<plugin name='p' filename='libp.so'/></model></sdf>"""
ROBOT = """<robot name='bot'><link name='torso'><visual><geometry><sphere radius='1'/></geometry></visual></link>
<link name='head'/><joint name='neck' type='revolute'><origin xyz='0 0 2'/><parent link='torso'/><child link='head'/>
<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='5' velocity='6'/></joint></robot>"""


def load_main(folder: Path, body: str, version: str = "1.10", *, lenient: bool = False) -> Scene:
    """Load a file ``main.sdf`` with this content from a folder of models."""
    path = folder / "main.sdf"
    path.write_text(f"<sdf version='{version}' xmlns:experimental='x'>{body}</sdf>")
    return loaders.load(path, lenient=lenient, quiet=lenient)


def findings_in(folder: Path, body: str, version: str = "1.10") -> tuple[Diagnostic, ...]:
    """Return the diagnostics of ``main.sdf``, whether it is rejected or not."""
    try:
        return load_main(folder, body, version).diagnostics
    except LoadError as error:
        return error.diagnostics


def codes_in(folder: Path, body: str, version: str = "1.10") -> list[str]:
    """Return the codes of the diagnostics of ``main.sdf``."""
    return [entry.code for entry in findings_in(folder, body, version)]


def in_world(include: str) -> str:
    """Return a world with the given child elements."""
    return f"<world name='w'>{include}</world>"


def in_model(include: str) -> str:
    """Return a model with a link ``torso`` and the given child elements."""
    return (
        f"<model name='robot'><link name='torso'><pose>0 0 1 0 0 0</pose></link>{include}</model>"
    )


# --- upgrades -------------------------------------------------------------------------------------


def tree(text: str) -> tuple[Node, Diagnostics]:
    """Parse a document without reading it."""
    diagnostics = Diagnostics()
    root = parse(text.encode(), "old.sdf", diagnostics)
    assert root is not None
    return root, diagnostics


def canonical_form(node: Node) -> tuple[Any, ...]:
    """Return an element as plain data, independent of the order of children with different tags."""
    children = sorted(
        (canonical_form(child) for child in node.children), key=lambda child: child[0]
    )
    return (
        node.tag,
        tuple(sorted(node.attributes.items())),
        " ".join(node.text.split()),
        tuple(children),
    )


def assert_upgrades(old: str, version: str, new: str, root_tag: str = "sdf") -> None:
    """Check that an old document is upgraded to the tree of the new one, without warnings."""
    before, diagnostics = tree(f"<{root_tag} version='{version}'>{old}</{root_tag}>")
    after, _ = tree(f"<sdf version='{version}'>{new}</sdf>")
    upgrade(before)
    assert canonical_form(before) == canonical_form(after)
    assert [str(entry) for entry in diagnostics if entry.severity != "note"] == []


def scene_of(text: str, version: str, root: str = "sdf") -> dict[str, Any]:
    """Return a scene as plain data, and check that reading it gives no warnings."""
    scene = loaders.load_string(f"<{root} version='{version}'>{text}</{root}>", format="sdf")
    assert [str(entry) for entry in scene.diagnostics if entry.severity != "note"] == []
    plain = scene.to_dict()
    del plain["diagnostics"]
    return plain

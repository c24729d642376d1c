"""Frame graphs: scopes and references, and poses that do not depend on names, order, nesting or
merging.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import loaders
from loaders import WORLD, LoadError, Scene
from loaders.model import by_name
from tests.support.sdf import X_WL, error_codes, read_sdf

# Random frame graphs: poses do not depend on names, order, the frame of each pose, nesting or
# merging.

Matrix = NDArray[np.float64]
QUICK = settings(max_examples=60, deadline=None)
NUMBER = st.floats(-3.0, 3.0).map(lambda value: round(value, 3))
SIX = st.tuples(*(NUMBER,) * 6)


@dataclass(frozen=True)
class Part:
    """A link, a frame or a nested model with one link, posed from an earlier part or from the
    model.
    """

    kind: str
    name: str
    numbers: tuple[float, ...]
    base: int | None
    anchor: int | None
    """The part that a frame is attached to."""
    frame_of_model: bool = False
    """Whether the model frame is named, and not left out, where the part has no base."""


@st.composite
def graphs(draw: st.DrawFn) -> list[Part]:
    parts = [Part("link", "p0", draw(SIX), None, None)]
    for index in range(1, draw(st.integers(2, 7))):
        earlier = st.none() | st.integers(0, index - 1)
        kind = draw(st.sampled_from(["link", "frame", "model", "joint"]))
        base, anchor = draw(earlier), draw(earlier)
        if kind == "joint":  # the joint's child comes with it
            parts.append(Part("link", f"p{len(parts)}", draw(SIX), base, None))
            parts.append(Part("joint", f"p{len(parts)}", draw(SIX), None, len(parts) - 1))
        else:
            parts.append(
                Part(
                    kind,
                    f"p{len(parts)}",
                    draw(SIX),
                    base,
                    anchor if kind == "frame" else None,
                    draw(st.booleans()),
                )
            )
    return parts


def matrix(numbers: Sequence[float]) -> Matrix:
    x, y, z, roll, pitch, yaw = numbers
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a), math.cos(a)) for a in (roll, pitch, yaw))
    X = np.eye(4)
    X[:3, :3] = (
        np.array(((cy, -sy, 0), (sy, cy, 0), (0, 0, 1)))
        @ np.array(((cp, 0, sp), (0, 1, 0), (-sp, 0, cp)))
        @ np.array(((1, 0, 0), (0, cr, -sr), (0, sr, cr)))
    )
    X[:3, 3] = x, y, z
    return X


def expected(parts: Sequence[Part]) -> dict[str, Matrix]:
    """Return the pose of every part in the model, composed with matrices."""
    poses: list[Matrix] = []
    for part in parts:
        base = part.base
        if base is None and (part.kind == "joint" or not part.frame_of_model):
            base = part.anchor
        X_MB = np.eye(4) if base is None else poses[base]
        poses.append(X_MB @ matrix(part.numbers))
    return {part.name: X for part, X in zip(parts, poses, strict=True)}


# --- writing --------------------------------------------------------------------------------------


def write(part: Part, parts: Sequence[Part], key: str = "relative_to") -> str:
    base = "" if part.base is None else f" {key}='{parts[part.base].name}'"
    if part.base is None and part.frame_of_model:
        base = f" {key}='__model__'"
    pose = f"<pose{base}>{' '.join(map(repr, part.numbers))}</pose>"
    return wrap(part, parts, pose)


def wrap(part: Part, parts: Sequence[Part], pose: str) -> str:
    anchor = "" if part.anchor is None else parts[part.anchor].name
    if part.kind == "joint":
        ends = f"<parent>{parts[0].name}</parent><child>{anchor}</child>"
        return f"<joint name='{part.name}' type='fixed'>{pose}{ends}</joint>"
    if part.kind == "model":
        return f"<model name='{part.name}'>{pose}<link name='only'/></model>"
    attached = f" attached_to='{anchor}'" if anchor else ""
    return f"<{part.kind} name='{part.name}'{attached}>{pose}</{part.kind}>"


def model(parts: Sequence[Part], name: str = "m", pose: str = "") -> str:
    return f"<model name='{name}'>{pose}{''.join(write(part, parts) for part in parts)}</model>"


def read(text: str, version: str = "1.10", paths: Sequence[Path] = ()) -> Scene:
    return loaders.load_string(f"<sdf version='{version}'>{text}</sdf>", format="sdf", paths=paths)


def poses_in_scope(scene: Scene, scope: str = "") -> dict[str, Matrix]:
    """Return the pose in the world of every link, frame, nested model and joint, by name within a
    scope.
    """
    X_WL = {WORLD: np.eye(4)} | {link.name: dense(link.X_WL) for link in scene.links}
    poses = X_WL | {frame.name: X_WL[frame.link] @ dense(frame.X_LF) for frame in scene.frames}
    poses |= {model.name: dense(model.X_WM) for model in scene.models}
    poses |= {joint.name: X_WL[joint.child] @ dense(joint.X_CJ) for joint in scene.joints}
    return {name.removeprefix(scope): X for name, X in poses.items() if name.startswith(scope)}


def dense(pose: loaders.Pose) -> Matrix:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = pose.R, pose.p
    return X


def assert_poses(
    scene: Scene, poses: dict[str, Matrix], scope: str = "", X_WM: Matrix | None = None
) -> None:
    actual = poses_in_scope(scene, scope)
    for name, X in poses.items():
        np.testing.assert_allclose(actual[name], X if X_WM is None else X_WM @ X, atol=1e-11)


# --- properties -----------------------------------------------------------------------------------


@QUICK
@given(graphs())
def test_every_pose_is_the_product_of_those_on_its_way(parts: list[Part]) -> None:
    assert_poses(read(model(parts)), expected(parts))


@QUICK
@given(graphs(), st.randoms(use_true_random=False))
def test_names_do_not_matter(parts: list[Part], random: st.DrawFn) -> None:
    names = [f"n{i}" for i in range(len(parts))]
    random.shuffle(names)
    renamed = [replace(part, name=name) for part, name in zip(parts, names, strict=True)]
    poses = dict(zip(names, expected(parts).values(), strict=True))
    assert_poses(read(model(renamed)), poses)


@QUICK
@given(graphs(), st.data())
def test_the_order_of_siblings_does_not_matter(parts: list[Part], data: st.DataObject) -> None:
    order = data.draw(st.permutations(parts))
    text = "".join(write(part, parts) for part in order)
    assert_poses(read(f"<model name='m'>{text}</model>"), expected(parts))


@QUICK
@given(graphs(), st.data())
def test_the_frame_that_a_pose_is_relative_to_does_not_matter(
    parts: list[Part], data: st.DataObject
) -> None:
    poses = expected(parts)
    texts = []
    for index, part in enumerate(parts):
        other = parts[data.draw(st.integers(0, index - 1))].name if index else "__model__"
        X_BW = np.linalg.inv(poses[other]) if index else np.eye(4)
        texts.append(wrap(part, parts, as_quaternion(X_BW @ poses[part.name], other)))
    assert_poses(read(f"<model name='m'>{''.join(texts)}</model>"), poses)


def as_quaternion(X: Matrix, base: str) -> str:
    """Return the ``<pose>`` of X relative to a frame, with a quaternion."""
    transforms = np.linalg.eigh(quadratic_form(X[:3, :3]))
    x, y, z, w = transforms[1][:, -1].tolist()
    words = " ".join(map(repr, (*X[:3, 3].tolist(), x, y, z, w)))
    return f"<pose relative_to='{base}' rotation_format='quat_xyzw'>{words}</pose>"


def quadratic_form(R: Matrix) -> Matrix:
    """The matrix whose largest eigenvector is the quaternion ``x y z w`` of R (Bar-Itzhack,
    2000).
    """
    K = np.empty((4, 4))
    K[:3, :3] = R + R.T - np.trace(R) * np.eye(3)
    K[:3, 3] = K[3, :3] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    K[3, 3] = np.trace(R)
    return K


@QUICK
@given(graphs(), SIX, SIX)
def test_a_model_within_others_moves_as_a_whole(
    parts: list[Part], inner: tuple[float, ...], outer: tuple[float, ...]
) -> None:
    poses = [f"<pose>{' '.join(map(repr, numbers))}</pose>" for numbers in (inner, outer)]
    nested = (
        f"<world name='w'><model name='o'>{poses[1]}<link "
        f"name='l'/>{model(parts, 'm', poses[0])}</model></world>"
    )
    assert_poses(read(nested), expected(parts), "o::m::", matrix(outer) @ matrix(inner))


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


def included(parts: list[Part], include: str) -> Scene:
    library = Path(folder().name)
    (library / "part.sdf").write_text(
        f"<sdf version='1.9'>{model(parts, 'part', '<pose>9 9 9 0 0 0</pose>')}</sdf>"
    )
    return read(f"<model name='whole'><link name='root'/>{include}</model>", paths=[library])


@QUICK
@given(graphs(), SIX, st.booleans())
def test_an_included_model_has_the_pose_of_the_include_merged_or_not(
    parts: list[Part], numbers: tuple[float, ...], merged: bool
) -> None:
    word = "true" if merged else "false"
    pose = f"<pose>{' '.join(map(repr, numbers))}</pose>"
    scene = included(parts, f"<include merge='{word}'><uri>part.sdf</uri>{pose}</include>")
    assert_poses(scene, expected(parts), "" if merged else "part::", matrix(numbers))


@QUICK
@given(graphs(), SIX, st.data())
def test_a_placement_frame_has_the_pose_of_the_include(
    parts: list[Part], numbers: tuple[float, ...], data: st.DataObject
) -> None:
    poses = expected(parts)
    frame = data.draw(st.sampled_from(list(poses)))
    pose = f"<pose>{' '.join(map(repr, numbers))}</pose>"
    include = (
        f"<include><uri>part.sdf</uri><placement_frame>{frame}</placement_frame>{pose}</include>"
    )
    assert_poses(
        included(parts, include), poses, "part::", matrix(numbers) @ np.linalg.inv(poses[frame])
    )


def same_scene(old: str, old_version: str, new: str, new_version: str) -> None:
    scenes = [read(text, version) for text, version in ((old, old_version), (new, new_version))]
    assert not any(entry.severity != "note" for scene in scenes for entry in scene.diagnostics)
    plain = [scene.to_dict() | {"diagnostics": []} for scene in scenes]
    assert plain[0] == plain[1]


@pytest.mark.slow
@QUICK
@given(graphs(), st.sampled_from(["1.5", "1.6"]))
def test_poses_with_frames_of_1_5_and_1_6_equal_those_of_1_12(
    parts: list[Part], version: str
) -> None:
    plain = [replace(part, anchor=part.anchor if part.kind == "joint" else None) for part in parts]
    write_old: Callable[[Part], str] = lambda part: write(part, plain, "frame")  # noqa: E731
    old, new = (
        "".join(map(writer, plain)) for writer in (write_old, lambda part: write(part, plain))
    )
    same_scene(f"<model name='m'>{old}</model>", version, f"<model name='m'>{new}</model>", "1.12")


@QUICK
@given(
    SIX,
    SIX,
    st.tuples(NUMBER, NUMBER, NUMBER).filter(any),
    st.sampled_from(["1.2", "1.3", "1.4", "1.5", "1.6"]),
)
def test_joints_of_old_files_have_the_axes_of_new_ones(
    child: tuple[float, ...], own: tuple[float, ...], axis: tuple[float, ...], version: str
) -> None:
    body = """<model name='m'><link name='a'/><link name='b'><pose>{}</pose></link>
    <joint name='j' type='revolute'><pose>{}</pose><parent>a</parent><child>b</child><axis>
    <xyz{}>{}</xyz>{}</axis></joint></model>"""
    numbers = [" ".join(map(repr, values)) for values in (child, own, axis)]
    flag = (
        "<use_parent_model_frame>true</use_parent_model_frame>" if version in ("1.5", "1.6") else ""
    )
    old = body.format(*numbers[:2], "", numbers[2], flag)
    new = body.format(*numbers[:2], " expressed_in='__model__'", numbers[2], "")
    same_scene(old, version, new, "1.12")
    scene = read(old, version)
    joint = by_name(scene.joints)["j"]
    turned = dense(by_name(scene.links)["b"].X_WL)[:3, :3] @ joint.X_CJ.R @ joint.axes[0].xyz
    np.testing.assert_allclose(turned, np.array(axis) / np.linalg.norm(axis), atol=1e-12)


@QUICK
@given(graphs())
def test_flattened_models_of_1_7_equal_nested_models(parts: list[Part]) -> None:
    inside = [part for part in parts if part.kind in ("link", "frame")]
    poses = expected(parts)
    flat, nested = [], []
    for part in inside:
        pose = as_quaternion(poses[part.name], "{}__model__")
        flat.append(f"<{part.kind} name='c::{part.name}'>{pose.format('c::')}</{part.kind}>")
        nested.append(f"<{part.kind} name='{part.name}'>{pose.format('')}</{part.kind}>")
    where = "1 2 3 0.1 0.2 0.3</pose>"
    frame = (
        f"<frame name='c::__model__' attached_to='c::p0'><pose "
        f"relative_to='__model__'>{where}</frame>"
    )
    around = "<world name='w'><model name='m'><link name='l'/>{}</model></world>"
    model_today = f"<model name='c' canonical_link='p0'><pose>{where}{''.join(nested)}</model>"
    same_scene(around.format(frame + "".join(flat)), "1.7", around.format(model_today), "1.8")


# Scopes: references into nested models, names in the scene, and the world.


def test_references_cannot_leave_their_scope() -> None:
    up = (
        "<model name='m'><link name='a'/><model name='n'><link name='x'><pose "
        "relative_to='a'/></link></model></model>"
    )
    with pytest.raises(LoadError, match=r"sdf\.pose-relative-to"):
        read_sdf(up)


def test_only_elements_of_a_world_can_be_attached_to_the_world() -> None:
    world = (
        "<world name='w'><frame name='f' attached_to='world'><pose>0 0 1 0 0 "
        "0</pose></frame></world>"
    )
    assert read_sdf(world).frames[0].link == "world"
    with pytest.raises(LoadError, match="only the parent of a joint can be the world"):
        read_sdf("<model name='m'><link name='a'/><frame name='f' attached_to='world'/></model>")


LINKED = (
    "<model name='m'><pose>0 3 0 0 0 {yaw}</pose><link name='l'><pose>0 0 1 0 0 "
    "0</pose></link>{rest}</model>"
)


@pytest.mark.parametrize("version", ["1.4", "1.7", "1.11"])
@pytest.mark.parametrize(
    "rest",
    [
        "<joint name='j' type='fixed'><parent>l</parent><child>world</child></joint>",
        "<frame name='f'><pose relative_to='world'/></frame>",
        "<frame name='f' attached_to='world'/>",
        "<link name='world'/>",
    ],
)
def test_inside_a_model_the_world_can_only_be_the_parent_of_a_joint(
    rest: str, version: str
) -> None:
    assert error_codes(LINKED.format(yaw=0, rest=rest), version)


def test_frames_and_joints_of_a_world_can_refer_to_links_of_models() -> None:
    scene = read_sdf(
        "<world name='w'><model name='m'><pose>1 0 0 0 0 0</pose><link name='l'><pose>0 0 2 0 0 "
        "0</pose></link></model>"
        "<frame name='f' attached_to='m::l'><pose>0 1 0 0 0 0</pose></frame>"
        "<joint name='j' type='fixed'><parent>world</parent><child>m</child></joint></world>"
    )
    assert [(frame.name, frame.link, frame.X_LF.p.tolist()) for frame in scene.frames] == [
        ("f", "m::l", [0, 1, 0])
    ]
    joint = scene.joints[0]
    assert (joint.parent, joint.child) == ("world", "m::l")
    assert joint.X_PJ.p.tolist() == [1, 0, 0]


def test_names_have_the_outermost_model_as_prefix_only_in_a_world() -> None:
    inner = "<model name='m'><link name='l'/><model name='m'><link name='l'/></model></model>"
    alone, within = read_sdf(inner), read_sdf(f"<world name='w'>{inner}</world>")
    assert [link.name for link in alone.links] == ["l", "m::l"]
    assert [model.name for model in alone.models] == ["m", "m::m"]
    assert [link.model for link in alone.links] == ["m", "m::m"]
    assert [link.name for link in within.links] == ["m::l", "m::m::l"]
    assert [model.name for model in within.models] == ["m", "m::m"]


def test_names_with_separators_in_old_files_can_be_referenced() -> None:
    scene = read_sdf(
        "<model name='P'><frame name='C::__model__' attached_to='C::L'><pose "
        "relative_to='__model__'>1 0 0 0 0 0</pose>"
        "</frame><link name='C::L'><pose relative_to='C::__model__'>0 1 0 0 0 "
        "0</pose></link></model>",
        version="1.7",
    )
    assert X_WL(scene, "C::L").p.tolist() == [1, 1, 0]


def test_an_unknown_name_suggests_the_closest_member() -> None:
    with pytest.raises(LoadError) as caught:
        read_sdf(
            "<model name='m'><link name='gripper'/><frame name='f' attached_to='griper'/></model>"
        )
    (entry,) = caught.value.diagnostics
    assert (entry.code, entry.subjects, entry.hint) == (
        "sdf.attached-to",
        ("f",),
        "did you mean gripper?",
    )

"""Placement, merging, renaming and other link frames of a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from loaders.collision_pairs import connected_components, is_connection
from loaders.engine_settings import named_kind
from loaders.model import (
    WORLD,
    ContactPair,
    EngineElement,
    EngineSettings,
    Joint,
    JointType,
    Keyframe,
    Link,
    Settings,
    Tendon,
)
from loaders.pose import IDENTITY, Array, Pose, frozen
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, UnusedNames, root_model

REFERENCES: Mapping[str, Mapping[str, str]] = {
    "models": {"name": "model", "canonical_link": "link"},
    "links": {"name": "link", "model": "model"},
    "joints": {"name": "joint", "parent": "link", "child": "link", "gear_reference": "link"},
    "frames": {"name": "frame", "link": "link"},
    "lights": {"name": "light", "link": "link", "target": "link"},
    "couplings": {"follower": "joint", "leader": "joint"},
    "actuators": {"name": "actuator", "joint": "joint", "tendon": "tendon"},
    "constraints": {"link_A": "link", "link_B": "link", "joints": "joint"},
    "forces": {"link_A": "link", "link_B": "link", "link_C": "link"},
    "fluid_forces": {"link": "link", "joint": "joint"},
    "contact_pairs": {"link_A": "link", "link_B": "link"},
    "keyframes": {"name": "keyframe", "joints": "joint", "actuators": "actuator", "links": "link"},
    "filter_groups": {"name": "group", "links": "link", "groups": "group"},
    "filter_rules": {"a": "group", "b": "group"},
    "tendons": {"name": "tendon"},
    "engine_elements": {"name": "engine element"},
}
"""Kind of the item that each field names, for each collection of a scene."""

Names = Mapping[str, Mapping[str, str]]
"""New names by old name, for each kind of item: ``link``, ``joint``, ``frame``, ``model`` and so
on."""


def renamed(scene: Scene, names: Names) -> Scene:
    """Return a scene with other names; names that are not given stay, and so does the world.

    Args:
        scene: The scene.
        names: The new names.
    """
    return _renamed(scene, partial(_new_name, names))


def _new_name(names: Names, kind: str, name: str) -> str:
    is_world = name == WORLD and kind == "link"
    return name if is_world else names.get(kind, {}).get(name, name)


_NewName = Callable[[str, str], str]
"""Function of the kind and the name of an item that returns its new name."""

_SENSOR_REFERENCES = {"joint": "joint", "target": "link"}
_TENDON_PART_REFERENCES = {"joint": "joint", "link": "link", "link_S": "link"}


def _renamed(scene: Scene, new_name: _NewName) -> Scene:
    items: dict[str, Any] = {
        collection: tuple(
            _renamed_item(item, fields, new_name) for item in getattr(scene, collection)
        )
        for collection, fields in REFERENCES.items()
    }
    for collection, parts, fields in (
        ("joints", "sensors", _SENSOR_REFERENCES),
        ("links", "sensors", _SENSOR_REFERENCES),
        ("tendons", "parts", _TENDON_PART_REFERENCES),
    ):
        items[collection] = tuple(
            _with_renamed_parts(item, parts, fields, new_name) for item in items[collection]
        )
    for collection in ("couplings", "actuators", "constraints"):
        items[collection] = tuple(_with_new_settings(item, new_name) for item in items[collection])
    items["engine_elements"] = _renamed_elements(items["engine_elements"], new_name)
    return replace(scene, **items)


def _with_new_settings(item: Any, new_name: _NewName) -> Any:
    """Return an item with new names in its settings of simulators, such as the site of an
    actuator.
    """
    stated: EngineSettings = getattr(item, "engine_settings", ())
    renamed = tuple((engine, _new_settings(settings, new_name)) for engine, settings in stated)
    return item if renamed == stated else replace(item, engine_settings=renamed)


def _new_settings(settings: Settings, new_name: _NewName) -> Settings:
    kinds = [named_kind(key) for key, _ in settings]
    return tuple(
        (key, new_name(kind, text) if kind else text)
        for kind, (key, text) in zip(kinds, settings, strict=True)
    )


def _renamed_elements(
    elements: Iterable[EngineElement], new_name: _NewName
) -> tuple[EngineElement, ...]:
    renamed: list[EngineElement] = []
    for element in elements:
        references = tuple(
            (key, new_name(named_kind(key, element.settings), name))
            for key, name in element.references
        )
        renamed.append(replace(element, references=references))
    return tuple(renamed)


def _renamed_item(item: Any, fields: Mapping[str, str], new_name: _NewName) -> Any:
    changed: dict[str, Any] = {}
    for field, kind in fields.items():
        value = getattr(item, field, None)
        if isinstance(value, tuple):
            new: Any = tuple(new_name(kind, name) for name in value)
        else:
            new = new_name(kind, value) if value else value
        if new != value:
            changed[field] = new
    return replace(item, **changed) if changed else item


def _with_renamed_parts(
    item: Any, field: str, references: Mapping[str, str], new_name: _NewName
) -> Any:
    parts = getattr(item, field)
    renamed = tuple(_renamed_item(part, references, new_name) for part in parts)
    return item if renamed == parts else replace(item, **{field: renamed})


_ENDS: tuple[tuple[str, str], ...] = (
    ("parent", "X_PJ"),
    ("child", "X_CJ"),
    ("link_A", "p_AP"),
    ("link_B", "p_BQ"),
    ("link_A", "X_LA"),
    ("link_C", "X_LC"),
    ("link_A", "X_AP"),
    ("link_B", "X_BQ"),
    ("link", "X_LF"),
    ("link", "p_LV"),
    ("link", "X_LLight"),
    ("link", "X_LP"),
    ("link_S", "p_LS"),
)
"""Fields of joints, frames, lights, constraints, force elements and parts of tendons: a link, and a
point or a pose in it."""


def moved_frames(scene: Scene, frames: Mapping[str, Pose]) -> Scene:
    """Return the scene with other frames of links.

    Args:
        scene: The scene.
        frames: The pose ``X_LN`` of the new frame N in the frame of each link L that changes.
    """
    if not frames:
        return scene
    inverse = {name: X_LN.inverse() for name, X_LN in frames.items()}
    return replace(
        scene,
        links=tuple(
            _link(link, inverse[link.name]) if link.name in frames else link for link in scene.links
        ),
        joints=tuple(_joint(joint, inverse) for joint in scene.joints),
        frames=tuple(_ends(frame, inverse) for frame in scene.frames),
        lights=tuple(_ends(light, inverse) for light in scene.lights),
        constraints=tuple(_ends(item, inverse) for item in scene.constraints),
        forces=tuple(_ends(item, inverse) for item in scene.forces),
        fluid_forces=tuple(_ends(item, inverse) for item in scene.fluid_forces),
        tendons=_moved_tendons(scene, inverse),
    )


def _link(link: Link, X_NL: Pose) -> Link:
    axis = link.surface_velocity_axis
    if axis is not None:
        x, y, z = (X_NL.R @ frozen(axis)).tolist()
        axis = (x, y, z)
    X_WN = link.X_WL @ X_NL.inverse()
    return replace(_with_moved_parts(link, X_NL), X_WL=X_WN, surface_velocity_axis=axis)


def _with_moved_parts(link: Link, X_NL: Pose) -> Link:
    return replace(
        link,
        inertia=None if link.inertia is None else link.inertia.moved(X_NL),
        collisions=tuple(replace(c, X_LG=X_NL @ c.X_LG) for c in link.collisions),
        visuals=tuple(replace(v, X_LG=X_NL @ v.X_LG) for v in link.visuals),
        sensors=tuple(replace(s, X_LS=X_NL @ s.X_LS) for s in link.sensors),
    )


def _joint(joint: Joint, inverse: Mapping[str, Pose]) -> Joint:
    X_NP, X_NC = inverse.get(joint.parent, IDENTITY), inverse.get(joint.child, IDENTITY)
    X_CJ = X_NC @ joint.X_CJ
    return replace(
        joint,
        X_PJ=X_NP @ joint.X_PJ,
        X_CJ=IDENTITY if X_CJ.is_close(IDENTITY) else X_CJ,
        sensors=tuple(replace(s, X_LS=X_NC @ s.X_LS) for s in joint.sensors),
    )


def _moved_tendons(scene: Scene, inverse: Mapping[str, Pose]) -> tuple[Tendon, ...]:
    return tuple(
        replace(tendon, parts=tuple(_ends(part, inverse) for part in tendon.parts))
        for tendon in scene.tendons
    )


def _ends(item: Any, inverse: Mapping[str, Pose]) -> Any:
    changed: dict[str, Array | Pose] = {}
    for end, field in _ENDS:
        X_NL = inverse.get(getattr(item, end, ""))
        if X_NL is None or not hasattr(item, field):
            continue
        value = getattr(item, field)
        if value is None:
            continue
        changed[field] = (
            X_NL @ value if isinstance(value, Pose) else frozen(X_NL.p + X_NL.R @ value)
        )
    return replace(item, **changed) if changed else item


def with_distinct_world_parts(scenes: Sequence[Scene]) -> list[Scene]:
    """Return scenes whose shapes and sensors of the world have names that no other of these scenes
    has there.

    A name that an earlier scene has gets the name of its scene in front.
    """
    if sum(link.name == WORLD for scene in scenes for link in scene.links) < 2:
        return list(scenes)
    unused = UnusedNames()
    distinct = []
    for scene in scenes:
        names = [part.name for link in scene.links if link.name == WORLD for part in _parts(link)]
        clashing = dict.fromkeys(name for name in names if name in unused.taken)
        unused.taken.update(names)
        renamed = {name: unused.claim(f"{scene.name}_{name}") for name in clashing}
        distinct.append(_renamed_world(scene, renamed) if renamed else scene)
    return distinct


def joined_world(links: Iterable[Link]) -> tuple[Link, ...]:
    """Return the links with at most one world: the first one, with what is on all of them."""
    links = tuple(links)
    worlds = [link for link in links if link.name == WORLD]
    if len(worlds) < 2:
        return links
    world = replace(
        worlds[0],
        collisions=tuple(chain.from_iterable(link.collisions for link in worlds)),
        visuals=tuple(chain.from_iterable(link.visuals for link in worlds)),
        sensors=tuple(chain.from_iterable(link.sensors for link in worlds)),
    )
    merged = (world if link is worlds[0] else link for link in links)
    return tuple(link for link in merged if link is world or link.name != WORLD)


def _parts(link: Link) -> tuple[Any, ...]:
    return (*link.collisions, *link.visuals, *link.sensors)


def _renamed_world(scene: Scene, names: Mapping[str, str]) -> Scene:
    """Return a scene with parts of its world renamed, and with the contact pairs that name them."""
    return replace(
        scene,
        links=tuple(
            _renamed_parts(link, names) if link.name == WORLD else link for link in scene.links
        ),
        contact_pairs=tuple(_renamed_pair(pair, names) for pair in scene.contact_pairs),
        engine_elements=_renamed_elements(
            scene.engine_elements, partial(_new_name, {"part": _of_world_only(scene, names)})
        ),
    )


def _of_world_only(scene: Scene, names: Mapping[str, str]) -> dict[str, str]:
    """Return the new names of parts of the world, without those that another link has, too."""
    others = {part.name for link in scene.links if link.name != WORLD for part in _parts(link)}
    return {old: new for old, new in names.items() if old not in others}


def _renamed_parts(link: Link, names: Mapping[str, str]) -> Link:
    parts: dict[str, Any] = {}
    for kind in ("collisions", "visuals", "sensors"):
        old = getattr(link, kind)
        parts[kind] = tuple(replace(part, name=names.get(part.name, part.name)) for part in old)
    return replace(link, **parts)


def _renamed_pair(pair: ContactPair, names: Mapping[str, str]) -> ContactPair:
    ends = {
        f"collision_{end}": names.get(
            getattr(pair, f"collision_{end}"), getattr(pair, f"collision_{end}")
        )
        for end in "AB"
        if getattr(pair, f"link_{end}") == WORLD
    }
    return replace(pair, **ends)


def place(scene: Scene, scope: str, X_WM: Pose = IDENTITY) -> Scene:
    """Return the scene moved to a pose, with every name prefixed by a scope.

    The root model takes the scope as its name. Items that are fixed to the world move too, and stay
    fixed to it.

    Args:
        scene: A scene of one model, or a world.
        scope: The scope, without a separator at its end; an empty scope leaves the names unchanged.
        X_WM: New pose of the root model's frame, or of the origin of a world.
    """
    root = root_model(scene)
    X_WS = X_WM if root is None else X_WM @ root.X_WM.inverse()
    if not X_WS.is_close(IDENTITY, 0.0):
        scene = _moved(scene, X_WS)
    if not scope:
        return scene
    new_name = partial(_scoped, scope, None if root is None else root.name)
    return replace(_renamed(scene, new_name), name=new_name("model", scene.name))


def _scoped(scope: str, root: str | None, kind: str, name: str) -> str:
    """Return a name in a scope; the root model takes the scope as its name, and a part of a link
    has no scope.
    """
    if kind == "model" and name == root:
        return scope
    return name if kind == "part" or name in {"", WORLD} else scope + SEPARATOR + name


def merge(*scenes: Scene, name: str = "") -> Scene:
    """Return one scene with the items of several, in order; gravity, physics and environment are
    those of the first.

    Args:
        scenes: The scenes, at least one; the names of their items must differ, except that of the
            link ``world``: each may have a part of it, and it becomes one link.
        name: Name of the result; empty is the name of the first scene.
    """
    first = scenes[0]
    if not name and not any(getattr(scene, key) for scene in scenes[1:] for key in ITEMS):
        return first
    parts = with_distinct_world_parts(scenes)
    items: dict[str, Any] = {
        key: tuple(chain.from_iterable(getattr(s, key) for s in parts)) for key in ITEMS
    }
    items["links"] = joined_world(items["links"])
    return replace(first, name=name or first.name, **items)


ITEMS = (
    "models", "links", "joints", "frames", "lights", "couplings", "actuators", "constraints",
    "forces", "fluid_forces", "filter_groups", "filter_rules", "keyframes", "contact_pairs",
    "tendons", "engine_elements", "diagnostics",
)  # fmt: skip


# --- poses ----------------------------------------------------------------------------------------


def _moved(scene: Scene, X_VW: Pose) -> Scene:
    """Return the scene with all poses that were measured from W measured from V."""
    of_world = {WORLD: X_VW}
    moved: dict[str, Any] = {
        kind: tuple(_ends(item, of_world) for item in getattr(scene, kind))
        for kind in ("joints", "frames", "lights", "constraints", "forces")
    }
    return replace(
        scene,
        models=tuple(replace(model, X_WM=X_VW @ model.X_WM) for model in scene.models),
        links=tuple(_moved_link(link, X_VW) for link in scene.links),
        joints=tuple(_moved_default_position(joint, X_VW) for joint in moved.pop("joints")),
        tendons=_moved_tendons(scene, of_world),
        fluid_forces=tuple(replace(force, X_WS=X_VW @ force.X_WS) for force in scene.fluid_forces),
        keyframes=_moved_keyframes(
            scene,
            {joint.name: X_VW for joint in scene.joints},
            {link.name: X_VW for link in scene.links},
        ),
        **moved,
    )


def _moved_link(link: Link, X_VW: Pose) -> Link:
    if link.name != WORLD:
        return replace(link, X_WL=X_VW @ link.X_WL)
    return _with_moved_parts(link, X_VW)  # the frame of the world stays


def _moved_default_position(joint: Joint, X_VW: Pose) -> Joint:
    """Return a joint with its default position moved; that of a floating joint is the pose of its
    link in the world.
    """
    if joint.type is not JointType.FLOATING or not joint.default_position:
        return joint
    return replace(joint, default_position=_moved_position(joint.default_position, X_VW))


def _moved_position(position: Sequence[float], X_VW: Pose) -> tuple[float, ...]:
    return (
        tuple(position)
        if X_VW is IDENTITY
        else tuple((X_VW @ Pose.from_vector(position)).to_vector())
    )


def _moved_keyframes(
    scene: Scene, X_VW: Mapping[str, Pose], of_link: Mapping[str, Pose]
) -> tuple[Keyframe, ...]:
    """Return the keyframes with the positions of floating joints and of kinematic links moved.

    Args:
        scene: The scene.
        X_VW: The motion of each joint.
        of_link: The motion of each link.
    """
    floating = {joint.name for joint in scene.joints if joint.type is JointType.FLOATING}
    keyframes = []
    for keyframe in scene.keyframes:
        positions = [
            _moved_position(position, X_VW[joint])
            if joint in floating and len(position) == 7
            else position
            for joint, position in zip(keyframe.joints, keyframe.positions, strict=True)
        ]
        velocities = [
            _turned_velocity(v, X_VW[joint]) if joint in floating and len(v) == 6 else v
            for joint, v in zip(keyframe.joints, keyframe.velocities, strict=False)
        ]
        poses = [
            _moved_position(pose, of_link.get(link, IDENTITY))
            for link, pose in zip(keyframe.links, keyframe.poses, strict=True)
        ]
        keyframes.append(
            replace(
                keyframe,
                positions=tuple(positions),
                velocities=tuple(velocities),
                poses=tuple(poses),
            )
        )
    return tuple(keyframes)


def _turned_velocity(velocity: Sequence[float], X_VW: Pose) -> tuple[float, ...]:
    return (*(X_VW.R @ velocity[:3]).tolist(), *(X_VW.R @ velocity[3:]).tolist())


# --- attachment of joints -------------------------------------------------------------------------


def attach_joints(scene: Scene, joints: Sequence[Joint]) -> Scene:
    """Return the scene with further joints, and links moved such that these joints are at their
    zero configuration.

    Links connected by joints of the scene move together. Links fixed to the world do not move;
    elsewhere the child of a new joint moves and its parent does not.

    Args:
        scene: The scene.
        joints: The joints to attach.
    """
    if not joints:
        return scene
    component_of = {
        name: i
        for i, names in enumerate(connected_components(scene, is_connection))
        for name in names
    }
    X_VW = _component_motions(scene, joints, component_of)
    of_joint = {joint.name: X_VW[component_of[joint.child]] for joint in scene.joints}
    return replace(
        scene,
        links=tuple(_moved_with(link, X_VW[component_of[link.name]]) for link in scene.links),
        models=tuple(
            replace(model, X_WM=X_VW[component_of[model.canonical_link]] @ model.X_WM)
            if model.canonical_link
            else model
            for model in scene.models
        ),
        joints=(
            *(_moved_default_position(joint, of_joint[joint.name]) for joint in scene.joints),
            *joints,
        ),
        keyframes=_moved_keyframes(
            scene, of_joint, {name: X_VW[i] for name, i in component_of.items()}
        ),
    )


def _moved_with(link: Link, X_VW: Pose) -> Link:
    return link if X_VW is IDENTITY else replace(link, X_WL=X_VW @ link.X_WL)


def _component_motions(
    scene: Scene, joints: Sequence[Joint], component_of: Mapping[str, int]
) -> dict[int, Pose]:
    """Return the motion ``X_VW``, from the old to the new pose, of each connected component."""
    X_WL = {WORLD: IDENTITY, **{link.name: link.X_WL for link in scene.links}}
    incident: dict[int, list[tuple[Joint, int]]] = {number: [] for number in component_of.values()}
    for joint in joints:
        incident[component_of[joint.parent]].append((joint, component_of[joint.child]))
        incident[component_of[joint.child]].append((joint, component_of[joint.parent]))
    children = {component_of[joint.child] for joint in joints}
    X_VW: dict[int, Pose] = {}
    for root in (0, *(number for number in incident if number not in children), *incident):
        if root in X_VW:
            continue
        X_VW[root] = IDENTITY
        pending = [root]
        while pending:
            here = pending.pop()
            for joint, there in incident[here]:
                if there not in X_VW:
                    X_WP, X_WC = X_WL[joint.parent] @ joint.X_PJ, X_WL[joint.child] @ joint.X_CJ
                    downwards = component_of[joint.child] == there
                    X_VW[there] = X_VW[here] @ (
                        X_WP @ X_WC.inverse() if downwards else X_WC @ X_WP.inverse()
                    )
                    pending.append(there)
    return X_VW

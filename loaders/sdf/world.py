"""world: gravity, physics, lights and state.

Gazebo saves the poses of a running world in this element, and applies the first one after it has
loaded the models. Links that joints connect keep the zero configuration of the file, and start at
the positions that the saved poses imply; the part of a saved pose that no joint position reaches is
reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from loaders.model import WORLD, Joint, JointType, Light, Physics, by_name
from loaders.node import Node, detach_all
from loaders.node import mark_read as mark_subtree_read
from loaders.pose import IDENTITY, Array, Pose, frozen
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR
from loaders.sdf import codes
from loaders.sdf.frame import read_pose

from .frame import Scope, resolve_pose
from .material import read_color
from .unmodeled import flat_parameters, mark_read, report_ignored

TYPES = ("point", "directional", "spot")


def read_light(node: Node, name: str, link: str, X_LLight: Pose) -> Light:
    """Return the light of a ``<light>``.

    Args:
        node: The element.
        name: Scoped name of the light.
        link: Name of the link that the light is fixed to, or ``world``.
        X_LLight: Pose of the light in the frame of that link.
    """
    light_type = node.word("@type")
    if light_type and light_type not in TYPES:
        node.report(codes.LIGHT_TYPE, type=light_type, types=TYPES)
    report_ignored(node, {"visualize": codes.APPEARANCE, "frame": codes.NOT_MECHANICAL_FRAME})
    light_range, attenuation = _read_attenuation(node.child("attenuation"))
    inner, outer, falloff = _read_spot(node.child("spot"))
    x, y, z = node.numbers("direction", 3, (0.0, 0.0, -1.0))
    return Light(
        name=name,
        type=light_type or TYPES[0],
        link=link,
        X_LLight=X_LLight,
        diffuse=read_color(node.child("diffuse")) or (1.0, 1.0, 1.0, 1.0),
        specular=read_color(node.child("specular")) or (0.1, 0.1, 0.1, 1.0),
        direction=(x, y, z),
        range=light_range,
        attenuation=attenuation,
        inner_angle=inner,
        outer_angle=outer,
        falloff=falloff,
        intensity=node.number("intensity", 1.0),
        cast_shadows=node.flag("cast_shadows", False),
        on=node.flag("light_on", True),
        where=node.where,
    )


def _read_attenuation(node: Node | None) -> tuple[float, tuple[float, float, float]]:
    if node is None:
        return 10.0, (1.0, 1.0, 0.0)
    factors = (
        node.number("constant", 1.0),
        node.number("linear", 1.0),
        node.number("quadratic", 0.0),
    )
    return node.number("range", 10.0, inf=True), factors


def _read_spot(node: Node | None) -> tuple[float, float, float]:
    if node is None:
        return 0.0, 0.0, 0.0
    inner, outer = node.number("inner_angle", 0.0), node.number("outer_angle", 0.0)
    return inner, outer, node.number("falloff", 0.0)


_MAGNETIC_FIELD = (5.5645e-6, 22.8758e-6, -42.3884e-6)
"""Default magnetic field [T], from the specification."""

IGNORED_IN_WORLD = {
    "actor": codes.ACTOR,
    "scene": codes.APPEARANCE_OF_WORLD,
    "gui": codes.APPEARANCE_OF_WORLD,
    "audio": codes.APPEARANCE_OF_WORLD,
    "road": codes.ROAD,
    "atmosphere": codes.NOT_MECHANICAL,
    "model_state": codes.STATE_IGNORED,
    "light_state": codes.STATE_IGNORED,
}


def read_world(scope: Scope) -> Scene:
    """Return a scene with the properties and lights of a ``<world>``, without its models, joints
    and frames.
    """
    node = scope.node
    report_ignored(node, IGNORED_IN_WORLD)
    wind, place = node.child("wind"), node.child("spherical_coordinates")
    return Scene(
        name=scope.name,
        gravity=frozen(node.numbers("gravity", 3, (0.0, 0.0, -9.8))),
        physics=_read_physics(node.all("physics")),
        wind=frozen(
            (0.0, 0.0, 0.0) if wind is None else wind.numbers("linear_velocity", 3, (0.0, 0.0, 0.0))
        ),
        magnetic_field=frozen(node.numbers("magnetic_field", 3, _MAGNETIC_FIELD)),
        spherical_coordinates=() if place is None else flat_parameters(place),
        lights=tuple(_read_lights(scope)),
    )


_AXES_OF_LINES = {f"linear-{axis}": number for number, axis in enumerate("xyz")}
"""Number of the axis of a box along which each type of distribution places models."""


def populate(world: Node) -> None:
    """Replace each ``<population>`` of a world by copies of its model, as Gazebo classic does,
    where its type states their positions; report and remove the others.

    Args:
        world: The ``<world>``; it is changed in place.
    """
    populations = world.all("population")
    for population in populations:
        model, distribution = population.peek("model"), population.child("distribution")
        if model is None or distribution is None:
            reason = f"it has no <{'model' if model is None else 'distribution'}>"
            population.report(codes.POPULATION_INVALID, tag=population.tag, reason=reason)
        else:
            X_WP = read_pose(population)[1]
            for number, position in enumerate(_positions(population, distribution, X_WP)):
                _add_copy(world, model, number, position)
    detach_all(populations)


def _add_copy(world: Node, model: Node, number: int, position: Array) -> None:
    """Add a copy of a model at a position, without rotation."""
    world.diagnostics.spend("elements", sum(1 for _ in model.walk()))
    copy = model.copy()
    copy.attributes["name"] = f"{model.attributes.get('name', '')}_clone_{number}"
    copy.children = [child for child in copy.children if child.tag != "pose"]
    x, y, z = (float(value) for value in position)
    copy.add("pose", f"{x!r} {y!r} {z!r} 0 0 0")
    world.append(copy)


def _positions(population: Node, distribution: Node, X_WP: Pose) -> Iterator[Array]:
    """Yield the positions of the models of a population in the world; none, with a diagnostic, if
    it does not state them.

    Gazebo moves the pose of the population by half of the size along the axes of the world, and
    turns only the offsets from there.
    """
    kind = distribution.word("type", "random")
    if kind == "grid":
        rows, columns = distribution.integer("rows", 1), distribution.integer("cols", 1)
        dx, dy, _ = distribution.numbers("step", 3, (0.5, 0.5, 0.0))
        size = np.array((dx * (columns - 1), dy * (rows - 1), 0.0))
        offsets = (np.array((dx * j, dy * i, 0.0)) for i in range(rows) for j in range(columns))
        reason = "" if min(rows, columns) > 0 else f"a grid has no {rows} x {columns} models"
    else:
        count, box = population.integer("model_count", 1), population.child("box")
        size = np.array((1.0,) * 3 if box is None else box.numbers("size", 3, (1.0,) * 3))
        along = np.eye(3)[_AXES_OF_LINES.get(kind, 0)]
        middle = 0.5 * (1.0 - along) * size
        offsets = (middle + along * size * (i / count) for i in range(count))
        reason = "it has no <box>" if box is None else ""
        reason = reason or ("" if count > 0 else "<model_count> is not positive")
    if kind not in (*_AXES_OF_LINES, "grid"):
        population.report(codes.POPULATION, tag=population.tag, type=kind)
    elif reason:
        population.report(codes.POPULATION_INVALID, tag=population.tag, reason=reason)
    else:
        yield from (X_WP.p - 0.5 * size + X_WP.R @ offset for offset in offsets)


def _read_lights(scope: Scope) -> Iterator[Light]:
    for node in scope.node.all("light"):
        yield read_light(node, node.word("@name", ""), WORLD, resolve_pose(node, scope.origin))


def _read_physics(profiles: list[Node]) -> Physics:
    """Return the profile that is marked as the default, else the first."""
    if not profiles:
        return Physics()
    node = next((profile for profile in profiles if profile.flag("@default", False)), profiles[0])
    for unused in profiles:
        if unused is not node:
            unused.report(codes.SECOND_PHYSICS)
            mark_read(unused)
    node.mark("@name", "@default")
    return Physics(
        time_step=node.number("max_step_size", 0.001),
        real_time_factor=node.number("real_time_factor", 1.0),
        real_time_update_rate=node.number("real_time_update_rate", 1000.0),
        max_contacts=node.integer("max_contacts", 20),
        engine=node.word("@type") or "ode",
        parameters=flat_parameters(
            node, "max_step_size", "real_time_factor", "real_time_update_rate", "max_contacts"
        ),
    )


_REACHED = 1e-4
"""Largest distance [m] or difference of a rotation matrix that counts as reached; saved poses have
six digits."""
_AT_REST = 1e-3
"""Largest speed [m/s or rad/s] of a world at rest; a running engine leaves such speeds."""
_SLIDES = frozenset({JointType.PRISMATIC})
_HINGES = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS})


@dataclass(slots=True)
class _State:
    """The content of a ``<state>``, by scoped name."""

    models: dict[str, Pose] = field(default_factory=dict)
    links: dict[str, Pose] = field(default_factory=dict)
    lights: dict[str, Pose] = field(default_factory=dict)
    speed: float = 0.0
    """Largest entry of a velocity [m/s or rad/s]."""
    scaled: list[Node] = field(default_factory=list)
    """Scales other than 1."""


def apply_state(scene: Scene, world: Node) -> Scene:
    """Return the scene with everything at the poses of the first ``<state>`` of a world.

    Args:
        scene: The scene at the poses of the models.
        world: The ``<world>``.
    """
    nodes = world.all("state")
    for node in nodes:
        mark_subtree_read(node)
    if not nodes:
        return scene
    state = _read(nodes[0])
    moved = _moved(scene, state)
    _report(nodes[0], state, scene, moved)
    return _with_positions(moved, state, nodes[0])


# --- reading --------------------------------------------------------------------------------------


def _read(node: Node) -> _State:
    state = _State()
    pending = [(child, "") for child in node.children if child.tag == "model"]
    while pending:
        element, prefix = pending.pop()
        name = prefix + element.attributes.get("name", "").strip()
        _read_model(element, name, state)
        pending.extend(
            (child, name + SEPARATOR) for child in element.children if child.tag == "model"
        )
    for light in node.all("light"):
        if light.peek("pose") is not None:
            state.lights[light.attributes.get("name", "").strip()] = read_pose(light)[1]
    return state


def _read_model(element: Node, name: str, state: _State) -> None:
    if element.peek("pose") is not None:
        state.models[name] = read_pose(element)[1]
    scale = element.peek("scale")
    if scale is not None and any(
        value != 1.0 for value in element.numbers("scale", 3, (1.0, 1.0, 1.0))
    ):
        state.scaled.append(scale)
    for link in element.all("link"):
        if link.peek("pose") is not None:
            state.links[name + SEPARATOR + link.attributes.get("name", "").strip()] = read_pose(
                link
            )[1]
        velocity = link.numbers("velocity", 6, (0.0,) * 6)
        state.speed = max(state.speed, *map(abs, velocity))


# --- moving ---------------------------------------------------------------------------------------


def _moved(scene: Scene, state: _State) -> Scene:
    """Return the scene with models and trees of links at the poses of the state, all joints at
    zero.
    """
    X_models = {model.name: _model_displacement(model.name, scene, state) for model in scene.models}
    X_links = _link_displacements(scene, state, X_models)
    return replace(
        scene,
        models=tuple(
            replace(model, X_WM=X_models[model.name] @ model.X_WM) for model in scene.models
        ),
        links=tuple(replace(link, X_WL=X_links[link.name] @ link.X_WL) for link in scene.links),
        joints=tuple(
            replace(joint, X_PJ=X_links[joint.child] @ joint.X_PJ)
            if joint.parent == WORLD
            else joint
            for joint in scene.joints
        ),
        frames=tuple(
            replace(frame, X_LF=_scope_displacement(frame.name, X_models) @ frame.X_LF)
            if frame.link == WORLD
            else frame
            for frame in scene.frames
        ),
        lights=tuple(
            replace(light, X_LLight=state.lights.get(light.name, light.X_LLight))
            for light in scene.lights
        ),
    )


def _model_displacement(name: str, scene: Scene, state: _State) -> Pose:
    """Return ``X_W'W``, which takes a model and what is in it to its place; nested models follow
    the outer one.
    """
    X_WM = {model.name: model.X_WM for model in scene.models}
    scope = name
    while scope:
        if scope in state.models and scope in X_WM:
            return state.models[scope] @ X_WM[scope].inverse()
        scope = scope.rpartition(SEPARATOR)[0]
    return IDENTITY


def _scope_displacement(name: str, displacements: Mapping[str, Pose]) -> Pose:
    return displacements.get(name.rpartition(SEPARATOR)[0], IDENTITY)


def _link_displacements(
    scene: Scene, state: _State, X_models: Mapping[str, Pose]
) -> dict[str, Pose]:
    """Return the displacement of each link: that of the root of its tree, whose pose the state
    has.
    """
    links, parents = by_name(scene.links), _parent_joints(scene)
    displacements: dict[str, Pose] = {WORLD: IDENTITY}
    for name in links:
        path = [name]
        while (
            path[-1] not in displacements
            and path[-1] in parents
            and parents[path[-1]].parent not in path
        ):
            path.append(parents[path[-1]].parent)
        root = path[-1]
        if root not in displacements:
            link, X_WL = links[root], state.links.get(root)
            displacements[root] = (
                X_models.get(link.model, IDENTITY) if X_WL is None else X_WL @ link.X_WL.inverse()
            )
        displacements.update(dict.fromkeys(path, displacements[root]))
    return displacements


def _parent_joints(scene: Scene) -> dict[str, Joint]:
    """Return the joint that connects each link to its parent; the first of several."""
    joints: dict[str, Joint] = {}
    for joint in scene.joints:
        if WORLD not in (joint.parent, joint.child):
            joints.setdefault(joint.child, joint)
    return joints


# --- positions of joints --------------------------------------------------------------------------


def _with_positions(scene: Scene, state: _State, node: Node) -> Scene:
    """Return the scene with the initial positions of the joints that the poses of their links
    imply.
    """
    links, parents = by_name(scene.links), _parent_joints(scene)
    unreached = {}
    joints = []
    for joint in scene.joints:
        if parents.get(joint.child) is joint and joint.child in state.links:
            X_WP = state.links.get(joint.parent, links[joint.parent].X_WL)
            X_JJ = (X_WP @ joint.X_PJ).inverse() @ state.links[joint.child] @ joint.X_CJ
            q, error = _position(joint, X_JJ)
            if error > _REACHED:
                unreached[joint.name] = error
            joints.append(replace(joint, default_position=(q,)) if abs(q) > _REACHED else joint)
        else:
            joints.append(joint)
    if unreached:
        node.report(
            codes.STATE_UNREACHED,
            subjects=tuple(unreached),
            error=max(unreached.values()),
            joints=tuple(unreached),
        )
    return replace(scene, joints=tuple(joints))


def _position(joint: Joint, X_JJ: Pose) -> tuple[float, float]:
    """Return the position of a joint nearest to the pose of its child's frame in its parent's, and
    the error.
    """
    q, X_q = 0.0, IDENTITY
    axis = np.array(joint.axes[0].xyz) if joint.axes else np.zeros(3)
    if joint.type in _SLIDES:
        q = float(axis @ X_JJ.p)
        X_q = Pose.of(p=q * axis)
    elif joint.type in _HINGES:
        R = X_JJ.R
        sine = 0.5 * axis @ (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
        cosine = 0.5 * (np.trace(R) - axis @ R @ axis)
        q = float(np.arctan2(sine, cosine))
        X_q = Pose.from_vector((0.0, 0.0, 0.0, np.cos(0.5 * q), *(np.sin(0.5 * q) * axis)))
    error = X_q.inverse() @ X_JJ
    return q, float(max(np.linalg.norm(error.p), np.abs(error.R - np.eye(3)).max()))


# --- reports --------------------------------------------------------------------------------------


def _report(node: Node, state: _State, before: Scene, after: Scene) -> None:
    distances = {
        a.name: float(np.linalg.norm(a.X_WL.p - b.X_WL.p))
        for a, b in zip(before.links, after.links, strict=True)
    }
    node.report(codes.STATE, distance=max(distances.values(), default=0.0))
    if state.speed > _AT_REST:
        node.report(codes.STATE_VELOCITY, speed=state.speed)
    for scale in state.scaled:
        scale.report(codes.STATE_SCALE)
    unknown = tuple(_unknown(state, before))
    if unknown:
        node.report(codes.STATE_UNKNOWN, models=unknown)


def _unknown(state: _State, scene: Scene) -> Iterator[str]:
    known = {model.name for model in scene.models}
    yield from (name for name in state.models if name not in known)

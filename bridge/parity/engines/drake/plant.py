"""Drake's plant, its names and its shapes.

Drake refuses a file whose meshes it cannot read, so that the shapes are kept apart from the plant
that moves.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bridge.geometry.shapes import (
    SupportFunction,
    half_space,
    support_function,
    supports_of,
    supports_of_points,
)
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import Position
from bridge.parity.engine import Hull, NotReportedError, Surfaces
from bridge.parity.readings import hull_of_points, stacked
from loaders import Search
from loaders.model import WORLD, Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from loaders.pose import Array, Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, local_name, root_model

RAISED = (RuntimeError, ValueError, IndexError, OverflowError, MemoryError, SystemExit)
"""The Python exceptions for C++ exceptions and failed assertions."""
_MARKERS = ("model.config", "model.sdf", "package.xml")
"""Files that mark a folder as a package to which the model can refer by name."""
_NETWORK = "DRAKE_ALLOW_NETWORK"
_OWN_PACKAGE = "drake"
"""The package that comes with Drake; all others of its map are downloaded when they are needed."""


class UnsupportedModelError(Exception):
    """Drake does not read the file, or the adapter cannot compare what it reads; the message is the
    reason.
    """


def needs_steps(mechanism: Mechanism) -> bool:
    """Return whether Drake simulates a model in discrete time only: with couplings, constraints or
    locked joints.
    """
    axes = (axis for joint in mechanism.scene.joints for axis in joint.axes)
    is_locked = any(axis.lower == axis.upper for axis in axes)
    return is_locked or bool(mechanism.couplings or mechanism.scene.constraints)


def read_plant(scene: Scene, search: Search, step: float = 0.0, scene_graph: Any = None) -> Any:
    """Return Drake's plant of the scene's file.

    Nothing is downloaded. The gravity of the scene is set, because Drake ignores that of the file.

    Args:
        scene: The scene; its file and gravity are used.
        search: Where to find packages.
        step: Time step [s]; zero for continuous time, in which Drake takes no couplings and
            constraints.
        scene_graph: Receives the shapes; None to read none.

    Raises:
        UnsupportedModelError: If Drake does not read the file.
    """
    if not Path(scene.source).is_file():
        raise UnsupportedModelError("the model was not loaded from a file")
    from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant

    plant = MultibodyPlant(step)
    if scene_graph is not None:
        plant.RegisterAsSourceForSceneGraph(scene_graph)
    if step:
        plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
        plant.SetUseSampledOutputPorts(
            use_sampled_output_ports=False
        )  # leaves the discrete update alone
    try:
        _parser(plant, Path(scene.source).resolve(), search).AddModels(Path(scene.source))
        plant.Finalize()
    except RAISED as error:
        raise UnsupportedModelError(str(error) or type(error).__name__) from error
    gravity: Any = scene.gravity
    plant.mutable_gravity_field().set_gravity_vector(gravity)
    return plant


def _parser(plant: Any, source: Path, search: Search) -> Any:
    """Drake's parser with the packages of the search, and none that it would download."""
    from pydrake.multibody.parsing import Parser

    with _package_map_allowed():
        parser = Parser(plant)
    packages = parser.package_map()
    for name in packages.GetPackageNames():
        if name != _OWN_PACKAGE:
            packages.Remove(name)
    for name, folder in _packages(source, search):
        if not packages.Contains(name):
            packages.Add(name, folder)
    return parser


@contextmanager
def _package_map_allowed() -> Iterator[None]:
    """Let Drake build its package map, which it refuses if the environment forbids network
    access.
    """
    before = os.environ.get(_NETWORK)
    os.environ[_NETWORK] = "package_map"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_NETWORK]
        else:
            os.environ[_NETWORK] = before


def _packages(source: Path, search: Search) -> Iterator[tuple[str, Path]]:
    """Yield names and absolute folders of packages, in order of precedence.

    First come the packages of the user's map, then those in the user's folders, then those near the
    model.
    """
    for name, folder in (search.get("package_map") or {}).items():
        yield name, Path(folder).resolve()
    given = [Path(path).resolve() for path in search.get("paths", ())]
    for top in (*given, *source.parents[:3]):
        for name in sorted(os.listdir(top)) if top.is_dir() else ():
            if any(os.path.isfile(os.path.join(top, name, marker)) for marker in _MARKERS):
                yield name, top / name


@contextmanager
def without_log() -> Iterator[None]:
    """Keep Drake from logging; nothing is concluded from its messages."""
    logger, silence = logging.getLogger("drake"), logging.NullHandler()
    propagates, logger.propagate = logger.propagate, False
    logger.addHandler(silence)
    try:
        yield
    finally:
        logger.removeHandler(silence)
        logger.propagate = propagates


_WELD, _FLOATING, _BALL = "weld", "quaternion_floating", "ball_rpy"


class ModelMismatchError(Exception):
    """Drake reads other links, joints or degrees of freedom than the mechanism has.

    Attributes:
        names: The links and joints that differ.
    """

    def __init__(self, message: str, *names: str) -> None:
        super().__init__(message)
        self.names = frozenset(names)


def links_by_name(plant: Any, mechanism: Mechanism) -> dict[str, Any]:
    """Return Drake's bodies by scoped link name; Drake adds the scope of the model to files whose
    root is one model.

    Raises:
        ModelMismatchError: If the links differ.
    """
    from pydrake.multibody.tree import BodyIndex

    expected = {body.name for body in mechanism.bodies}
    links = {}
    for index in range(1, plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        full = f"{plant.GetModelInstanceName(body.model_instance())}{SEPARATOR}{body.name()}"
        name = full if full in expected else full.partition(SEPARATOR)[2]
        if name not in expected:
            raise ModelMismatchError(f"it has a link {full}, which the model does not have", name)
        links[name] = body
    root = root_model(mechanism.scene)
    called = {
        plant.GetModelInstanceName(body.model_instance()).partition(SEPARATOR)[0]
        for body in links.values()
    }
    if root is not None and called and root.name not in called:
        raise ModelMismatchError(f"it is called {min(called)}, the model {root.name}", root.name)
    if WORLD in expected:
        links[WORLD] = plant.world_body()
    missing = sorted(expected - links.keys())
    if missing:
        raise ModelMismatchError(f"it does not have the link {missing[0]}", *missing)
    return links


def joints_by_name(plant: Any, mechanism: Mechanism, links: Mapping[str, Any]) -> dict[str, Any]:
    """Return Drake's joints by scoped name; Drake puts a joint into the scope of its child.

    Args:
        plant: Drake's plant.
        mechanism: The mechanism.
        links: Drake's bodies by scoped link name.

    Raises:
        ModelMismatchError: If the joints differ.
        UnsupportedModelError: If Drake measures the pose of a free link in another frame than the
        world.
    """
    link_of = {body.index(): name for name, body in links.items()}
    names = {(joint.child, local_name(joint.name)): joint.name for joint in mechanism.scene.joints}
    joints = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.type_name() == _WELD:
            continue
        child = link_of.get(joint.child_body().index(), WORLD)
        name = names.get((child, joint.name()), child if is_floating(joint) else "")
        if not name:
            message = (
                f"it has a joint {joint.name()} with child {child}, which the model does not have"
            )
            raise ModelMismatchError(message, joint.name())
        if is_floating(joint) and joint.frame_on_parent().index() != plant.world_frame().index():
            frame = joint.frame_on_parent().name()
            raise UnsupportedModelError(
                f"it measures the pose of free link {child} in frame {frame}, not in the world"
            )
        joints[name] = joint
    return joints


def velocity_order(plant: Any, mechanism: Mechanism, joints: Mapping[str, Any]) -> list[int]:
    """Return the index of Drake's velocity for each component of the mechanism's ``v_order``.

    Args:
        plant: Drake's plant.
        mechanism: The mechanism.
        joints: Drake's joints by scoped name.

    Raises:
        ModelMismatchError: If the degrees of freedom differ.
    """
    order = []
    for name, component in mechanism.v_order:
        if name not in joints:
            raise ModelMismatchError(f"its joint {name} is fixed or missing", name)
        joint = joints[name]
        order.append(
            joint.velocity_start() + ((component + 3) % 6 if is_floating(joint) else component)
        )
    unmatched = sorted(
        name
        for name, joint in joints.items()
        if joint.num_velocities() and joint.velocity_start() not in order
    )
    if unmatched:
        raise ModelMismatchError(
            f"its joint {unmatched[0]} moves; that of the model is fixed", *unmatched
        )
    if sorted(order) != list(range(plant.num_velocities())):
        raise ModelMismatchError("it has other degrees of freedom")
    return order


# --- coordinates ----------------------------------------------------------------------------------


def is_floating(joint: Any) -> bool:
    """Return whether a joint of Drake moves a free body."""
    return bool(joint.type_name() == _FLOATING)


def position_in_drake(joint: Any, value: Position) -> Array:
    """Return Drake's position of a joint.

    Args:
        joint: Drake's joint.
        value: The position of the mechanism's joint.
    """
    numbers: Array = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if is_floating(joint):
        return np.roll(numbers, 4)
    if joint.type_name() == _BALL:
        from pydrake.common.eigen_geometry import Quaternion
        from pydrake.math import RollPitchYaw

        return np.asarray(RollPitchYaw(Quaternion(numbers / np.linalg.norm(numbers))).vector())
    return numbers


def position_of(joint: Any, positions: Array) -> Position:
    """Return the position of the mechanism's joint, the inverse of `position_in_drake`.

    Args:
        joint: Drake's joint.
        positions: The positions of Drake's plant.
    """
    start = joint.position_start()
    numbers: Array = positions[start : start + joint.num_positions()]
    if is_floating(joint):
        return tuple(np.roll(numbers, -4).tolist())
    if joint.type_name() == _BALL:
        from pydrake.math import RollPitchYaw

        rpy: Any = numbers
        return tuple(np.asarray(RollPitchYaw(rpy).ToQuaternion().wxyz()).tolist())
    return float(numbers[0]) if len(numbers) == 1 else tuple(numbers.tolist())


_UP = np.array((0.0, 0.0, 1.0))


class DrakeGeometry:
    """The shapes that Drake reads from the file of a mechanism.

    Raises:
        NotReportedError: If Drake does not read the file with its shapes.
    """

    def __init__(self, mechanism: Mechanism, search: Search) -> None:
        from pydrake.geometry import SceneGraph

        scene_graph: Any = SceneGraph()
        try:
            with without_log():
                plant = read_plant(mechanism.scene, search, scene_graph=scene_graph)
            self._link_of = {
                int(body.index()): name for name, body in links_by_name(plant, mechanism).items()
            }
        except (UnsupportedModelError, ModelMismatchError) as error:
            reason = str(error).partition("\n")[0]
            raise NotReportedError(f"Drake does not read the shapes: {reason}") from error
        self._undrawn = _first_undrawn(mechanism.scene)
        self._plant, self._graph = plant, scene_graph
        self._inspector = scene_graph.model_inspector()

    def collidable_pairs(self) -> frozenset[frozenset[str]]:
        """Return the pairs of links whose shapes may collide by Drake's filters."""
        candidates = self._inspector.GetCollisionCandidates()
        pairs = (frozenset(map(self._link, pair)) for pair in candidates)
        return frozenset(pair for pair in pairs if len(pair) == 2)

    def surfaces(self) -> Surfaces:
        """Return shapes, friction and what is drawn; a link of the scene with a mesh of a format
        that Drake does not draw is the reason for which nothing of the latter is known.
        """
        supports: list[tuple[str, Array]] = []
        friction: dict[str, list[float]] = {}
        hulls: dict[str, list[Hull]] = {}
        for body, link in self._link_of.items():
            for geometry in self._plant.GetCollisionGeometriesForBody(self._body(body)):
                X_LG = self._inspector.GetPoseInFrame(geometry)
                pose = Pose.of(np.asarray(X_LG.rotation().matrix()), np.asarray(X_LG.translation()))
                form = self._form(geometry)
                if callable(form):
                    supports.append((link, supports_of(form, pose)))
                elif form is not None:
                    supports.append((link, supports_of_points(form, pose)))
                    hulls.setdefault(link, []).append(partial(hull_of_points, form))
                friction.setdefault(link, []).append(self._friction(geometry))
        visuals = {link: self._drawn(body) for body, link in self._link_of.items()}
        return Surfaces(
            supports=stacked(supports),
            visuals={link: poses for link, poses in visuals.items() if poses},
            friction=friction,
            hulls=hulls,
            reasons={"visuals": f"Drake does not draw {self._undrawn}"} if self._undrawn else {},
        )

    def _drawn(self, body: int) -> list[Pose]:
        """Return the poses of what Drake draws of a body, in the body."""
        from pydrake.geometry import Role

        frame = self._plant.GetBodyFrameIdOrThrow(self._body(body).index())
        matrices = [
            self._inspector.GetPoseInFrame(geometry).GetAsMatrix4()
            for geometry in self._inspector.GetGeometries(frame, Role.kIllustration)
        ]
        return [Pose.of(X[:3, :3], X[:3, 3]) for X in matrices]

    def _body(self, index: int) -> Any:
        from pydrake.multibody.tree import BodyIndex

        return self._plant.get_body(BodyIndex(index))

    def _link(self, geometry: Any) -> str:
        body = self._plant.GetBodyFromFrameId(self._inspector.GetFrameId(geometry))
        return self._link_of.get(int(body.index()), str(body.name()))

    def _friction(self, geometry: Any) -> float:
        properties = self._inspector.GetProximityProperties(geometry)
        return float(properties.GetProperty("material", "coulomb_friction").dynamic_friction())

    def _form(self, geometry: Any) -> SupportFunction | Array | None:
        """Return the support function of a primitive, or the corners of the hull with which a mesh
        collides.
        """
        hull = self._inspector.GetConvexHull(geometry)
        if hull is not None:
            return np.array([hull.vertex(k) for k in range(hull.num_vertices())], dtype=np.float64)
        return _primitive(self._inspector.GetShape(geometry))


def _first_undrawn(scene: Scene) -> str:
    """Return the first visual of a scene that Drake does not draw; empty if it draws all."""
    for link in scene.links:
        for visual in link.visuals:
            form, suffix = visual.geometry, ""
            if isinstance(form, Mesh):
                suffix = Path(form.path or "").suffix.lower()
            if not isinstance(form, DRAWN) and suffix not in _DRAWN_FORMATS:
                return f"visual {visual.name} of link {link.name}"
            if "illustration" not in visual.roles or visual.renderers:
                return f"visual {visual.name} of link {link.name} as the others"
    return ""


DRAWN = (Box, Capsule, Cylinder, Ellipsoid, Sphere)
"""The primitives that Drake draws where the file has them."""
_DRAWN_FORMATS = {".obj", ".gltf", ".vtk"}


def _primitive(shape: Any) -> SupportFunction | None:
    shapes: Mapping[str, Any] = {
        "Sphere": lambda: Sphere(radius=shape.radius()),
        "Box": lambda: Box(size=(shape.width(), shape.depth(), shape.height())),
        "Cylinder": lambda: Cylinder(radius=shape.radius(), length=shape.length()),
        "Capsule": lambda: Capsule(radius=shape.radius(), length=shape.length()),
        "Ellipsoid": lambda: Ellipsoid(radii=(shape.a(), shape.b(), shape.c())),
    }
    kind = type(shape).__name__
    if kind == "HalfSpace":
        return half_space(_UP)
    return support_function(shapes[kind]()) if kind in shapes else None

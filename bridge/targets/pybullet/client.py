"""Connection to a physics server, its flags, replies and constants.

Source: the PyBullet Quickstart Guide, and the replies of PyBullet 3.2.7.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from bridge.installed_packages import INSTALL_PYBULLET
from bridge.targets.pybullet import codes

if TYPE_CHECKING:
    from bridge.targets.report import Report

HULL_MARGIN = 1e-3
"""Margin that PyBullet adds to a convex hull [m]."""


class Client:
    """Calls PyBullet's functions on one physics server, given by its id or by a ``BulletClient``.

    Raises:
        ImportError: if PyBullet is not installed.
        TypeError: if it is neither an id nor a ``BulletClient``.
        ValueError: if no physics server has the id.
    """

    def __init__(self, client: Any = 0) -> None:
        try:
            import pybullet
        except ImportError as error:
            raise ImportError(f"PyBullet is not installed; {INSTALL_PYBULLET}") from error

        self.id = _index(getattr(client, "_client", client))
        self.modes: Any = pybullet
        """The module with PyBullet's constants."""
        if not pybullet.isConnected(self.id):
            raise ValueError(
                f"no physics server has the id {self.id}; call pybullet.connect(pybullet.DIRECT) "
                f"first"
            )

    def is_connected(self) -> bool:
        """Return whether the physics server is still connected."""
        return bool(self.modes.isConnected(self.id))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = partial(getattr(self.modes, name), physicsClientId=self.id)
        setattr(self, name, function)  # the next call finds it without this function
        return function


Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function of PyBullet, and its arguments but the body."""
_SETTERS = frozenset(
    {
        "changeDynamics",
        "changeVisualShape",
        "resetBasePositionAndOrientation",
        "resetBaseVelocity",
        "resetJointStateMultiDof",
        "resetJointStatesMultiDof",
        "setCollisionFilterGroupMask",
        "setJointMotorControl2",
        "setJointMotorControlArray",
        "setJointMotorControlMultiDof",
    }
)


class RecordingClient(Client):
    """Keeps the calls that set something of the body that is their first argument."""

    def __init__(self, client: Client) -> None:
        self.id, self.modes = client.id, client.modes
        self.calls: list[Call] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self.modes, name)
        if name not in _SETTERS:
            return super().__getattr__(name)

        def recorded(body: int, *arguments: Any, **options: Any) -> Any:
            options["physicsClientId"] = self.id
            last = self.calls[-1] if self.calls else None
            if name == "changeDynamics" and last and (function, arguments) == last[:2]:
                last[2].update(options)
            else:
                self.calls.append((function, arguments, dict(options)))
            return function(body, *arguments, **options)

        setattr(self, name, recorded)
        return recorded


def _index(client: Any) -> int:
    try:
        return operator.index(client)
    except TypeError as error:
        message = (
            f"physicsClientId: expected the id of a physics server or a BulletClient, not "
            f"{client!r}"
        )
        raise TypeError(message) from error


Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
"""A quaternion ``x y z w``."""


class JointInfo(NamedTuple):
    """Reply of ``getJointInfo``."""

    joint_index: int
    name: bytes
    type: int
    q_index: int
    v_index: int
    flags: int
    damping: float
    friction: float
    lower: float
    upper: float
    max_force: float
    max_velocity: float
    link_name: bytes
    axis: Vector
    """Axis in the inertial frame of the child link."""
    position_in_parent: Vector
    """Position of the joint in the inertial frame of the parent link [m]."""
    orientation_in_parent: Quaternion
    """Orientation of the inertial frame of the parent link in that of the child link, at 0."""
    parent_index: int


class DynamicsInfo(NamedTuple):
    """Reply of ``getDynamicsInfo``."""

    mass: float
    lateral_friction: float
    moments: Vector
    """Principal moments of inertia [kg m^2]."""
    inertial_position: Vector
    inertial_orientation: Quaternion
    restitution: float
    rolling_friction: float
    spinning_friction: float
    contact_damping: float
    """Damping of contacts [N s/m]; -1 if it is not set."""
    contact_stiffness: float
    """Stiffness of contacts [N/m]; -1 if it is not set."""
    body_type: int
    collision_margin: float


class ConstraintInfo(NamedTuple):
    """Reply of ``getConstraintInfo``: a constraint between a parent and a child, each a link of a
    body.
    """

    parent_body: int
    parent_joint: int
    child_body: int
    child_joint: int
    type: int
    axis: Vector
    parent_position: Vector
    """Pivot in the inertial frame of the parent [m]."""
    child_position: Vector
    """Pivot in the inertial frame of the child [m]."""
    parent_orientation: Quaternion
    child_orientation: Quaternion
    max_force: float
    gear_ratio: float
    gear_auxiliary_link: int
    relative_position_target: float
    error_reduction: float

    @property
    def parent(self) -> tuple[int, int]:
        """Body and index of the parent link."""
        return self.parent_body, self.parent_joint

    @property
    def child(self) -> tuple[int, int]:
        """Body and index of the child link."""
        return self.child_body, self.child_joint


Reply = TypeVar("Reply", JointInfo, DynamicsInfo, ConstraintInfo)


def named(kind: type[Reply], reply: Sequence[Any]) -> Reply:
    """Return a reply with names; fields that a later version of PyBullet adds are left out.

    Args:
        kind: The kind of the reply.
        reply: What PyBullet returns.
    """
    return kind._make(reply[: len(kind._fields)])


TARGET = "pybullet"
"""Name of this target in diagnostics."""
BASE = -1
"""PyBullet's link index of the base of a body."""


ALWAYS = ("URDF_USE_INERTIA_FROM_FILE", "URDF_MAINTAIN_LINK_ORDER", "URDF_USE_IMPLICIT_CYLINDER")
"""Flags set for every body, so that PyBullet uses the values in the document."""

IGNORED = {
    "URDF_USE_SELF_COLLISION": "the policy decides which links collide",
    "URDF_USE_SELF_COLLISION_EXCLUDE_PARENT": "the policy decides which links collide",
    "URDF_USE_SELF_COLLISION_EXCLUDE_ALL_PARENTS": "the policy decides which links collide",
    "URDF_USE_SELF_COLLISION_INCLUDE_PARENT": "the policy decides which links collide",
    "URDF_MERGE_FIXED_LINKS": "links keep their names and indices",
    "URDF_ENABLE_CACHED_GRAPHICS_SHAPES": (
        "the cache is keyed by file names, which change with every load"
    ),
}
"""Flags that are ignored, each with the reason."""

ALLOWED = (
    "URDF_GLOBAL_VELOCITIES_MB", "URDF_ENABLE_SLEEPING", "URDF_ENABLE_WAKEUP",
    "URDF_INITIALIZE_SAT_FEATURES", "URDF_IGNORE_VISUAL_SHAPES", "URDF_IGNORE_COLLISION_SHAPES",
    "URDF_PRINT_URDF_INFO", "URDF_USE_MATERIAL_COLORS_FROM_MTL",
    "URDF_USE_MATERIAL_TRANSPARANCY_FROM_MTL", "URDF_GOOGLEY_UNDEFINED_COLORS",
)  # fmt: skip
"""Flags that the caller may set.

Printed text becomes a diagnostic. The last flag has no effect because every color is defined."""


_FILE_ORDER = (
    "URDF_MAINTAIN_LINK_ORDER",
    "links are in the order of loadURDF without it, each after its parent, depth first",
)
"""The flag for links in the order of the file, and what is done where that is another one."""


def allowed_flags(flags: int, modes: Any, report: Report, *, is_file_order: bool = True) -> int:
    """Return those of the caller's flags that PyBullet is given.

    Args:
        flags: The caller's flags.
        modes: The module with PyBullet's constants.
        report: Record of flags that are ignored.
        is_file_order: Whether the links of the bodies are in the order of the file.
    """
    without_effect = IGNORED if is_file_order else IGNORED | dict([_FILE_ORDER])
    ignored = [
        f"{name} ({reason})"
        for name, reason in without_effect.items()
        if flags & getattr(modes, name)
    ]
    unknown = flags & ~_bits((*ALWAYS, *IGNORED, *ALLOWED), modes)
    if unknown:
        ignored.append(f"{unknown:#x} (unknown to PyBullet)")
    if ignored:
        report.add(codes.FLAG_IGNORED, flags=tuple(ignored))
    return flags & _bits(ALLOWED, modes)


@cache
def required_flags(modes: Any) -> int:
    """Return the flags that every body is loaded with."""
    return _bits(ALWAYS, modes)


def _bits(names: Iterable[str], modes: Any) -> int:
    return sum(int(getattr(modes, name)) for name in names)

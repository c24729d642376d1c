"""Named states of a scene."""

from __future__ import annotations

from dataclasses import dataclass

from loaders.diagnostics import NOWHERE, Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyframe:
    """A named state of some joints, actuators and kinematic links; the others are at their initial state."""

    name: str
    """Scoped name, unique among the keyframes."""
    joints: tuple[str, ...]
    """Names of the joints."""
    positions: tuple[tuple[float, ...], ...]
    """Position of each of these joints [rad or m]: a quaternion for a ball joint, and for a floating joint the position
    and the quaternion of its link in the world."""
    velocities: tuple[tuple[float, ...], ...] = ()
    """Velocity of each of these joints [rad/s or m/s]: for a ball joint the angular velocity of the child in the
    parent, in the parent's joint frame; for a floating joint the linear and the angular velocity of its link, in the
    world. Empty if all are zero."""
    actuators: tuple[str, ...] = ()
    """Names of the actuators of which controls or internal states are given."""
    controls: tuple[tuple[float, ...], ...] = ()
    """Controls of each of these actuators."""
    activations: tuple[tuple[float, ...], ...] = ()
    """Internal states of each of these actuators; empty for an actuator without any."""
    links: tuple[str, ...] = ()
    """Names of the kinematic links of which poses are given."""
    poses: tuple[tuple[float, ...], ...] = ()
    """Position [m] and unit quaternion ``w x y z``, in the world, of each of these links."""
    where: Where = NOWHERE

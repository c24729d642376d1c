"""Hints about elements that a reader does not know: where they belong, or whose they are."""

from __future__ import annotations

from collections.abc import Mapping

_HOMES: Mapping[str, tuple[str, ...]] = {
    "audio": ("world",),
    "canonical_link": ("model",),
    "cast_shadows": ("visual", "light"),
    "collision": ("link",),
    "damping": ("dynamics",),
    "friction": ("dynamics", "surface"),
    "gravity": ("world", "link"),
    "inertial": ("link",),
    "kinematic": ("link",),
    "limit": ("axis",),
    "lower": ("limit",),
    "mass": ("inertial",),
    "material": ("visual",),
    "max_vel": ("ode` of `contact",),
    "min_depth": ("ode` of `contact",),
    "mu": ("ode` of `friction",),
    "mu2": ("ode` of `friction",),
    "physics": ("world",),
    "plugin": ("model", "world", "sensor"),
    "scene": ("world",),
    "self_collide": ("model", "link"),
    "sensor": ("link", "joint"),
    "static": ("model",),
    "surface": ("collision",),
    "transparency": ("visual",),
    "upper": ("limit",),
    "visual": ("link",),
}
"""Parents of elements of SDFormat and URDF that files often put elsewhere."""

_OWNERS: Mapping[tuple[str, str], str] = {
    ("joint", "joint_properties"): "used by ROS before 2012 only; state damping and friction in `<dynamics>`",
    ("joint", "safetyLength"): "used by Gazebo before 2012 only",
    ("link", "contact"): "used by PyBullet's loader only; state friction in `<surface>`",
    ("link", "self_collision_checking"): "used by ROS before 2012 only; use `<self_collide>` in `<gazebo>`",
    ("pose", "frame"): "the attribute is `relative_to` since SDFormat 1.7",
    ("robot", "deformable"): "used by PyBullet's loader only, for soft bodies",
    ("robot", "sensor"): "used by a proposal for URDF that no simulator reads; put it into `<gazebo reference=...>`",
    ("robot", "velocity"): "used by PyBullet's loader only",
    ("sphere", "size"): "a sphere has a `<radius>`",
    ("transmission", "robotNamespace"): "used by Gazebo's ros_control only",
    ("transmission", "motorTorqueConstant"): "used by Gazebo's ros_control only",
}
"""Hints about elements, by parent and name, that only one other program reads."""


def home_of(parent: str, name: str) -> str:
    """Return a hint about an element that its parent may not have; empty if nothing is known about it.

    Args:
        parent: Tag of the parent.
        name: Tag of the element, or name of the attribute.
    """
    owner = _OWNERS.get((parent, name))
    if owner is not None:
        return owner
    homes = tuple(home for home in _HOMES.get(name, ()) if home != parent)
    return (
        f"it belongs into {' or '.join(f'`<{home}>`'.replace('` of `', '>` of `<') for home in homes)}" if homes else ""
    )

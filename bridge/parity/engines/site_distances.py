"""The distances of the sites of a compiled export that constraints of its scene hold together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bridge.mechanism import Mechanism
from bridge.mjcf.constraint.equality import second_point_name
from loaders.model import WORLD, BallConstraint, WeldConstraint
from loaders.spatial import Pose

from .constraint_violation import add_violation, constraint_frames, frame_distance


def site_distances(
    mujoco: Any, model: Any, mechanism: Mechanism, links: Mapping[int, str], pose_of: Callable[[int], Pose]
) -> dict[str, float]:
    """Return the distances between the sites of each constraint [m]; of welds with the angle between them [rad].

    A constraint is named by its links, as the scene names it; a loop by its joint. The second point of a hinge that
    closes a loop, which is on its axis, is left out: violations are those of the origins of frames.

    Args:
        mujoco: The module.
        model: The compiled export.
        mechanism: The mechanism.
        links: The link of each body id.
        pose_of: Returns the pose of a site in the world.
    """
    second_points = {second_point_name(closure.joint.name) for closure in mechanism.closures}
    constraints = {name.replace(", ", "_"): name for name, _ in constraint_frames(mechanism)}
    stated = (c for c in mechanism.scene.constraints if isinstance(c, BallConstraint | WeldConstraint))
    constraints |= {dict(c.mujoco).get("name", ""): f"{c.link_A}, {c.link_B}" for c in stated if c.active}
    found: dict[str, float] = {}
    for k in range(model.neq):
        own_name = str(model.equality(k).name)
        is_of_sites = model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE and own_name not in second_points
        if model.eq_active0[k] and is_of_sites:
            sites = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
            ends = ", ".join(links.get(int(model.site_bodyid[site]), WORLD) for site in sites)
            is_weld = bool(model.eq_type[k] == mujoco.mjtEq.mjEQ_WELD)
            name = constraints.get(own_name, ends)
            add_violation(found, name, frame_distance(*map(pose_of, sites), welded=is_weld))
    return found

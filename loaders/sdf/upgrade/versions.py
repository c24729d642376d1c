"""The versions of SDFormat, and the conversion rules from each to the next.

Source: the descriptions ``sdf/1.0`` to ``sdf/1.12`` of libsdformat and its ``.convert`` files. Versions that change
nothing have no rules. Three rules are ours, because the ``.convert`` files lose these values: ``mesh/filename``,
``ode/provide_feedback``, and the elements of 1.0 whose paths are misspelled in them.
"""

from __future__ import annotations

from .rules import Add, Copy, Map, Move, Remove, Rename, Rule, Unflatten, attributes_to_elements

Version = tuple[int, int]
"""Major and minor version number."""

NEWEST: Version = (1, 12)
"""The version that older files are upgraded to."""

_GAZEBO_SCRIPT = "file://media/materials/scripts/gazebo.material"
"""The script of Gazebo's own materials, which files of version 1.0 name without a URI."""

_ATTRIBUTES_1_0 = {
    "//animation": "filename scale interpolate_x",
    "//attenuation": "range linear constant quadratic",
    "//axis": "xyz",
    "//axis2": "xyz",
    "//bounce": "restitution_coefficient threshold",
    "//box": "size",
    "//clip": "near far",
    "//collision": "laser_retro",
    "//constraints": "cfm erp contact_max_correcting_vel contact_surface_layer",
    "//cylinder": "radius length",
    "//depth_camera": "output",
    "//dynamics": "damping friction",
    "//fog": "type start end density",
    "//grasp_check": "detach_steps attach_steps min_contact_count",
    "//heightmap": "filename size",
    "//horizontal": "samples resolution min_angle max_angle",
    "//image": "width height format filename scale threshold granularity",
    "//inertia": "ixx ixy ixz iyy iyz izz",
    "//inertial": "mass density",
    "//light": "cast_shadows",
    "//limit": "lower upper effort velocity cfm erp",
    "//link": "gravity self_collide kinematic",
    "//mesh": "filename scale",
    "//model": "static",
    "//ode": "mu mu2 fdir1 slip1 slip2 soft_cfm soft_erp kp kd max_vel min_depth",
    "//physics": "update_rate",
    "//plane": "normal",
    "//range": "min max resolution",
    "//save": "path",
    "//script": "loop delay_start auto_start",
    "//sensor": "always_on update_rate visualize",
    "//skin": "filename scale",
    "//solver": "type dt iters precon_iters sor",
    "//sphere": "radius",
    "//spot": "inner_angle outer_angle falloff",
    "//state": "time",
    "//suspension": "cfm erp",
    "//link/velocity_decay": "linear angular",
    "//vertical": "samples resolution min_angle max_angle",
    "//visual": "cast_shadows laser_retro transparency",
    "//waypoint": "time pose",
}
_TO_1_2: tuple[Rule, ...] = (
    Move("//link", "damping", "velocity_decay"),
    *(rule for at, names in _ATTRIBUTES_1_0.items() for rule in attributes_to_elements(at, names)),
    Move("//heightmap", "@origin", "pos"),
    Move("//fog", "@rgba", "color"),
    Move("//material", "@script", "script/name"),
    Add("//material/script", "uri", _GAZEBO_SCRIPT),
    Move("//contact/collision", "@name", "."),
    *(Rename("//" + tag, "rgba", tag) for tag in ("ambient", "diffuse", "specular", "emissive", "background")),
    *(Rename("//" + tag, "enabled", tag) for tag in ("shadows", "grid")),
    *(Rename("//" + tag, "link", tag) for tag in ("parent", "child")),
    *(Rename("//" + tag, "xyz", tag) for tag in ("gravity", "direction")),
    Rename("//horizontal_fov", "angle", "horizontal_fov"),
    Rename("//origin", "pose", "pose"),
)
_TO_1_4: tuple[Rule, ...] = (
    *(Move("//" + tag, "filename", "uri") for tag in ("mesh", "image", "heightmap")),
    Move("world/physics", "update_rate", "real_time_update_rate"),
    Move("world/physics", "ode/solver/dt", "max_step_size"),
    Move("world/physics", "bullet/dt", "max_step_size"),
)
_TO_1_5: tuple[Rule, ...] = (
    *(
        Add(f"{model}/joint/{axis}", "use_parent_model_frame", "true")
        for model in ("model", "world/model")
        for axis in ("axis", "axis2")
    ),
    Move("world/actor", "@static", "static"),
)
_NOISES = {"rate": "angular_velocity", "accel": "linear_acceleration"}
_TO_1_6: tuple[Rule, ...] = (
    Move("world", "physics/gravity", "gravity"),
    Move("world", "physics/magnetic_field", "magnetic_field"),
    *(
        Copy("//sensor/imu", f"noise/{old}{value}", tuple(f"{new}/{axis}/noise/{value or '@type'}" for axis in "xyz"))
        for kind, new in _NOISES.items()
        for old, value in (("type", ""), *((f"{kind}/", key) for key in ("mean", "stddev", "bias_mean", "bias_stddev")))
    ),
    Remove("//sensor/imu", "noise"),
)
_TO_1_7: tuple[Rule, ...] = (
    Move("//pose", "@frame", "@relative_to"),
    *(
        rule
        for axis in ("//joint/axis", "//joint/axis2")
        for rule in (
            Map(axis, "use_parent_model_frame", "xyz/@expressed_in", "__model__"),
            Remove(axis, "use_parent_model_frame"),
        )
    ),
    Move("//joint/physics", "ode/provide_feedback", "provide_feedback"),
)
_TO_1_8: tuple[Rule, ...] = (Unflatten("world/model"),)

UPGRADES: tuple[tuple[Version, tuple[Rule, ...]], ...] = (
    ((1, 2), _TO_1_2),
    ((1, 4), _TO_1_4),
    ((1, 5), _TO_1_5),
    ((1, 6), _TO_1_6),
    ((1, 7), _TO_1_7),
    ((1, 8), _TO_1_8),
)
"""Pairs of a version with changes and the rules that convert a file of the version before."""

KNOWN_VERSIONS: frozenset[str] = frozenset({"1.0"} | {f"1.{minor}" for minor in range(2, 13)})
"""All released versions; there is no version 1.1."""

"""The fields of the model that the writer of SDFormat can write; any other value is reported."""

from __future__ import annotations

from bridge.export.report import SupportedFields
from loaders import model as m
from loaders.scene import Scene

_ITEM = {"name", "where"}
_PAIR = {"where", "link_A", "link_B", "p_AP", "p_BQ"}

SUPPORTED_FIELDS: SupportedFields = {
    Scene: {
        "name", "source", "gravity", "physics", "wind", "magnetic_field", "models", "links", "joints", "frames",
        "keyframes", "lights", "couplings", "actuators", "constraints", "forces",
        "filter_groups", "filter_rules", "diagnostics",
    },
    m.Physics: {
        "time_step", "real_time_factor", "real_time_update_rate", "max_contacts", "engine", "parameters",
    },
    m.Model: _ITEM | {
        "X_WM", "canonical_link", "static", "self_collide", "allow_auto_disable", "enable_wind", "placement_frame",
    },
    m.Link: _ITEM | {
        "model", "X_WL", "inertia", "collisions", "visuals", "sensors", "gravity", "kinematic", "self_collide",
        "enable_wind", "velocity_decay", "added_mass", "surface_velocity_axis", "deformable",
    },
    m.Collision: _ITEM | {"X_LG", "geometry", "surface", "density"},
    m.Visual: _ITEM | {"X_LG", "geometry", "material", "transparency", "cast_shadows", "roles", "renderers"},
    m.Sensor: _ITEM | {"type", "X_LS", "joint", "update_rate", "parameters"},
    m.Frame: _ITEM | {"link", "X_LF"},
    m.Light: _ITEM | {
        "type", "link", "X_LLight", "diffuse", "specular", "direction", "range", "attenuation", "inner_angle",
        "outer_angle", "falloff", "intensity", "cast_shadows", "on",
    },
    m.Joint: _ITEM | {
        "type", "parent", "child", "X_PJ", "X_CJ", "axes", "pitch", "gear_ratio", "gear_reference", "curve",
        "default_position", "sensors", "provide_feedback",
    },
    m.JointAxis: {
        "xyz", "lower", "upper", "effort", "velocity", "acceleration", "damping", "friction", "spring_stiffness",
        "spring_reference", "limit_stiffness", "limit_dissipation",
    },
    m.Curve: {"initial_tangent", "plane_normal", "arcs", "periodic"},
    m.Arc: {"length", "curvature"},
    m.Coupling: {"follower", "leader", "multiplier", "offset", "follower_axis", "leader_axis", "where"},
    m.Actuator: _ITEM | {"joint", "effort", "gear_ratio", "rotor_inertia", "p_gain", "d_gain", "interfaces"},
    m.BallConstraint: _PAIR,
    m.WeldConstraint: {"link_A", "link_B", "X_AP", "X_BQ", "active", "mujoco", "where"},
    m.DistanceConstraint: _PAIR | {"distance", "stiffness", "damping"},
    m.TendonConstraint: {
        "joints", "coefficients", "offset", "lower", "upper", "stiffness", "damping", "where",
    },
    m.SpringDamper: _PAIR | {"free_length", "stiffness", "damping"},
    m.Bushing: {
        "link_A", "X_LA", "link_C", "X_LC", "torque_stiffness", "torque_damping", "force_stiffness", "force_damping",
        "where",
    },
    m.FilterGroup: _ITEM | {"links", "groups"},
    m.Keyframe: _ITEM | {
        "joints", "positions", "velocities", "actuators", "controls", "activations", "links", "poses",
    },
    m.FilterRule: {"a", "b", "where"},
    m.Material: {
        "name", "diffuse", "ambient", "specular", "emissive", "shininess", "texture", "metalness", "roughness", "maps",
    },
    m.Surface: {
        "friction", "restitution", "restitution_threshold", "stiffness", "damping", "dissipation", "relaxation_time",
        "max_velocity", "min_depth", "soft_cfm", "soft_erp", "collide_bitmask", "category_bitmask",
        "collide_without_contact", "hydroelastic",
    },
    m.Friction: {
        "mu", "mu2", "mu_static", "fdir1", "slip1", "slip2", "rolling", "torsional", "patch_radius", "surface_radius",
        "use_patch_radius", "torsional_slip",
    },
    m.Hydroelastic: {"compliance", "resolution_hint", "modulus", "margin"},
    m.Box: {"size"},
    m.Sphere: {"radius"},
    m.Cylinder: {"radius", "length"},
    m.Capsule: {"radius", "length"},
    m.Cone: {"radius", "length"},
    m.Ellipsoid: {"radii"},
    m.Plane: {"normal", "size"},
    m.Mesh: {
        "uri", "path", "scale", "reference", "submesh", "center",
        "convex", "decomposition", "max_convex_hulls", "voxel_resolution",
    },
    m.Heightmap: {"uri", "path", "size", "position", "sampling"},
    m.Polyline: {"outlines", "height"},
    m.Empty: set(),
}  # fmt: skip
"""Fields by type. `placement_frame` is applied when a file is read."""

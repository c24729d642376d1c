"""The elements that SDFormat 1.4 to 1.12 have, from the descriptions of the specification."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

ELEMENTS: dict[str, dict[str, str]] = {
    "1.12": {
        "actor/animation": "filename scale interpolate_x",
        "actor/joint": (
            "parent child gearbox_ratio gearbox_reference_body thread_pitch "
            "screw_thread_pitch axis axis2 physics pose sensor"
        ),
        "actor/link": (
            "gravity enable_wind self_collide kinematic must_be_base_link velocity_decay pose "
            "inertial collision visual sensor projector audio_sink audio_source battery light "
            "particle_emitter"
        ),
        "actor/script": "loop delay_start auto_start trajectory",
        "actor/skin": "filename scale",
        "air_pressure/pressure": "noise",
        "air_speed/pressure": "noise",
        "altimeter/vertical_position": "noise",
        "altimeter/vertical_velocity": "noise",
        "angular_velocity/x": "noise",
        "angular_velocity/y": "noise",
        "angular_velocity/z": "noise",
        "audio_source/contact": "collision",
        "axis/dynamics": "damping friction spring_reference spring_stiffness",
        "axis/limit": "lower upper effort velocity stiffness dissipation",
        "axis/mimic": "multiplier offset reference",
        "axis2/dynamics": "damping friction spring_reference spring_stiffness",
        "axis2/limit": "lower upper effort velocity stiffness dissipation",
        "axis2/mimic": "multiplier offset reference",
        "bullet/constraints": (
            "cfm erp contact_surface_layer split_impulse split_impulse_penetration_threshold"
        ),
        "bullet/solver": "type min_step_size iters sor",
        "camera/clip": "near far",
        "camera/depth_camera": "output clip",
        "camera/distortion": "k1 k2 k3 p1 p2 center",
        "camera/image": "width height format anti_aliasing",
        "camera/lens": (
            "type scale_to_hfov custom_function cutoff_angle env_texture_size intrinsics projection"
        ),
        "camera/noise": "type mean stddev",
        "camera/save": "path",
        "camera/track_visual": ("name min_dist max_dist static use_model_frame xyz inherit_yaw"),
        "collision/geometry": (
            "empty box capsule cone cylinder ellipsoid heightmap image mesh plane polyline sphere"
        ),
        "collision/surface": "bounce friction contact soft_contact",
        "contact/bullet": (
            "soft_cfm soft_erp kp kd split_impulse split_impulse_penetration_threshold"
        ),
        "contact/ode": "soft_cfm soft_erp kp kd max_vel min_depth",
        "dart/solver": "solver_type",
        "depth_camera/clip": "near far",
        "force/x": "noise",
        "force/y": "noise",
        "force/z": "noise",
        "force_torque/force": "x y z",
        "force_torque/torque": "x y z",
        "friction/bullet": "friction friction2 fdir1 rolling_friction",
        "friction/ode": "mu mu2 fdir1 slip1 slip2",
        "friction/torsional": "coefficient use_patch_radius patch_radius surface_radius ode",
        "geometry/box": "size",
        "geometry/capsule": "radius length",
        "geometry/cone": "radius length",
        "geometry/cylinder": "radius length",
        "geometry/ellipsoid": "radii",
        "geometry/heightmap": "uri size pos texture blend use_terrain_paging sampling",
        "geometry/image": "uri scale threshold height granularity",
        "geometry/mesh": "convex_decomposition uri submesh scale",
        "geometry/plane": "normal size",
        "geometry/polyline": "point height",
        "geometry/sphere": "radius",
        "gps/position_sensing": "horizontal vertical",
        "gps/velocity_sensing": "horizontal vertical",
        "gripper/grasp_check": "detach_steps attach_steps min_contact_count",
        "gui/camera": "view_controller projection_type track_visual pose",
        "heightmap/blend": "min_height fade_dist",
        "heightmap/texture": "size diffuse normal",
        "horizontal/noise": (
            "mean stddev bias_mean bias_stddev dynamic_bias_stddev "
            "dynamic_bias_correlation_time precision"
        ),
        "imu/angular_velocity": "x y z",
        "imu/linear_acceleration": "x y z",
        "imu/orientation_reference_frame": "localization custom_rpy grav_dir_x",
        "include/model_state": "model_state scale joint_state frame pose link_state",
        "inertial/fluid_added_mass": (
            "xx xy xz xp xq xr yy yz yp yq yr zz zp zq zr pp pq pr qq qr rr"
        ),
        "inertial/inertia": "ixx ixy ixz iyy iyz izz",
        "joint/axis": "xyz dynamics limit mimic",
        "joint/axis2": "xyz dynamics limit mimic",
        "joint/physics": "simbody ode provide_feedback",
        "joint/sensor": (
            "always_on update_rate visualize topic enable_metrics frame_id pose plugin "
            "air_pressure air_speed altimeter camera contact force_torque gps imu lidar "
            "logical_camera magnetometer navsat ray rfidtag rfid sonar transceiver"
        ),
        "joint_state/axis2_state": "position velocity acceleration effort",
        "joint_state/axis_state": "position velocity acceleration effort",
        "lens/custom_function": "c1 c2 c3 f fun",
        "lens/intrinsics": "fx fy cx cy s",
        "lens/projection": "p_fx p_fy p_cx p_cy tx ty",
        "lidar/noise": "type mean stddev",
        "lidar/range": "min max resolution",
        "lidar/scan": "horizontal vertical",
        "light/attenuation": "range linear constant quadratic",
        "light/spot": "inner_angle outer_angle falloff",
        "linear_acceleration/x": "noise",
        "linear_acceleration/y": "noise",
        "linear_acceleration/z": "noise",
        "link/audio_source": "uri pitch gain contact loop pose",
        "link/battery": "voltage",
        "link/collision": (
            "laser_retro max_contacts density auto_inertia_params pose geometry surface"
        ),
        "link/inertial": "mass density auto_inertia_params pose inertia fluid_added_mass",
        "link/light": (
            "cast_shadows light_on visualize intensity diffuse specular attenuation direction "
            "spot pose"
        ),
        "link/particle_emitter": (
            "emitting duration size particle_size lifetime rate min_velocity max_velocity "
            "scale_rate color_start color_end color_range_image topic particle_scatter_ratio "
            "pose material"
        ),
        "link/projector": "texture fov near_clip far_clip visibility_flags pose plugin",
        "link/sensor": (
            "always_on update_rate visualize topic enable_metrics frame_id pose plugin "
            "air_pressure air_speed altimeter camera contact force_torque gps imu lidar "
            "logical_camera magnetometer navsat ray rfidtag rfid sonar transceiver"
        ),
        "link/velocity_decay": "linear angular",
        "link/visual": (
            "cast_shadows laser_retro transparency visibility_flags meta pose material "
            "geometry plugin"
        ),
        "magnetometer/x": "noise",
        "magnetometer/y": "noise",
        "magnetometer/z": "noise",
        "material/pbr": "metal specular",
        "material/script": "uri name",
        "material/shader": "normal_map",
        "mesh/convex_decomposition": "max_convex_hulls voxel_resolution",
        "mesh/submesh": "name center",
        "model/frame": "pose",
        "model/gripper": "grasp_check gripper_link palm_link",
        "model/include": "uri name namespace static placement_frame model_state pose plugin",
        "model/joint": (
            "parent child gearbox_ratio gearbox_reference_body thread_pitch "
            "screw_thread_pitch axis axis2 physics pose sensor"
        ),
        "model/link": (
            "gravity enable_wind self_collide kinematic must_be_base_link velocity_decay pose "
            "inertial collision visual sensor projector audio_sink audio_source battery light "
            "particle_emitter"
        ),
        "model/model_state": "model_state scale joint_state frame pose link_state",
        "model_state/frame": "pose",
        "model_state/joint_state": "angle axis_state axis2_state",
        "model_state/link_state": (
            "angular_velocity linear_velocity velocity angular_acceleration "
            "linear_acceleration acceleration torque force wrench collision_state pose"
        ),
        "navsat/position_sensing": "horizontal vertical",
        "navsat/velocity_sensing": "horizontal vertical",
        "ode/constraints": "cfm erp contact_max_correcting_vel contact_surface_layer",
        "ode/limit": "cfm erp",
        "ode/solver": (
            "type min_step_size island_threads iters precon_iters sor "
            "thread_position_correction use_dynamic_moi_rescaling friction_model"
        ),
        "ode/suspension": "cfm erp",
        "particle_emitter/material": (
            "script shader render_order lighting ambient diffuse specular shininess emissive "
            "double_sided pbr"
        ),
        "pbr/metal": (
            "albedo_map roughness_map roughness metalness_map metalness environment_map "
            "ambient_occlusion_map normal_map emissive_map light_map"
        ),
        "pbr/specular": (
            "albedo_map specular_map glossiness_map glossiness environment_map "
            "ambient_occlusion_map normal_map emissive_map light_map"
        ),
        "physics/bullet": "solver constraints",
        "physics/dart": "solver collision_detector",
        "physics/ode": (
            "solver constraints cfm_damping implicit_spring_damper fudge_factor cfm erp "
            "bounce max_force velocity limit suspension"
        ),
        "physics/simbody": (
            "min_step_size accuracy max_transient_velocity contact must_be_loop_joint"
        ),
        "population/box": "size",
        "population/cylinder": "radius length",
        "population/distribution": "type rows cols step",
        "population/model": (
            "static self_collide allow_auto_disable include model enable_wind frame pose link "
            "joint plugin gripper model_state"
        ),
        "position_sensing/horizontal": "noise",
        "position_sensing/vertical": "noise",
        "pressure/noise": (
            "mean stddev bias_mean bias_stddev dynamic_bias_stddev "
            "dynamic_bias_correlation_time precision"
        ),
        "ray/noise": "type mean stddev",
        "ray/range": "min max resolution",
        "ray/scan": "horizontal vertical",
        "road/material": (
            "script shader render_order lighting ambient diffuse specular shininess emissive "
            "double_sided pbr"
        ),
        "scan/horizontal": "samples resolution min_angle max_angle",
        "scan/vertical": "samples resolution min_angle max_angle",
        "scene/fog": "color type start end density",
        "scene/sky": "time sunrise sunset clouds cubemap_uri",
        "script/trajectory": "waypoint",
        "sensor/air_pressure": "reference_altitude pressure",
        "sensor/air_speed": "pressure",
        "sensor/altimeter": "vertical_position vertical_velocity",
        "sensor/camera": (
            "triggered camera_info_topic trigger_topic horizontal_fov image clip save "
            "depth_camera segmentation_type box_type noise distortion lens visibility_mask "
            "optical_frame_id pose"
        ),
        "sensor/contact": "collision topic",
        "sensor/force_torque": "frame measure_direction force torque",
        "sensor/gps": "position_sensing velocity_sensing",
        "sensor/imu": (
            "orientation_reference_frame angular_velocity linear_acceleration enable_orientation"
        ),
        "sensor/lidar": "scan range noise visibility_mask",
        "sensor/logical_camera": "near far aspect_ratio horizontal_fov",
        "sensor/magnetometer": "x y z",
        "sensor/navsat": "position_sensing velocity_sensing",
        "sensor/ray": "scan range noise visibility_mask",
        "sensor/sonar": "geometry min max radius",
        "sensor/transceiver": (
            "essid frequency min_frequency max_frequency gain power sensitivity"
        ),
        "simbody/contact": (
            "stiffness dissipation plastic_coef_restitution plastic_impact_velocity "
            "static_friction dynamic_friction viscous_friction "
            "override_impact_capture_velocity override_stiction_transition_velocity"
        ),
        "sky/clouds": "speed direction humidity mean_size ambient",
        "soft_contact/dart": "bone_attachment stiffness damping flesh_mass_fraction",
        "surface/bounce": "restitution_coefficient threshold",
        "surface/contact": (
            "collide_without_contact collide_without_contact_bitmask collide_bitmask "
            "category_bitmask poissons_ratio elastic_modulus ode bullet"
        ),
        "surface/friction": "torsional ode bullet",
        "surface/soft_contact": "dart",
        "torque/x": "noise",
        "torque/y": "noise",
        "torque/z": "noise",
        "torsional/ode": "slip",
        "trajectory/waypoint": "time pose",
        "velocity_sensing/horizontal": "noise",
        "velocity_sensing/vertical": "noise",
        "vertical/noise": (
            "mean stddev bias_mean bias_stddev dynamic_bias_stddev "
            "dynamic_bias_correlation_time precision"
        ),
        "vertical_position/noise": (
            "mean stddev bias_mean bias_stddev dynamic_bias_stddev "
            "dynamic_bias_correlation_time precision"
        ),
        "vertical_velocity/noise": (
            "mean stddev bias_mean bias_stddev dynamic_bias_stddev "
            "dynamic_bias_correlation_time precision"
        ),
        "visual/geometry": (
            "empty box capsule cone cylinder ellipsoid heightmap image mesh plane polyline sphere"
        ),
        "visual/material": (
            "script shader render_order lighting ambient diffuse specular shininess emissive "
            "double_sided pbr"
        ),
        "visual/meta": "layer",
        "world": (
            "audio wind include gravity magnetic_field atmosphere gui physics scene light "
            "frame joint model actor plugin road spherical_coordinates population"
        ),
        "world/actor": "skin animation script pose link joint plugin",
        "world/atmosphere": "temperature pressure temperature_gradient",
        "world/audio": "device",
        "world/frame": "pose",
        "world/gui": "camera plugin",
        "world/include": "uri name namespace static placement_frame model_state pose plugin",
        "world/joint": (
            "parent child gearbox_ratio gearbox_reference_body thread_pitch "
            "screw_thread_pitch axis axis2 physics pose sensor"
        ),
        "world/light": (
            "cast_shadows light_on visualize intensity diffuse specular attenuation direction "
            "spot pose"
        ),
        "world/model": (
            "static self_collide allow_auto_disable include model enable_wind frame pose link "
            "joint plugin gripper model_state"
        ),
        "world/physics": (
            "max_step_size real_time_factor real_time_update_rate max_contacts dart simbody "
            "bullet ode"
        ),
        "world/population": "model_count distribution box cylinder pose model",
        "world/road": "width point material",
        "world/scene": "ambient background sky shadows fog grid origin_visual",
        "world/spherical_coordinates": (
            "surface_model world_frame_orientation latitude_deg longitude_deg elevation "
            "surface_axis_equatorial surface_axis_polar heading_deg"
        ),
        "world/wind": "linear_velocity",
        "x/noise": (
            "mean stddev bias_mean bias_stddev dynamic_bias_stddev "
            "dynamic_bias_correlation_time precision"
        ),
        "y/noise": (
            "mean stddev bias_mean bias_stddev dynamic_bias_stddev "
            "dynamic_bias_correlation_time precision"
        ),
        "z/noise": (
            "mean stddev bias_mean bias_stddev dynamic_bias_stddev "
            "dynamic_bias_correlation_time precision"
        ),
    },
    "1.11": {},
    "1.8": {
        "joint/axis": "initial_position",
        "joint/axis2": "initial_position",
    },
    "1.6": {
        "actor/frame": "pose",
        "actor/joint": "frame",
        "actor/link": "frame",
        "audio_source/frame": "pose",
        "camera/frame": "pose",
        "collision/frame": "pose",
        "gui/camera": "frame",
        "inertial/frame": "pose",
        "joint/axis": "use_parent_model_frame",
        "joint/axis2": "use_parent_model_frame",
        "joint/frame": "pose",
        "joint/sensor": "frame",
        "light/frame": "pose",
        "link/audio_source": "frame",
        "link/collision": "frame",
        "link/frame": "pose",
        "link/inertial": "frame",
        "link/light": "frame",
        "link/projector": "frame",
        "link/sensor": "frame",
        "link/visual": "frame",
        "model/joint": "frame",
        "model/link": "frame",
        "physics/ode": "provide_feedback",
        "population/frame": "pose",
        "projector/frame": "pose",
        "sensor/camera": "frame",
        "sensor/frame": "pose",
        "sensor/imu": "topic",
        "visual/frame": "pose",
        "world/actor": "static frame",
        "world/joint": "frame",
        "world/light": "frame",
        "world/population": "frame",
    },
    "1.5": {
        "imu/noise": "type rate accel",
        "noise/accel": "mean stddev bias_mean bias_stddev",
        "noise/rate": "mean stddev bias_mean bias_stddev",
        "sensor/imu": "noise",
        "world/physics": "gravity magnetic_field",
    },
}
"""Tags of children, keyed by the last version that has them, and by the last two tags of the path of their parent."""

SCHEMA = ELEMENTS["1.12"]
"""The newest version."""


def leaves(owner: str, tag: str) -> Iterator[tuple[str, ...]]:
    """Paths of the elements of the schema that have a text."""
    below = SCHEMA.get(f"{owner}/{tag}", "")
    if not below:
        yield (tag,)
    for child in below.split():
        yield from ((tag, *rest) for rest in leaves(tag, child) if child != "plugin")


def nested(path: str, text: str) -> str:
    """An element in its parents."""
    for tag in reversed(path.split("/")):
        text = f"<{tag}>{text}</{tag}>"
    return text


def with_element(base: str, path: str, text: str) -> str:
    """A base with one more element, in place of the one that it has."""
    root = path.partition("/")[0]
    tree = (
        ElementTree.fromstring(base) if base.startswith(f"<{root}>") else ElementTree.Element(root)
    )
    node = tree
    for tag in path.split("/")[1:]:
        child = node.find(tag)
        node = ElementTree.SubElement(node, tag) if child is None else child
    node.text = text
    return ElementTree.tostring(tree, encoding="unicode")

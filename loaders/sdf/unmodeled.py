"""Elements that have no place in the model, and the checks of their values.

libsdformat rejects a file with a malformed value in any element, and so do we. The tables contain
the types and bounds that specification 1.12 declares for elements without a place in the scene.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from loaders import codes as loaders_codes
from loaders import node as ignored_elements
from loaders.node import IgnoredElements, Node

Key = tuple[str, str]
"""Tag of the parent and tag of the element."""

_NUMBERS: Mapping[str, str] = {
    "air_pressure": "reference_altitude",
    "animation": "scale",
    "atmosphere": "temperature pressure temperature_gradient",
    "audio_source": "pitch gain",
    "battery": "voltage",
    "blend": "min_height fade_dist",
    "bullet": "split_impulse_penetration_threshold",
    "camera": "horizontal_fov visibility_mask",
    "clip": "near far",
    "clouds": "speed direction humidity mean_size",
    "collision": "laser_retro max_contacts",
    "constraints": (
        "cfm erp contact_surface_layer split_impulse_penetration_threshold "
        "contact_max_correcting_vel"
    ),
    "contact": "collide_without_contact_bitmask",
    "custom_function": "c1 c2 c3 f",
    "dart": "bone_attachment stiffness damping flesh_mass_fraction",
    "distortion": "k1 k2 k3 p1 p2",
    "distribution": "rows cols",
    "fog": "start end density",
    "grasp_check": "detach_steps attach_steps min_contact_count",
    "horizontal": "samples resolution min_angle max_angle",
    "image": "width height anti_aliasing",
    "intrinsics": "fx fy cx cy s",
    "lens": "cutoff_angle env_texture_size",
    "lidar": "visibility_mask",
    "limit": "cfm erp",
    "logical_camera": "near far aspect_ratio horizontal_fov",
    "material": "render_order",
    "meta": "layer",
    "noise": (
        "mean stddev bias_mean bias_stddev dynamic_bias_stddev dynamic_bias_correlation_time "
        "precision"
    ),
    "ode": "fudge_factor cfm erp bounce max_force velocity",
    "particle_emitter": (
        "duration lifetime rate min_velocity max_velocity scale_rate particle_scatter_ratio"
    ),
    "population": "model_count",
    "projection": "p_fx p_fy p_cx p_cy tx ty",
    "projector": "fov near_clip far_clip visibility_flags",
    "range": "min max resolution",
    "ray": "visibility_mask",
    "road": "width",
    "script": "delay_start",
    "simbody": "min_step_size accuracy max_transient_velocity",
    "skin": "scale",
    "sky": "time sunrise sunset",
    "solver": "min_step_size iters sor island_threads precon_iters",
    "sonar": "min max radius",
    "spherical_coordinates": "latitude_deg longitude_deg elevation heading_deg",
    "suspension": "cfm erp",
    "texture": "size",
    "track_visual": "min_dist max_dist",
    "transceiver": "frequency min_frequency max_frequency gain power sensitivity",
    "vertical": "samples resolution min_angle max_angle",
    "visual": "laser_retro visibility_flags",
    "waypoint": "time",
}
_FLAGS: Mapping[str, str] = {
    "animation": "interpolate_x",
    "audio_source": "loop",
    "bullet": "split_impulse",
    "camera": "triggered",
    "constraints": "split_impulse",
    "heightmap": "use_terrain_paging",
    "imu": "enable_orientation",
    "lens": "scale_to_hfov",
    "light": "visualize",
    "link": "must_be_base_link",
    "material": "lighting double_sided",
    "ode": "cfm_damping implicit_spring_damper",
    "particle_emitter": "emitting",
    "scene": "shadows grid origin_visual",
    "script": "loop auto_start",
    "sensor": "always_on visualize enable_metrics",
    "simbody": "must_be_loop_joint",
    "solver": "thread_position_correction use_dynamic_moi_rescaling",
    "track_visual": "static use_model_frame inherit_yaw",
}
_VECTORS: Mapping[str, str] = {
    "distribution": "step",
    "orientation_reference_frame": "custom_rpy grav_dir_x",
    "particle_emitter": "size particle_size",
    "road": "point",
    "track_visual": "xyz",
}
_BOUNDS: Mapping[Key, tuple[float, float]] = {
    ("camera", "horizontal_fov"): (0.001, 6.283186),
    ("clip", "near"): (0.0, math.inf),
    ("clip", "far"): (0.1, math.inf),
    ("lens", "cutoff_angle"): (0.0, 3.141592653),
    ("lens", "env_texture_size"): (4.0, 2048.0),
    ("noise", "bias_stddev"): (0.0, math.inf),
    ("noise", "dynamic_bias_stddev"): (0.0, math.inf),
    ("particle_emitter", "rate"): (0.0, math.inf),
    ("particle_emitter", "min_velocity"): (0.0, math.inf),
    ("particle_emitter", "max_velocity"): (0.0, math.inf),
    ("particle_emitter", "scale_rate"): (0.0, math.inf),
    ("clouds", "speed"): (0.0, math.inf),
    ("clouds", "direction"): (0.0, 3.1456),
    ("clouds", "humidity"): (0.0, 1.0),
    ("clouds", "mean_size"): (0.0, 1.0),
    ("fog", "start"): (0.0, math.inf),
    ("fog", "end"): (0.0, math.inf),
    ("fog", "density"): (0.0, math.inf),
}
_NAME = ("name",)
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "actor": _NAME,
    "animation": _NAME,
    "atmosphere": ("type",),
    "battery": _NAME,
    "gripper": _NAME,
    "plugin": ("filename",),
    "population": _NAME,
    "road": _NAME,
    "trajectory": ("id", "type"),
}
"""Required attributes; `loaders.sdf.reader.check_names` checks the names in links and worlds."""


def _keys(table: Mapping[str, str]) -> frozenset[Key]:
    return frozenset((parent, tag) for parent, tags in table.items() for tag in tags.split())


_NUMBER_KEYS, _FLAG_KEYS, _VECTOR_KEYS = _keys(_NUMBERS), _keys(_FLAGS), _keys(_VECTORS)


def check_values(element: Node) -> None:
    """Report malformed values in an element that no reader reads, except in plugins and other
    namespaces.
    """
    with element.diagnostics.tolerating("the value has no effect on the model"):
        for node in _specified_elements(element):
            for attribute in _REQUIRED.get(node.tag, ()):
                node.word("@" + attribute)
            key = (node.parent.tag if node.parent is not None else "", node.tag)
            if key in _NUMBER_KEYS:
                _check_number(node, *_BOUNDS.get(key, (-math.inf, math.inf)))
            elif key in _FLAG_KEYS:
                node.flag(".", False)
            elif key in _VECTOR_KEYS and node.text.strip():
                node.numbers(".", 3, inf=True)


def _specified_elements(element: Node) -> Iterator[Node]:
    pending = [element]
    while pending:
        node = pending.pop()
        if ":" in node.tag:
            continue
        yield node
        if node.tag != "plugin":
            pending.extend(node.children)


def _check_number(node: Node, minimum: float, maximum: float) -> None:
    value = node.maybe_number(".", minimum=minimum, inf=True)
    if value is not None and value > maximum:
        node.report(
            loaders_codes.XML_OUT_OF_RANGE_ABOVE, tag=node.tag, value=value, maximum=maximum
        )


def report_ignored(element: Node, table: IgnoredElements) -> None:
    """Check and report each child with a tag in the table, and mark all that it contains as
    read.
    """
    if element.lacks(tuple(table)):
        return
    for child in element.children:
        if child.tag in table:
            check_values(child)
    ignored_elements.report_ignored(element, table)


def mark_read(element: Node) -> None:
    """Check the values in an element, and mark the element and all that it contains as read."""
    check_values(element)
    ignored_elements.mark_read(element)


def flat_parameters(element: Node, *without: str) -> tuple[tuple[str, str], ...]:
    """Return every attribute and every text below an element with its path, except in children with
    some tags.

    The values are checked and marked as read.

    Args:
        element: The element, for example a ``<sensor>``.
        without: Tags of children to leave out.

    Returns:
        Pairs such as ``("camera/image/width", "64")`` and ``("camera@name", "eye")``, in document
        order.
    """
    children = [child for child in element.children if child.tag not in without]
    element.mark(*(child.tag for child in children))
    for child in children:
        mark_read(child)
    return tuple(parameter for child in children for parameter in _parameters_of(child))


def _parameters_of(element: Node) -> Iterator[tuple[str, str]]:
    pending = [(element, element.tag)]
    while pending:
        node, path = pending.pop()
        attributes = {
            name: value for name, value in node.attributes.items() if not name.startswith("xmlns")
        }
        yield from ((f"{path}@{name}", value.strip()) for name, value in attributes.items())
        if node.text.strip() and not node.children:
            yield path, node.text.strip()
        pending.extend((child, f"{path}/{child.tag}") for child in reversed(node.children))

"""``<surface>`` and ``<drake:proximity_properties>``."""

from __future__ import annotations

from bridge.export.xml_text import Element, add
from loaders.model import Friction, Hydroelastic, Surface

from .basics import add_if

_DEFAULT = Surface()
_ODE = {
    "soft_cfm": "soft_cfm",
    "soft_erp": "soft_erp",
    "kp": "stiffness",
    "kd": "damping",
    "max_vel": "max_velocity",
    "min_depth": "min_depth",
}
"""Field of each child of ``<contact><ode>``."""


def add_surface(collision: Element, surface: Surface) -> None:
    """Add the surface of a collision, and what only Drake has.

    Args:
        collision: The ``<collision>``.
        surface: The surface.
    """
    element = add(collision, "surface")
    _add_contact(element, surface)
    if (surface.restitution, surface.restitution_threshold) != (0.0, 1e5):
        bounce = add(element, "bounce")
        add(bounce, "restitution_coefficient", surface.restitution)
        add(bounce, "threshold", surface.restitution_threshold)
    if surface.friction.mu_static is None:
        _add_friction(element, surface.friction)
    if not len(element):
        collision.remove(element)
    _add_drake(collision, surface)


def _add_contact(parent: Element, surface: Surface) -> None:
    contact = add(parent, "contact")
    add_if(contact, "collide_without_contact", surface.collide_without_contact, False)
    add_if(contact, "collide_bitmask", surface.collide_bitmask, _DEFAULT.collide_bitmask)
    add_if(contact, "category_bitmask", surface.category_bitmask)
    values = {tag: getattr(surface, key) for tag, key in _ODE.items()}
    if any(value is not None for value in values.values()):
        ode = add(contact, "ode")
        for tag, value in values.items():
            add_if(ode, tag, value)
    if not len(contact):
        parent.remove(contact)


def _add_friction(parent: Element, friction: Friction) -> None:
    if friction == Friction():
        return
    element = add(parent, "friction")
    ode = add(element, "ode")
    add(ode, "mu", friction.mu)
    add(ode, "mu2", friction.mu2)
    add_if(ode, "fdir1", friction.fdir1, (0.0, 0.0, 0.0))
    add_if(ode, "slip1", friction.slip1, 0.0)
    add_if(ode, "slip2", friction.slip2, 0.0)
    if friction.rolling is not None:
        bullet = add(element, "bullet")
        add(bullet, "friction", friction.mu)
        add(bullet, "friction2", friction.mu2)
        add(bullet, "rolling_friction", friction.rolling)
    if friction.torsional is not None:
        torsional = add(element, "torsional")
        add(torsional, "coefficient", friction.torsional)
        add(torsional, "use_patch_radius", friction.use_patch_radius)
        add_if(torsional, "patch_radius", friction.patch_radius, 0.0)
        add_if(torsional, "surface_radius", friction.surface_radius, 0.0)
        if friction.torsional_slip:
            add(add(torsional, "ode"), "slip", friction.torsional_slip)


def _add_drake(collision: Element, surface: Surface) -> None:
    hydroelastic, friction = surface.hydroelastic, surface.friction
    values = {
        "hunt_crossley_dissipation": surface.dissipation,
        "relaxation_time": surface.relaxation_time,
        "mu_dynamic": friction.mu if friction.mu_static is not None else None,
        "mu_static": friction.mu_static,
        **_hydroelastic(hydroelastic),
    }
    stated = {tag: value for tag, value in values.items() if value is not None}
    if stated or hydroelastic is not None:
        properties = add(collision, "drake:proximity_properties")
        if hydroelastic is not None and hydroelastic.compliance is not None:
            add(properties, f"drake:{hydroelastic.compliance}_hydroelastic")
        for tag, value in stated.items():
            add(properties, f"drake:{tag}", value)


def _hydroelastic(properties: Hydroelastic | None) -> dict[str, float | None]:
    if properties is None:
        return {}
    return {
        "mesh_resolution_hint": properties.resolution_hint,
        "hydroelastic_modulus": properties.modulus,
        "hydroelastic_margin": properties.margin,
    }

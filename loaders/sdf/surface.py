"""``<surface>``: friction, restitution and contact parameters of a collision."""

from __future__ import annotations

import dataclasses

from loaders import codes as loaders_codes
from loaders.model import Friction, Surface
from loaders.node import Node
from loaders.sdf import codes

from .unmodeled import report_ignored

DEFAULT = Surface()


def read_surface(collision: Node) -> Surface:
    """Return the surface of a collision; the parameters of ODE have precedence over those of
    Bullet.
    """
    node = collision.child("surface")
    if node is None:
        return DEFAULT
    with node.diagnostics.tolerating("the default is used"):
        return _read_parameters(node)


def _read_parameters(node: Node) -> Surface:
    report_ignored(node, {"soft_contact": codes.ENGINE_SETTING})
    bounce, contact = node.child("bounce"), node.child("contact")
    restitution, threshold = (0.0, 1e5) if bounce is None else _read_bounce(bounce)
    friction = _read_friction(node.child("friction"))
    surface = Surface(friction=friction, restitution=restitution, restitution_threshold=threshold)
    return surface if contact is None else _with_contact(surface, contact)


def _with_contact(surface: Surface, contact: Node) -> Surface:
    """Return a surface with the parameters of a ``<contact>``."""
    ode, bullet = contact.child("ode"), contact.child("bullet")
    if bullet is not None:
        ignored = ("split_impulse", "split_impulse_penetration_threshold")
        report_ignored(bullet, dict.fromkeys(ignored, codes.ENGINE_SETTING))
    contact.maybe_number("poissons_ratio")
    if contact.number("elastic_modulus", -1.0) > 0.0:  # otherwise Gazebo uses neither
        elastic = ("elastic_modulus", "poissons_ratio")
        report_ignored(contact, dict.fromkeys(elastic, codes.ELASTIC_MODULUS))
    report_ignored(contact, {"collide_without_contact_bitmask": codes.ENGINE_SETTING})
    return dataclasses.replace(
        surface,
        stiffness=_first_number(ode, bullet, "kp"),
        damping=_first_number(ode, bullet, "kd"),
        max_velocity=_first_number(ode, None, "max_vel"),
        min_depth=_first_number(ode, None, "min_depth"),
        soft_cfm=_first_number(ode, bullet, "soft_cfm"),
        soft_erp=_first_number(ode, bullet, "soft_erp"),
        collide_bitmask=contact.integer("collide_bitmask", DEFAULT.collide_bitmask),
        category_bitmask=contact.integer("category_bitmask", 0)
        if contact.has("category_bitmask")
        else None,
        collide_without_contact=contact.flag("collide_without_contact", False),
    )


def _first_number(ode: Node | None, bullet: Node | None, key: str) -> float | None:
    """Return the value of ODE, else that of Bullet; both are read."""
    values = [node.maybe_number(key) for node in (ode, bullet) if node is not None]
    return next((value for value in values if value is not None), None)


def _read_bounce(node: Node) -> tuple[float, float]:
    restitution = node.number("restitution_coefficient", 0.0, minimum=0.0)
    if restitution > 1.0:
        node.report(loaders_codes.XML_OUT_OF_RANGE_RESTITUTION, restitution=restitution)
        restitution = 0.0
    return restitution, node.number("threshold", 1e5, inf=True)


def _read_friction(node: Node | None) -> Friction:
    if node is None:
        return DEFAULT.friction
    ode, bullet, torsional = node.child("ode"), node.child("bullet"), node.child("torsional")
    mu, mu2, slip1, slip2 = 1.0, 1.0, 0.0, 0.0
    rolling, fdir1 = None, (0.0, 0.0, 0.0)
    if bullet is not None:
        mu, mu2 = (
            bullet.number("friction", 1.0, minimum=0.0),
            bullet.number("friction2", 1.0, minimum=0.0),
        )
        rolling, fdir1 = bullet.maybe_number("rolling_friction"), _friction_direction(bullet)
    if ode is not None:
        mu, mu2 = ode.number("mu", mu, minimum=0.0), ode.number("mu2", mu2, minimum=0.0)
        slip1, slip2 = ode.number("slip1", 0.0), ode.number("slip2", 0.0)
        fdir1 = _friction_direction(ode) if ode.has("fdir1") else fdir1
    friction = Friction(mu=mu, mu2=mu2, fdir1=fdir1, slip1=slip1, slip2=slip2, rolling=rolling)
    return friction if torsional is None else _with_torsion(friction, torsional)


def _friction_direction(node: Node) -> tuple[float, float, float]:
    x, y, z = node.numbers("fdir1", 3, (0.0, 0.0, 0.0))
    return x, y, z


def _with_torsion(friction: Friction, node: Node) -> Friction:
    ode = node.child("ode")
    return dataclasses.replace(
        friction,
        torsional=node.number("coefficient", 1.0, minimum=0.0),
        use_patch_radius=node.flag("use_patch_radius", True),
        patch_radius=node.number("patch_radius", 0.0, minimum=0.0),
        surface_radius=node.number("surface_radius", 0.0, minimum=0.0),
        torsional_slip=0.0 if ode is None else ode.number("slip", 0.0),
    )

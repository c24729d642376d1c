"""Contact parameters: PyBullet has one set for each link, and combines those of a pair by its own rules."""

from __future__ import annotations

from bridge.bullet.client.client import Client
from bridge.bullet.target import BASE
from bridge.bullet.urdf.articulation import Articulation
from bridge.bullet.urdf.segments import Segment
from loaders.model import Collision, Cone, Ellipsoid, Friction, Mesh, Polyline, Surface
from loaders.scene_queries.torsional_friction import torsional_length

from .pair_coefficients import PairCoefficients

_LEAST_MARGIN = 1e-9
"""Distance by which the hulls of a base are inflated [m]; rays pass through hulls without any."""


def set_contacts(client: Client, body: int, articulation: Articulation, coefficients: PairCoefficients) -> None:
    """Set the contact parameters of every segment with collisions.

    Args:
        client: The physics server.
        body: PyBullet's id of the body.
        articulation: The articulation that the body was loaded from.
        coefficients: Friction and restitution of the links whose products must be right.
    """
    change = client.changeDynamics
    for index, segment in enumerate(articulation.segments, start=BASE):
        carried = next((carried for carried in segment.links if carried.link.collisions), None)
        if carried is not None:
            parameters = contact_parameters(carried.link.collisions[0].surface)
            change(body, index, **parameters | coefficients.of_link(carried.link.name))
    if any(is_hull(collision) for collision in collisions_of(articulation.segments[0])):
        change(body, BASE, collisionMargin=_LEAST_MARGIN)  # PyBullet ignores this for other links


def collisions_of(segment: Segment) -> list[Collision]:
    """Return the collisions of all links that a segment carries."""
    return [collision for carried in segment.links for collision in carried.link.collisions]


def is_hull(collision: Collision) -> bool:
    """Return whether PyBullet uses a convex hull, inflated by a margin, if the link moves."""
    return isinstance(collision.geometry, Mesh | Cone | Ellipsoid | Polyline)


def contact_parameters(surface: Surface) -> dict[str, float]:
    """Return the arguments of ``changeDynamics`` for a surface.

    A surface with restitution has a processing threshold of zero: otherwise PyBullet slows links down before they
    touch, and they hardly bounce.
    """
    values = {
        "lateralFriction": surface.friction.mu,
        "rollingFriction": surface.friction.rolling or 0.0,
        "spinningFriction": spinning_friction(surface.friction),
        "restitution": surface.restitution,
    }
    if surface.stiffness is not None:
        values |= {"contactStiffness": surface.stiffness, "contactDamping": surface.damping or 0.0}
    if surface.restitution:
        values["contactProcessingThreshold"] = 0.0
    return values


def spinning_friction(friction: Friction) -> float:
    """Return the ratio of torsional friction torque to normal force [m].

    PyBullet knows no depth of contact, on which friction by the radius of the surface depends; that is zero.
    """
    return torsional_length(friction) if friction.use_patch_radius else 0.0

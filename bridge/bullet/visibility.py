"""Visibility of links: PyBullet draws the collision shapes of a link that has no visual, although the file does not."""

from __future__ import annotations

from bridge.bullet.client.client import Client
from bridge.bullet.target import BASE
from bridge.bullet.urdf.articulation import Articulation
from bridge.mechanism import Mechanism

_INVISIBLE = (1.0, 1.0, 1.0, 0.0)


def hide_links_without_visuals(client: Client, body: int, articulation: Articulation, mechanism: Mechanism) -> None:
    """Make the links invisible that have collisions but no visuals, as they are in Gazebo, RViz and MuJoCo.

    A scene without any visual keeps PyBullet's picture of its collisions; otherwise there would be nothing to see.

    Args:
        client: The physics server.
        body: PyBullet's id of the body.
        articulation: The articulation that the body was loaded from.
        mechanism: The mechanism that it belongs to.
    """
    if not any(link.visuals for link in mechanism.scene.links):
        return
    for index, segment in enumerate(articulation.segments, start=BASE):
        links = [carried.link for carried in segment.links]
        if any(link.collisions for link in links) and not any(link.visuals for link in links):
            client.changeVisualShape(body, index, rgbaColor=_INVISIBLE)

"""Written documents for the tests of the export to SDFormat."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import bridge
import loaders
from loaders import model as m
from loaders.pose import IDENTITY
from tests.support.scenes import link, scene


def read(given: loaders.Scene) -> loaders.Scene:
    """The scene that is read from the document of a scene."""
    return loaders.load_string(bridge.to_sdf(given), format="sdf")


def element(given: loaders.Scene, path: str, **options: Any) -> ET.Element:
    """The first element at a path in the document of a scene."""
    found = ET.fromstring(bridge.to_sdf(given, **options)).find(
        path, {"drake": "http://drake.mit.edu"}
    )
    assert found is not None, path
    return found


def shaped(geometry: m.Geometry, **surface: object) -> loaders.Scene:
    """A link with a collision."""
    shape = m.Collision(name="c", X_LG=IDENTITY, geometry=geometry, surface=m.Surface(**surface))  # type: ignore[arg-type]
    return scene([link("a", collisions=(shape,))])


def collision(given: loaders.Scene) -> m.Collision:
    """The first collision of the document of a scene, read back."""
    return read(given).links[0].collisions[0]

"""Elements of MJCF that have no counterpart among the items of a scene."""

from __future__ import annotations

from dataclasses import dataclass

from loaders.diagnostics import NOWHERE, Where

from .common import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class MujocoElement:
    """An element that only MuJoCo has: a sensor, a constraint of one joint or of tendons, a soft body."""

    name: str
    """Scoped name."""
    section: str
    """Section of MJCF: ``sensor``, ``equality`` or ``deformable``."""
    tag: str
    """Name of the element, such as ``jointpos``."""
    settings: Settings = ()
    """Attribute, or path of an attribute of an element in it (``edge/damping``) or of an item that it names
    (``site/size``), and text.
    """
    references: Settings = ()
    """Attribute and scoped name of each item that the element names; an attribute may have several."""
    where: Where = NOWHERE

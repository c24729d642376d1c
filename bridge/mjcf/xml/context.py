"""The context of one export: the mechanism and the options, the document under construction, names and diagnostics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from bridge.export.names import Names
from bridge.mechanism import Mechanism
from loaders.diagnostics import NOWHERE, Diagnostics, Fate, Where
from loaders.model import Physics

from .element import Element
from .options import Options
from .target import TARGET

_SECTIONS = (
    "compiler",
    "option",
    "size",
    "default",
    "asset",
    "worldbody",
    "deformable",
    "contact",
    "tendon",
    "equality",
    "actuator",
    "sensor",
    "keyframe",
)
_ASSETS = ("texture", "material", "mesh", "hfield")


class Document:
    """The sections of an MJCF file, in MuJoCo's customary order, and the element of each body."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sections = {tag: Element(tag) for tag in _SECTIONS}
        self.bodies: list[Element] = []
        """Element of each body of the mechanism, by index; a link named ``world`` has the ``<worldbody>``."""

    def __getitem__(self, section: str) -> Element:
        return self._sections[section]

    def body(self, index: int) -> Element:
        """Return the element of a body; ``<worldbody>`` for `bridge.mechanism.bodies.ROOT`."""
        return self["worldbody"] if index < 0 else self.bodies[index]

    def root(self) -> Element:
        """Return the complete document without empty sections, its assets sorted by kind."""
        self["asset"].children.sort(key=lambda asset: _ASSETS.index(asset.tag))
        root = Element("mujoco", model=self._name)
        root.children = [e for e in self._sections.values() if e.attributes or e.children]
        return root


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One export in progress.

    The document, the names and the diagnostics grow; whatever else one section needs of another is passed to it.
    """

    mechanism: Mechanism
    options: Options
    diagnostics: Diagnostics
    document: Document
    names: Names = field(default_factory=Names)

    @property
    def time_step(self) -> float:
        """Time step of the integrator [s]: the scene's, or the default if the scene's is not a positive number."""
        step = self.mechanism.physics.time_step
        return step if 0.0 < step < math.inf else Physics().time_step

    def report(
        self,
        fate: Fate,
        code: str,
        template: str,
        where: Where = NOWHERE,
        /,
        *,
        hint: str = "",
        subjects: Iterable[str] = (),
        **arguments: object,
    ) -> None:
        """Record a finding about what MJCF cannot hold.

        Args:
            fate: What became of the piece of the source.
            code: The registered code without its prefix ``mjcf.``.
            template: The message, with ``{argument}`` for each of ``arguments``.
            where: The place in the source.
            hint: What to do about it.
            subjects: Scoped names of what the finding is about.
            arguments: The values of the template's arguments.
        """
        self.diagnostics.add(
            fate,
            f"{TARGET}.{code}",
            template,
            where,
            target=TARGET,
            hint=hint,
            subjects=subjects,
            leniency="",
            **arguments,
        )

"""MuJoCo's format, MJCF: a mechanism as a document, as a ``mujoco.MjSpec``, and as a folder of files."""

from __future__ import annotations

from typing import Any, Unpack

from bridge.lowering.inputs import Source
from loaders.diagnostics import Diagnostic

from .constraint.passive_forces import PassiveForces, passive_forces
from .document import Built, build
from .export.folder import MjcfExport, export_mjcf, stale_files
from .export.spec import require_xml_depth, to_spec
from .xml.context import Actuators, Base, Choices, Contacts, Inertia, requested
from .xml.element import write

__all__ = [
    "Actuators",
    "Base",
    "Choices",
    "Contacts",
    "Inertia",
    "Mjcf",
    "MjcfExport",
    "PassiveForces",
    "export_mjcf",
    "passive_forces",
    "stale_files",
    "to_mjcf",
    "to_mjspec",
]


class Mjcf(str):
    """An MJCF document: the text, with what belongs to it.

    ``mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)`` compiles it.
    """

    assets: dict[str, bytes]
    """Contents of each asset file, by its name in the folder ``assets``."""
    diagnostics: tuple[Diagnostic, ...]
    """What MJCF does not carry or carries with an error, and what lowering decided."""
    names: dict[str, str]
    """Canonical name to MJCF name, where they differ."""

    @classmethod
    def of(cls, built: Built) -> Mjcf:
        """From a finished document."""
        mjcf = cls(write(built.root))
        mjcf.assets, mjcf.diagnostics, mjcf.names = built.assets, built.diagnostics, built.names
        return mjcf


def to_mjcf(source: Source, **options: Unpack[Choices]) -> Mjcf:
    """An MJCF document with the links, joints and names of a model, ``qpos`` being the model's joint positions.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        options: What to write where there is a choice, the first named unless told otherwise; and what `loaders.load`
            takes (``paths``, ``package_map``, ``strict`` and others), which holds if ``source`` is a path.

            actuators: What drives the joints that the source drives: ``none``, torques (``motor``), torques that end at
                the speed limit (``dcmotor``), positions (``position``) or velocities (``velocity``).
            base: What holds a link that no joint to the world holds: nothing, as the source says (``as_is``), or the
                world, where it stands (``fixed``); ``free`` frees what the world holds by no moving joint.
            inertia: For a link whose inertia no body can have: ``keep`` and ``error`` refuse it, ``repair`` takes the
                nearest that a body can have, ``from_geometry`` computes it from the collision shapes.
                ``from_geometry`` applies to links without inertia too, and ``error`` refuses them.
            collision_policy: Which pairs of links may touch, ``drake`` or another of
                `bridge.Mechanism.collidable_pairs`.
            collision_meshes: How meshes collide: ``as_is`` is as the file says, which for MuJoCo is the convex hull
                unless the file asks for a convex decomposition; ``hull`` is the convex hull in any case; ``decompose``
                takes apart every mesh that is not convex (`pip install "sdfbridge[convex]"`).
            contacts: Where friction and stiffness of contacts stand: ``geoms`` on each geom, of which MuJoCo takes the
                larger friction; ``pairs`` on each pair of geoms that may touch, combined as by the simulator of the
                policy.

    Raises:
        LoadError: if the file is wrong.
        ExportError: if MuJoCo cannot hold the model, with every reason; also where bodies are nested deeper than
            MuJoCo reads from XML, which `to_mjspec` can still build.
    """
    built = _built(source, options)
    require_xml_depth(built.root)
    return Mjcf.of(built)


def to_mjspec(source: Source, **options: Unpack[Choices]) -> Any:
    """The same model as a ``mujoco.MjSpec``, ready to be changed or compiled.

    Args:
        source: As for `to_mjcf`.
        options: As for `to_mjcf`.

    Raises:
        LoadError: if the file is wrong.
        ExportError: if MuJoCo cannot hold the model, with every reason.
    """
    built = _built(source, options)
    return to_spec(built.root, built.assets)


def _built(source: Source, choices: Choices) -> Built:
    return build(*requested(source, choices))

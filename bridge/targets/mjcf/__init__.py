"""MuJoCo's format MJCF as a target: a mechanism as a document, as a ``mujoco.MjSpec``, and as a
folder of files.
"""

from __future__ import annotations

from typing import Any, Unpack

from bridge.choices import Base
from bridge.lowering.sources import Source, loss_summary
from bridge.targets.folder import Document
from bridge.targets.options import Actuators, Contacts
from bridge.targets.options import MjcfInertia as Inertia

from .context import MjcfOptions, mechanism_and_options, write
from .document import Built, build
from .folder import MjcfExport, export_mjcf, stale_files
from .passive_force import PassiveForces, passive_forces
from .spec import require_xml_depth, to_spec

__all__ = [
    "Actuators", "Base", "Contacts", "Inertia", "Mjcf", "MjcfExport", "MjcfOptions",
    "PassiveForces", "export_mjcf", "passive_forces", "stale_files", "to_mjcf", "to_mjspec",
]  # fmt: skip


class Mjcf(Document):
    """An MJCF document: a string, with its assets and diagnostics.

    ``mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)`` compiles it. MuJoCo keeps decoded files by
    name and length: to compile several models with assets of the same name, use `to_mjspec`, or
    call ``mujoco.mj_clearCache(mujoco.mj_getCache())`` in between.
    """

    @classmethod
    def from_built(cls, built: Built) -> Mjcf:
        """Return the text of a finished document."""
        mjcf = cls(write(built.root))
        mjcf.assets, mjcf.diagnostics, mjcf.names = built.assets, built.diagnostics, built.names
        return mjcf


def to_mjcf(source: Source, **options: Unpack[MjcfOptions]) -> Mjcf:
    """Return a model as an MJCF document with the same links, joints and names.

    ``qpos`` is the position of the model's joints.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        options: Options of the export, whose first value is the default; and if ``source`` is a
            path, options of `loaders.load` (``paths``, ``package_map``, ``quiet`` and others).

            actuators: The actuators of the joints that the source drives: ``none``, torques
                (``motor``), torques that end at the speed limit (``dcmotor``), positions
                (``position``) or velocities (``velocity``).
            base: The base of a model that no joint connects to the world: ``as_is`` lets it move
                freely, ``fixed`` fixes it to the world in its initial pose; ``free`` also frees a
                base that is fixed to the world.
            inertia: The treatment of an inertia that no rigid body can have: ``keep`` and ``error``
                refuse it, ``repair`` replaces it by the nearest possible one, ``from_geometry``
                computes it from the collision shapes. ``from_geometry`` applies to links without
                inertia too, and ``error`` refuses them.
            policy: The pairs of links that may collide: ``mujoco`` for MJCF, else ``drake``, or
                another policy of `bridge.Mechanism.collidable_pairs`.
            collision_meshes: The collision shape of meshes: ``as_is`` follows the file, which for
                MuJoCo means the separate convex parts of a mesh that consists of such, or else its
                convex hull, unless the file demands a convex decomposition; ``hull`` is always the
                convex hull; ``decompose`` decomposes every mesh that is not convex (`pip install
                "sdfbridge[convex]"`).
            contacts: The place of friction and stiffness of contacts: ``geoms`` writes them on each
                geom, of which MuJoCo takes the larger friction; ``pairs`` on each pair of geoms
                that may collide, combined as by the simulator of the policy.
            strict: Whether anything lost or approximated, in reading or in MJCF, is an error.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model, with every reason; with ``strict`` also
            if anything is lost or approximated; also if bodies are nested more deeply than MuJoCo's
            XML reader allows, which `to_mjspec` can build.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.

    Example:
        >>> import bridge, loaders, mujoco
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> scene = loaders.load_string(urdf, format="urdf")
        >>> mjcf = bridge.to_mjcf(scene)
        >>> mujoco.MjModel.from_xml_string(mjcf, mjcf.assets).body(1).name
        'base'
    """
    with loss_summary(source, options) as losses:
        built = build(*mechanism_and_options(source, options))
        require_xml_depth(built.root)
        losses.add(built.diagnostics)
    return Mjcf.from_built(built)


def to_mjspec(source: Source, **options: Unpack[MjcfOptions]) -> Any:
    """Return the same model as a ``mujoco.MjSpec``, ready to be edited or compiled.

    Args:
        source: See `to_mjcf`.
        options: See `to_mjcf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model, with every reason.
        TypeError: if an option is unknown.
    """
    with loss_summary(source, options) as losses:
        built = build(*mechanism_and_options(source, options))
        losses.add(built.diagnostics)
    return to_spec(built.root, built.assets, built.digests)

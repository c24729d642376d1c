"""URDF as a target: a scene as a document, and as a folder of files."""

from __future__ import annotations

from typing import Unpack

from bridge.lowering.sources import Source, loss_summary
from bridge.targets.folder import DocumentText
from bridge.targets.xml import write
from loaders.pose import Pose

from .document import build, export_urdf
from .target import UrdfOptions

__all__ = ["Urdf", "UrdfOptions", "export_urdf", "to_urdf"]


class Urdf(DocumentText):
    """A URDF document: a string, with its assets, diagnostics, changed names and moved frames."""

    frames: dict[str, Pose]
    """Pose of the frame of each link that moved to its joint, in its frame in the source, by name
    in the source.
    """


def to_urdf(source: Source, **options: Unpack[UrdfOptions]) -> Urdf:
    """Return a model as a URDF document with the same links and joints.

    URDF places the frame of a link at its joint; frames that are elsewhere move there, with all
    that is on the link. What URDF lacks is said by extensions, which readers that do not know them
    ignore.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        options: Options of the export, whose first value is the default; and if ``source`` is a
            path, options of `loaders.load` (``paths``, ``package_map``, ``quiet`` and others).

            extensions: The extensions that the document may use: ``("drake", "gazebo",
                "pybullet")`` or a part of them. Drake's state further joints, constraints, filters,
                frames and contact properties, Gazebo's sensors, springs and contact properties,
                PyBullet's contact properties. Capsules, ellipsoids and planes are exact where the
                readers of all these extensions know them.
            inertia: The treatment of an inertia that no rigid body can have: ``keep`` writes it as
                it is, ``repair`` writes the nearest possible one.
            joints: ``all``: joints of Drake's types as such; a ``revolute2`` joint, which no reader
                knows, as a chain. ``plain`` writes chains of revolute and prismatic joints for all
                joints of several degrees of freedom, for readers that know no others.
            frame_links: Frames that links without mass stand for: ``moved``, the old frames of
                links that moved; ``all``, the frames of the source too, which are Drake's
                ``<frame>`` otherwise; or ``none``.
            couplings: Whether couplings are written, as ``<mimic>``.
            transmissions: Whether actuators are written, as ``<transmission>``.
            ros2_control: Whether a ``<ros2_control>`` with the interfaces of the driven joints is
                written, also without transmissions. Its hardware is a stand-in,
                ``mock_components/GenericSystem``.
            meshes: The URIs of meshes: ``relative`` to the document, or ``package`` for
                ``package://`` and the name of the model, with a ``package.xml`` beside the
                document, as ROS requires.
            write_srdf: Whether `bridge.export_urdf` writes a file for MoveIt, ``.srdf``, with the
                pairs of links that never collide.
            strict: Whether anything lost or approximated, in reading or in URDF, is an error.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if the model has several roots or a joint that URDF does not have; with
            ``strict``, if anything is lost or approximated.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.

    Example:
        >>> import bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> scene = loaders.load_string(urdf, format="urdf")
        >>> print(bridge.to_urdf(scene).splitlines()[1])
        <robot name="arm">
    """
    with loss_summary(source, options) as losses:
        built = build(source, options)
        losses.add(built.diagnostics)
    urdf = Urdf.of(write(built.root), built.assets, built.diagnostics, built.form.names)
    urdf.frames = built.form.frames
    return urdf

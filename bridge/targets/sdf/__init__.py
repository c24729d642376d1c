"""SDFormat as a target: a scene as a document, and as a folder of files."""

from __future__ import annotations

from typing import Unpack

from bridge.lowering.sources import Source, loss_summary
from bridge.targets.folder import DocumentText
from bridge.targets.xml import write

from .document import BuiltSdf, build, export_sdf
from .target import SdfOptions

__all__ = ["Sdf", "SdfOptions", "export_sdf", "to_sdf"]


class Sdf(DocumentText):
    """An SDFormat document: a string, with its assets and diagnostics."""


def to_sdf(source: Source, **options: Unpack[SdfOptions]) -> Sdf:
    """Return a model or a world as an SDFormat document with the same links, joints and names.

    What SDFormat lacks is said by Drake's elements (``drake:``), which other readers ignore.

    Args:
        source: A path, a `loaders.Scene` or a `bridge.Mechanism`.
        options: Options of the export, whose first value is the default; and if ``source`` is a
            path, options of `loaders.load` (``paths``, ``package_map``, ``quiet`` and others).

            world: The document of one model: ``auto`` is a ``<model>``, in a ``<world>`` only if
                the model has gravity, physics, lights or other settings that differ from SDFormat's
                defaults; ``always`` is a world, ``never`` leaves these settings out.
            version: The version of SDFormat, ``1.12`` to ``1.7``; or ``lowest`` for the lowest that
                has every element of the document. Readers refuse, or read with a warning, what is
                newer than they are.
            model_config: Whether `bridge.export_sdf` writes ``model.config`` beside the model, by
                which Gazebo finds it. The document is a ``<model>`` then.
            inertia: The treatment of an inertia that no rigid body can have: ``keep`` writes it as
                it is, ``repair`` writes the nearest possible one.
            strict: Whether anything lost or approximated, in reading or in SDFormat, is an error.

    Raises:
        LoadError: if the file is invalid.
        ExportError: with ``strict``, if anything is lost or approximated.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.

    Example:
        >>> import bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> scene = loaders.load_string(urdf, format="urdf")
        >>> print(bridge.to_sdf(scene).splitlines()[1])
        <sdf version="1.12">
    """
    with loss_summary(source, options) as losses:
        built = build(source, options)
        losses.add(built.diagnostics)
    return _text(built)


def printed_sdf(source: Source, **options: Unpack[SdfOptions]) -> Sdf:
    """Return the document of `to_sdf` without assets: it names meshes and pictures where the source
    has them.

    Args:
        source: See `to_sdf`.
        options: See `to_sdf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: with ``strict``, if anything is lost or approximated.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.
    """
    return _text(build(source, options, None))


def _text(built: BuiltSdf) -> Sdf:
    return Sdf.of(write(built.root), built.assets, built.diagnostics, built.form.names)

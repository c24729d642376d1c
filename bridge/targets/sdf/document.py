"""to_sdf and export_sdf: the document and its folder."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Unpack

from bridge.installed_packages import own_version
from bridge.lowering.transform import Source, loss_summary, split_options
from bridge.targets.elements import (
    ENDS,
    add_drake_items,
    add_filter_groups,
    add_if,
    add_light,
    add_parameters,
    add_pose,
    scale_of,
    vector,
)
from bridge.targets.folder import (
    ASSETS,
    AssetFiles,
    BuiltDocument,
    DocumentFormat,
    DocumentText,
    Export,
    ExportFiles,
    Files,
    SourceFiles,
    document_alone,
    document_files,
    export_folder,
    repaired,
    scene_of,
    with_contact_options,
)
from bridge.targets.options import VERSIONS, SdfExportOptions
from bridge.targets.report import WRITTEN_BY, Report
from bridge.targets.sdf import codes
from bridge.targets.sdf.link import add_joint
from bridge.targets.sdf.normal_form import TARGET, SdfOptions, with_version
from bridge.targets.sdf.scope import DRAKE_JOINTS
from bridge.targets.xml import Element, add, file_name, root_element, write
from loaders.diagnostics import ExportError
from loaders.model import WORLD, Model, Physics
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.scoped_names import local_name, root_model

from .link import References, add_link
from .normal_form import normal_form
from .scope import DocumentScope, SdfForm, by_prefix, common, innermost

_DEFAULT = Scene(name="")
_FLAGS = (
    ("static", False),
    ("self_collide", False),
    ("allow_auto_disable", True),
    ("enable_wind", False),
)


def document(form: SdfForm, files: Files) -> Element:
    """Return the root of the document.

    Args:
        form: The normal form of a scene.
        files: The files that the document names.
    """
    root = root_element("sdf", version=VERSIONS[0])
    _Builder(form, files).build(root)
    return root


class _Builder:
    """The items of a scene by scope."""

    def __init__(self, form: SdfForm, files: Files) -> None:
        self._scene, self._root = form.scene, form.root
        self._scopes = by_prefix(form.root)
        self._files = files
        self._poses = {link.name: link.X_WL for link in self._scene.links}
        self._couplings = {(c.follower, c.follower_axis): c for c in self._scene.couplings}
        self._actuators = {actuator.joint: actuator for actuator in self._scene.actuators}
        self._items: dict[tuple[int, str], list[Any]] = defaultdict(list)
        self._lights: dict[str, list[Any]] = defaultdict(list)
        self._sort()

    def _sort(self) -> None:
        """Assign each item to its scope, and each light to its link."""
        scene = self._scene
        for kind in ("links", "joints", "frames", "filter_groups"):
            for item in getattr(scene, kind):
                self._items[id(innermost(self._scopes, item.name)), kind].append(item)
        for item in (*scene.constraints, *scene.forces):
            self._items[id(self._scope_of(item)), "forces"].append(item)
        for rule in scene.filter_rules:
            scopes = [innermost(self._scopes, rule.a), innermost(self._scopes, rule.b)]
            self._items[id(common(scopes)), "filter_rules"].append(rule)
        for light in scene.lights:
            self._lights[light.link].append(light)
        self._models = {model.name: model for model in scene.models}

    def _scope_of(self, item: Any) -> DocumentScope:
        names = getattr(item, "joints", None) or [
            getattr(item, key) for key in ENDS if hasattr(item, key)
        ]
        return common([innermost(self._scopes, name) for name in names])

    def build(self, root: Element) -> None:
        """Add the world or model to the document, with all that is in it."""
        pending: list[tuple[DocumentScope, Element, Pose]] = [(self._root, root, IDENTITY)]
        while pending:
            scope, parent, X_WR = pending.pop()
            if scope.model is None:
                element = self._add_world(parent)
                X_WM = IDENTITY
            else:
                element = self._add_model(parent, scope, scope.model, X_WR)
                X_WM = scope.model.X_WM
            pending.extend((child, element, X_WM) for child in reversed(scope.children))

    def _add_world(self, root: Element) -> Element:
        scene = self._scene
        world = add(root, "world", name=self._root.local)
        _add_physics(world, scene.physics)
        for key in ("gravity", "magnetic_field"):
            add_if(world, key, vector(getattr(scene, key)), vector(getattr(_DEFAULT, key)))
        if any(scene.wind):
            add(add(world, "wind"), "linear_velocity", vector(scene.wind))
        if scene.spherical_coordinates:
            add_parameters(add(world, "spherical_coordinates"), scene.spherical_coordinates)
        for light in self._lights[WORLD]:
            add_light(world, light, light.name, light.X_LLight)
        self._add_items(world, self._root, IDENTITY)
        return world

    def _add_model(
        self, parent: Element, scope: DocumentScope, model: Model, X_WR: Pose
    ) -> Element:
        element = add(parent, "model", name=scope.local, canonical_link=self._canonical_link(scope))
        scale = scale_of(X_WR, model.X_WM)
        add_pose(
            element, X_WR.inverse() @ model.X_WM, 0.0 if X_WR.is_close(IDENTITY, 0.0) else scale
        )
        for key, default in _FLAGS:
            add_if(element, key, getattr(model, key), default)
        self._add_items(element, scope, model.X_WM)
        return element

    def _canonical_link(self, scope: DocumentScope) -> str | None:
        """Return the name of the canonical link in its model; None if a reader takes it without
        being told.
        """
        model = self._model_in_scene(scope)
        link = model.canonical_link
        if link is None or link == self._default_link(scope):
            return None
        return link.removeprefix(scope.prefix)

    def _model_in_scene(self, scope: DocumentScope) -> Model:
        assert scope.model is not None  # noqa: S101 - only models have canonical links
        return self._models.get(scope.model.name, scope.model)

    def _default_link(self, scope: DocumentScope) -> str | None:
        """Return the link that a reader takes as canonical: the first, else that of the first
        nested model.
        """
        links = self._items[id(scope), "links"]
        if links:
            return str(links[0].name)
        nested = (
            self._model_in_scene(child).canonical_link or self._default_link(child)
            for child in scope.children
        )
        return next((link for link in nested if link is not None), None)

    def _add_items(self, element: Element, scope: DocumentScope, X_WM: Pose) -> None:
        X_MW = X_WM.inverse()
        references = References(self._scene, scope.prefix, self._poses)
        for link in self._items[id(scope), "links"]:
            scale = scale_of(X_WM, link.X_WL)
            add_link(element, link, X_MW @ link.X_WL, scale, self._lights[link.name], self._files)
        joints = sorted(
            self._items[id(scope), "joints"], key=lambda joint: joint.type in DRAKE_JOINTS
        )
        for joint in joints:
            add_joint(element, joint, references, self._couplings, self._actuators.get(joint.name))
        for frame in self._items[id(scope), "frames"]:
            attached = None if frame.link == WORLD else references.name(frame.link)
            item = add(element, "frame", name=local_name(frame.name), attached_to=attached)
            add_pose(item, frame.X_LF, references.scale(frame.link))
        add_drake_items(element, self._items[id(scope), "forces"], references)
        groups = self._items[id(scope), "filter_groups"]
        add_filter_groups(element, groups, self._items[id(scope), "filter_rules"], references)


def _add_physics(world: Element, physics: Physics) -> None:
    if physics == Physics():
        return
    element = add(world, "physics", type=physics.engine)
    add(element, "max_step_size", physics.time_step)
    add(element, "real_time_factor", physics.real_time_factor)
    add(element, "real_time_update_rate", physics.real_time_update_rate)
    add(element, "max_contacts", physics.max_contacts)
    add_parameters(element, physics.parameters)


BuiltSdf = BuiltDocument[SdfForm, SdfExportOptions]


def build(source: Source, keywords: Mapping[str, Any], assets: str | None = ASSETS) -> BuiltSdf:
    """Return the document of a source.

    Args:
        source: A path, a scene, or a mechanism.
        keywords: The options of the caller.
        assets: Folder of the assets, beside the document; if None, the document names files where
            the source has them.

    Raises:
        LoadError: if the file is invalid.
        ExportError: with ``strict``, if anything is lost or approximated.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.
    """
    options, load_options = split_options(SdfExportOptions, keywords)
    report = Report(TARGET)
    scene = scene_of(source, load_options, report)
    scene, sampled = with_contact_options(scene, source, options, report)
    form = normal_form(repaired(scene, report, wanted=options.inertia == "repair"), options, report)
    files = (SourceFiles if assets is None else Files)(
        report, AssetFiles(assets or ""), codes.MISSING_FILE
    )
    root = document(form, files)
    with_version(root, options.version, report)
    report.entries.raise_for(ExportError, strict=options.strict)
    return BuiltDocument(
        scene=scene,
        form=form,
        root=root,
        assets=files.assets.files,
        diagnostics=tuple(report.entries),
        options=options,
        sampled=sampled,
    )


def model_config(name: str, main: str, version: str) -> str:
    """Return the content of ``model.config``.

    Args:
        name: Name of the model.
        main: Name of its file.
        version: Version of SDFormat of the file.
    """
    root = root_element("model")
    add(root, "name", name)
    add(root, "version", "1.0")
    add(root, "sdf", main, version=version)
    add(root, "description", f"{WRITTEN_BY}{own_version()}; see README.md and FIDELITY.md.")
    return write(root)


_FORMAT = DocumentFormat("SDFormat", ".sdf", "export_sdf", codes.READ_BACK)


def export_sdf(
    source: Source,
    out_dir: str | os.PathLike[str],
    *,
    force: bool = False,
    check: bool = True,
    **options: Unpack[SdfOptions],
) -> Export:
    """Write a model or a world as a folder: ``<name>.sdf``, ``assets/``, ``README.md``,
    ``FIDELITY.md``.

    The folder appears complete or not at all, and replaces an earlier export whose files are as
    they were written; see `bridge.export_mjcf`.

    Args:
        source: See `bridge.to_sdf`.
        out_dir: The folder to write. A symbolic link stands for the folder that it leads to.
        force: Whether to overwrite files that were edited or that no export wrote, if they have the
            name of a new one.
        check: Whether to read the files back and compare them with the model before the folder is
            touched.
        options: See `bridge.to_sdf`.

    Returns:
        The file of the model, the files written, and the findings.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if the written file, read back, is not the model; with ``strict``, if anything
        is lost.
        OutputFolderError: if the folder holds files that were edited or that no export wrote; a
        `FileExistsError`.
        OSError: if the file system refuses; the old content is in place then.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value, or the folder is named as a file.

    Example:
        >>> import tempfile, bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     scene = loaders.load_string(urdf, format="urdf")
        ...     result = bridge.export_sdf(scene, f"{folder}/arm")
        ...     print(result.path.name, result.files)
        arm.sdf ('FIDELITY.md', 'README.md', 'arm.sdf')
    """
    return export_folder(folder_files, source, out_dir, options, force=force, check=check)


def folder_files(source: Source, options: SdfOptions) -> ExportFiles:
    """Return the files that `export_sdf` writes.

    Args:
        source: See `bridge.to_sdf`.
        options: See `bridge.to_sdf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: with ``strict``, if anything is lost.
        TypeError: if an option is unknown.
    """
    built = build(source, options)
    scene = built.form.scene
    kind = "world" if root_model(scene) is None else "model"
    version = built.root.get("version", "")
    readers = f"is a {kind} in SDFormat {version}. Drake, Gazebo and sdfbridge read it."
    notes = ("Links, joints, frames and their poses are those of the source.",)
    more = {}
    if built.options.model_config:
        main = f"{file_name(built.scene.name)}{_FORMAT.suffix}"
        more["model.config"] = model_config(scene.name, main, version)
    return document_files(built, _FORMAT, readers, notes, more, {})


def single_files(source: Source, options: SdfOptions, assets: str) -> ExportFiles:
    """Return a document that stands alone, with its assets in a folder beside it.

    Args:
        source: See `bridge.to_sdf`.
        options: See `bridge.to_sdf`.
        assets: Name of the folder of the assets.

    Raises:
        LoadError: if the file is invalid.
        ExportError: with ``strict``, if anything is lost.
        TypeError: if an option is unknown.
    """
    return document_alone(build(source, options, assets), _FORMAT, assets)


# --- text -----------------------------------------------------------------------------------------


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
            shapes: The collision shape of the meshes of each link, by name or pattern of links; see
                `bridge.to_mjcf`.
            fit: Whether a fitted shape contains the mesh (``contain``), or is the closest to it
                (``closest``).
            exclude: The pairs of links that do not collide: ``as_is`` is the source's choice;
                ``sampled`` adds the links that are adjacent, that overlap initially, and that touch
                always or never at random positions, as MoveIt's setup assistant does.
            exclude_samples: Number of random positions of ``sampled``.
            exclude_seed: Seed of the random positions.
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

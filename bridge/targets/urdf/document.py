"""to_urdf and export_urdf: the document, its folder, SRDF and Gazebo's extensions."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Unpack, cast

from bridge.lowering.transform import Source, loss_summary, split_options
from bridge.mechanism import Mechanism
from bridge.targets.assembly import (
    AssemblyFiles,
    PartDocument,
    PlacedPart,
    assembly_files,
    trees_of,
)
from bridge.targets.elements import add_sensor, with_filter_groups
from bridge.targets.folder import (
    ASSETS,
    AnyBuilt,
    AssetFiles,
    BuiltDocument,
    DocumentFormat,
    DocumentText,
    Export,
    ExportFiles,
    Files,
    document_alone,
    document_files,
    export_folder,
    package_xml,
    repaired,
    scene_of,
    with_contact_options,
)
from bridge.targets.options import EXTENSIONS, UrdfExportOptions, changed_options
from bridge.targets.report import Report
from bridge.targets.urdf import codes
from bridge.targets.urdf.link import (
    add_drake_elements,
    add_joint,
    add_ros2_control,
    add_transmission,
)
from bridge.targets.urdf.normal_form import UrdfOptions
from bridge.targets.xml import Element, Value, add, file_name, root_element, write
from loaders.collision_pairs import renamed_pairs
from loaders.diagnostics import ExportError
from loaders.finish.transform import moved_frames, renamed
from loaders.model import WORLD, Friction, Joint, Link, Material, Model, Sensor
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR

from .link import add_link, add_material, add_origin, vector
from .normal_form import UrdfForm, normal_form
from .normal_link import common, friction_of_link, is_only_a_name, name_for_gazebo
from .tree import has_several_roots

_MODEL = (("self_collide", False), ("allow_auto_disable", True), ("enable_wind", False))
_SURFACE = {"kp": "stiffness", "kd": "damping", "maxVel": "max_velocity", "minDepth": "min_depth"}
_AXIS = {
    "springStiffness": ("spring_stiffness", 0.0),
    "springReference": ("spring_reference", 0.0),
    "stopKp": ("limit_stiffness", None),
    "stopKd": ("limit_dissipation", None),
}


def add_gazebo_of_robot(robot: Element, model: Model) -> None:
    """Add the flags of a model that differ from the defaults."""
    _add(
        robot,
        None,
        {key: getattr(model, key) for key, default in _MODEL if getattr(model, key) != default},
    )


def add_gazebo_of_link(robot: Element, link: Link, extensions: Collection[str]) -> None:
    """Add the flags, contact properties, material and sensors of a link.

    Args:
        robot: The ``<robot>``.
        link: The link.
        extensions: The extensions that the document may use.
    """
    values: dict[str, Value | None] = {
        "gravity": None if link.gravity else False,
        "kinematic": link.kinematic or None,
        "selfCollide": link.self_collide,
        "enable_wind": link.enable_wind or None,
        "dampingFactor": link.velocity_decay[0] or None,
        "material": name_for_gazebo(link),
    }
    surfaces = [collision.surface for collision in link.collisions]
    if surfaces:
        friction = friction_of_link(surfaces, extensions)
        if friction is not None and (friction.mu, friction.mu2) != (1.0, 1.0):
            values |= {"mu1": friction.mu, "mu2": friction.mu2}
        if friction is not None and friction.fdir1 != Friction().fdir1:
            values["fdir1"] = vector(friction.fdir1)
        values |= {tag: common(surfaces, field) for tag, field in _SURFACE.items()}
    _add(robot, link.name, values, link.sensors)


def add_gazebo_of_joint(robot: Element, joint: Joint) -> None:
    """Add the springs, stops and sensors of a joint."""
    values: dict[str, Value | None] = {}
    for tag, (field, default) in _AXIS.items():
        stated = {getattr(axis, field) for axis in joint.axes}
        value = next(iter(stated), default)
        values[tag] = None if value == default else value
    values["provideFeedback"] = joint.provide_feedback or None
    _add(robot, joint.name, values, joint.sensors)


def _add(
    robot: Element,
    reference: str | None,
    values: dict[str, Value | None],
    sensors: Sequence[Sensor] = (),
) -> None:
    stated = {tag: value for tag, value in values.items() if value is not None}
    if stated or sensors:
        element = add(robot, "gazebo", reference=reference)
        for tag, value in stated.items():
            add(element, tag, value)
        for sensor in sensors:
            add_sensor(element, sensor, sensor.X_LS)


def document(form: UrdfForm, options: UrdfExportOptions, files: Files) -> Element:
    """Return the ``<robot>`` of a normal form.

    Args:
        form: The normal form.
        options: The options of the export.
        files: The files of the export.
    """
    scene, extensions = form.scene, options.extensions
    (model,) = scene.models
    robot = root_element("robot", name=scene.name)
    add_origin(robot, model.X_WM)
    for material in _materials(scene):
        add_material(robot, material, files)
    for link in _links(scene):
        add_link(robot, link, extensions, files)
    couplings = {coupling.follower: coupling for coupling in scene.couplings}
    for joint in scene.joints:
        add_joint(robot, joint, couplings.get(joint.name))
    for actuator in scene.actuators if options.transmissions else ():
        add_transmission(
            robot, actuator, f"{actuator.name}_transmission", ros2_control=options.ros2_control
        )
    if options.ros2_control:
        add_ros2_control(robot, scene)
    if "drake" in extensions:
        add_drake_elements(robot, scene)
    if "gazebo" in extensions:
        add_gazebo_of_robot(robot, model)
        for link in scene.links:
            add_gazebo_of_link(robot, link, extensions)
        for joint in scene.joints:
            add_gazebo_of_joint(robot, joint)
    return robot


def _links(scene: Scene) -> tuple[Link, ...]:
    """Return the links, with one for the world if a joint or a frame needs it, or if there is no
    other.
    """
    needed = not scene.links or any(joint.parent == WORLD for joint in scene.joints)
    if not needed or any(link.name == WORLD for link in scene.links):
        return scene.links
    return (Link(name=WORLD, model="", X_WL=scene.models[0].X_WM), *scene.links)


def _materials(scene: Scene) -> dict[Material, None]:
    """Return the materials that say more than their name, each once."""
    materials = (visual.material for link in scene.links for visual in link.visuals)
    return dict.fromkeys(m for m in materials if m is not None and not is_only_a_name(m))


BuiltUrdf = BuiltDocument[UrdfForm, UrdfExportOptions]


def build(source: Source, keywords: Mapping[str, Any], assets: str = ASSETS) -> BuiltUrdf:
    """Return the document of a source.

    Args:
        source: A path, a scene, or a mechanism.
        keywords: The options of the caller.
        assets: Folder of the assets, beside the document.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if URDF cannot represent the model; with ``strict``, if anything is lost or
        approximated.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.
    """
    options, load_options = split_options(UrdfExportOptions, keywords)
    report = Report("urdf")
    scene = scene_of(source, load_options, report)
    scene, sampled = with_contact_options(scene, source, options, report)
    form = normal_form(repaired(scene, report, wanted=options.inertia == "repair"), options, report)
    if options.meshes == "package":
        assets = f"package://{file_name(scene.name)}/{assets}"
    files = Files(report, AssetFiles(assets), codes.MISSING_FILE)
    root = document(form, options, files)
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


_SOLVED = frozenset({codes.ROOT_POSE})
"""Findings about a pose of a root, which directives state."""


def urdf_assembly(
    scene: Scene,
    keywords: Mapping[str, Any],
    function: str,
    changed: Mapping[str, object],
    package: str = "",
    report: Report | None = None,
) -> AssemblyFiles:
    """Return the files of a scene, with a URDF for each of its kinematic trees.

    Args:
        scene: The scene.
        keywords: Options of `bridge.to_urdf`.
        function: Name of the function that exports, for the README.
        changed: The options that differ from their defaults, for the README.
        package: Name of the package; by default that of the scene.
        report: The findings about the scene.

    Raises:
        ExportError: if URDF cannot represent a tree; with ``strict``, if anything is lost.
    """
    lenient = {
        key: value
        for key, value in keywords.items()
        if key not in ("strict", "meshes", "write_srdf", "shapes", "fit")
        and not key.startswith("exclude")
    }

    def build_part(part: Scene, assets: str) -> PartDocument:
        named = renamed(
            part, {"model": {part.models[0].name: part.name}}
        )  # a tree of a model is a model by itself
        built = build(named, lenient, assets)
        return PartDocument(built, _free_pose(built), _SOLVED)

    form = DocumentFormat("URDF", ".urdf", function, codes.READ_BACK)
    if "drake" in lenient.get("extensions", EXTENSIONS):
        scene = with_filter_groups(scene)
    strict = bool(keywords.get("strict"))
    return assembly_files(
        scene,
        trees_of(scene),
        build_part,
        form,
        changed,
        as_source=_with_old_frames,
        package=package,
        strict=strict,
        known=() if report is None else report.entries,
    )


def _free_pose(built: BuiltUrdf) -> tuple[str, Pose] | None:
    """Return the free root of a tree and its pose; None if the tree is held, or its root is at the
    origin.
    """
    scene = built.form.scene
    X_WR = scene.models[0].X_WM
    if X_WR.is_close(IDENTITY, 0.0) or any(joint.parent == WORLD for joint in scene.joints):
        return None
    children = {joint.child for joint in scene.joints}
    root = next((link.name for link in scene.links if link.name not in children), None)
    return None if root is None else (root, X_WR)


def _with_old_frames(
    found: Scene, placed: Sequence[PlacedPart], built: Sequence[AnyBuilt]
) -> Scene:
    """Return a scene that was read, with the frames of links where the source has them."""
    frames: dict[str, Pose] = {}
    for item, document in zip(placed, built, strict=True):
        for name, X_LN in cast(BuiltUrdf, document).form.frames.items():
            frames[f"{item.part.name}{SEPARATOR}{item.names.get(name, name)}"] = X_LN.inverse()
    return moved_frames(found, frames)


def srdf_text(
    source: Scene,
    scene: Scene,
    names: Mapping[str, str],
    stated: Mapping[frozenset[str], str] | None = None,
) -> str:
    """Return an SRDF document with every pair of links that may not collide, adjacent ones too.

    Args:
        source: The scene that was exported.
        scene: The scene that the URDF says, which may lack the filters of the source.
        names: Names in the URDF by name in the source, where they differ.
        stated: The reasons of pairs, by names in the source, where they are known.
    """
    root = root_element("robot", name=scene.name)
    reasons = {frozenset((joint.parent, joint.child)): "Adjacent" for joint in scene.joints}
    for pair, reason in (stated or {}).items():
        reasons[frozenset(names.get(name, name) for name in pair)] = reason
    order = {link.name: i for i, link in enumerate(scene.links)}
    excluded = renamed_pairs(source.excluded_collision_pairs(), names)
    pairs = [
        sorted(pair, key=lambda name: order.get(name, -1)) for pair in excluded if WORLD not in pair
    ]
    for link1, link2 in sorted(pairs, key=lambda pair: [order.get(name, -1) for name in pair]):
        reason = reasons.get(frozenset((link1, link2)), "Never")
        add(root, "disable_collisions", link1=link1, link2=link2, reason=reason)
    return write(root)


_FORMAT = DocumentFormat("URDF", ".urdf", "export_urdf", codes.READ_BACK)


def export_urdf(
    source: Source,
    out_dir: str | os.PathLike[str],
    *,
    force: bool = False,
    check: bool = True,
    **options: Unpack[UrdfOptions],
) -> Export:
    """Write a model as a folder: ``<name>.urdf``, ``assets/``, ``README.md``, ``FIDELITY.md``.

    A scene of several kinematic trees becomes a URDF for each, and ``<name>.dmd.yaml``, which
    places them.

    The folder appears complete or not at all, and replaces an earlier export whose files are as
    they were written; see `bridge.export_mjcf`.

    Args:
        source: See `bridge.to_urdf`.
        out_dir: The folder to write. A symbolic link stands for the folder that it leads to.
        force: Whether to overwrite files that were edited or that no export wrote, if they have the
            name of a new one.
        check: Whether to read the files back and compare them with the model before the folder is
            touched.
        options: See `bridge.to_urdf`.

    Returns:
        The file of the model, the files written, and the findings.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if URDF cannot represent the model, or the written file, read back, is not the
            model; with ``strict``, if anything is lost.
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
        ...     result = bridge.export_urdf(scene, f"{folder}/arm")
        ...     print(result.path.name, result.files)
        arm.urdf ('FIDELITY.md', 'README.md', 'arm.urdf')
    """
    return export_folder(folder_files, source, out_dir, options, force=force, check=check)


def folder_files(source: Source, keywords: UrdfOptions) -> ExportFiles:
    """Return the files that `export_urdf` writes: those of one robot; if the scene has several
    trees, one robot for each and directives.

    Args:
        source: See `bridge.to_urdf`.
        keywords: See `bridge.to_urdf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if URDF cannot represent the model; with ``strict``, if anything is lost.
        TypeError: if an option is unknown.
    """
    options, load_options = split_options(UrdfExportOptions, keywords)
    scene = scene_of(source, load_options)
    if has_several_roots(scene):
        report = Report("urdf")
        scene, _ = with_contact_options(scene, source, options, report)
        return urdf_assembly(
            scene, dict(keywords), _FORMAT.function, changed_options(options), report=report
        )
    of_export = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    built = build(source if isinstance(source, Mechanism) else scene, of_export)
    readers = "is a robot in URDF. ROS, Drake, Gazebo, MuJoCo, PyBullet and sdfbridge read it."
    notes = (
        "Links and joints are those of the source. Frames of links are at their joints, where URDF "
        "requires it.",
    )
    name = file_name(scene.name)
    more: dict[str, str] = {}
    package_map: dict[str, str] = {}
    if options.write_srdf:
        reasons = None if built.sampled is None else built.sampled.reasons
        more[f"{name}.srdf"] = srdf_text(built.scene, built.form.scene, built.form.names, reasons)
    if options.meshes == "package":
        more["package.xml"] = package_xml(name)
        package_map[name] = "."
    return document_files(built, _FORMAT, readers, notes, more, package_map)


def single_files(source: Source, options: UrdfOptions, assets: str) -> ExportFiles:
    """Return a document that stands alone, with its assets in a folder beside it.

    Args:
        source: See `bridge.to_urdf`.
        options: See `bridge.to_urdf`.
        assets: Name of the folder of the assets.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if URDF cannot represent the model; with ``strict``, if anything is lost.
        TypeError: if an option is unknown.
        ValueError: if the meshes are to be those of a package.
    """
    if options.get("meshes") == "package":
        raise ValueError("a package is a folder; expected meshes='relative' for one file")
    return document_alone(build(source, options, assets), _FORMAT, assets)


# --- text -----------------------------------------------------------------------------------------


class Urdf(DocumentText):
    """A URDF document: a string, with its assets, diagnostics, changed names and moved frames."""

    frames: dict[str, Pose]
    """Pose of the frame of each link that moved to its joint, in its frame in the source, by name
    in the source."""


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
            shapes: The collision shape of the meshes of each link, by name or pattern of links; see
                `bridge.to_mjcf`.
            fit: Whether a fitted shape contains the mesh (``contain``), or is the closest to it
                (``closest``).
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
                pairs of links that never collide; with ``exclude="sampled"`` it has MoveIt's
                reasons.
            exclude: The pairs of links that do not collide: ``as_is`` is the source's choice;
                ``sampled`` adds the links that are adjacent, that overlap initially, and that touch
                always or never at random positions, as MoveIt's setup assistant does.
            exclude_samples: Number of random positions of ``sampled``.
            exclude_seed: Seed of the random positions.
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

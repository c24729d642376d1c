"""to_mjcf, to_mjspec, export_mjcf: text, ``mujoco.MjSpec``, folder with README and scene.xml."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack, cast

import numpy as np

from bridge.lowering.transform import Source, loss_summary
from bridge.mechanism import Mechanism
from bridge.mechanism.coordinates import poses
from bridge.mechanism.kinematics import home_coordinates
from bridge.robot_checks import doubts
from bridge.sensors import Message
from bridge.targets.folder import DocumentText, Export, ExportFiles, export_folder
from bridge.targets.mjcf import codes
from bridge.targets.options import MjcfExportOptions, changed_options
from bridge.targets.report import derivation, fidelity_text, origin_comment
from bridge.targets.xml import Names, file_name
from loaders.model import WORLD, Heightmap, Plane
from loaders.picture import AZIMUTH, ELEVATION
from loaders.pose import IDENTITY, Array
from loaders.scene import Scene
from loaders.text import code, encoded, printable

from .context import MjcfElement, MjcfOptions, Value, mechanism_and_options, own_settings, write
from .document import BuiltMjcf, build
from .geom import PlacedShape
from .sensor_reader import SensorReader
from .spec import SCENE, Compilation, require_xml_depth, to_spec
from .submodel import file_owners, model_alone, split_document


def readme_text(
    name: str,
    scene: Scene,
    built: BuiltMjcf,
    options: MjcfExportOptions,
    parts: Sequence[str] = (),
    *,
    is_world: bool,
) -> str:
    """Return the text of README.md: how to use the model, and how it was made.

    Args:
        name: Name of the model's file, without suffix.
        scene: The exported scene.
        built: The document.
        options: The options of the export.
        parts: The files that the model's file includes.
        is_world: Whether the source is a world or states properties of one.
    """
    lines = [
        f"# {name}",
        "",
        f"`{name}.xml` is the model alone; `scene.xml` adds a camera, and a floor and a light if "
        "the model has none.",
        *_parts_paragraph(name, parts),
        "",
        "```sh",
        "python -m mujoco.viewer --mjcf=scene.xml",
        "```",
        "",
        *_home_paragraph(built),
        *derivation(scene, "export_mjcf", name, changed_options(options)),
        "",
        "The frame of a body is the frame of its link, and `qpos` of a hinge or slide is the "
        "position of its joint.",
        "[FIDELITY.md](FIDELITY.md) lists what MuJoCo cannot represent, or represents with an "
        "error.",
        *_floating_paragraph(built),
        *_options_paragraph(name, is_world=is_world),
        "",
        *_joint_table(built),
    ]
    return printable("\n".join(lines).rstrip() + "\n", lines=True)


def _home_paragraph(built: BuiltMjcf) -> list[str]:
    """Return the sentence that says where to start, if the document has a key ``home``."""
    keys = {e.attributes.get("name") for e in built.root.walk() if e.tag == "key"}
    start = 'mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)'
    return [f"Start from the key `home`: `{start}`.", ""] if "home" in keys else []


def _parts_paragraph(name: str, parts: Sequence[str]) -> list[str]:
    """Return the sentence that names the files of a world in several files."""
    files = ", ".join(code(file) for file in parts)
    sentence = (
        f"`{name}.xml` includes a part for each model of several links, `<model>{_PART}.xml`. "
        f"These models alone are in {files}."
    )
    return ["", sentence] if parts else []


def _floating_paragraph(built: BuiltMjcf) -> list[str]:
    """Return the warning that a robot falls because nothing fixes it to the world."""
    worlds = [element for element in built.root.walk() if element.tag == "worldbody"]
    moving = [child for world in worlds for child in world.children if child.tag == "body"]
    tags = [(body, {child.tag for child in body.children}) for body in moving]
    robots = [body for body, of_children in tags if {"freejoint", "body"} <= of_children]
    names = ", ".join(code(body.attributes["name"]) for body in robots)
    warning = (
        f"The source does not fix {names} to the world, so it falls; a fixed joint to the world, "
        f"or the option "
        '`base="fixed"`, would hold it.'
    )
    return ["", warning] if robots else []


def _options_paragraph(name: str, *, is_world: bool) -> list[str]:
    """Return the sentence that says where the options are, if the model's file has none."""
    sentence = (
        f"The source states no gravity and no time step, so the options are in `scene.xml`; "
        f"`{name}.xml` alone has those of MuJoCo, or of the model to which it is attached."
    )
    return [] if is_world else ["", sentence]


_QPOS_SIZES = {"free": 7, "ball": 4}
"""Length of a position in ``qpos``, where it is not 1."""


def _joint_table(built: BuiltMjcf) -> list[str]:
    """Return a table of the joints with their indices in ``qpos``."""
    rows = []
    start = 0
    for element in built.root.walk():
        if element.tag not in {"joint", "freejoint"} or "name" not in element.attributes:
            continue
        joint_type = (
            "free" if element.tag == "freejoint" else element.attributes.get("type", "hinge")
        )
        size = _QPOS_SIZES.get(joint_type, 1)
        indices = f"{start}" if size == 1 else f"{start} to {start + size - 1}"
        rows.append(f"| {code(element.attributes['name'], cell=True)} | {joint_type} | {indices} |")
        start += size
    return ["## Joints", "", "| joint | type | qpos |", "|---|---|---|", *rows] if rows else []


_LIT: dict[str, Value] = {
    "diffuse": (0.4, 0.4, 0.4),
    "ambient": (0.2, 0.2, 0.2),
    "specular": (0.0, 0.0, 0.0),
}
"""Headlight beside the light of the scene; a white surface that faces both reflects all light."""
_LAMP: dict[str, Value] = {"diffuse": (0.4, 0.4, 0.4), "specular": (0.1, 0.1, 0.1)}
_DARK = (0.0, 0.0, 0.0)
_AMBIENT, _LEAST_AMBIENT = 0.4, 0.1
"""SDFormat's ambient light, and the least beside bright lights."""
_AXES = np.eye(3)
_GAP = 1e-3
"""Distance of the floor from a surface that is drawn there [m]; less would flicker."""
_MIN_EXTENT = 1e-9
"""Smallest extent of a model for which the camera is placed [m]."""


def scene_element(
    name: str, mechanism: Mechanism, built: BuiltMjcf, option: MjcfElement | None = None
) -> MjcfElement:
    """Return the scene around a model, with the floor under the lowest point of the model in its
    initial position.

    Args:
        name: Name of the model's file, without suffix.
        mechanism: The mechanism.
        built: The document.
        option: The options that the model's file lacks; None if it has all.
    """
    scene = mechanism.scene
    root = MjcfElement("mujoco", model=f"{name} scene")
    root.add("include", file=f"{name}.xml")
    root.children += [option] if option is not None and option.attributes else []
    lower, upper = _corner(built.shapes, mechanism, -1.0), _corner(built.shapes, mechanism, 1.0)
    size = float(np.linalg.norm(upper - lower))
    stated = {path.rpartition("/")[0] for path in own_settings(mechanism.physics)}
    if np.all(lower < upper) and _MIN_EXTENT < size < math.inf and "statistic" not in stated:
        root.add(
            "statistic",
            center=[_round(x, size) for x in (lower + upper) / 2.0],
            extent=_round(size, size),
        )
    looks: dict[str, dict[str, Value]] = {
        "headlight": _dimmed(scene) if scene.lights else _LIT,
        "rgba": {"haze": (0.15, 0.25, 0.35, 1.0)},
        "global": {"azimuth": AZIMUTH, "elevation": ELEVATION},
    }
    visual = root.add("visual")
    for tag, attributes in looks.items():
        if f"visual/{tag}" not in stated:
            visual.add(tag, **attributes)
    asset = MjcfElement("asset")
    sky: dict[str, Value] = {
        "rgb1": (0.3, 0.5, 0.7),
        "rgb2": (0.0, 0.0, 0.0),
        "width": 512,
        "height": 3072,
    }
    if not any(e.attributes.get("type") == "skybox" for e in built.root.walk()):
        asset.add("texture", type="skybox", builtin="gradient", **sky)
    world = MjcfElement("worldbody")
    if not scene.lights:
        world.add("light", type="directional", pos=(0, 0, 1.5), dir=(0, 0, -1), **_LAMP)
    if not _has_ground(scene):
        _floor(asset, world, _height(mechanism, built))
    root.children += [section for section in (asset, world) if section.children]
    return root


def _dimmed(scene: Scene) -> dict[str, Value]:
    """Return the headlight beside lights of the source: SDFormat's ambient light, less where they
    and it together would be more than white.
    """
    sun = max(light.on * light.intensity * max(light.diffuse[:3]) for light in scene.lights)
    ambient = min(_AMBIENT, max(_LEAST_AMBIENT, round(1.0 - sun, 3)))
    return {"diffuse": _DARK, "ambient": (ambient, ambient, ambient), "specular": _DARK}


def _has_ground(scene: Scene) -> bool:
    return any(
        isinstance(shape.geometry, Plane | Heightmap)
        for link in scene.links
        for shape in link.collisions
    )


def _floor(asset: MjcfElement, world: MjcfElement, height: float) -> None:
    look: dict[str, Value] = {
        "rgb1": (0.2, 0.3, 0.4),
        "rgb2": (0.1, 0.2, 0.3),
        "markrgb": (0.8, 0.8, 0.8),
    }
    asset.add(
        "texture",
        name="scene_floor",
        type="2d",
        builtin="checker",
        mark="edge",
        **look,
        width=300,
        height=300,
    )
    asset.add(
        "material",
        name="scene_floor",
        texture="scene_floor",
        texuniform=True,
        texrepeat=(5, 5),
        reflectance=0.2,
    )
    pos = (0, 0, height) if height else None
    world.add(
        "geom", name="scene_floor", type="plane", pos=pos, size=(0, 0, 0.05), material="scene_floor"
    )


# --- where the model is ---------------------------------------------------------------------------


def _height(mechanism: Mechanism, built: BuiltMjcf) -> float:
    """Return the floor height [m], rounded down to 0.1 mm: the lowest collision, else visual point,
    at most 0; lower where the top of a shape that is only drawn would coincide with it.
    """
    collisions = tuple(shape for shape in built.shapes if shape.collides)
    lowest = float(_corner(collisions or built.shapes, mechanism, -1.0)[2])
    height = min(0.0, math.floor(lowest * 1e4 + 1e-6) / 1e4) if math.isfinite(lowest) else 0.0
    drawn = (shape for shape in built.shapes if not shape.collides)
    tops = [float(_corner((shape,), mechanism, 1.0)[2]) for shape in drawn]
    for link in mechanism.scene.links:
        planes = [visual for visual in link.visuals if isinstance(visual.geometry, Plane)]
        tops += [float((link.X_WL @ plane.X_LG).p[2]) for plane in planes]
    while any(abs(top - height) < _GAP / 2.0 for top in tops):
        height -= _GAP
    return round(height, 4)


def _corner(shapes: tuple[PlacedShape, ...], mechanism: Mechanism, sign: float) -> Array:
    """Return the upper (1) or lower (-1) corner of the bounding box of shapes; infinite if no shape
    is given.
    """
    names = (body.name for body in mechanism.bodies)
    X_WL = {WORLD: IDENTITY} | dict(
        zip(names, poses(mechanism.bodies, home_coordinates(mechanism)), strict=True)
    )
    extremes: list[Array] = []
    for shape in shapes:
        X_WS = X_WL[shape.link] @ shape.X_LS
        reach = [shape.reach(sign * X_WS.R.T @ axis) for axis in _AXES]
        extremes.append(sign * X_WS.p + reach)
    corner: Array = sign * np.max(extremes, axis=0) if extremes else np.full(3, -sign * math.inf)
    return corner


def _round(x: float, size: float) -> float:
    """Round to about a thousandth of the model's size."""
    return float(f"{round(x, 3 - math.floor(math.log10(size))):.12g}")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MjcfExport(Export):
    """The result of `export_mjcf`.

    Attributes:
        compiled: The compiled model of ``scene.xml``; None if the export was not checked.
        initial_key: The index of the key of the initial position; None if that is ``qpos0``.
        reader: Reads the sensors; `read` calls it.
    """

    compiled: Compilation | None = field(default=None, repr=False, compare=False)
    initial_key: int | None = None
    reader: SensorReader = field(default=SensorReader(), repr=False, compare=False)

    @property
    def model(self) -> Any:
        """The ``mujoco.MjModel`` of ``scene.xml``; None if the export was not checked."""
        return None if self.compiled is None else self.compiled.model

    def read(self, data: Any, **options: Any) -> dict[str, Message]:
        """Return what Gazebo would publish for each sensor, by its scoped name; see
        `SensorReader.read`.
        """
        return self.reader.read(data, **options)

    def __str__(self) -> str:
        """Return where the model is, how to view it, and how to write the actuators that were left
        out.
        """
        lines = [
            str(self.path),
            f"view it: python -m mujoco.viewer --mjcf={self.path.parent / 'scene.xml'}",
        ]
        omitted = [entry for entry in self.diagnostics if entry.code == codes.NO_ACTUATORS.name]
        return "\n".join([*lines, *(f"{entry.message}; {entry.hint}" for entry in omitted)])


@dataclass(frozen=True, slots=True, kw_only=True)
class MjcfFiles(ExportFiles):
    """The files of an export that are not written yet.

    Attributes:
        scene: The exported scene.
        built: The document that they come from.
        compiled: The compiled model of ``scene.xml``; None if it was not compiled.
    """

    scene: Scene
    built: BuiltMjcf
    compiled: Compilation | None = None

    def checked(self) -> MjcfFiles:
        """Compile the files with MuJoCo and return them with the model.

        Raises:
            ExportError: if MuJoCo refuses the files.
        """
        return replace(self, compiled=Compilation.of(self.files, self.scene, self.built))

    def written(self, out_dir: str | os.PathLike[str], *, force: bool = False) -> MjcfExport:
        """Write the files into a folder and return the result; see `ExportFiles.written`."""
        result = ExportFiles.written(self, out_dir, force=force)
        return MjcfExport(
            path=result.path,
            files=result.files,
            diagnostics=result.diagnostics,
            names=result.names,
            compiled=self.compiled,
            initial_key=self.built.initial_key,
            reader=self.built.reader,
        )


def export_mjcf(
    source: Source,
    out_dir: str | os.PathLike[str],
    *,
    force: bool = False,
    check: bool = True,
    **options: Unpack[MjcfOptions],
) -> MjcfExport:
    """Write a model as a folder: ``<name>.xml``, ``scene.xml``, ``assets/``, ``README.md``,
    ``FIDELITY.md``.

    The folder appears complete or not at all, whatever interrupts the export. It replaces an
    earlier export whose files are as they were written; a manifest in the folder lists them. All
    other files are left alone.

    Args:
        source: See `bridge.to_mjcf`.
        out_dir: The folder to write. A symbolic link is followed to its folder.
        force: Whether to overwrite files that were edited or that no export wrote, if they have the
            name of a new one. Other files that no export wrote stay in the folder.
        check: Whether to compile the files with MuJoCo before the folder is touched.
        options: See `bridge.to_mjcf`.

    Returns:
        The file of the model, the files written, and the findings.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model, with every reason; or if MuJoCo refuses
        to compile it.
        OutputFolderError: if the folder holds files that were edited or that no export wrote; a
        `FileExistsError`.
        OSError: if the file system refuses; the old content is in place then.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value, or the folder is named as a file, such as
        ``arm.xml``.

    Example:
        >>> import tempfile, bridge, loaders
        >>> urdf = '<robot name="arm"><link name="base"/></robot>'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     scene = loaders.load_string(urdf, format="urdf")
        ...     result = bridge.export_mjcf(scene, f"{folder}/arm")
        ...     print(result.path.name, result.files)
        arm.xml ('FIDELITY.md', 'README.md', 'arm.xml', 'scene.xml')
    """
    result = export_folder(folder_files, source, out_dir, options, force=force, check=check)
    return cast(MjcfExport, result)  # what `MjcfFiles` write


def single_files(source: Source, options: MjcfOptions, assets: str) -> MjcfFiles:
    """Return a document that stands alone, with its assets in a folder beside it.

    Args:
        source: See `bridge.to_mjcf`.
        options: See `bridge.to_mjcf`.
        assets: Name of the folder of the assets.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model, with every reason.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.
    """
    mechanism, export_options = mechanism_and_options(source, options)
    built = build(mechanism, export_options)
    require_xml_depth(built.root)
    for compiler in (child for child in built.root.children if child.tag == "compiler"):
        compiler.set(assetdir=assets if built.assets else None)
    text = write(built.root, [origin_comment(mechanism.scene, alone=True)])
    files = {SCENE: text.encode()}
    files |= {f"{assets}/{file}": data for file, data in built.assets.items()}
    return _files(SCENE, files, mechanism.scene, built)


def folder_files(source: Source, keywords: MjcfOptions) -> MjcfFiles:
    """Return the files that `export_mjcf` writes.

    Args:
        source: See `bridge.to_mjcf`.
        keywords: See `bridge.to_mjcf`.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if MuJoCo cannot represent the model, with every reason.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.
    """
    mechanism, options = mechanism_and_options(source, keywords)
    built = build(mechanism, options)
    require_xml_depth(built.root)
    scene = mechanism.scene
    name = file_name(scene.name)
    is_world = _states_world(mechanism)
    root, options_of_scene = _split_options(built.root, is_world=is_world)
    models, parts = _model_files(name, scene, root)
    texts = models | {
        SCENE: write(scene_element(name, mechanism, built, options_of_scene)),
        "README.md": readme_text(name, scene, built, options, parts, is_world=is_world),
        "FIDELITY.md": fidelity_text(scene, built.diagnostics),
    }
    files = {file: encoded(text) for file, text in texts.items()}
    files |= {f"assets/{file}": data for file, data in built.assets.items()}
    return _files(f"{name}.xml", files, scene, built)


def _files(main: str, files: dict[str, bytes], scene: Scene, built: BuiltMjcf) -> MjcfFiles:
    return MjcfFiles(
        main=main,
        files=files,
        scene=scene,
        diagnostics=built.diagnostics,
        names=built.names,
        built=built,
    )


_PART = "_part"
"""End of the names of the parts of a world."""


def _states_world(mechanism: Mechanism) -> bool:
    """Return whether a source is a world or states properties of one, such as its gravity; a model
    alone, such as that of a URDF, states none.
    """
    scene, default = mechanism.scene, Scene(name="")
    is_model = scene.name in {model.name for model in scene.models}
    is_default = mechanism.physics == default.physics and not scene.wind.any()
    same = is_default and np.array_equal(mechanism.gravity, default.gravity)
    return not (is_model and same and np.array_equal(scene.magnetic_field, default.magnetic_field))


_DEFAULT_OPTIONS = {"timestep": "0.002", "gravity": "0 0 -9.81"}
"""Options that are written in any case, and their values if none is written."""


def _split_options(document: MjcfElement, *, is_world: bool) -> tuple[MjcfElement, MjcfElement]:
    """Return the document of the model, and the options that its scene adds.

    Options of a model make MuJoCo warn when it is attached to another one. So the model has only
    those that the source states and that are not MuJoCo's default. Flags stay in any case, since
    they tell which links collide.
    """
    stated = next(section for section in document.children if section.tag == "option")
    own = {k: v for k, v in stated.attributes.items() if v != _DEFAULT_OPTIONS.get(k)}
    of_model, of_scene = MjcfElement("option"), MjcfElement("option")
    if is_world:
        of_model.set(**own)
    else:
        of_scene.set(**stated.attributes)
    of_model.children = stated.children
    root = MjcfElement(document.tag, **document.attributes)
    for section in document.children:
        if section is not stated:
            root.children.append(section)
        elif of_model.attributes or of_model.children:
            root.children.append(of_model)
    return root, of_scene


def _model_files(
    name: str, scene: Scene, root: MjcfElement
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the main file, and two for each model of several links in a world: its part of the
    world, and the model alone, which has the options and classes of the world around that part;
    then the names of the latter.
    """
    names = Names()
    for taken in (name, "scene"):
        names.claim("file", taken.lower())
    files = {model: f"{names.claim('file', file_name(model))}.xml" for model in file_owners(root)}
    places = {model: f"{names.claim('file', f'{file_name(model)}{_PART}')}.xml" for model in files}
    main, parts = split_document(root, places)
    origin = origin_comment(scene)
    texts = {f"{name}.xml": write(main, [origin])}
    for model, part in parts.items():
        note = (
            f"{name}.xml and {files[model]} include this file and have the options, the classes, "
            f"and what several models share."
        )
        texts[places[model]] = write(part, [origin, note])
        note = f"The model {model} of {name}.xml alone."
        texts[files[model]] = write(model_alone(root, model, places[model]), [origin, note])
    return texts, tuple(files.values())


# --- text -----------------------------------------------------------------------------------------


class Mjcf(DocumentText):
    """An MJCF document: a string, with its assets and diagnostics.

    ``mujoco.MjModel.from_xml_string(mjcf, mjcf.assets)`` compiles it. MuJoCo keeps decoded files by
    name and length: to compile several models with assets of the same name, use `to_mjspec`, or
    call ``mujoco.mj_clearCache(mujoco.mj_getCache())`` in between.
    """

    reader: SensorReader
    """Reads the sensors; `read` calls it."""

    @classmethod
    def from_built(cls, built: BuiltMjcf) -> Mjcf:
        """Return the text of a finished document."""
        text = cls.of(write(built.root), built.assets, built.diagnostics, built.names)
        text.reader = built.reader
        return text

    def read(self, data: Any, **options: Any) -> dict[str, Message]:
        """Return what Gazebo would publish for each sensor, by its scoped name; see
        `SensorReader.read`.

        Args:
            data: The ``mujoco.MjData`` of a model that was compiled from the text.
            options: Options of `SensorReader.read`.
        """
        return self.reader.read(data, **options)


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
            policy: The rule for the pairs of links that no filter names, by default that of the
                source; see `bridge.Mechanism.collidable_pairs`.
            overlaps: The links of a URDF that overlap initially: ``exclude`` lets them not collide,
                ``keep`` lets them collide.
            exclude: The pairs of links that do not collide: ``as_is`` is the source's choice;
                ``sampled`` adds the links that are adjacent, that overlap initially, and that touch
                always or never at random positions, as MoveIt's setup assistant does.
            exclude_samples: Number of random positions of ``sampled``.
            exclude_seed: Seed of the random positions.
            collision_meshes: The collision shape of meshes: ``as_is`` follows the file, which for
                MuJoCo means the separate convex parts of a mesh that consists of such, or else its
                convex hull, unless the file demands a convex decomposition; ``hull`` is always the
                convex hull; ``decompose`` decomposes every mesh that is not convex (`pip install
                "sdfbridge[convex]"`).
            shapes: What the collision meshes of each link become, by name or pattern of links, such
                as ``{"*_link": "hull", "finger*": "box"}``; the last pattern that matches counts,
                and a word is that of all links. ``mesh`` is what the file says, ``hull`` the convex
                hull, ``parts`` the separate convex parts, ``decompose`` the parts that coacd makes,
                ``box``, ``capsule``, ``cylinder`` and ``sphere`` are fitted to the mesh, ``none``
                leaves it out. `bridge.shape_certificates` returns how far they lie from the meshes.
            fit: Whether a fitted shape contains the mesh (``contain``), or is the closest to it
                (``closest``).
            maxhullvert: Largest number of vertices of the hull with which a mesh collides, at least
                4; 0 for any. A finding states how far the smaller hull lies within the whole one.
            program: The program that runs the model: ``ros2_control`` for mujoco_ros2_control,
                whose names of sensors, sites and actuators are then written, and the
                ``<mujoco_inputs>`` of a URDF.
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
        mechanism, chosen = mechanism_and_options(source, options)
        built = build(mechanism, chosen)
        require_xml_depth(built.root)
        losses.add((*built.diagnostics, *doubts(mechanism, options.get("limits"))))
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
        mechanism, chosen = mechanism_and_options(source, options)
        built = build(mechanism, chosen)
        losses.add((*built.diagnostics, *doubts(mechanism, options.get("limits"))))
    return to_spec(built.root, built.assets, built.digests)

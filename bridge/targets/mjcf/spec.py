"""to_mjspec, and the check and measure of the compiled model."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bridge.targets.mjcf import codes
from loaders.deferred import cached_property
from loaders.diagnostics import NOWHERE, Argument, Diagnostic, ExportError, Where, finding_of
from loaders.mjcf.compiler import engine_warnings
from loaders.model import WORLD
from loaders.scene import Scene

from .contact_parameters import DEFAULT_FRICTION
from .context import TARGET, MjcfElement, write
from .document import BuiltMjcf

MIN_OVERLAP = 1e-3
"""Smallest overlap that is reported [m]; smaller ones result from the tessellation of meshes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledModel:
    """The size of a compiled model, the error of its link poses, and the links that overlap
    initially.

    Attributes:
        bodies: Number of bodies, without the world.
        joints: Number of MuJoCo's joints.
        geoms: Number of geoms.
        pose_error: The largest error of a link's position [m] or orientation [rad] at the zero
            configuration.
        overlaps: Overlap [m] of each pair of links that collide initially, the deepest first.
    """

    bodies: int
    joints: int
    geoms: int
    pose_error: float
    overlaps: dict[tuple[str, str], float]


def measure(model: Any, scene: Scene, initial_key: int | None) -> CompiledModel:
    """Measure the compiled model of an export.

    Args:
        model: The ``mujoco.MjModel`` that `bridge.export_mjcf` has compiled.
        scene: The scene that was exported.
        initial_key: The index of the key of the initial position; None if that is ``qpos0``.

    Returns:
        The measurements.
    """
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return CompiledModel(
        bodies=model.nbody - 1,
        joints=model.njnt,
        geoms=model.ngeom,
        pose_error=_pose_error(data, scene),
        overlaps=_overlaps(model, data, initial_key),
    )


def _pose_error(data: Any, scene: Scene) -> float:
    """Return the largest error of the links' positions [m] and orientations [rad].

    A virtual link that is written as a joint of the body that it carries has no pose in MuJoCo.
    """
    worst, bodies = 0.0, {data.model.body(i).name for i in range(data.model.nbody)}
    for link in (link for link in scene.links if link.name != WORLD):
        if link.virtual and link.name not in bodies:
            continue
        body = data.body(link.name)
        rotation_error = link.X_WL.R.T @ body.xmat.reshape(3, 3) - np.eye(3)
        angle = math.sqrt(0.5) * float(np.linalg.norm(rotation_error))
        worst = max(worst, float(np.linalg.norm(body.xpos - link.X_WL.p)), angle)
    return worst


def _overlaps(model: Any, data: Any, initial_key: int | None) -> dict[tuple[str, str], float]:
    """Return the depth [m] of pairs of links that overlap at the initial position."""
    import mujoco

    if initial_key is not None:
        mujoco.mj_resetDataKeyframe(model, data, initial_key)
    mujoco.mj_fwdPosition(model, data)
    depths: dict[tuple[str, str], float] = {}
    for contact in data.contact:
        a, b = sorted(int(model.geom_bodyid[geom]) for geom in contact.geom)
        if a > 0 and contact.dist < -MIN_OVERLAP:
            pair = (model.body(a).name, model.body(b).name)
            depths[pair] = max(depths.get(pair, 0.0), -float(contact.dist))
    return dict(sorted(depths.items(), key=lambda item: -item[1]))


XML_DEPTH = 490
"""Deepest nesting of bodies that MuJoCo's XML reader accepts, with room for the contents of the
last."""


def depth_of(root: MjcfElement) -> tuple[int, str]:
    """Return the greatest nesting of bodies, and the name of a body at that depth."""
    deepest = (0, "")
    pending = [(root, 0)]
    while pending:
        element, depth = pending.pop()
        depth += element.tag == "body"
        if depth > deepest[0]:
            deepest = (depth, element.attributes.get("name", ""))
        pending.extend((child, depth) for child in element.children)
    return deepest


def require_xml_depth(root: MjcfElement) -> None:
    """Refuse a document that MuJoCo's XML reader would refuse.

    Raises:
        ExportError: if bodies are nested too deeply; it names a link at the greatest depth.
    """
    depth, link = depth_of(root)
    if depth > XML_DEPTH:
        refusal = finding_of(
            codes.TOO_DEEP, target=TARGET, subjects=(link,), link=link, depth=depth, limit=XML_DEPTH
        )
        raise ExportError((refusal,))


def folder_name(
    assets: Mapping[str, bytes], digests: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return a name for the folder of assets, another one for other contents.

    MuJoCo keeps decoded meshes and pictures for the life of the process and tells them apart by
    folder, name and length only: of two files ``link.stl`` with as many triangles, the second would
    have the shape of the first.

    Args:
        assets: Contents of each asset file, by its name.
        digests: SHA-256 of the contents of assets, as far as known.
    """
    digest = hashlib.sha256()
    for name, data in sorted(assets.items()):
        digest.update(name.encode(errors="surrogateescape") + b"\0")
        digest.update((digests.get(name) or hashlib.sha256(data).hexdigest()).encode())
    return f"sdfbridge-{digest.hexdigest()[:24]}"


def to_spec(
    root: MjcfElement, assets: dict[str, bytes], digests: Mapping[str, str] = MappingProxyType({})
) -> Any:
    """Return the document as a ``mujoco.MjSpec``; bodies nested too deeply for XML are added
    through the API.

    Args:
        root: The document.
        assets: Contents of each asset file, by its name.
        digests: SHA-256 of the contents of assets, as far as known.
    """
    import mujoco

    detached = _detach_deep_bodies(root)
    try:
        spec = mujoco.MjSpec.from_string(write(root), assets=assets)
    finally:
        for parent, children in detached:
            parent.children.extend(children)
    if assets:
        spec.modelfiledir = folder_name(assets, digests)
    bodies = {body.name: body for body in spec.bodies} if detached else {}
    pending = [
        (bodies[e.attributes["name"]], child)
        for e, children in reversed(detached)
        for child in reversed(children)
    ]
    while pending:
        parent, element = pending.pop()
        body = _add_body(spec, parent, element)
        pending.extend((body, child) for child in reversed(element.children) if child.tag == "body")
    return spec


def _detach_deep_bodies(root: MjcfElement) -> list[tuple[MjcfElement, list[MjcfElement]]]:
    """Remove the bodies below `XML_DEPTH` from the tree; return each parent with the bodies removed
    from it.
    """
    detached = []
    pending = [(root, 0)]
    while pending:
        element, depth = pending.pop()
        depth += element.tag == "body"
        below = [child for child in element.children if child.tag == "body"]
        if depth >= XML_DEPTH and below:
            element.children = [child for child in element.children if child.tag != "body"]
            detached.append((element, below))
        else:
            pending.extend((child, depth) for child in reversed(element.children))
    return detached


# --- bodies through the API -----------------------------------------------------------------------

_FIELDS = {
    "solreflimit": "solref_limit",
    "solimplimit": "solimp_limit",
    "solreffriction": "solref_friction",
    "solimpfriction": "solimp_friction",
    "actuatorfrcrange": "actfrcrange",
    "mesh": "meshname",
    "hfield": "hfieldname",
}
"""MjSpec's field for each attribute of MJCF, where the names differ."""
_WORDS = frozenset({"name", "material", "mesh", "hfield"})
_INTEGERS = frozenset({"contype", "conaffinity", "condim", "group", "resolution"})
_FLAGS = frozenset({"active", "castshadow"})
_FILL = {"size": (0.0, 0.0, 0.0), "friction": DEFAULT_FRICTION}
"""Default values of vectors of three, which MJCF allows to be shorter."""
_TYPES = {
    "geom": ("mjtGeom", "mjGEOM_"),
    "joint": ("mjtJoint", "mjJNT_"),
    "light": ("mjtLightType", "mjLIGHT_"),
}


def _add_body(spec: Any, parent: Any, element: MjcfElement) -> Any:
    """Add one body with its contents, without the bodies below it."""
    body = parent.add_body(**_fields(element))
    for child in element.children:
        if child.tag == "inertial":
            fields = _fields(child)
            body.explicitinertial = True
            body.mass = fields["mass"]
            body.ipos = fields["pos"]
            body.iquat = fields.get("quat", (1.0, 0.0, 0.0, 0.0))
            if "fullinertia" in fields:
                body.fullinertia = fields["fullinertia"]
            else:
                body.inertia = fields["diaginertia"]
        elif child.tag != "body":
            named = child.attributes.get("class")
            default = (
                spec.find_default(named) if named else None
            )  # None is the default class of the body
            add = getattr(body, f"add_{child.tag}")
            _ = (
                add(**_fields(child))
                if child.tag == "freejoint"
                else add(default, **_fields(child))
            )
    return body


def _fields(element: MjcfElement) -> dict[str, Any]:
    """Return the attributes of an element as fields of MjSpec."""
    return {
        _FIELDS.get(name, name): _value(element.tag, name, text)
        for name, text in element.attributes.items()
        if name != "class"
    }


def _value(tag: str, name: str, text: str) -> Any:
    if name in _WORDS:
        return text
    if name in _FLAGS:
        return text == "true"
    if name == "type":
        import mujoco

        enumeration, prefix = _TYPES[tag]
        return getattr(getattr(mujoco, enumeration), prefix + text.upper())
    parse = int if name in _INTEGERS else float
    values = [parse(word) for word in text.split()]
    values += _FILL.get(name, ())[len(values) :]
    return values if len(values) > 1 else values[0]


SCENE = "scene.xml"
"""The file of an export that includes all others."""


class _Refusal(NamedTuple):
    """A reason of MuJoCo's in our words, and the advice to the user."""

    pattern: str
    reason: str
    hint: str


_REFUSALS = (
    _Refusal("colocated vertices", "all its vertices are at one point",
        "use a small sphere, or remove the shape"),
    _Refusal("collinear vertices", "all its vertices are on one line", "use a thin capsule or box"),
    _Refusal("coplanar vertices", "all its vertices are in one plane",
        "use a thin box, or a mesh with volume"),
    _Refusal("at least (4|four)", "it has fewer than four vertices",
        "use a thin box, or a mesh with volume"),
    _Refusal("surface area is too small", "its surface area is too small",
        "check the scale and the unit of lengths"),
    _Refusal("volume is too small", "its volume is too small",
        "check the scale, the unit of lengths and the faces"),
    _Refusal("size parameter.*hfield", "its size is not positive",
        "state a positive size of the height map"),
    _Refusal("decoding PNG", "its picture cannot be decoded", "save the picture again as PNG"),
)  # fmt: skip
"""Reasons that a source may give MuJoCo to refuse an element; other reasons are quoted."""

_NAMED = re.compile(r"Element name '(.*)', id -?\d+", re.DOTALL)
_KINDS = {"hfield": "height map"}
_CONTENTS = frozenset({"mesh", "hfield", "texture"})
"""Assets whose content MuJoCo may refuse."""
_ASSETS = _CONTENTS | {"material"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Compilation:
    """A compilation of the files of an export.

    MuJoCo needs three times the memory of the decoded pictures to compile a model, and most of its
    time: the check of an export does without them.

    Attributes:
        plain: The ``mujoco.MjModel`` of ``scene.xml`` with pictures of one pixel.
    """

    plain: Any
    _compile: Callable[[], Any] | None
    """Function that compiles the model with its pictures; None if it has none."""

    @classmethod
    def of(cls, files: Mapping[str, bytes], scene: Scene, built: BuiltMjcf) -> Compilation:
        """Compile the files of an export in memory; see `compiled`.

        Args:
            files: Content of each file, by its path in the folder.
            scene: The exported scene.
            built: The document that the files were written from.

        Raises:
            ExportError: if MuJoCo refuses the files.
        """
        textures = [each.attributes for each in built.root.walk() if each.tag == "texture"]
        flat = [each for each in textures if each.get("type") == "2d" and "gridsize" not in each]
        others = {text for each in textures if each not in flat for text in each.values()}
        names = {each.get("file", "") for each in flat}
        pictures = {name for name in names if name.endswith(".png")}
        pictures -= others  # the faces of a cube have sizes that belong together
        plain = {
            file: _PIXEL if file.rpartition("/")[2] in pictures else data
            for file, data in files.items()
        }
        compile_all = partial(compiled, files, scene, built) if pictures else None
        return cls(plain=compiled(plain, scene, built), _compile=compile_all)

    @cached_property
    def model(self) -> Any:
        """The ``mujoco.MjModel`` of ``scene.xml``."""
        return self.plain if self._compile is None else self._compile()


_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoaGgAAAMEAYFL09IQAAAAAElFTkSuQmCC"
)
"""A picture of one gray pixel as PNG."""


def compiled(files: Mapping[str, bytes], scene: Scene, built: BuiltMjcf) -> Any:
    """Compile the files of an export in memory and return the ``mujoco.MjModel`` of its
    ``scene.xml``.

    MuJoCo's warnings, which it would write to a file in the working folder, are left out: they
    concern the numbers of the model, which the exporter's own findings report.

    Args:
        files: Content of each file, by its path in the folder.
        scene: The exported scene.
        built: The document that the files were written from.

    Raises:
        ExportError: if MuJoCo refuses the files; it names the element and the links that use it.
    """
    import mujoco

    folder = folder_name(
        {file: data for file, data in files.items() if not file.endswith((".md", ".xml"))}
    )
    contents = {
        f"{folder}/{file}": data for file, data in files.items() if not file.endswith(".md")
    }
    try:
        with engine_warnings(mujoco, []):
            return mujoco.MjModel.from_xml_path(f"{folder}/{SCENE}", contents)
    except ValueError as error:
        raise ExportError((*built.diagnostics, _refusal(str(error), scene, built))) from error


def _refusal(text: str, scene: Scene, built: BuiltMjcf) -> Diagnostic:
    """Return MuJoCo's message as a finding about an element of the source."""
    match = _NAMED.search(text)
    element = _element(match[1], built.root) if match else None
    known = next((entry for entry in _REFUSALS if re.search(entry.pattern, text)), None)
    links = tuple(dict.fromkeys(_links_of(element, built))) if element else ()
    reason = known.reason if known else text.removeprefix("Error: ").partition("\n")[0]
    name = _name(element) if element else ""
    arguments: dict[str, Argument] = {
        "kind": _KINDS.get(element.tag, element.tag) if element else "",
        "name": name,
        "reason": reason,
    }
    if links:
        arguments["links"] = links
    code = codes.REFUSED
    if element:
        code = codes.REFUSED_ELEMENT_OF_LINKS if links else codes.REFUSED_ELEMENT
    return finding_of(
        code,
        _place(links, scene),
        target=TARGET,
        hint=known.hint if known else "",
        subjects=links or ((name,) if name else ()),
        **arguments,
    )


def _element(name: str, root: MjcfElement) -> MjcfElement | None:
    """Return the element of this name; assets come first, because only their content can be refused
    by its name.
    """
    found = [element for element in root.walk() if _name(element) == name]
    return min(found, key=lambda element: element.tag not in _CONTENTS, default=None)


def _name(element: MjcfElement) -> str:
    """Return the name of an element; that of an asset may be its file's name without suffix."""
    return element.attributes.get("name") or element.attributes.get("file", "").rpartition(".")[0]


def _links_of(element: MjcfElement, built: BuiltMjcf) -> Iterator[str]:
    """Yield the links whose geoms use an asset, or the link that an element is in."""
    canonical = {written: name for name, written in built.names.items()}
    elements = list(built.root.walk())
    users = [element, *(user for user in elements if _uses(user, element))]
    materials = [user for user in users if user.tag == "material"]
    users += [user for user in elements if any(_uses(user, material) for material in materials)]
    found = set(map(id, users))
    for body in elements:
        if body.tag == "body" and not found.isdisjoint(map(id, (body, *body.children))):
            name = body.attributes["name"]
            yield canonical.get(name, name)


def _uses(user: MjcfElement, asset: MjcfElement) -> bool:
    """Return whether an element refers to an asset, itself or in a layer of a material."""
    if asset.tag not in _ASSETS:
        return False
    layers = [child for child in user.children if child.tag == "layer"]
    return any(holder.attributes.get(asset.tag) == _name(asset) for holder in (user, *layers))


def _place(links: tuple[str, ...], scene: Scene) -> Where:
    return next((link.where for link in scene.links if link.name in links), NOWHERE)

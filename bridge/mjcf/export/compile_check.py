"""Compilation of a finished export by MuJoCo, and MuJoCo's refusals in terms of the source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bridge.mjcf.document import Built
from bridge.mjcf.xml.element import Element
from bridge.mjcf.xml.target import TARGET
from loaders.diagnostics import NOWHERE, Diagnostic, ExportError, Fate, Where
from loaders.mjcf.engine_warnings import engine_warnings
from loaders.scene import Scene

from .spec import folder_name

SCENE = "scene.xml"
"""The file of an export that includes all others."""


class _Refusal(NamedTuple):
    """A reason of MuJoCo's in our words, and the advice to the user."""

    pattern: str
    reason: str
    hint: str


_REFUSALS = (
    _Refusal("colocated vertices", "all its vertices are at one point", "use a small sphere, or remove the shape"),
    _Refusal("collinear vertices", "all its vertices are on one line", "use a thin capsule or box"),
    _Refusal("coplanar vertices", "all its vertices are in one plane", "use a thin box, or a mesh with volume"),
    _Refusal("at least (4|four)", "it has fewer than four vertices", "use a thin box, or a mesh with volume"),
    _Refusal("surface area is too small", "its surface area is too small", "check the scale and the unit of lengths"),
    _Refusal("volume is too small", "its volume is too small", "check the scale, the unit of lengths and the faces"),
    _Refusal("size parameter.*hfield", "its size is not positive", "state a positive size of the height map"),
    _Refusal("decoding PNG", "its picture cannot be decoded", "save the picture again as PNG"),
)
"""Reasons that a source may give MuJoCo to refuse an element; other reasons are quoted."""

_NAMED = re.compile(r"Element name '(.*)', id -?\d+", re.DOTALL)
_KINDS = {"hfield": "height map"}
_CONTENTS = frozenset({"mesh", "hfield", "texture"})
"""Assets whose content MuJoCo may refuse."""
_ASSETS = _CONTENTS | {"material"}


def compiled(files: Mapping[str, bytes], scene: Scene, built: Built) -> Any:
    """Compile the files of an export in memory and return the ``mujoco.MjModel`` of its ``scene.xml``.

    MuJoCo's warnings, which it would write to a file in the working folder, are left out: they concern the numbers of
    the model, which the exporter's own findings report.

    Args:
        files: Content of each file, by its path in the folder.
        scene: The exported scene.
        built: The document that the files were written from.

    Raises:
        ExportError: if MuJoCo refuses the files; it names the element and the links that use it.
    """
    import mujoco

    folder = folder_name({file: data for file, data in files.items() if not file.endswith((".md", ".xml"))})
    contents = {f"{folder}/{file}": data for file, data in files.items() if not file.endswith(".md")}
    try:
        with engine_warnings(mujoco, []):
            return mujoco.MjModel.from_xml_path(f"{folder}/{SCENE}", contents)
    except ValueError as error:
        raise ExportError((*built.diagnostics, _refusal(str(error), scene, built))) from error


def _refusal(text: str, scene: Scene, built: Built) -> Diagnostic:
    """Return MuJoCo's message as a finding about an element of the source."""
    match = _NAMED.search(text)
    element = _element(match[1], built.root) if match else None
    known = next((entry for entry in _REFUSALS if re.search(entry.pattern, text)), None)
    links = tuple(dict.fromkeys(_links_of(element, built))) if element else ()
    reason = known.reason if known else text.removeprefix("Error: ").partition("\n")[0]
    name = _name(element) if element else ""
    arguments = {"kind": _KINDS.get(element.tag, element.tag) if element else "", "name": name, "reason": reason}
    template = "MuJoCo refuses {kind} {name}: {reason}" if element else "MuJoCo refuses the model: {reason}"
    return Diagnostic(
        f"{TARGET}.refused",
        Fate.INVALID,
        template.replace(":", " of {links}:", 1) if links else template,
        _place(links, scene),
        target=TARGET,
        hint=known.hint if known else "change what the message names; if it names nothing of the source, report a bug",
        arguments=arguments | ({"links": links} if links else {}),
        subjects=links or ((name,) if name else ()),
    )


def _element(name: str, root: Element) -> Element | None:
    """Return the element of this name; assets come first, because only their content can be refused by its name."""
    found = [element for element in root.walk() if _name(element) == name]
    return min(found, key=lambda element: element.tag not in _CONTENTS, default=None)


def _name(element: Element) -> str:
    """Return the name of an element; that of an asset may be its file's name without suffix."""
    return element.attributes.get("name") or element.attributes.get("file", "").rpartition(".")[0]


def _links_of(element: Element, built: Built) -> Iterator[str]:
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


def _uses(user: Element, asset: Element) -> bool:
    """Return whether an element refers to an asset, itself or in a layer of a material."""
    if asset.tag not in _ASSETS:
        return False
    layers = [child for child in user.children if child.tag == "layer"]
    return any(holder.attributes.get(asset.tag) == _name(asset) for holder in (user, *layers))


def _place(links: tuple[str, ...], scene: Scene) -> Where:
    return next((link.where for link in scene.links if link.name in links), NOWHERE)

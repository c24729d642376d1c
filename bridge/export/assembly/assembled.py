"""The files of an assembly: directives, a document for each part, their assets, a README and a report."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bridge.export.documents.contents import AnyBuilt, Contents, Format
from bridge.export.documents.package import package_xml
from bridge.export.fidelity_report import fidelity_text
from bridge.export.file_names import file_name
from bridge.export.names import Names
from bridge.export.provenance import derivation, origin_comment
from bridge.export.read_back import read_back_mechanics, require_equal
from bridge.export.report import Report
from bridge.export.xml_text import write
from loaders.diagnostics import Fate
from loaders.safety.text import printable
from loaders.scene import Scene
from loaders.spatial import Pose

from .document import Assembly, Placed
from .parts import Part

_CODE = "dmdout.read-back"


class Document(NamedTuple):
    """The document of a part."""

    built: AnyBuilt
    free_pose: tuple[str, Pose] | None
    """Name of its free root and the pose of this, if the document cannot state it."""
    solved: frozenset[str]
    """Codes of findings that do not hold in an assembly."""


Build = Callable[[Scene, str], Document]
"""Return the document of a scene, whose assets go to a folder with this URI."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyContents(Contents):
    """The files of an assembly that are not written yet; `scene` is the exported one without lost masses."""

    parts: tuple[Contents, ...]
    """The files of each part."""
    names: Mapping[str, str]
    """Names in the assembly by name in the scene, where they differ."""
    as_source: Callable[[Scene], Scene]
    """Returns what was read, with the frames of links where the scene has them."""
    is_complete: bool
    """Whether no joint or element between models was left out."""

    def require_equal(self) -> None:
        """Read each part back and compare it, and then compare the mechanics of the whole.

        Raises:
            ExportError: if they are not the scene.
        """
        for part in self.parts:
            part.require_equal()
        if not self.is_complete:
            return
        require_equal(
            read_back_mechanics(
                self.files,
                self.main,
                self.scene,
                self.names,
                self.code,
                package_map=self.package_map,
                as_source=self.as_source,
            )
        )


def assembly_contents(
    scene: Scene,
    parts: Sequence[Part],
    build: Build,
    form: Format,
    options: Mapping[str, object],
    as_source: Callable[[Scene, Sequence[Placed], Sequence[AnyBuilt]], Scene] | None = None,
    package: str = "",
) -> tuple[AssemblyContents, Report]:
    """Return the files of a scene as one document for each part, assembled by Drake's directives.

    Args:
        scene: The scene.
        parts: Its parts.
        build: Returns the document of a part.
        form: The format of the documents.
        options: The options that differ from their defaults, for the README.
        as_source: Returns a scene that was read with the frames of links where the source has them.
        package: Name of the package; by default that of the scene.
    """
    package, claimed = package or file_name(scene.name), Names()
    documents: list[_Part] = []
    for part in parts:
        name = claimed.claim("mesh", file_name(part.name))
        documents.append(_of_part(part, build(part.scene, f"package://{package}/assets/{name}"), name, form, package))
    report = Report("directives")
    for item in documents:
        solved = item.document.solved
        report.entries.extend(entry for entry in item.document.built.diagnostics if entry.code not in solved)
    placed = [item.placed for item in documents]
    assembly = Assembly(scene, placed, report)
    _report_names(assembly.names, report)
    main = f"{package}.dmd.yaml"
    files = {main: assembly.text(origin_comment(scene)).encode(), "package.xml": package_xml(package).encode()}
    for item in documents:
        files |= item.contents.files
    files["README.md"] = _readme(scene, main, [item.contents.main for item in documents], form, options).encode()
    files["FIDELITY.md"] = fidelity_text(scene, tuple(report.entries), "directives").encode()
    built = [item.document.built for item in documents]
    return AssemblyContents(
        main=main,
        files=files,
        scene=_without_losses(scene, documents),
        diagnostics=tuple(report.entries),
        code=_CODE,
        package_map={package: "."},
        parts=tuple(item.contents for item in documents),
        names=assembly.names,
        is_complete=assembly.is_complete,
        as_source=lambda found: found if as_source is None else as_source(found, placed, built),
    ), report


class _Part(NamedTuple):
    """A part with its document and its files."""

    document: Document
    placed: Placed
    contents: Contents


def _of_part(part: Part, document: Document, name: str, form: Format, package: str) -> _Part:
    built, main = document.built, f"{name}{form.suffix}"
    files = {main: write(built.root).encode()}
    files |= {f"assets/{name}/{file}": data for file, data in built.assets.items()}
    uri = f"package://{package}/{main}"
    placed = Placed(part=part, uri=uri, names=built.form.names, free_pose=document.free_pose)
    return _Part(
        document,
        placed,
        Contents(
            main=main,
            files=files,
            scene=built.form.scene,
            diagnostics=built.diagnostics,
            code=form.code,
            package_map={package: "."},
        ),
    )


def _without_losses(scene: Scene, documents: Iterable[_Part]) -> Scene:
    """Return the scene without tendons and the reflected inertia that documents lack: the findings say so."""
    lossy = {name for item in documents for name in _lossy_joints(item)}
    joints = tuple(
        dataclasses.replace(joint, axes=tuple(dataclasses.replace(axis, inertia=0.0) for axis in joint.axes))
        if joint.name in lossy
        else joint
        for joint in scene.joints
    )
    return dataclasses.replace(scene, tendons=(), joints=joints)


def _lossy_joints(item: _Part) -> Iterator[str]:
    """Yield the names, in the scene, of the joints of a part whose document lacks their reflected inertia."""
    lossy = {
        subject
        for entry in item.document.built.diagnostics
        if (entry.arguments.get("kind"), entry.arguments.get("field")) == ("joint axis", "inertia")
        for subject in entry.subjects
    }
    return (name for name, local in item.placed.part.joints.items() if local in lossy)


def _report_names(names: Mapping[str, str], report: Report) -> None:
    if names:
        report.add(
            Fate.NOTED,
            "dmdout.name",
            "names start with that of their model; renamed {names}",
            subjects=tuple(name.removeprefix("joint ") for name in names),
            names=tuple(f"{old} to {new}" for old, new in names.items()),
        )


def _readme(scene: Scene, main: str, models: Iterable[str], form: Format, options: Mapping[str, object]) -> str:
    name = file_name(scene.name)
    lines = [
        f"# {name}",
        "",
        f"`{main}` assembles the models {', '.join(f'`{model}`' for model in models)} in {form.title}. Drake and "
        "sdfbridge read it.",
        "",
        "```python",
        f"parser.package_map().Add({json.dumps(name)}, FOLDER)  # the folder of this file",
        f'parser.AddModels(f"{{FOLDER}}/{main}")',
        "```",
        "",
        *derivation(scene, form.function, name, options),
        "",
        "[FIDELITY.md](FIDELITY.md) lists what the files cannot represent, or represent with an error.",
    ]
    return printable("\n".join(lines) + "\n", lines=True)

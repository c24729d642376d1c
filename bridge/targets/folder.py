"""An export as a folder: document, assets, package.xml and results."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import loaders
from bridge.geometry.collision_shapes import ShapeChoice, with_shapes
from bridge.geometry.mesh import with_asset_files
from bridge.installed_packages import own_version
from bridge.lowering.inertia import with_repaired_inertia
from bridge.lowering.lower import lower
from bridge.lowering.transform import (
    Source,
    loss_summary,
    report_sampled_pairs,
    with_excluded_pairs,
    with_exclusions,
)
from bridge.mechanism import Mechanism
from bridge.mechanism.mechanism import SampledPairs
from bridge.output import MANIFEST, PACKAGE_XML, write_folder
from loaders import LoadOptions
from loaders.diagnostics import Code, Diagnostic
from loaders.engine_settings import as_switched
from loaders.files.read_file import is_file, read
from loaders.finish.validation import report_contradictions, require_consistent
from loaders.limits import FileError
from loaders.meshes.mesh_data import companion_files, local_file
from loaders.scene import Scene
from loaders.text import card, code, counted, details, findings_table, printable, summary_of, table
from loaders.text import document as document_of

from .options import SharedOptions, changed_options
from .report import (
    WRITTEN_BY,
    Report,
    derivation,
    fidelity_text,
    origin_comment,
    read_back,
    require_equal,
)
from .xml import Element, add, check_folder_name, file_name, is_device, root_element, write

ASSETS = "assets"
"""Folder of the assets, beside the file of the model."""
_NAMES = {
    ".dae": re.compile(rb"<init_from>\s*(?:<ref>)?\s*([^<]+?)\s*<"),
    ".mtl": re.compile(
        rb"^\s*(?:map_\w+|bump|disp|decal|norm)\s+(?:-\S+\s+\S+\s+)*([^\r\n]+?)\s*$", re.MULTILINE
    ),
    ".gltf": re.compile(rb'"uri"\s*:\s*"([^"]+)"'),
}
"""Patterns of the names of pictures in files, by suffix."""


@dataclass(slots=True)
class AssetFiles:
    """The files that an export copies."""

    folder: str = ASSETS
    """The folder, beside the file of the model."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Content of each file, by its path in the folder of the assets."""
    _places: dict[str, str | None] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    """Paths of the files by the same in lower case."""

    def add(self, path: str | None) -> str | None:
        """Add a mesh or picture; return its path beside the model, or None if the file cannot be
        read.

        Args:
            path: Path of the file.
        """
        if path is None:
            return None
        if path not in self._places:
            self._places[path] = self._added(Path(path))
        return self._places[path]

    def _added(self, file: Path) -> str | None:
        group = _group(file)
        if file not in group:
            return None
        base = Path(os.path.commonpath([path.parent for path in group]))
        contents = {path.relative_to(base).as_posix(): data for path, data in group.items()}
        return self._store(contents, file.relative_to(base).as_posix(), file.stem)

    def _store(self, contents: dict[str, bytes], main: str, stem: str) -> str:
        """Store files that belong together, in a separate folder if there are several."""
        alone = len(contents) == 1
        if alone:  # no other file refers to its name
            main = f"{_plain(stem)}{Path(main).suffix}"
            contents = {main: next(iter(contents.values()))}
        digest = hashlib.sha256(b"".join(contents.values())).hexdigest()[:8]
        for folder in ("" if alone else f"{_plain(stem)}/", f"{_plain(stem)}_{digest}/"):
            names = {f"{folder}{name}": data for name, data in contents.items()}
            if all(self._is_free(name, data) for name, data in names.items()):
                break
        self.files |= names
        self._names |= {name.casefold(): name for name in names}
        return f"{self.folder}/{folder}{main}"

    def _is_free(self, name: str, data: bytes) -> bool:
        """Return whether a name is not taken by other content, also where file systems ignore
        case.
        """
        existing = self._names.get(name.casefold())
        return existing is None or (existing == name and self.files[existing] == data)


def _group(file: Path) -> dict[Path, bytes]:
    """Return a file and all that it refers to, directly or not, with their contents."""
    found: dict[Path, bytes] = {}
    pending = [file]
    while pending:
        path = pending.pop()
        if path in found:
            continue
        try:
            found[path] = read(path, option="mesh_file_bytes")
        except FileError:
            continue
        pending.extend(_named(path, found[path]))
    return found


def _named(path: Path, data: bytes) -> Iterable[Path]:
    yield from (Path(name) for name in companion_files(str(path)) if is_file(name))
    pattern = _NAMES.get(path.suffix.lower())
    for match in pattern.finditer(data) if pattern else ():
        name = local_file(match[1].decode("utf-8", errors="ignore"), path)
        if name is not None:
            yield Path(name)


def _plain(stem: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", stem, flags=re.ASCII).strip("._") or "mesh"
    return f"mesh_{plain}" if is_device(plain) else plain


@dataclass(frozen=True, slots=True)
class Files:
    """The assets of a document, and the findings about files that are missing."""

    report: Report
    assets: AssetFiles
    code: Code
    """Code of the finding about a file that is missing."""

    def uri(self, path: str | None, uri: str) -> str:
        """Return the URI of a file beside the document; that of the source if the file is missing.

        Args:
            path: The file.
            uri: The URI in the source.
        """
        copy = self.assets.add(path)
        if copy is not None:
            return copy
        self.report.add(self.code, uri=uri or path or "")
        return uri or path or ""


@dataclass(frozen=True, slots=True)
class SourceFiles(Files):
    """Files that a document names where the source has them."""

    def uri(self, path: str | None, uri: str) -> str:
        """Return the URI in the source if it has a scheme, such as ``model://``; else the path of
        the file.

        Args:
            path: The file.
            uri: The URI in the source.
        """
        return uri if "://" in uri else path or uri


def package_xml(name: str) -> str:
    """Return the content of ``package.xml``.

    Args:
        name: Name of the package, which that of its folder must equal for some readers.
    """
    root = root_element("package", format="2")
    add(root, "name", name)
    add(root, "version", "1.0.0")
    add(root, "description", f"{WRITTEN_BY}{own_version()}.")
    add(root, "maintainer", "none", email="none@example.com")
    add(root, "license", "see README.md")
    return write(root)


class DocumentText(str):
    """An exported document: a string, with its assets, diagnostics and changed names."""

    assets: dict[str, bytes]
    """Contents of each asset file, by its name in the folder ``assets``."""
    diagnostics: tuple[Diagnostic, ...]
    """The findings of the export: what the format cannot carry, or carries with an error."""
    names: dict[str, str]
    """Names in the document by canonical name, where they differ."""

    @classmethod
    def of(
        cls,
        text: str,
        assets: dict[str, bytes],
        diagnostics: tuple[Diagnostic, ...],
        names: Mapping[str, str],
    ) -> Self:
        """Return a text with what belongs to it.

        Args:
            text: The document.
            assets: Contents of each asset file, by its name in the folder ``assets``.
            diagnostics: The findings of the export.
            names: Names in the document by canonical name, where they differ.
        """
        document = cls(text)
        document.assets, document.diagnostics, document.names = assets, diagnostics, dict(names)
        return document

    def __repr__(self) -> str:
        """Return what the document is; `str` has the text."""
        name = type(self).__name__
        lines = counted(self.count("\n"), "line")
        assets = counted(len(getattr(self, "assets", ())), "asset")
        return f"<{name}: {lines}, {assets}>"

    def _repr_html_(self) -> str:
        findings = getattr(self, "diagnostics", ())
        parts = [details("the text", document_of(self))]
        if findings:
            parts.insert(0, details(summary_of(findings), findings_table(findings)))
        return card(repr(self).strip("<>"), (), *parts)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Export:
    """The result of an export to a folder.

    Attributes:
        path: The file of the model.
        files: Every file, by its path in the folder.
        diagnostics: The findings of lowering and export; those of the reader are in
            ``Scene.diagnostics``.
        names: Names in the files by name in the source, where they differ. The key of a joint that
            shares its name with a link starts with ``joint``.
    """

    path: Path
    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    names: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        files = counted(len(self.files), "file")
        found = summary_of(self.diagnostics)
        return f"<{type(self).__name__} {str(self.path)[-160:]}: {files}, {found}>"

    def _repr_html_(self) -> str:
        folder = self.path.parent
        rows = [(file, _size_of(folder / file)) for file in self.files]
        parts = [details(counted(len(rows), "file"), table(("file", "size"), rows))]
        if self.diagnostics:
            listed = findings_table(self.diagnostics)
            parts.insert(0, details(summary_of(self.diagnostics), listed))
        if self.path.is_file():
            parts.append(details(self.path.name, document_of(self.path.read_text("utf-8"))))
        return card(f"{type(self).__name__}: {self.path}", (), *parts)


def _size_of(path: Path) -> str:
    """Return the size of a file in kilobytes; that it is missing."""
    return f"{path.stat().st_size / 1e3:.1f} kB" if path.is_file() else "missing"


def stale(files: Mapping[str, bytes], out_dir: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the files of a folder that are missing, superfluous, or differ from what an export
    would write.

    Args:
        files: Content of each file that the export would write, by its path in the folder.
        out_dir: The folder to compare with.
    """
    folder = Path(out_dir)
    existing = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    existing.pop(MANIFEST, None)
    found = set(existing) - set(files)
    for file, data in files.items():
        if file not in existing or existing[file].read_bytes() != data:
            found.add(file)
    return tuple(sorted(found))


class NormalForm(Protocol):
    """The normal form of a scene, which a document states."""

    @property
    def scene(self) -> Scene:
        """The scene."""

    @property
    def names(self) -> dict[str, str]:
        """Names in the document by name in the source, where they differ."""


_Form_co = TypeVar("_Form_co", bound=NormalForm, covariant=True)
_Options_co = TypeVar("_Options_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BuiltDocument(Generic[_Form_co, _Options_co]):
    """A finished document.

    Attributes:
        scene: The scene of the source.
        form: The normal form, which the document states.
        root: The document.
        assets: Contents of each asset file, by its name in the folder of the assets.
        diagnostics: The findings of the export.
        options: The options of the export, a dataclass.
        sampled: The pairs of links that random positions exclude from contact; None if that was not
            requested.
    """

    scene: Scene
    form: _Form_co
    root: Element
    assets: dict[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    options: _Options_co
    sampled: SampledPairs | None = None


AnyBuilt = BuiltDocument[NormalForm, Any]
"""A finished document of any format."""


class DocumentFormat(NamedTuple):
    """A format of documents."""

    title: str
    """Name of the format, for people."""
    suffix: str
    """Suffix of its files."""
    function: str
    """Name of the function that exports to it."""
    code: Code
    """Code of the findings about files that do not read back."""


def _nothing(_files: Mapping[str, bytes]) -> None:
    """Check nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFiles:
    """The files of an export that are not written yet."""

    main: str
    """Path of the model's file in the folder."""
    files: dict[str, bytes]
    """Content of each file, by its path in the folder."""
    diagnostics: tuple[Diagnostic, ...]
    """The findings of the export."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names in the files by name in the source, where they differ."""
    check: Callable[[Mapping[str, bytes]], object] = _nothing
    """Checks files by their paths; raises `ExportError` if they are not the exported scene."""

    def checked(self) -> Self:
        """Check the files, and return them with what the check has made.

        Raises:
            ExportError: if they are not the exported scene.
        """
        self.check(self.files)
        return self

    def written(self, out_dir: str | os.PathLike[str], *, force: bool = False) -> Export:
        """Write the files into a folder and return the result.

        Args:
            out_dir: The folder.
            force: Whether to overwrite files that were edited or that no export wrote.

        Raises:
            OutputFolderError: if the folder holds files that were edited or that no export wrote.
            OSError: if the file system refuses; the old content is in place then.
        """
        write_folder(out_dir, self.files, force=force)
        return Export(
            path=Path(out_dir) / self.main,
            files=tuple(sorted(self.files)),
            diagnostics=self.diagnostics,
            names=dict(self.names),
        )


_ExportFiles = TypeVar("_ExportFiles", bound=ExportFiles)
_Keywords = TypeVar("_Keywords", bound=LoadOptions)


def finished(
    files_of: Callable[[Source, _Keywords], _ExportFiles],
    source: Source,
    keywords: _Keywords,
    *,
    check: bool = False,
) -> _ExportFiles:
    """Return the files of an export, and warn of what they lose.

    Args:
        files_of: Makes the files.
        source: The source of the export.
        keywords: The keywords of the caller.
        check: Whether to check the files.

    Raises:
        ExportError: if the files are not the exported scene.
    """
    with loss_summary(source, keywords) as losses:
        files = files_of(source, keywords)
        if check:
            files = files.checked()
        losses.add(files.diagnostics)
    return files


def unused_word() -> str:
    """Return a new word that no name and no file has, to stand for what is not known yet."""
    return f"sdfbridge-{os.urandom(16).hex()}"


def named_by_content(make: Callable[[str], _ExportFiles], folder: str) -> _ExportFiles:
    """Return a document alone whose assets lie in a folder that is named after their content, so
    that they lie beside those of the document that it replaces.

    Args:
        make: Returns the document and its assets; gets the folder of the assets.
        folder: The folder in which that folder lies. `PACKAGE_XML` belongs into it itself, because
            it makes it a package.
    """
    mark = unused_word()
    done = make(f"{folder}/{mark}")
    digest = hashlib.sha256()
    for file, data in sorted(done.files.items()):
        if file != done.main:
            plain = data.replace(mark.encode(), b"")
            digest.update(
                f"{file.replace(mark, '')}\0{len(plain)}\0".encode(errors="surrogateescape")
            )
            digest.update(plain)
    name = digest.hexdigest()[:16]
    files = {}
    for file, data in done.files.items():
        is_package = file == f"{folder}/{mark}/{PACKAGE_XML}"
        place = f"{folder}/{PACKAGE_XML}" if is_package else file.replace(mark, name)
        files[place] = data.replace(mark.encode(), name.encode())
    return replace(done, files=files)


def export_folder(
    files_of: Callable[[Source, _Keywords], ExportFiles],
    source: Source,
    out_dir: str | os.PathLike[str],
    keywords: _Keywords,
    *,
    force: bool,
    check: bool,
) -> Export:
    """Write the files of an export into a folder and return the result.

    Args:
        files_of: Makes the files.
        source: The source of the export.
        out_dir: The folder.
        keywords: The keywords of the caller.
        force: Whether to overwrite files that were edited or that no export wrote.
        check: Whether to check the files before the folder is touched.

    Raises:
        ExportError: if the files are not the exported scene.
        OutputFolderError: if the folder holds files that were edited or that no export wrote.
        OSError: if the file system refuses; the old content is in place then.
        ValueError: if the folder is named as a file.
    """
    check_folder_name(out_dir)
    return finished(files_of, source, keywords, check=check).written(out_dir, force=force)


def document_alone(built: AnyBuilt, form: DocumentFormat, assets: str) -> ExportFiles:
    """Return one document without a folder around it, with the assets in a folder beside it.

    Args:
        built: The document.
        form: Its format.
        assets: The folder of the assets.
    """
    main = f"main{form.suffix}"
    return _document_files(built, form, {main: write(built.root)}, assets, {})


def document_files(
    built: AnyBuilt,
    form: DocumentFormat,
    readers: str,
    notes: Iterable[str],
    more: Mapping[str, str],
    package_map: Mapping[str, str],
) -> ExportFiles:
    """Return the files of a document: itself, its assets, ``README.md``, ``FIDELITY.md`` and more.

    Args:
        built: The document.
        form: Its format.
        readers: The first sentences of the README after the name of the file, such as ``is a robot
            in URDF.``.
        notes: Sentences of the README about what was changed.
        more: Further texts by the name of their file.
        package_map: Place, in the folder, of each package that a URI of the document names.
    """
    name = file_name(built.scene.name)
    main = f"{name}{form.suffix}"
    texts = {
        main: write(built.root, [origin_comment(built.scene)]),
        "README.md": _readme(name, f"`{main}` {readers}", built, form, notes),
        "FIDELITY.md": fidelity_text(built.scene, built.diagnostics, f"{form.title} document"),
        **more,
    }
    return _document_files(built, form, texts, ASSETS, package_map)


def _document_files(
    built: AnyBuilt,
    form: DocumentFormat,
    texts: Mapping[str, str],
    assets: str,
    package_map: Mapping[str, str],
) -> ExportFiles:
    """Return texts, of which the first is a document, and its assets; the check reads them back."""
    main = next(iter(texts))
    files = {file: text.encode() for file, text in texts.items()}
    files |= {f"{assets}/{file}": data for file, data in built.assets.items()}
    return ExportFiles(
        main=main,
        files=files,
        diagnostics=built.diagnostics,
        names=built.form.names,
        check=lambda written: require_equal(
            read_back(written, main, built.form.scene, form.code, package_map=package_map)
        ),
    )


def _readme(
    name: str, about: str, built: AnyBuilt, form: DocumentFormat, notes: Iterable[str]
) -> str:
    report = (
        f"[FIDELITY.md](FIDELITY.md) lists what {form.title} cannot represent, or represents "
        f"with an error."
    )
    made = derivation(built.scene, form.function, name, changed_options(built.options))
    lines = [f"# {name}", "", about, "", *made, "", *notes, report]
    if built.form.names:
        rows = [
            f"| {code(old, cell=True)} | {code(new, cell=True)} |"
            for old, new in built.form.names.items()
        ]
        lines += ["", "## Names", "", f"| source | {form.title} |", "|---|---|", *rows]
    return printable("\n".join(lines) + "\n", lines=True)


def scene_of(source: Source, options: LoadOptions, report: Report | None = None) -> Scene:
    """Return the scene of a source, without what its flags for MuJoCo switch off.

    Args:
        source: A path, a scene, or a mechanism.
        options: Options of `loaders.load`, if the source is a path.
        report: Receives the joints that contradict the poses of links, if the source is no path.

    Raises:
        ExportError: if the scene has names that nothing has, or numbers that no model can have.
        LoadError: if the file has errors.
        TypeError: if the source is neither a path, a scene nor a mechanism.
    """
    if isinstance(source, str | os.PathLike):
        return with_asset_files(as_switched(loaders.load(source, **options)))
    scene = source.scene if isinstance(source, Mechanism) else source
    if not isinstance(scene, Scene):
        raise TypeError(f"expected a path, a Scene or a Mechanism, not {type(source).__name__}")
    require_consistent(scene)
    if report is not None:
        report_contradictions(scene, report.entries)
    return with_asset_files(as_switched(scene))


def with_contact_options(
    scene: Scene, source: Source, options: SharedOptions, report: Report
) -> tuple[Scene, SampledPairs | None]:
    """Return the scene of a source with the chosen shapes of meshes, and with filter groups for the
    pairs of links that random positions exclude from contact, and these pairs; None if that is not
    requested.

    Args:
        scene: The scene.
        source: The source, of which a mechanism may have been sampled before.
        options: The options of the export.
        report: Receives the findings.

    Raises:
        ExportError: if the scene cannot be lowered.
        LimitError: if there are more pairs than the call that is running may have.
    """
    choice = ShapeChoice.of(options.shapes, options.fit)
    scene = with_shapes(scene, choice, report.target, report.entries)
    if choice.shapes:
        source = scene
    known = source.sampled if isinstance(source, Mechanism) else None
    if known is not None or options.exclude == "as_is":
        return scene, known
    mechanism = source if isinstance(source, Mechanism) else lower(scene)
    sampled = with_exclusions(mechanism, options.exclusion).sampled
    if sampled is None:
        return scene, None
    report_sampled_pairs(sampled, report.entries)
    return with_excluded_pairs(scene, sampled), sampled


def repaired(scene: Scene, report: Report, *, wanted: bool) -> Scene:
    """Return the scene with the nearest physical inertias, if that is wanted.

    Args:
        scene: The scene.
        report: Receives the findings.
        wanted: Whether inertias are repaired.
    """
    return with_repaired_inertia(scene, report.entries) if wanted else scene

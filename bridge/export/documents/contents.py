"""The files of an export: the document, its assets, a README and a report of what is not exact."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from bridge.export.fidelity_report import fidelity_text
from bridge.export.file_names import check_folder_name, file_name
from bridge.export.provenance import derivation, origin_comment
from bridge.export.read_back import read_back, require_equal
from bridge.export.result import Export
from bridge.export.xml_text import Element, write
from bridge.lowering.inputs import Source, loss_summary
from bridge.output import write_folder
from loaders import LoadOptions
from loaders.diagnostics import Diagnostic
from loaders.safety.markdown import code
from loaders.safety.text import printable
from loaders.scene import Scene

_Export = TypeVar("_Export", bound=Export)
_Contents = TypeVar("_Contents", bound="Contents")


class Form(Protocol):
    """The normal form of a scene, which a document states."""

    @property
    def scene(self) -> Scene:
        """The scene."""

    @property
    def names(self) -> dict[str, str]:
        """Names in the document by name in the source, where they differ."""


_Form_co = TypeVar("_Form_co", bound=Form, covariant=True)
_Options_co = TypeVar("_Options_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Built(Generic[_Form_co, _Options_co]):
    """A finished document.

    Attributes:
        scene: The scene of the source.
        form: The normal form, which the document states.
        root: The document.
        assets: Contents of each asset file, by its name in the folder of the assets.
        diagnostics: The findings of the export.
        options: The options of the export, a dataclass.
    """

    scene: Scene
    form: _Form_co
    root: Element
    assets: dict[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    options: _Options_co


AnyBuilt = Built[Form, Any]
"""A finished document of any format."""


class Format(NamedTuple):
    """A format of documents."""

    title: str
    """Name of the format, for people."""
    suffix: str
    """Suffix of its files."""
    function: str
    """Name of the function that exports to it."""
    code: str
    """Code of the findings about files that do not read back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The files of an export that are not written yet."""

    main: str
    """Path of the model's file in the folder."""
    files: dict[str, bytes]
    """Content of each file, by its path in the folder."""
    scene: Scene
    """The scene that the files say."""
    diagnostics: tuple[Diagnostic, ...]
    """The findings of the export."""
    code: str
    """Code of the findings about files that do not read back."""
    package_map: Mapping[str, str] = field(default_factory=dict)
    """Place, in the folder, of each package that a URI of the files names."""

    def require_equal(self) -> None:
        """Read the files back and compare them with the scene.

        Raises:
            ExportError: if they are not the scene.
        """
        require_equal(read_back(self.files, self.main, self.scene, self.code, package_map=self.package_map))

    def written(self, kind: type[_Export], out_dir: str | os.PathLike[str], *, force: bool) -> _Export:
        """Write the files into a folder and return the result.

        Args:
            kind: Type of the result.
            out_dir: The folder.
            force: Whether to overwrite files that were edited or that no export wrote.

        Raises:
            OutputFolderError: if the folder holds files that were edited or that no export wrote.
            OSError: if the file system refuses; the old content is in place then.
            ValueError: if the folder is named as a file.
        """
        check_folder_name(out_dir)
        write_folder(out_dir, self.files, force=force)
        files = tuple(sorted(self.files))
        return kind(path=Path(out_dir) / self.main, files=files, diagnostics=self.diagnostics)


def finished(
    source: Source, options: LoadOptions, contents_of: Callable[[], _Contents], *, check: bool = False
) -> _Contents:
    """Return the files of an export, and warn of what they lose.

    Args:
        source: The source of the export.
        options: The keywords of the caller.
        contents_of: Makes the files.
        check: Whether to read the files back and compare them with the scene.

    Raises:
        ExportError: if the files, read back, are not the scene.
    """
    with loss_summary(source, options) as losses:
        contents = contents_of()
        if check:
            contents.require_equal()
        losses.add(contents.diagnostics)
    return contents


def single_document(
    source: Source, options: LoadOptions, build: Callable[[], AnyBuilt], form: Format, assets: str, *, check: bool
) -> tuple[str, dict[str, bytes], tuple[Diagnostic, ...]]:
    """Return one document without a folder around it, the assets in a folder beside it, and the findings.

    Args:
        source: The source of the export.
        options: The keywords of the caller.
        build: Makes the document.
        form: Format of the document.
        assets: Name of the folder of the assets.
        check: Whether to read the files back and compare them with the model.

    Raises:
        ExportError: if the written file, read back, is not the model.
    """
    with loss_summary(source, options) as losses:
        built = build()
        text, main = write(built.root), f"main{form.suffix}"
        if check:
            files = {main: text.encode()} | {f"{assets}/{file}": data for file, data in built.assets.items()}
            require_equal(read_back(files, main, built.form.scene, form.code))
        losses.add(built.diagnostics)
    return text, built.assets, built.diagnostics


def document_contents(built: AnyBuilt, form: Format, readers: str, notes: Iterable[str]) -> Contents:
    """Return the files of a document: itself, its assets, ``README.md`` and ``FIDELITY.md``.

    Args:
        built: The document.
        form: Its format.
        readers: The first sentences of the README after the name of the file, such as ``is a robot in URDF.``.
        notes: Sentences of the README about what was changed.
    """
    name = file_name(built.scene.name)
    main = f"{name}{form.suffix}"
    texts = {
        main: write(built.root, [origin_comment(built.scene)]),
        "README.md": _readme(name, f"`{main}` {readers}", built, form, notes),
        "FIDELITY.md": fidelity_text(built.scene, built.diagnostics, f"{form.title} document"),
    }
    files = {file: text.encode() for file, text in texts.items()}
    files |= {f"assets/{file}": data for file, data in built.assets.items()}
    return Contents(main=main, files=files, scene=built.form.scene, diagnostics=built.diagnostics, code=form.code)


def _readme(name: str, about: str, built: AnyBuilt, form: Format, notes: Iterable[str]) -> str:
    report = f"[FIDELITY.md](FIDELITY.md) lists what {form.title} cannot represent, or represents with an error."
    made = derivation(built.scene, form.function, name, changed_options(built.options))
    lines = [f"# {name}", "", about, "", *made, "", *notes, report]
    if built.form.names:
        rows = [f"| {code(old, cell=True)} | {code(new, cell=True)} |" for old, new in built.form.names.items()]
        lines += ["", "## Names", "", f"| source | {form.title} |", "|---|---|", *rows]
    return printable("\n".join(lines) + "\n", lines=True)


def changed_options(options: Any) -> Mapping[str, Any]:
    """Return the options that differ from their defaults."""
    default = type(options)()
    values = {entry.name: getattr(options, entry.name) for entry in fields(options) if entry.name != "strict"}
    return {key: value for key, value in values.items() if value != getattr(default, key)}

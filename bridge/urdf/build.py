"""A source as a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bridge.export.asset_files import ASSETS, AssetFiles
from bridge.export.file_names import file_name
from bridge.export.report import Report
from bridge.export.sources import repaired, scene_of
from bridge.export.xml_text import Element
from bridge.lowering.inputs import Source
from loaders.diagnostics import Diagnostic, ExportError
from loaders.scene import Scene

from .document import document
from .files import Files
from .normal.normal_form import NormalForm, normal_form
from .options import Options


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Built:
    """A finished document.

    Attributes:
        scene: The scene of the source.
        form: The normal form, which the document says.
        root: The document.
        assets: Contents of each asset file, by its name in the folder ``assets``.
        diagnostics: The findings of the export.
        options: The options of the export.
    """

    scene: Scene
    form: NormalForm
    root: Element
    assets: dict[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    options: Options


def build(source: Source, keywords: Mapping[str, Any], assets: str = ASSETS) -> Built:
    """Return the document of a source.

    Args:
        source: A path, a scene, or a mechanism.
        keywords: The options of the caller.
        assets: Folder of the assets, beside the document.

    Raises:
        LoadError: if the file is invalid.
        ExportError: if URDF cannot represent the model; with ``strict``, if anything is lost or approximated.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.
    """
    options, load_options = Options.split(keywords)
    scene = scene_of(source, load_options)
    report = Report("urdf")
    form = normal_form(repaired(scene, report, wanted=options.inertia == "repair"), options, report)
    if options.meshes == "package":
        assets = f"package://{file_name(scene.name)}/{assets}"
    files = Files(report, AssetFiles(assets))
    root = document(form, options, files)
    report.entries.raise_for(ExportError, strict=options.strict)
    return Built(
        scene=scene,
        form=form,
        root=root,
        assets=files.assets.files,
        diagnostics=tuple(report.entries),
        options=options,
    )

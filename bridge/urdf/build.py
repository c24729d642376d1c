"""A source as a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.export.asset_files import ASSETS, AssetFiles
from bridge.export.documents.contents import Built as BuiltDocument
from bridge.export.documents.files import Files
from bridge.export.file_names import file_name
from bridge.export.report import Report
from bridge.export.sources import repaired, scene_of
from bridge.lowering.inputs import Source
from loaders.diagnostics import ExportError

from .document import document
from .normal.normal_form import NormalForm, normal_form
from .options import Options

Built = BuiltDocument[NormalForm, Options]


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
    report = Report("urdf")
    scene = scene_of(source, load_options, report)
    form = normal_form(repaired(scene, report, wanted=options.inertia == "repair"), options, report)
    if options.meshes == "package":
        assets = f"package://{file_name(scene.name)}/{assets}"
    files = Files(report, AssetFiles(assets), "urdfout.missing-file")
    root = document(form, options, files)
    report.entries.raise_for(ExportError, strict=options.strict)
    return BuiltDocument(
        scene=scene,
        form=form,
        root=root,
        assets=files.assets.files,
        diagnostics=tuple(report.entries),
        options=options,
    )

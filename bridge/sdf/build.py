"""A source as a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.export.asset_files import ASSETS, AssetFiles
from bridge.export.documents.contents import Built as BuiltDocument
from bridge.export.documents.files import Files, SourceFiles
from bridge.export.report import Report
from bridge.export.sources import repaired, scene_of
from bridge.lowering.inputs import Source
from loaders.diagnostics import ExportError

from .document import document
from .normal.normal_form import NormalForm, normal_form
from .options import Options
from .target import TARGET
from .versions import with_version

Built = BuiltDocument[NormalForm, Options]


def build(source: Source, keywords: Mapping[str, Any], assets: str | None = ASSETS) -> Built:
    """Return the document of a source.

    Args:
        source: A path, a scene, or a mechanism.
        keywords: The options of the caller.
        assets: Folder of the assets, beside the document; if None, the document names files where the source has them.

    Raises:
        LoadError: if the file is invalid.
        ExportError: with ``strict``, if anything is lost or approximated.
        TypeError: if an option is unknown.
        ValueError: if an option has an unknown value.
    """
    options, load_options = Options.split(keywords)
    report = Report(TARGET)
    scene = scene_of(source, load_options, report)
    form = normal_form(repaired(scene, report, wanted=options.inertia == "repair"), options, report)
    files = (SourceFiles if assets is None else Files)(report, AssetFiles(assets or ""), "sdfout.missing-file")
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
    )

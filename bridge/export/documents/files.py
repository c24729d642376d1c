"""The files that a document names."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.export.asset_files import AssetFiles
from bridge.export.report import Report
from loaders.diagnostics import Fate


@dataclass(frozen=True, slots=True)
class Files:
    """The assets of a document, and the findings about files that are missing."""

    report: Report
    assets: AssetFiles
    code: str
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
        self.report.add(
            Fate.NOTED,
            self.code,
            "{uri} was not found; the document names it as the source does",
            hint="add its folder to the search paths",
            uri=uri or path or "",
        )
        return uri or path or ""


@dataclass(frozen=True, slots=True)
class SourceFiles(Files):
    """Files that a document names where the source has them."""

    def uri(self, path: str | None, uri: str) -> str:
        """Return the URI in the source if it has a scheme, such as ``model://``; else the path of the file.

        Args:
            path: The file.
            uri: The URI in the source.
        """
        return uri if "://" in uri else path or uri

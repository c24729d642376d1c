"""Drake's directives as a target: a scene as one file for each model, and a file that assembles them."""

from .folder import DirectivesExport, export_directives
from .options import DirectivesOptions

__all__ = ["DirectivesExport", "DirectivesOptions", "export_directives"]

"""Drake's directives as a target: a scene as one file for each model, and a file that assembles
them.
"""

from .folder import (
    Directives,
    DirectivesExport,
    DirectivesOptions,
    export_directives,
    to_directives,
)

__all__ = [
    "Directives", "DirectivesExport", "DirectivesOptions", "export_directives", "to_directives",
]  # fmt: skip

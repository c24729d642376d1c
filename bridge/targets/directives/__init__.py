"""Drake's directives as a target: a scene as one file for each model, and a file that assembles
them.
"""

from .folder import Directives, DirectivesOptions, export_directives, to_directives

__all__ = ["Directives", "DirectivesOptions", "export_directives", "to_directives"]

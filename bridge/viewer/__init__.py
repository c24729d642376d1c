"""An interactive view of models in a web browser, by viser: everything comes from this machine."""

from .viewer import Viewer, view

__all__ = ["Viewer", "view"]

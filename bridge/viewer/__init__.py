"""An interactive view of models in a web browser, by viser: everything comes from this machine."""

from .marks import Recording
from .viewer import Viewer, view

__all__ = ["Recording", "Viewer", "view"]

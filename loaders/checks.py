"""What must hold of any scene, whatever it was read from."""

from __future__ import annotations

from .diagnostics import Diagnostics, Fate
from .model import Scene


def check(scene: Scene, diagnostics: Diagnostics) -> None:
    """Report what no simulator could use: impossible inertias."""
    for link in scene.links:
        if link.inertia is None:
            continue
        for defect in link.inertia.defects():
            message = f"the inertia of link {link.name} belongs to no real body: {defect}"
            hint = "correct it, or let the export repair it"
            diagnostics.add(Fate.ASSUMED, "model.impossible-inertia", message, link.where, hint=hint)

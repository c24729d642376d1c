"""No document has a place for the forces of a fluid: each is left out; its finding names its link
and its values.
"""

from __future__ import annotations

import numpy as np
import pytest

import bridge
import loaders
from loaders import Scene
from loaders.diagnostics import ExportError, Fate
from loaders.model import Buoyancy, FluidDrag, Wing
from tests.support.scenes import link, scene


def submarine() -> Scene:
    drag = np.zeros((6, 6))
    drag[0, 0] = -2.5
    forces = (
        Buoyancy(link="hull", density=1025.0),
        FluidDrag(link="hull", linear=drag),
        Wing(link="fin", area=0.75),
    )
    return scene([link("hull"), link("fin")], fluid_forces=forces)


@pytest.mark.parametrize("form", ["sdf", "urdf"])
def test_each_force_is_dropped_with_its_link_and_its_values(form: str) -> None:
    wet = (
        submarine()
        if form == "sdf"
        else scene([link("hull")], fluid_forces=submarine().fluid_forces[:2])
    )
    text = getattr(bridge, f"to_{form}")(wet)
    lost = [entry for entry in text.diagnostics if entry.code == f"{form}out.fluid-force"]
    expected = [("hull", "density=1025.0"), ("hull", "00: -2.5"), ("fin", "area=0.75")][
        : len(wet.fluid_forces)
    ]
    assert [(entry.fate, *entry.subjects) for entry in lost] == [
        (Fate.DROPPED, name) for name, _ in expected
    ]
    assert all(value in str(entry) for entry, (_, value) in zip(lost, expected, strict=True))
    assert not loaders.load_string(str(text), format=form, quiet=True).fluid_forces
    with pytest.raises(ExportError):
        getattr(bridge, f"to_{form}")(wet, strict=True)

"""Each attribute that the MJCF export writes is missed when it is lost: the original is the witness
of the writer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bridge
import loaders
from bridge.parity import compare
from bridge.parity.engines.mujoco import engine
from bridge.parity.engines.mujoco.engine import MujocoEngine
from bridge.targets.mjcf.context import MjcfElement
from bridge.targets.mjcf.document import BuiltMjcf
from bridge.targets.mjcf.document import build as build_document
from bridge.targets.options import MjcfExportOptions

pytest.importorskip("mujoco")

MODELS = Path(__file__).parents[2] / "loaders" / "mjcf" / "models"
NEUTRAL = {
    "name",  # names are the subject of other tests, and many are references
    "group",  # groups of display are not carried
    "class",  # the class of sites and shapes for collision has a group of display
    "model",  # the name of the model
}
"""Attributes whose loss changes nothing that is compared."""
DERIVED = frozenset({"names", "paths", "names_map", "actuator_ctrlspec"})
"""Names, and what an actuator with a fixed gain calls its control."""


def arrays(model: Any) -> dict[str, Any]:
    """The numbers of a compiled model by their names."""
    found = {name: getattr(model, name) for name in dir(model) if not name.startswith("_")}
    numbers = {
        name: np.array(value)
        for name, value in found.items()
        if isinstance(value, np.ndarray | int | float)
    }
    options = {
        f"opt.{name}": np.array(getattr(model.opt, name))
        for name in dir(model.opt)
        if not name.startswith("_")
    }
    return {
        name: value
        for name, value in (numbers | options).items()
        if value.dtype.kind in "iuf" and name not in DERIVED
    }


def differ(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Whether the numbers of two compiled models differ by more than rounding errors."""
    return any(
        a.shape != two[name].shape or not np.allclose(a, two[name], 1e-12, 1e-14, True)
        for name, a in one.items()
    )


def places(root: MjcfElement) -> Iterator[tuple[int, str, str]]:
    """The number of the first element of each tag with each attribute."""
    seen = set()
    for i, element in enumerate(root.walk()):
        for attribute in element.attributes.keys() - NEUTRAL:
            if (element.tag, attribute) not in seen:
                seen.add((element.tag, attribute))
                yield i, element.tag, attribute


@pytest.mark.slow
@pytest.mark.parametrize("name", ["equalities", "contacts", "springs", "actuators"])
def test_an_attribute_that_the_writer_loses_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = loaders.load(MODELS / f"{name}.xml", quiet=True)
    mechanism = bridge.lower(scene)
    sound = arrays(MujocoEngine(mechanism).model)
    root = build_document(mechanism, MjcfExportOptions(policy=mechanism.default_policy)).root
    missed, count = [], 0
    for i, tag, attribute in places(root):

        def faulty(*arguments: Any, i: int = i, attribute: str = attribute) -> BuiltMjcf:
            built = build_document(*arguments)
            del list(built.root.walk())[i].attributes[attribute]
            return built

        monkeypatch.setattr(engine, "build", faulty)
        try:
            if not differ(sound, arrays(MujocoEngine(mechanism).model)):
                continue
        except (ValueError, KeyError):
            continue  # MuJoCo refuses the document
        count += 1
        found = compare(scene, ("mujoco", "mujoco-native"), levels=("L0", "L1"), configurations=1)
        if not found.failures:
            missed.append(f"{tag}/{attribute}")
    assert missed == []
    assert count > 3

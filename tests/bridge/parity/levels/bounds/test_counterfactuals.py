"""A diagnostic stands for a changed mechanism, whose difference from the model has the size that it
states.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import bridge
from bridge.parity.bounds.counterfactual import counterfactual
from loaders.diagnostics import Argument, Diagnostic, Fate
from loaders.inertia import SpatialInertia
from loaders.model import WORLD, Actuator, JointType
from tests.support.scenes import joint, link, scene

ARM = scene([link("a"), link("b")], [joint("j", WORLD, "a"), joint("k", "a", "b", xyz=(0, 1, 0))])


def entry(code: str, *subjects: str, **arguments: Argument) -> Diagnostic:
    return Diagnostic(code, Fate.ASSUMED, "", subjects=subjects, arguments=arguments)


def test_a_missing_rotor_changes_one_diagonal_entry() -> None:
    geared = dataclasses.replace(
        ARM, actuators=(Actuator(name="m", joint="k", gear_ratio=10.0, rotor_inertia=1e-3),)
    )
    mechanism = bridge.lower(geared)
    without = counterfactual(entry("pybullet.rotor-inertia", "k"), mechanism)
    assert without is not None
    assert np.allclose(mechanism.mass_matrix() - without.mass_matrix(), np.diag((0.0, 0.1)))


def test_a_massless_link_gets_what_the_diagnostic_states() -> None:
    bare = dataclasses.replace(
        ARM, links=(ARM.links[0], dataclasses.replace(ARM.links[1], inertia=None))
    )
    changed = counterfactual(
        entry("mjcf.massless-link", "b", mass=1e-15, moments=(1e-15, 1e-15, 1e-15)),
        bridge.lower(bare),
    )
    assert changed is not None
    assert [body.inertia.mass for body in changed.bodies] == [ARM.links[0].inertia.mass, 1e-15]


def test_gravity_acts_again_on_the_link_of_the_diagnostic_only() -> None:
    weightless = dataclasses.replace(
        ARM, links=tuple(dataclasses.replace(each, gravity=False) for each in ARM.links)
    )
    changed = counterfactual(entry("pybullet.link-without-gravity", "b"), bridge.lower(weightless))
    assert changed is not None
    assert [body.link.gravity for body in changed.bodies] == [False, True]


@pytest.mark.parametrize("name", ["b", "b (with a)"])
def test_merged_links_move_their_inertia_to_the_link_that_carries_them(name: str) -> None:
    fixed = dataclasses.replace(ARM.joints[1], type=JointType.FIXED, axes=(), child=name)
    welded = dataclasses.replace(
        ARM,
        links=(ARM.links[0], dataclasses.replace(ARM.links[1], name=name)),
        joints=(ARM.joints[0], fixed),
    )
    mechanism = bridge.lower(welded)
    changed = counterfactual(
        entry("pybullet.folded-links", "a", name, links=((name, "a"),)), mechanism
    )
    assert changed is not None
    total = sum(body.inertia.mass for body in mechanism.bodies)
    assert [body.inertia.mass for body in changed.bodies] == pytest.approx([total, 0.0])
    assert changed.mass_matrix() == pytest.approx(mechanism.mass_matrix())


def test_other_codes_change_nothing() -> None:
    assert counterfactual(entry("pybullet.gear", "k"), bridge.lower(ARM)) is None
    assert SpatialInertia.of(0.0).mass == 0.0

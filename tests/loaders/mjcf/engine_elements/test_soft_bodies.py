"""Soft bodies, by the forces between their particles in the original and in the export."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from tests.support.mjcf_documents import read
from tests.support.mjcf_round_trip import compiled, differences, differing_arrays

GRID = '<flexcomp name="f" type="grid" spacing="0.1 0.1 0.1" radius="0.01" mass="1" {}</flexcomp>'
BODIES = {
    "rope": GRID.format(
        'dim="1" count="4 1 1"><edge equality="false" stiffness="100" damping="10"/>'
    ),
    "rope of constant edges": GRID.format(
        'dim="1" count="4 1 1"><edge equality="true" solref="0.05 1"/>'
    ),
    "cloth": GRID.format(
        'dim="2" count="3 3 1"><edge equality="true"/><contact selfcollide="none"/>'
    ),
    "jelly": GRID.format(
        'dim="3" count="3 3 3"><elasticity young="1e3" poisson="0.2" damping="0.1"/>'
    ),
    "nodes": GRID.format(
        'dim="3" count="3 3 3" dof="trilinear"><elasticity young="1e3" poisson="0.2" '
        'damping="0.1"/>'
    ),
    "pinned nodes": GRID.format(
        'dim="3" count="3 3 3" dof="trilinear"><elasticity young="1e3"/><pin id="0"/>'
    ),
    "nodes of cells": GRID.format(
        'dim="3" count="3 3 3" dof="trilinear" cellcount="2 1 1"><elasticity young="1e3"/>'
    ),
    "quadratic nodes": GRID.format(
        'dim="3" count="3 3 3" dof="quadratic"><elasticity young="1e3"/>'
    ),
    "rod": GRID.format(
        'dim="1" count="4 1 1"><elasticity young="1e4" section="box" sectionsize="0.01 0.02"/>'
    ),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_numbers_of_an_export_are_those_of_the_original(body: str) -> None:
    assert differing_arrays("flex", *compiled(f'<body name="b" pos="0 0 1">{body}</body>')) == []


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_an_export_moves_as_the_original(body: str) -> None:
    assert max(differences(f'<body name="b" pos="0 0 1">{body}</body>', "").values()) < 1e-9


def test_the_particles_are_links() -> None:
    scene = read(f'<body name="b">{BODIES["rope"]}</body>')
    (soft,) = scene.engine_elements
    links = {link.name for link in scene.links}
    assert {name for _, name in soft.references} <= links


def test_particles_keep_every_digit_of_their_positions() -> None:
    """The solver stops at its tolerance, and sooner or later if one digit differs."""
    disc = (
        '<mujoco><worldbody><flexcomp name="f" type="disc" count="9 9 1" spacing="0.1 0.1 0.1" '
        'radius="0.01" mass="1"'
        ' dim="2" pos="0 0 1"><edge equality="true"/></flexcomp></worldbody></mujoco>'
    )
    original = mujoco.MjModel.from_xml_string(disc)
    exported = bridge.to_mjspec(loaders.load_string(disc, format="mjcf")).compile()
    np.testing.assert_array_equal(exported.body_pos, original.body_pos)
    np.testing.assert_array_equal(exported.flexedge_length0, original.flexedge_length0)

"""Which links a plugin of a fluid acts on, and with which values."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import bridge
import loaders
from loaders.model import Buoyancy, FluidDrag, Wing

SPHERE = "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision>"
SOLID = f"<inertial><mass>2</mass></inertial>{SPHERE}"
MODELS = "".join(
    (
        f"<model name='{name}'>{static}<link name='a'>{SOLID}</link><link "
        f"name='b'>{SOLID}</link></model>"
    )
    for name, static in (("boat", ""), ("buoy", ""), ("pier", "<static>true</static>"))
)
DRAG = "filename='gz-sim-hydrodynamics-system' name='gz::sim::systems::Hydrodynamics'"


def world(plugin: str) -> loaders.Scene:
    text = f"<sdf version='1.9'><world name='w'>{plugin}{MODELS}</world></sdf>"
    return loaders.load_string(text, format="sdf", quiet=True)


def model(plugin: str) -> loaders.Scene:
    com = SOLID.replace("<mass>", "<pose>0 0 0.5 0 0 0</pose><mass>")
    joint = "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis/></joint>"
    body = f"<link name='a'>{com}</link><link name='b'>{SOLID}</link>{joint}"
    return loaders.load_string(
        f"<sdf version='1.9'><model name='m'>{body}{plugin}</model></sdf>", format="sdf", quiet=True
    )


def sea(body: str = "", name: str = "gz-sim-buoyancy-system") -> str:
    return f"<plugin filename='{name}' name='gz::sim::systems::Buoyancy'>{body}</plugin>"


@pytest.mark.parametrize(
    "name", ["gz-sim-buoyancy-system", "libignition-gazebo6-buoyancy-system.so", ""]
)
def test_buoyancy_acts_on_every_link_that_can_move(name: str) -> None:
    forces = world(sea(name=name)).fluid_forces
    assert [force.link for force in forces] == ["boat::a", "boat::b", "buoy::a", "buoy::b"]
    assert all(isinstance(force, Buoyancy) and force.density == 1000.0 for force in forces)


@pytest.mark.parametrize(
    ("enabled", "links"),
    [("boat", ["boat::a", "boat::b"]), ("boat::b", ["boat::b"]), ("bo", []), ("pier", [])],
)
def test_buoyancy_acts_on_what_is_enabled(enabled: str, links: list[str]) -> None:
    scene = world(sea(f"<enable>{enabled}</enable>"))
    assert [force.link for force in scene.fluid_forces] == links
    assert ("gazebo.plugin-moves" in {entry.code for entry in scene.diagnostics}) == (not links)


def test_layers_are_sorted_by_height() -> None:
    layer = (
        "<density_change><above_depth>{}</above_depth><density>{}</density></density_change>".format
    )
    body = f"<default_density>1030</default_density>{layer(0, 1)}{layer(-10, 1010)}"
    force = world(sea(f"<graded_buoyancy>{body}</graded_buoyancy>")).fluid_forces[0]
    assert isinstance(force, Buoyancy)
    assert (force.density, force.layers) == (1030.0, ((-10.0, 1010.0), (0.0, 1.0)))


def test_the_plugin_of_gazebo_classic_states_volumes() -> None:
    """A link without one has its shapes; the center of volume is that of mass unless it is
    stated.
    """
    link = (
        "<link name='a'><volume>0.3</volume></link><link name='b'><center_of_volume>1 2 "
        "3</center_of_volume></link>"
    )
    a, b = model(f"<plugin name='b' filename='libBuoyancyPlugin.so'>{link}</plugin>").fluid_forces
    assert isinstance(a, Buoyancy)
    assert isinstance(b, Buoyancy)
    assert (a.volume, a.p_LV.tolist(), a.density) == (0.3, [0.0, 0.0, 0.5], 999.1026)
    assert b.volume is None


def test_drag_has_the_derivatives_by_their_letters() -> None:
    body = "<link_name>a</link_name><xU>-1</xU><nR>-2</nR><yVabsV>-3</yVabsV><kPQ>4</kPQ>"
    body += "<default_current>1 0 0</default_current>"
    scene = model(f"<plugin {DRAG}>{body}</plugin>")
    (drag,) = scene.fluid_forces
    assert isinstance(drag, FluidDrag)
    assert {tuple(i): drag.linear[tuple(i)] for i in np.argwhere(drag.linear)} == {
        (0, 0): -1.0,
        (5, 5): -2.0,
    }
    assert (drag.absolute[1, 1, 1], drag.quadratic[3, 3, 4]) == (-3.0, 4.0)
    assert drag.current.tolist() == [1.0, 0.0, 0.0]
    assert [entry.subjects for entry in scene.diagnostics if entry.code == "gazebo.fluid"] == [
        ("a",)
    ]


@pytest.mark.parametrize(
    ("disabled", "count"), [("", 1), ("<disable_added_mass>true</disable_added_mass>", 0)]
)
def test_added_mass_is_reported_as_lost(disabled: str, count: int) -> None:
    scene = model(
        f"<plugin {DRAG}><link_name>a</link_name><xU>-1</xU><xDotU>-7</xDotU>{disabled}</plugin>"
    )
    lost = [entry for entry in scene.diagnostics if entry.code == "gazebo.added-mass"]
    assert len(lost) == count
    assert all("xDotU = -7" in entry.message for entry in lost)


def test_the_loss_of_added_mass_is_the_ratio_of_accelerations_in_the_engine() -> None:
    """A push of 6 N along x moves 2 kg, which are 2 kg + 3 kg in Gazebo; its law is F + xDotU a = m
    a.
    """
    body = "<link_name>a</link_name><xDotU>-3</xDotU><mDotQ>-0.5</mDotQ>"
    plugin = f"<plugin {DRAG}>{body}</plugin>"
    text = f"<sdf version='1.9'><model name='m'><link name='a'>{SOLID}</link>{plugin}</model></sdf>"
    scene = loaders.load_string(text, format="sdf", quiet=True)
    (lost,) = [entry for entry in scene.diagnostics if entry.code == "gazebo.added-mass"]
    simulated = bridge.to_mjspec(scene, quiet=True).compile()
    data = mujoco.MjData(simulated)
    data.xfrc_applied[1, 0] = 6.0
    mujoco.mj_forward(simulated, data)
    in_gazebo = 6.0 / (2.0 + 3.0)
    assert lost.arguments["ratio"] == pytest.approx(data.qacc[0] / in_gazebo, rel=1e-12)
    assert "2.5 times as fast" in lost.message


def test_a_plugin_without_its_link_is_lost_motion() -> None:
    scene = model(f"<plugin {DRAG}><link_name>hull</link_name></plugin>")
    assert not scene.fluid_forces
    assert "gazebo.plugin-moves" in {entry.code for entry in scene.diagnostics}


def test_a_wing_of_gz_sim_has_its_defaults() -> None:
    (wing,) = model(
        "<plugin filename='gz-sim-lift-drag-system' name='w'><link_name>a</link_name></plugin>"
    ).fluid_forces
    assert isinstance(wing, Wing)
    assert (wing.slopes.lift, wing.slopes.drag, wing.stalled.drag, wing.area, wing.density) == (
        1,
        0.01,
        1,
        1,
        1.2041,
    )
    assert (wing.alpha_stall, wing.lift_by_joint, wing.joint) == (math.pi / 2.0, 4.0, None)


WING = """<link_name>a</link_name><cla>6</cla><cma>-1</cma><cma_stall>2</cma_stall><cp>0 0 0.25</cp>
<forward>0 2 0</forward><control_joint_name>j</control_joint_name>
<control_joint_rad_to_cl>3</control_joint_rad_to_cl>"""


@pytest.mark.parametrize(
    ("name", "height", "moments"),
    [("gz-sim-lift-drag-system", 0.25, (-1, 2)), ("libLiftDragPlugin.so", 0.75, (0, 0))],
)
def test_gazebo_classic_measures_from_the_center_of_mass_and_has_no_moment(
    name: str, height: float, moments: tuple[float, float]
) -> None:
    (wing,) = model(f"<plugin filename='{name}' name='w'>{WING}</plugin>").fluid_forces
    assert isinstance(wing, Wing)
    assert wing.X_LF.p.tolist() == [0.0, 0.0, height]
    assert (wing.slopes.moment, wing.stalled.moment) == moments
    assert (wing.forward.tolist(), wing.slopes.lift) == ([0.0, 1.0, 0.0], 6.0)
    assert (wing.joint, wing.lift_by_joint) == ("j", 3.0)


def test_wings_fly_in_the_wind_of_the_world() -> None:
    plugin = "<plugin filename='gz-sim-lift-drag-system' name='w'><link_name>a</link_name></plugin>"
    wind = "<wind><linear_velocity>1 2 3</linear_velocity></wind>"
    body = f"{wind}<model name='m'><link name='a'>{SOLID}</link>{plugin}</model>"
    scene = loaders.load_string(
        f"<sdf version='1.9'><world name='w'>{body}</world></sdf>", format="sdf", quiet=True
    )
    (wing,) = scene.fluid_forces
    assert isinstance(wing, Wing)
    assert wing.current.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "name", ["gz-sim-buoyancy-engine-system", "libusv_gazebo_dynamics_plugin.so"]
)
def test_other_fluids_do_not_run(name: str) -> None:
    scene = model(f"<plugin filename='{name}' name='p'><link_name>a</link_name></plugin>")
    assert not scene.fluid_forces
    assert "gazebo.plugin-moves" in {entry.code for entry in scene.diagnostics}

"""Minimal models of Drake's elements, as SDF and URDF, and Drake itself as the witness of how they
move.
"""

import os

import numpy as np

os.environ.setdefault("DRAKE_ALLOW_NETWORK", "package_map")

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig

import loaders

GRAVITY = (0.0, 0.0, -9.81)
MOMENTS = {"ixx": 0.02, "iyy": 0.03, "izz": 0.04, "ixy": 0.001, "ixz": -0.002, "iyz": 0.003}
AXES = {"ja": (1.0, 2.0, 3.0), "jc": (0.0, 0.0, 1.0)}


class Sdf:
    """Writes a model in SDFormat."""

    form = "sdf"

    def model(self, body):
        return (
            f'<sdf version="1.9" xmlns:drake="drake.mit.edu"><model name="m">{body}</model></sdf>'
        )

    def link(self, name):
        moments = "".join(f"<{key}>{value}</{key}>" for key, value in MOMENTS.items())
        com = "<pose>0.1 -0.05 0.2 0 0 0</pose>"
        return (
            f"<link "
            f'name="{name}"><inertial>{com}<mass>1.5</mass><inertia>{moments}</inertia></inertial></link>'
        )

    def joint(self, name, kind, parent, child, xyz="0 0 1", more="", dynamics=None):
        numbers = "".join(f"<{key}>{value}</{key}>" for key, value in (dynamics or {}).items())
        limit = "<limit><effort>0</effort></limit>" if kind == "universal" else "<limit/>"
        axis = f"<axis><xyz>{xyz}</xyz>{limit}<dynamics>{numbers}</dynamics></axis>"
        second = "<axis2><xyz>0 1 0</xyz></axis2>" if kind == "universal" else ""
        ends = f"<parent>{parent}</parent><child>{child}</child>"
        return f'<joint name="{name}" type="{kind}">{ends}{axis}{second}{more}</joint>'

    def frame(self, name, link, xyz, rpy):
        return f'<frame name="{name}" attached_to="{link}"><pose>{xyz} {rpy}</pose></frame>'

    def element(self, tag, values, prefix=None):
        prefix = f"drake:{tag}_" if prefix is None else prefix
        body = "".join(f"<{prefix}{key}>{value}</{prefix}{key}>" for key, value in values.items())
        return f"<drake:{tag}>{body}</drake:{tag}>"


class Urdf:
    """Writes a model in URDF."""

    form = "urdf"

    def model(self, body):
        return f'<robot name="m" xmlns:drake="drake.mit.edu">{body}</robot>'

    def link(self, name):
        moments = " ".join(f'{key}="{value}"' for key, value in MOMENTS.items())
        com = '<origin xyz="0.1 -0.05 0.2"/>'
        return (
            f'<link name="{name}"><inertial>{com}<mass value="1.5"/><inertia '
            f"{moments}/></inertial></link>"
        )

    def joint(self, name, kind, parent, child, xyz="0 0 1", more="", dynamics=None):
        tag = "drake:joint" if kind in {"universal", "screw"} else "joint"
        kind = "continuous" if kind == "revolute" else kind
        numbers = " ".join(f'{key}="{value}"' for key, value in (dynamics or {}).items())
        ends = (
            f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{xyz}"/><dynamics '
            f"{numbers}/>"
        )
        return f'<{tag} name="{name}" type="{kind}">{ends}{more}</{tag}>'

    def frame(self, name, link, xyz, rpy):
        return f'<frame name="{name}" link="{link}" xyz="{xyz}" rpy="{rpy}"/>'

    def element(self, tag, values, prefix=None):
        prefix = f"drake:{tag}_" if prefix is None else prefix
        body = ""
        for key, value in values.items():
            attribute = "name" if any(word in key for word in ("body", "frame")) else "value"
            body += f'<{prefix}{key} {attribute}="{value}"/>'
        return f"<drake:{tag}>{body}</drake:{tag}>"


FORMS = {"sdf": Sdf(), "urdf": Urdf()}


def tree(form):
    """Link a on a hinge; link b on a universal joint on a slide. Every joint hangs from the world
    in the end.
    """
    links = "".join(form.link(name) for name in "abc")
    return (
        links
        + form.joint("ja", "revolute", "world", "a", xyz="1 2 3")
        + form.joint("jc", "prismatic", "world", "c")
        + form.joint("jb", "universal", "c", "b", xyz="1 0 0")
    )


Q = {"ja": 0.3, "jc": 0.6, "jb": (0.4, -0.7)}
V = {"ja": 0.8, "jc": -0.5, "jb": (1.2, 0.9)}
POINTS = {"body_A": "a", "body_B": "b", "p_AP": "0.1 0.2 -0.1", "p_BQ": "-0.2 0.1 0.3"}


class Drake:
    """A plant that Drake's own parser has filled."""

    def __init__(self, text, form, step=0.0, gravity=GRAVITY, more=lambda plant: None):
        self.plant = MultibodyPlant(step)
        Parser(self.plant).AddModelsFromString(text, form)
        self.plant.mutable_gravity_field().set_gravity_vector(np.array(gravity))
        more(self.plant)
        self.plant.Finalize()
        self.simulator = Simulator(self.plant)
        if not step:
            config = SimulatorConfig(
                integration_scheme="runge_kutta3", max_step_size=1e-3, accuracy=1e-9
            )
            ApplySimulatorConfig(config, self.simulator)
        self.context = self.simulator.get_mutable_context()

    def set(self, q, v):
        positions, velocities = (
            np.zeros(self.plant.num_positions()),
            np.zeros(self.plant.num_velocities()),
        )
        for values, vector, start in (
            (q, positions, "position_start"),
            (v, velocities, "velocity_start"),
        ):
            for name, value in values.items():
                numbers = np.atleast_1d(value)
                first = getattr(self.plant.GetJointByName(name), start)()
                vector[first : first + len(numbers)] = numbers
        self.plant.SetPositions(self.context, positions)
        self.plant.SetVelocities(self.context, velocities)
        return self

    def order(self, v_order):
        return [self.plant.GetJointByName(name).velocity_start() + k for name, k in v_order]

    def accelerations(self, v_order):
        """Of a continuous plant, in our order."""
        derivatives = self.plant.EvalTimeDerivatives(self.context).CopyToVector()
        return derivatives[self.plant.num_positions() :][self.order(v_order)]

    def mass_matrix(self, v_order):
        order = self.order(v_order)
        return self.plant.CalcMassMatrix(self.context)[np.ix_(order, order)]

    def forces(self, v_order):
        """What all but inertia and gravity push with: the elements, springs and dampers."""
        order = self.order(v_order)
        bias = self.plant.CalcBiasTerm(self.context) - self.plant.CalcGravityGeneralizedForces(
            self.context
        )
        return self.mass_matrix(v_order) @ self.accelerations(v_order) + bias[order]

    def run(self, seconds, v_order):
        """Positions after so long, in our order; every joint here has as many positions as
        velocities.
        """
        self.simulator.Initialize()
        self.simulator.AdvanceTo(self.context.get_time() + seconds)
        positions = self.plant.GetPositions(self.context)
        return np.array(
            [positions[self.plant.GetJointByName(name).position_start() + k] for name, k in v_order]
        )


def stacked(values, v_order):
    return np.array([np.atleast_1d(values[name])[k] for name, k in v_order])


def read(form, body, **replaced):
    """The text of a model, and the scene that we read from it with Drake's gravity."""
    import dataclasses

    text = form.model(body)
    scene = loaders.load_string(text, format=form.form)
    return text, dataclasses.replace(scene, gravity=np.array(GRAVITY), **replaced)


BUSHING = {
    "frameA": "p",
    "frameC": "q",
    "torque_stiffness": "10 20 30",
    "torque_damping": "0.4 0.5 0.6",
    "force_stiffness": "70 80 90",
    "force_damping": "1.0 1.1 1.2",
}
SPRING = {**POINTS, "free_length": "0.4", "stiffness": "30", "damping": "0.7"}


def bushing(form):
    frames = form.frame("p", "a", "0.1 0 0.2", "0.3 0 0.2") + form.frame(
        "q", "b", "0 0.2 0", "0.1 0.4 0"
    )
    return frames + form.element("linear_bushing_rpy", BUSHING, "drake:bushing_")


def spring(form):
    return form.element("linear_spring_damper", SPRING)


# --- models ---------------------------------------------------------------------------------------


def joints_in_a_row(form, *, a="", b="", parent_of_b="a"):
    """Two hinges about y; ``a`` and ``b`` go into their joints."""
    return (
        form.link("a")
        + form.link("b")
        + form.joint("ja", "revolute", "world", "a", xyz="0 1 0", more=a)
        + form.joint("jb", "revolute", parent_of_b, "b", xyz="0 1 0", more=b)
    )


def motor(joint, inside):
    """What drives a joint of a URDF."""
    return (
        "<transmission "
        'type="transmission_interface/SimpleTransmission"><type>SimpleTransmission</type>'
        f'<joint name="{joint}"/><actuator name="{joint}_motor">{inside}</actuator></transmission>'
    )


TENDON = {
    "offset": "0.1",
    "lower_limit": "-0.2",
    "upper_limit": "0.3",
    "stiffness": "200",
    "damping": "3",
}


def tendon(form, **values):
    """``-0.2 <= ja + 0.5 jc + 0.1 <= 0.3`` unless it is said otherwise."""
    joints = "".join(
        f'<drake:tendon_constraint_joint name="{name}" a="{a}"/>'
        for name, a in (("ja", 1.0), ("jc", 0.5))
    )
    text = form.element("tendon_constraint", TENDON | values)
    return text.replace("constraint>", f"constraint>{joints}", 1)


ROD = {**POINTS, "distance": "0.5", "stiffness": "200", "damping": "3"}


def rod(form, **values):
    """A distance between links a and b."""
    return form.element("distance_constraint", ROD | values)


def pin(form):
    """Links a and b held together in a point where they meet at zero."""
    return form.element("ball_constraint", POINTS | {"p_BQ": POINTS["p_AP"]})


def arc(form):
    """A link that slides along an arc of radius 0.5, against damping."""
    if form.form == "sdf":
        frames = (
            form.link("base")
            + '<joint name="hold" type="fixed"><parent>world</parent><child>base</child></joint>'
        )
        curves = "<drake:circular_arc><drake:radius>0.5</drake:radius><drake:angle>3.0</drake:angle></drake:circular_arc>"
        return (
            f'{frames}{form.link("a")}<drake:joint name="ja" '
            f'type="curvilinear"><drake:parent>base</drake:parent>'
            "<drake:child>a</drake:child><drake:initial_tangent><xyz>1 0 "
            "0</xyz></drake:initial_tangent>"
            f"<drake:plane_normal><xyz>0 1 "
            f"0</xyz></drake:plane_normal><drake:curves>{curves}</drake:curves>"
            "<drake:damping>0.3</drake:damping></drake:joint>"
        )
    return (
        f'{form.link("a")}<drake:joint name="ja" type="curvilinear"><parent link="world"/><child '
        f'link="a"/>'
        '<drake:initial_tangent xyz="1 0 0"/><drake:plane_normal xyz="0 1 0"/>'
        '<drake:curves><drake:circular_arc radius="0.5" angle="3.0"/></drake:curves><dynamics '
        'damping="0.3"/>'
        "</drake:joint>"
    )


def add_rod(plant):
    """What the parser of a later Drake reads as the element."""
    ends = [plant.GetBodyByName(name) for name in "ab"]
    p_AP, p_BQ = np.array((0.1, 0.2, -0.1)), np.array((-0.2, 0.1, 0.3))
    plant.AddDistanceConstraint(ends[0], p_AP, ends[1], p_BQ, 0.5, 200.0, 3.0)


def driven(form, inside, *, effort=""):
    """Two hinges of which the first is driven, by what stands ``inside`` its joint or actuator."""
    if form.form == "sdf":
        limit = f"<limit><effort>{effort}</effort></limit>" if effort else ""
        axis = f"<axis><xyz>0 1 0</xyz>{limit}</axis>"
        ends = "<parent>world</parent><child>a</child>"
        first = f'<joint name="ja" type="revolute">{ends}{axis}{inside}</joint>'
        ends = (
            "<parent>a</parent><child>b</child><axis><xyz>0 1 "
            "0</xyz><limit><effort>0</effort></limit></axis>"
        )
        return (
            form.link("a")
            + form.link("b")
            + first
            + f'<joint name="jb" type="revolute">{ends}</joint>'
        )
    limit = f'<limit effort="{effort}" velocity="1e9"/>' if effort else ""
    joints = form.joint("ja", "revolute", "world", "a", "0 1 0", limit)
    joints += form.joint("jb", "revolute", "a", "b", "0 1 0")
    return form.link("a") + form.link("b") + joints + motor("ja", inside)


ROTORS = {
    "sdf": "<drake:rotor_inertia>0.02</drake:rotor_inertia><drake:gear_ratio>9</drake:gear_ratio>",
    "urdf": '<drake:rotor_inertia value="0.02"/><drake:gear_ratio value="9"/>',
}
MIMICS = {
    "sdf": '<drake:mimic joint="ja" multiplier="-1.5" offset="0.2"/>',
    "urdf": '<mimic joint="ja" multiplier="-1.5" offset="0.2"/>',
}


def screw(form):
    """A link on a screw that advances 0.3 m a turn."""
    pitches = {
        "sdf": "<screw_thread_pitch>0.3</screw_thread_pitch>",
        "urdf": '<drake:screw_thread_pitch value="0.3"/>',
    }
    return form.link("a") + form.joint("ja", "screw", "world", "a", more=pitches[form.form])

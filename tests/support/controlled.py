"""Arms and cars with controllers of Gazebo's plugins."""

from __future__ import annotations

import math

import loaders
from loaders.scene import Scene

I_WHEEL = 0.02
LINK = (
    "<link name='{}'><inertial><mass>1</mass><inertia><ixx>{i}</ixx><iyy>{i}</iyy><izz>{i}</izz>"
    "</inertia></inertial></link>"
)


def arm(plugins: str, *, effort: float = 50.0, gravity: float = 0.0, joints: str = "a b") -> Scene:
    """Wheels on hinges about z of a fixed base."""
    parts = "".join(
        LINK.format(name, i=I_WHEEL)
        + f"<joint name='j{name}' type='revolute'><parent>base</parent><child>{name}</child><axis>"
        f"<xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper><effort>{effort}</effort></limit>"
        "</axis></joint>"
        for name in joints.split()
    )
    text = (
        f"<sdf version='1.9'><world name='w'><gravity>0 0 {-gravity}</gravity><model name='m'>"
        f"{LINK.format('base', i=1)}<joint name='f' type='fixed'><parent>world</parent>"
        f"<child>base</child></joint>{parts}{plugins}</model></world></sdf>"
    )
    return loaders.load_string(text, format="sdf", quiet=True)


def plugin(system: str, body: str) -> str:
    return f"<plugin filename='gz-sim-{system}-system' name='{system}'>{body}</plugin>"


def car(
    *, inertia: float, step: float, separation: float = 0.4, radius: float = 0.1, more: str = ""
) -> Scene:
    """A car of 6 kg on two wheels and two casters without friction."""
    friction = "<surface><friction><ode><mu>{0}</mu><mu2>{0}</mu2></ode></friction></surface>"
    ball = "<geometry><sphere><radius>{}</radius></sphere></geometry>"
    wheels = "".join(
        f"<link name='{side}'><pose>0 {y} 0 {-math.pi / 2} 0 0</pose><inertial><mass>0.5</mass>"
        f"<inertia><ixx>{inertia / 1.5}</ixx><iyy>{inertia / 1.5}</iyy><izz>{inertia}</izz>"
        f"</inertia></inertial><collision name='{side}'>{ball.format(radius)}{friction.format(1)}"
        f"</collision></link><joint name='{side}_wheel' type='revolute'><parent>body</parent>"
        f"<child>{side}</child><axis><xyz>0 0 1</xyz></axis></joint>"
        for side, y in (("left", separation / 2), ("right", -separation / 2))
    )
    casters = "".join(
        f"<collision name='c{x}'><pose>{x} 0 {0.05 - radius} 0 0 0</pose>{ball.format(0.05)}"
        f"{friction.format(0)}</collision>"
        for x in (0.25, -0.25)
    )
    drive = (
        "<left_joint>left_wheel</left_joint><right_joint>right_wheel</right_joint>"
        f"<wheel_separation>{separation}</wheel_separation><wheel_radius>{radius}</wheel_radius>"
    )
    text = (
        "<sdf version='1.9'><world name='w'><gravity>0 0 -9.8</gravity><physics type='ode'>"
        f"<max_step_size>{step}</max_step_size></physics><model name='g'><static>true</static>"
        f"<link name='g'><collision name='g'><geometry><plane/></geometry>{friction.format(1)}"
        f"</collision></link></model><model name='car'><pose>0 0 {radius} 0 0 0</pose>"
        "<link name='body'><inertial><mass>5</mass><inertia><ixx>.1</ixx><iyy>.1</iyy>"
        f"<izz>.15</izz></inertia></inertial>{casters}</link>{wheels}"
        f"{plugin('diff-drive', drive + more)}</model></world></sdf>"
    )
    return loaders.load_string(text, format="sdf", quiet=True)


WHEELBASE, TRACK = 0.5, 0.4


def steered_car(step: float) -> Scene:
    """A car of 7 kg that drives its rear wheels and steers its front wheels."""
    friction = "<surface><friction><ode><mu>1</mu><mu2>1</mu2></ode></friction></surface>"
    ball = f"<geometry><sphere><radius>0.1</radius></sphere></geometry>{friction}"

    def wheel(name: str, x: float, y: float, parent: str) -> str:
        return (
            f"<link name='{name}'><pose>{x} {y} 0 {-math.pi / 2} 0 0</pose><inertial><mass>.4"
            "</mass><inertia><ixx>.0015</ixx><iyy>.0015</iyy><izz>.002</izz></inertia></inertial>"
            f"<collision name='{name}'>{ball}</collision></link><joint name='{name}_wheel' "
            f"type='revolute'><parent>{parent}</parent><child>{name}</child><axis><xyz>0 0 1</xyz>"
            "</axis></joint>"
        )

    def knuckle(name: str, y: float) -> str:
        return (
            f"<link name='{name}'><pose>{WHEELBASE} {y} 0 0 0 0</pose><inertial><mass>.1</mass>"
            "<inertia><ixx>.0003</ixx><iyy>.0003</iyy><izz>.0003</izz></inertia></inertial></link>"
            f"<joint name='{name}_steering' type='revolute'><parent>body</parent><child>{name}"
            "</child><axis><xyz>0 0 1</xyz><limit><lower>-.8</lower><upper>.8</upper></limit>"
            "</axis></joint>"
        )

    left, right = TRACK / 2, -TRACK / 2
    parts = (
        wheel("rl", 0, left, "body")
        + wheel("rr", 0, right, "body")
        + knuckle("l", left)
        + knuckle("r", right)
        + wheel("fl", WHEELBASE, left, "l")
        + wheel("fr", WHEELBASE, right, "r")
    )
    joints = (
        "<left_joint>rl_wheel</left_joint><right_joint>rr_wheel</right_joint>"
        "<left_steering_joint>l_steering</left_steering_joint>"
        "<right_steering_joint>r_steering</right_steering_joint>"
    )
    text = (
        "<sdf version='1.9'><world name='w'><gravity>0 0 -9.8</gravity><physics type='ode'>"
        f"<max_step_size>{step}</max_step_size></physics><model name='g'><static>true</static>"
        f"<link name='g'><collision name='g'><geometry><plane/></geometry>{friction}</collision>"
        "</link></model><model name='car'><pose>0 0 0.1 0 0 0</pose><link name='body'><inertial>"
        "<pose>.25 0 0 0 0 0</pose><mass>5</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.2</izz>"
        f"</inertia></inertial></link>{parts}{plugin('ackermann-steering', joints)}</model></world>"
        "</sdf>"
    )
    return loaders.load_string(text, format="sdf", quiet=True)

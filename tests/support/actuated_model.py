"""A model with a hinge that has a controller and a slide that has an effort limit, as SDFormat."""

from __future__ import annotations

MOMENTS = "<inertia><ixx>.01</ixx><iyy>.02</iyy><izz>.02</izz></inertia>"
LINK = (
    f"<link name='{{}}'><inertial><pose>.1 0 0 0 0 "
    f"0</pose><mass>1</mass>{MOMENTS}</inertial></link>"
)
GAINS = "<drake:controller_gains p='40' d='6'/>"


def sdf(effort: str = "10", gains: str = GAINS, weld: str = "") -> str:
    limit = f"<limit><lower>-1</lower><upper>2</upper><effort>{effort}</effort></limit>"
    axis = (
        f"<axis><xyz>0 1 "
        f"0</xyz>{limit}<dynamics><damping>2</damping><friction>1</friction></dynamics></axis>"
    )
    hinge = (
        f"<joint name='ja' type='revolute'><parent>b</parent><child>a</child>{axis}{gains}</joint>"
    )
    slide = (
        "<joint name='jc' type='prismatic'><parent>a</parent><child>c</child><axis><xyz>0 1 "
        "0</xyz><limit>"
        "<effort>4</effort></limit></axis></joint>"
    )
    links = "".join(LINK.format(name) for name in "bac")
    return (
        f"<sdf version='1.9' xmlns:drake='drake.mit.edu'><model "
        f"name='m'>{links}{hinge}{slide}{weld}</model></sdf>"
    )

"""A model of MuJoCo without and with each setting that acts on its motion or its contacts."""

from __future__ import annotations

MODEL = """<mujoco model="m"><option {option}><flag {flag}/></option>
<worldbody><geom name="floor" type="plane" size="5 5 .1" {geom}/>
<body name="box" pos="0 0 .1"><freejoint name="box"/><geom name="box" type="box" size=".1 .1 .1" {geom}/></body>
<body name="ball" pos="0 3 .1"><freejoint name="ball"/><geom name="ball" size=".1" {ball}/></body>
<body name="upper" pos="3 0 2">
<joint name="upper" axis="0 1 0" range="-20 20" stiffness="2" damping=".2" frictionloss=".1" {joint}/>
<geom name="upper" type="capsule" fromto="0 0 0 .2 0 0" size=".04"/>
<body name="lower" pos=".22 0 0"><joint name="lower" axis="0 1 0"/>
<geom name="lower" type="capsule" fromto="0 0 0 .2 .05 0" size=".04"/>
<body name="hand" pos=".22 .05 0" {body}><joint name="hand" axis="0 1 0" {hand}/>
<geom name="hand" type="box" size=".05 .04 .03" pos=".05 0 0" {fluid}/></body></body></body>
<body name="swing" pos="-3 0 2"><joint name="swing" axis="0 1 0"/><geom name="swing" pos=".2 0 0" size=".05"/></body>
<body name="held" pos="-3 3 2"><freejoint name="held"/><geom name="held" size=".05"/></body></worldbody>
<contact>{contact}</contact>
<equality><joint joint1="lower" joint2="upper" polycoef="{polycoef}" {equality}/>
<weld body1="held" relpose="-.3 0 0 1 .3 0 0" {weld}/></equality>
<tendon>{tendon}</tendon>
<actuator><motor name="motor" joint="swing" gear="1" ctrllimited="true" ctrlrange="-1 1" group="1"/></actuator>
</mujoco>"""
TENDON = (
    '<fixed name="t" range="-.05 .1" frictionloss=".1" {}><joint joint="swing" coef="1"/></fixed>'
)
POLYNOMIAL_TENDON = '<fixed name="t" {}><joint joint="swing" coef="1"/></fixed>'
DISCRETE = 'integrator="discrete" solver="CG"'
PAIR = '<pair geom1="floor" geom2="box" {}/>'

Edits = dict[str, str]
PLACES = (
    "option",
    "flag",
    "geom",
    "ball",
    "joint",
    "hand",
    "body",
    "fluid",
    "contact",
    "equality",
    "weld",
    "tendon",
    "motor",
)
CASES: dict[str, tuple[Edits, Edits]] = {
    "option/density": ({}, {"option": 'density="1000"'}),
    "option/viscosity": ({}, {"option": 'viscosity="2"'}),
    "option/wind": ({"option": 'density="1000"'}, {"option": 'density="1000" wind="3 0 0"'}),
    "option/actuatorgroupdisable": ({}, {"option": 'actuatorgroupdisable="1"'}),
    "option/sleep_tolerance": (
        {"flag": 'sleep="enable"'},
        {"flag": 'sleep="enable"', "option": 'sleep_tolerance="100"'},
    ),
    "option/o_margin": (
        {"flag": 'override="enable"'},
        {"flag": 'override="enable"', "option": 'o_margin=".1"'},
    ),
    "option/o_solref": (
        {"flag": 'override="enable"'},
        {"flag": 'override="enable"', "option": 'o_solref=".3 1"'},
    ),
    "option/o_solimp": (
        {"flag": 'override="enable"'},
        {"flag": 'override="enable"', "option": 'o_solimp=".1 .2 .01"'},
    ),
    "option/o_friction": (
        {"flag": 'override="enable"'},
        {"flag": 'override="enable"', "option": 'o_friction=".1 .1 .01 .0001 .0001"'},
    ),
    **{
        f"flag/{name}": ({}, {"flag": f'{name}="disable"'})
        for name in (
            "actuation",
            "clampctrl",
            "constraint",
            "contact",
            "damper",
            "equality",
            "filterparent",
            "frictionloss",
            "limit",
            "passive",
            "spring",
        )
    },
    "flag/override": ({}, {"flag": 'override="enable"', "option": 'o_solref=".3 1"'}),
    "flag/ipc": ({"option": DISCRETE}, {"option": DISCRETE, "flag": 'ipc="enable"'}),
    "flag/sleep": (
        {"option": 'sleep_tolerance="100"'},
        {"flag": 'sleep="enable"', "option": 'sleep_tolerance="100"'},
    ),
    "geom/condim": ({}, {"geom": 'condim="1"'}),
    "geom/friction": ({"ball": 'condim="6"'}, {"ball": 'condim="6" friction="1 .005 .05"'}),
    "geom/priority": ({"ball": 'friction=".1"'}, {"ball": 'friction=".1" priority="1"'}),
    "geom/solref": ({}, {"geom": 'solref=".3 1"'}),
    "geom/solimp": ({}, {"geom": 'solimp=".1 .2 .01"'}),
    "geom/solmix": ({"ball": 'solref=".3 1"'}, {"ball": 'solref=".3 1" solmix="9"'}),
    "geom/margin": ({}, {"geom": 'margin=".05"'}),
    "geom/gap": ({"geom": 'margin=".05"'}, {"geom": 'margin=".05" gap=".05"'}),
    "geom/adhesion": ({}, {"geom": 'adhesion="200"'}),
    "geom/surfacevel": ({}, {"geom": 'surfacevel="0 0 0 2 0 0"'}),
    "geom/fluidshape": (
        {"option": 'density="1000"'},
        {"option": 'density="1000"', "fluid": 'fluidshape="ellipsoid"'},
    ),
    "geom/fluidcoef": (
        {"option": 'density="1000"'},
        {"option": 'density="1000"', "fluid": 'fluidshape="ellipsoid" fluidcoef="3 3 3 3 3"'},
    ),
    "pair/condim": ({"contact": PAIR.format("")}, {"contact": PAIR.format('condim="1"')}),
    "pair/friction": ({}, {"contact": PAIR.format('friction=".1 .1"')}),
    "pair/solref": ({"contact": PAIR.format("")}, {"contact": PAIR.format('solref=".3 1"')}),
    "pair/solimp": ({"contact": PAIR.format("")}, {"contact": PAIR.format('solimp=".1 .2 .01"')}),
    "pair/margin": ({"contact": PAIR.format("")}, {"contact": PAIR.format('margin=".05"')}),
    "pair/gap": (
        {"contact": PAIR.format('margin=".05"')},
        {"contact": PAIR.format('margin=".05" gap=".05"')},
    ),
    "pair/adhesion": ({"contact": PAIR.format("")}, {"contact": PAIR.format('adhesion="200"')}),
    "body/gravcomp": ({}, {"body": 'gravcomp=".5"'}),
    "joint/solreflimit": ({}, {"joint": 'solreflimit=".3 1"'}),
    "joint/solimplimit": ({}, {"joint": 'solimplimit=".1 .2 .4"'}),
    "joint/margin": ({}, {"joint": 'margin=".2"'}),
    "joint/damping": ({"hand": 'damping=".1"'}, {"hand": 'damping=".1 .1"'}),
    "joint/stiffness": ({"hand": 'stiffness=".1"'}, {"hand": 'stiffness=".1 .5"'}),
    "equality/solref": ({}, {"equality": 'solref=".3 1"'}),
    "equality/solimp": ({}, {"equality": 'solimp=".1 .2 .01"'}),
    "equality/torquescale": ({}, {"weld": 'torquescale="9"'}),
    "tendon/solreflimit": (
        {"tendon": TENDON.format("")},
        {"tendon": TENDON.format('solreflimit=".3 1"')},
    ),
    "tendon/solimplimit": (
        {"tendon": TENDON.format("")},
        {"tendon": TENDON.format('solimplimit=".1 .2 .4"')},
    ),
    "tendon/margin": ({"tendon": TENDON.format("")}, {"tendon": TENDON.format('margin=".05"')}),
    "tendon/damping": (
        {"tendon": POLYNOMIAL_TENDON.format('damping=".1"')},
        {"tendon": POLYNOMIAL_TENDON.format('damping=".1 .2"')},
    ),
    "tendon/stiffness": (
        {"tendon": POLYNOMIAL_TENDON.format('stiffness=".1"')},
        {"tendon": POLYNOMIAL_TENDON.format('stiffness=".1 1"')},
    ),
}
"""A model without a setting and the same with it, by the setting, as texts at places of the
model.
"""


def edited(edits: Edits) -> str:
    return MODEL.format(**{**dict.fromkeys(PLACES, ""), "polycoef": "0 .5 0 0 0", **edits})

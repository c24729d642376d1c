"""Minimal SDFormat inputs, one for each code of the reader."""

from __future__ import annotations

from tests.support.code_example import Example, reading

LINK = "<link name='a'/>"
TWO = "<link name='a'/><link name='b'/>"
ENDS = "<parent>a</parent><child>b</child>"
SHAPE = "<geometry><sphere/></geometry>"


def model(body: str, attributes: str = "", version: str = "1.9") -> str:
    return f"<sdf version='{version}'><model name='m'{attributes}>{body}</model></sdf>"


def world(body: str, version: str = "1.10") -> str:
    return f"<sdf version='{version}'><world name='w'>{body}</world></sdf>"


def collision(geometry: str) -> str:
    return model(
        f"<link name='a'><collision name='c'><geometry>{geometry}</geometry></collision></link>"
    )


def material(body: str) -> str:
    return model(
        f"<link name='a'><visual name='v'>{SHAPE}<material>{body}</material></visual></link>"
    )


def joint(body: str, kind: str = "revolute") -> str:
    return model(f"{TWO}<joint name='j' type='{kind}'>{body}</joint>")


TEXTS = {
    "sdf.actor": world("<actor name='walker'/>"),
    "sdf.appearance": world("<scene/>"),
    "sdf.attached-to": model(LINK + "<frame name='f' attached_to='nowhere'/>"),
    "sdf.attached-to-cycle": model(
        LINK + "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"
    ),
    "sdf.auto-inertia-ignores": model(
        f"<link name='a'><inertial auto='true'><inertia/></inertial><collision "
        f"name='c'>{SHAPE}</collision></link>"
    ),
    "sdf.auto-inertia-no-collision": model("<link name='a'><inertial auto='true'/></link>"),
    "sdf.auto-inertia-shape": model(
        "<link name='a'><inertial auto='true'/><collision "
        "name='c'><geometry><plane/></geometry></collision></link>"
    ),
    "sdf.axis-expressed-in": joint(ENDS + "<axis><xyz expressed_in='nowhere'>0 0 1</xyz></axis>"),
    "sdf.canonical-link": model(LINK, " canonical_link='nowhere'"),
    "sdf.duplicate-name": model(LINK + LINK),
    "sdf.elastic-modulus": model(
        f"<link name='a'><collision "
        f"name='c'>{SHAPE}<surface><contact><elastic_modulus>2e11</elastic_modulus></contact>"
        "</surface></collision></link>"
    ),
    "sdf.empty": "<sdf version='1.9'/>",
    "sdf.engine-setting": joint(ENDS + "<axis/><physics><ode><cfm>0.1</cfm></ode></physics>"),
    "sdf.extra-axis": joint(ENDS + "<axis/><axis2/>"),
    "sdf.extra-element": (
        f"<sdf version='1.9'><model name='m'>{LINK}</model><model name='n'>{LINK}</model></sdf>"
    ),
    "sdf.gearbox-reference": joint(ENDS + "<axis/><axis2/>", "gearbox"),
    "sdf.gripper": model(LINK + "<gripper name='g'/>"),
    "sdf.image-geometry": collision("<image><uri>a.png</uri></image>"),
    "sdf.include-no-uri": world("<include/>"),
    "sdf.include-not-found": world("<include><uri>model://nowhere_at_all</uri></include>"),
    "sdf.joint-child": joint("<parent>a</parent><child>nowhere</child><axis/>"),
    "sdf.joint-parent": joint("<parent>nowhere</parent><child>b</child><axis/>"),
    "sdf.joint-same-body": joint("<parent>a</parent><child>a</child><axis/>"),
    "sdf.joint-type": joint(ENDS, "floating"),
    "sdf.light-type": world("<light name='l' type='candle'/>"),
    "sdf.material-script": material("<script><name>Gazebo/Red</name></script>"),
    "sdf.mimic": joint(ENDS + "<axis><mimic joint='j'/></axis>"),
    "sdf.name-clash": model(f"{TWO}<joint name='b' type='fixed'>{ENDS}</joint>", version="1.6"),
    "sdf.nested-joint": model(
        LINK + "<model name='n'><link name='x'/>"
        "<joint name='j' type='fixed'><parent>no</parent><child>x</child></joint></model>"
    ),
    "sdf.negative-dynamics": joint(
        ENDS + "<axis><dynamics><damping>-1</damping></dynamics></axis>"
    ),
    "sdf.no-axis": joint(ENDS),
    "sdf.no-link": model("<frame name='f'/>"),
    "sdf.no-name": model("<link name=''/>"),
    "sdf.no-version": f"<sdf><model name='m'>{LINK}</model></sdf>",
    "sdf.unflattened": world(
        "<model name='m'><link name='a'/><link name='n::b'/></model>", version="1.6"
    ),
    "sdf.unknown-material": material("<script><uri>nowhere</uri><name>Nothing</name></script>"),
    "sdf.unknown-version": model(LINK, version="1.13"),
    "sdf.no-points": collision("<polyline><height>1</height></polyline>"),
    "sdf.no-uri": collision("<mesh/>"),
    "sdf.not-mechanical": model("<link name='a'><battery name='b'/></link>"),
    "sdf.placement-frame": model(LINK, " placement_frame='nowhere'"),
    "sdf.plugin": model(LINK + "<plugin name='p' filename='libp.so'><knob>1</knob></plugin>"),
    "sdf.polyline-height": collision(
        "<polyline><point>0 0</point><point>1 0</point><point>0 "
        "1</point><height>1</height></polyline>"
        "<polyline><point>2 0</point><point>3 0</point><point>2 "
        "1</point><height>2</height></polyline>"
    ),
    "sdf.population": world("<population name='p'/>"),
    "sdf.pose-cycle": model(
        "".join(f"<link name='{x}'><pose relative_to='{y}'/></link>" for x, y in ("ab", "ba"))
    ),
    "sdf.pose-format": model("<link name='a'><pose>1 2 3</pose></link>"),
    "sdf.pose-relative-to": model("<link name='a'><pose relative_to='nowhere'/></link>"),
    "sdf.pose-relative-to-ignored": model(
        "<link name='a'><inertial><pose relative_to='a'/></inertial></link>"
    ),
    "sdf.reserved-name": model("<link name='__base__'/>"),
    "sdf.reversed-limit": joint(
        ENDS + "<axis><limit><lower>2</lower><upper>1</upper></limit></axis>"
    ),
    "sdf.road": world("<road name='r'/>"),
    "sdf.root-relative-to": model(LINK + "<pose relative_to='a'>0 0 1 0 0 0</pose>"),
    "sdf.scoped-name": model("<link name='a::b'/>"),
    "sdf.second-physics": world("<physics type='ode'/><physics type='bullet' default='true'/>"),
    "sdf.second-shape": collision("<box/><sphere/>"),
    "sdf.sensor-type": model("<link name='a'><sensor name='s' type='nose'/></link>"),
    "sdf.shader": material("<shader type='normal_map_tangent_space'/>"),
    "sdf.static-joint": model(
        f"<static>1</static>{TWO}<joint name='j' type='revolute'>{ENDS}<axis/></joint>"
    ),
    "sdf.state": world("<state world_name='w'/>"),
    "sdf.state-scale": world(
        "<state world_name='w'><model name='m'><scale>2 1 1</scale></model></state>"
    ),
    "sdf.state-unknown": world(
        "<state world_name='w'><model name='m'><pose>1 0 0 0 0 0</pose></model></state>"
    ),
    "sdf.state-unreached": world(
        f"<model name='m'>{TWO}<joint name='j' type='fixed'>{ENDS}</joint></model><state "
        f"world_name='w'>"
        "<model name='m'><link name='a'><pose>0 0 0 0 0 0</pose></link>"
        "<link name='b'><pose>9 0 0 0 0 0</pose></link></model></state>"
    ),
    "sdf.state-velocity": world(
        "<state world_name='w'><model name='m'><link name='a'><velocity>1 0 0 0 0 "
        "0</velocity></link></model></state>"
    ),
    "sdf.zero-axis": joint(ENDS + "<axis><xyz>0 0 0</xyz></axis>"),
    "sdf.zero-normal": collision("<plane><normal>0 0 0</normal></plane>"),
    "sdf.zero-quaternion": model(
        "<link name='a'><pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>"
    ),
}
"""Text of a file for each code that a single file provokes."""

ARM = (
    "<sdf version='1.9'><model name='arm'><link name='base'/><link name='tip'/><plugin name='p' "
    "filename='p.so'/>"
    "<frame name='grasp' attached_to='tip'/></model></sdf>"
)
CONFIG = "<model><sdf version='1.9'>model.sdf</sdf></model>"
FOLDER = {"arm/model.config": CONFIG, "arm/model.sdf": ARM}


def include(inside: str = "", uri: str = "arm", attributes: str = "") -> str:
    return f"<include{attributes}><uri>{uri}</uri>{inside}</include>"


def merged(inside: str = "") -> str:
    return model(LINK + include(inside, attributes=" merge='true'"), version="1.10")


FILES = {
    "sdf.include-cycle": reading(
        model(LINK + include(uri="b.sdf")),
        name="a.sdf",
        files={"b.sdf": model(LINK + include(uri="a.sdf"))},
    ),
    "sdf.include-empty": reading(
        world(include(uri="none.sdf")), files={"none.sdf": "<sdf version='1.9'/>"}
    ),
    "sdf.merge-drops": reading(
        merged(),
        files=FOLDER | {"arm/model.sdf": ARM.replace("<plugin", "<static>true</static><plugin")},
    ),
    "sdf.merge-unsupported": reading(world(include(attributes=" merge='true'")), files=FOLDER),
    "sdf.newer-model-file": reading(
        world(include()),
        files=FOLDER
        | {"arm/model.config": CONFIG.replace("<sdf", "<sdf version='1.99'>model.sdf</sdf><sdf")},
    ),
    "sdf.model-file-outside": reading(
        world(include()),
        files={"arm/model.config": "<model><sdf>../arm.sdf</sdf></model>", "arm.sdf": ARM},
    ),
    "sdf.no-model-config": reading(world(include()), files={"arm/model.sdf": ARM}),
    "sdf.old-manifest": reading(
        world(include()), files={"arm/manifest.xml": CONFIG, "arm/model.sdf": ARM}
    ),
    "sdf.params": reading(
        world(
            include(
                "<experimental:params><link element_id='none' "
                "action='remove'/></experimental:params>"
            )
        ).replace("<sdf", "<sdf xmlns:experimental='http://sdformat.org'"),
        files=FOLDER,
    ),
    "sdf.placement-without-pose": reading(
        world(include("<placement_frame>grasp</placement_frame>")), files=FOLDER
    ),
}

SUBJECTS: dict[str, tuple[str, ...]] = {
    "sdf.attached-to": ("f",),
    "sdf.attached-to-cycle": ("f", "g"),
    "sdf.auto-inertia-ignores": ("a",),
    "sdf.auto-inertia-no-collision": ("a",),
    "sdf.auto-inertia-shape": ("a", "a::c"),
    "sdf.axis-expressed-in": ("j",),
    "sdf.canonical-link": ("a", "m"),
    "sdf.duplicate-name": ("a",),
    "sdf.elastic-modulus": ("a", "a::c"),
    "sdf.engine-setting": ("j",),
    "sdf.extra-axis": ("j",),
    "sdf.extra-element": ("n",),
    "sdf.gearbox-reference": ("j",),
    "sdf.gripper": ("g",),
    "sdf.image-geometry": ("a", "a::c"),
    "sdf.joint-child": ("j",),
    "sdf.joint-parent": ("j",),
    "sdf.joint-same-body": ("a", "j"),
    "sdf.joint-type": ("j",),
    "sdf.light-type": ("l",),
    "sdf.material-script": ("a", "a::v"),
    "sdf.mimic": ("j",),
    "sdf.name-clash": ("b", "b_joint"),
    "sdf.negative-dynamics": ("j",),
    "sdf.nested-joint": ("n::j",),
    "sdf.no-axis": ("j",),
    "sdf.no-link": ("m",),
    "sdf.no-name": ("m",),
    "sdf.no-points": ("a", "a::c"),
    "sdf.no-uri": ("a", "a::c"),
    "sdf.not-mechanical": ("a",),
    "sdf.placement-frame": ("m",),
    "sdf.plugin": ("m",),
    "sdf.polyline-height": ("a", "a::c"),
    "sdf.pose-cycle": ("a", "b"),
    "sdf.pose-format": ("a",),
    "sdf.pose-relative-to": ("a",),
    "sdf.pose-relative-to-ignored": ("a",),
    "sdf.reserved-name": ("__base__",),
    "sdf.reversed-limit": ("j",),
    "sdf.root-relative-to": ("m",),
    "sdf.scoped-name": ("a::b",),
    "sdf.second-shape": ("a", "a::c"),
    "sdf.sensor-type": ("a", "a::s"),
    "sdf.shader": ("a", "a::v"),
    "sdf.static-joint": ("j",),
    "sdf.unflattened": ("m::n::b",),
    "sdf.unknown-material": ("a", "a::v"),
    "sdf.zero-axis": ("j",),
    "sdf.zero-normal": ("a", "a::c"),
    "sdf.zero-quaternion": ("a",),
}
"""Subjects of the finding, where it is about something that has a name."""

EXAMPLES: dict[str, Example] = {
    code: reading(text, *SUBJECTS.get(code, ())) for code, text in TEXTS.items()
} | FILES

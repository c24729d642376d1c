"""Minimal inputs for the codes of Drake's extensions, of model directives, and of the differences
of Drake's parser.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

import bridge
import loaders
from loaders import Diagnostic
from tests.support.code_example import Example, reading

NAMESPACE = "xmlns:drake='http://drake.mit.edu'"
SPHERE = "<geometry><sphere><radius>1</radius></sphere></geometry>"
AXIS = "<axis><xyz>0 0 1</xyz></axis>"
ENDS = "<drake:parent>a</drake:parent><drake:child>b</drake:child>"
DAMPING = "<drake:damping>0 0 0</drake:damping>"
MEMBER = "<drake:member>a</drake:member>"
LINE = "<drake:line_segment><drake:length>1</drake:length></drake:line_segment>"
TENDON_JOINT = "<drake:tendon_constraint_joint name='{}' a='1'/>"


def sdf(body: str) -> str:
    links = "<link name='a'/><link name='b'/>"
    return f"<sdf version='1.11' {NAMESPACE}><model name='m'>{links}{body}</model></sdf>"


def urdf(body: str) -> str:
    return f"<robot {NAMESPACE} name='m'><link name='a'/><link name='b'/>{body}</robot>"


def joint(
    inside: str = "", name: str = "j", child: str = "b", kind: str = "revolute", axis: str = AXIS
) -> str:
    return (
        f"<joint name='{name}' "
        f"type='{kind}'><parent>a</parent><child>{child}</child>{axis}{inside}</joint>"
    )


def drake_joint(inside: str, kind: str = "planar") -> str:
    return f"<drake:joint name='k' type='{kind}'>{inside}</drake:joint>"


def curvilinear(curves: str, inside: str = "") -> str:
    return drake_joint(f"{ENDS}{inside}<drake:curves>{curves}</drake:curves>", "curvilinear")


def spring(body: str, stiffness: int = 1) -> str:
    values = {
        "body_A": "a",
        "body_B": body,
        "p_AP": "0 0 0",
        "p_BQ": "0 0 0",
        "free_length": 1,
        "stiffness": stiffness,
        "damping": 0,
    }
    tags = "".join(
        f"<drake:linear_spring_damper_{k}>{v}</drake:linear_spring_damper_{k}>"
        for k, v in values.items()
    )
    return f"<drake:linear_spring_damper>{tags}</drake:linear_spring_damper>"


def bushing(frame: str) -> str:
    values = {"frameA": frame, "frameC": "b"} | dict.fromkeys(
        ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping"), "1 1 1"
    )
    tags = "".join(f"<drake:bushing_{k}>{v}</drake:bushing_{k}>" for k, v in values.items())
    return f"<drake:linear_bushing_rpy>{tags}</drake:linear_bushing_rpy>"


def tendon(*names: str) -> str:
    joints = "".join(map(TENDON_JOINT.format, names))
    numbers = {"offset": 0, "lower_limit": -1, "upper_limit": 1, "stiffness": 9, "damping": 0}
    body = "".join(
        f"<drake:tendon_constraint_{k}>{v}</drake:tendon_constraint_{k}>"
        for k, v in numbers.items()
    )
    return f"<drake:tendon_constraint>{joints}{body}</drake:tendon_constraint>"


def group(inside: str, name: str = "g") -> str:
    return f"<drake:collision_filter_group name='{name}'>{inside}</drake:collision_filter_group>"


def collision(inside: str) -> str:
    return (
        f"<link name='c'><collision name='c'>{SPHERE}<drake:proximity_properties>{inside}"
        "</drake:proximity_properties></collision></link>"
    )


def visual(inside: str, tag: str = "visual") -> str:
    return f"<link name='c'><{tag} name='v'>{SPHERE}{inside}</{tag}></link>"


def deformable(inside: str, shapes: int = 1) -> str:
    shape = "".join(f"<collision name='c{i}'>{SPHERE}</collision>" for i in range(shapes))
    return (
        f"<link "
        f"name='c'>{shape}<drake:deformable_properties>{inside}</drake:deformable_properties></link>"
    )


FRICTION = "<drake:mu_static>{}</drake:mu_static><drake:mu_dynamic>{}</drake:mu_dynamic>"
GAINS = "<drake:controller_gains p='1' d='1'/>"
MIMIC = "<drake:mimic joint='{}' multiplier='1' offset='0'/>"
COMPLIANCE = "<static_friction>1</static_friction><dynamic_friction>1</dynamic_friction><youngs_modulus>9</youngs_modulus>"
URDF_SPHERE = "<geometry><sphere radius='1'/></geometry>"
URDF_JOINT = "<joint name='j' type='universal'><parent link='a'/><child link='b'/></joint>"
URDF_MAP = (
    f"<link name='c'><visual>{URDF_SPHERE}<material name='m'><color rgba='1 1 1 1'/>"
    "<drake:diffuse_map>t.png</drake:diffuse_map></material></visual></link>"
)
IDLE = "<axis><xyz>0 0 1</xyz><limit><effort>0</effort></limit></axis>"
SECOND_FRICTION = (
    f"<link name='c'><collision "
    f"name='c'>{SPHERE}<surface><friction><ode><mu>0.3</mu></ode></friction></surface>"
    f"<drake:proximity_properties>{FRICTION.format(1, 1)}</drake:proximity_properties></collision></link>"
)

IN_SDF = {
    "drake.deformable": deformable(""),
    "drake.deformable-shape": deformable("", 2),
    "drake.duplicate-group": group(MEMBER) * 2,
    "drake.duplicate-joint": drake_joint(ENDS + DAMPING) * 2,
    "drake.empty-group": group(""),
    "drake.empty-member": group(MEMBER + "<drake:member/>"),
    "drake.friction-order": collision(FRICTION.format(0.1, 0.2)),
    "drake.idle-actuator": joint(GAINS, axis=IDLE),
    "drake.idle-renderer": visual(
        "<drake:perception_properties "
        "enabled='false'/><drake:accepting_renderer>r</drake:accepting_renderer>"
    ),
    "drake.ignored": "<drake:collision_filter_group ignore='true'/>",
    "drake.joint-pose": drake_joint(ENDS + DAMPING + "<pose>0 0 0 0 0 0</pose>"),
    "drake.joint-type": drake_joint(ENDS + DAMPING, "helical"),
    "drake.material-model": deformable("<drake:material_model>jelly</drake:material_model>"),
    "drake.mimic": joint(MIMIC.format("none")),
    "drake.mimic-ignored": joint(MIMIC.format("k"))
    + "<link name='c'/>"
    + joint(name="k", child="c", kind="universal", axis=AXIS + "<axis2><xyz>1 0 0</xyz></axis2>"),
    "drake.missing": drake_joint(ENDS),
    "drake.no-curve": drake_joint(ENDS, "curvilinear"),
    "drake.no-role": visual(
        "<drake:perception_properties enabled='false'/><drake:illustration_properties "
        "enabled='false'/>"
    ),
    "drake.out-of-range": spring("b", -1),
    "drake.rigid-and-compliant": collision(
        "<drake:rigid_hydroelastic/><drake:compliant_hydroelastic/>"
    ),
    "drake.rigid-modulus": collision(
        "<drake:rigid_hydroelastic/><drake:hydroelastic_modulus>1</drake:hydroelastic_modulus>"
    ),
    "drake.same-body": drake_joint(ENDS.replace(">b<", ">a<") + DAMPING),
    "drake.scoped-group": group(MEMBER, "x::g"),
    "drake.skew-curve": curvilinear(
        LINE, "<drake:initial_tangent><xyz>0 1 1</xyz></drake:initial_tangent>"
    ),
    "drake.soft-hydroelastic": collision("<drake:soft_hydroelastic/>"),
    "drake.tendon-joint": joint() + tendon("j", "j"),
    "drake.two-frictions": SECOND_FRICTION,
    "drake.unknown-curve": curvilinear("<drake:spiral/>"),
    "drake.unknown-frame": bushing("none"),
    "drake.unknown-group": group("<drake:member_group>z</drake:member_group>"),
    "drake.unknown-joint": tendon("none"),
    "drake.unknown-link": spring("none"),
    "drake.unknown-member": group("<drake:member>z</drake:member>"),
    "drake.visual-prefix": visual("", "drake:visual"),
    "drake.zero-axis": (
        "<link name='c'><drake:surface_velocity_axis>0 0 0</drake:surface_velocity_axis></link>"
    ),
}
"""What is in the model, beside the links a and b."""

IN_URDF = {
    "drake.old-compliance": f"<link "
    f"name='c'><collision>{URDF_SPHERE}<drake_compliance>{COMPLIANCE}</drake_compliance>"
    "</collision></link>",
    "drake.plain-joint": URDF_JOINT,
    "drake.urdf-diffuse-map": URDF_MAP,
}

# --- differences of Drake's parser ----------------------------------------------------------------

NO_GRAVITY = "<link name='c'><gravity>false</gravity></link>"
SCREW = (
    "<joint name='j' type='screw'><parent>a</parent><child>b</child><axis><xyz>0 0 "
    "1</xyz><limit><lower>-1</lower>"
    "<upper>1</upper></limit></axis><screw_thread_pitch>1</screw_thread_pitch></joint>"
)
UNIVERSAL = (
    "<joint name='j' type='universal'><parent>a</parent><child>b</child><axis><xyz>1 0 "
    "0</xyz><limit><lower>-1</lower>"
    "<upper>1</upper></limit><dynamics><damping>1</damping></dynamics></axis><axis2><xyz>0 1 "
    "0</xyz></axis2></joint>"
)
MIMIC = (
    joint()
    + "<link name='c'/><joint name='k' type='revolute'><parent>a</parent><child>c</child><axis>"
    "<xyz>0 0 1</xyz><mimic joint='j'><multiplier>1</multiplier><offset>0</offset><reference>0"
    "</reference></mimic></axis></joint>"
)
SLIPPERY = (
    "<link name='c'><collision "
    "name='c'><geometry><sphere><radius>1</radius></sphere></geometry><surface><friction>"
    "<ode><mu>0.9</mu><mu2>0.5</mu2></ode></friction></surface></collision></link>"
)
RUBBING = (
    "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>"
    "<dynamics><friction>1</friction></dynamics></axis></joint>"
)
BOUNCING = (
    "<link name='c'><collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>"
    "<surface><bounce><restitution_coefficient>.5</restitution_coefficient></bounce></surface>"
    "</collision></link>"
)
CONE = (
    "<link name='c'><collision name='s'><geometry><cone><radius>1</radius><length>2</length></cone>"
    "</geometry></collision></link>"
)
TWO_TETRAHEDRA = (
    "<link name='c'><collision name='s'><geometry><mesh><uri>two.obj</uri></mesh></geometry>"
    "</collision></link>"
)
OBJ = "".join(
    f"v {x} 0 0\nv {x + 1} 0 0\nv {x} 1 0\nv {x} 0 1\n"
    + "".join(
        f"f {i + a} {i + b} {i + c}\n" for a, b, c in ((1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4))
    )
    for i, x in ((0, 0), (4, 3))
)
"""Two tetrahedra apart from each other."""
CONTINUOUS = (
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
)


FRAME_ON_FRAME = (
    "<model name='n'><link name='c'/></model>"
    "<frame name='f' attached_to='n::c'><pose>1 0 0 0 0 0</pose></frame>"
    "<frame name='g' attached_to='f'><pose>0 2 0 0 0 0</pose></frame>"
)


def in_drake(text: str, *subjects: str, name: str = "main.sdf") -> Example:
    """A model that Drake parses itself."""

    def diagnose(folder: Path) -> Iterable[Diagnostic]:
        pytest.importorskip("pydrake")
        from bridge.parity.engines.drake.engine import DrakeEngine

        path = folder / name
        path.write_text(text)
        (folder / "two.obj").write_text(OBJ)
        scene = loaders.load(path)
        engine = DrakeEngine(bridge.lower(scene))
        engine.surfaces()
        return engine.diagnostics

    return Example(diagnose, subjects)


DIFFERENCES = {
    "drake.continuous-limits": in_drake(urdf(CONTINUOUS), "j", name="r.urdf"),
    "drake.coupling": in_drake(sdf(MIMIC), "k", "j"),
    "drake.frame-on-frame": in_drake(sdf(FRAME_ON_FRAME), "g"),
    "drake.friction": in_drake(sdf(SLIPPERY), "c"),
    "drake.link-without-gravity": in_drake(sdf(NO_GRAVITY), "c"),
    "drake.one-hull": in_drake(sdf(TWO_TETRAHEDRA), "c"),
    "drake.replaced-inertia": in_drake(
        sdf("<link name='c'><inertial><mass>0</mass></inertial></link>"), "c"
    ),
    "drake.screw-limits": in_drake(sdf(SCREW), "j"),
    "drake.shape": in_drake(sdf(CONE), "c"),
    "drake.shared-damping": in_drake(sdf(UNIVERSAL), "j"),
    "drake.universal-limits": in_drake(sdf(UNIVERSAL), "j"),
    "drake.unread": in_drake(sdf(RUBBING), "j"),
    "drake.unread-contact": in_drake(sdf(BOUNCING), "c"),
    "drake.unread-detail": in_drake(sdf("<link name='c'><enable_wind>1</enable_wind></link>"), "c"),
}

# --- directives -----------------------------------------------------------------------------------

ARM = sdf(joint() + "<frame name='tip' attached_to='b'/>")
INNER = "directives:\n- add_model: {name: inner, file: 'package://p/arm.sdf'}\n"


def model(name: str, extra: str = "", file: str = "arm.sdf") -> str:
    return f"- add_model: {{name: {name}, file: 'package://p/{file}'{extra}}}\n"


DIRECTIVES = {
    "directives.duplicate-frame": "- add_frame: {name: f, X_PF: {base_frame: world}}\n" * 2,
    "directives.duplicate-model": model("m") * 2,
    "directives.duplicate-weld": model("m") + "- add_weld: {parent: 'm::a', child: 'm::b'}\n",
    "directives.ignored-namespace": "- add_model_instance: {name: m}\n"
    "- add_directives: {file: 'package://p/group.dmd.yaml', model_namespace: m}\n",
    "directives.include-cycle": "- add_directives: {file: 'package://p/one.dmd.yaml'}\n",
    "directives.kind": "- add_model: 3\n",
    "directives.missing-field": "- add_model: {name: m}\n",
    "directives.not-a-vector": model("m")
    + "- add_weld: {parent: world, child: 'm::a', X_PC: {translation: [1, 2]}}\n",
    "directives.not-one-model": model("m", file="inner.dmd.yaml"),
    "directives.nothing": model("m", ", default_joint_positions: "),
    "directives.one-key": "- {add_model: {}, add_weld: {}}\n",
    "directives.position-count": model("m", ", default_joint_positions: {j: [1, 2]}"),
    "directives.random": model("m", ", default_free_body_pose: {a: {rotation: !Uniform {}}}"),
    "directives.relative-file": "- add_model: {name: m, file: arm.sdf}\n",
    "directives.rotation": model("m")
    + "- add_weld: {parent: world, child: 'm::a', X_PC: {rotation: !Quaternion {wxyz: [1, 0, 0, 0]}}}\n",
    "directives.syntax": "- [\n",
    "directives.unknown-directive": "- add_modle: {name: m}\n",
    "directives.unknown-field": model("m", ", bogus: 1"),
    "directives.unknown-file": model("m", file="none.sdf"),
    "directives.unknown-frame": model("m") + "- add_weld: {parent: world, child: 'm::z'}\n",
    "directives.unknown-joint": model("m", ", default_joint_positions: {z: [1]}"),
    "directives.unknown-namespace": (
        "- add_directives: {file: 'package://p/inner.dmd.yaml', model_namespace: z}\n"
    ),
    "directives.unused-pose": model("m", ", default_free_body_pose: {b: {translation: [1, 2, 3]}}"),
    "directives.weld-world": model("m") + "- add_weld: {parent: 'm::a', child: world}\n",
}


def directives(body: str, *subjects: str) -> Example:
    """A scene of directives, with the package p of the folder."""
    other = "directives:\n- add_directives: {{file: 'package://p/{}.dmd.yaml'}}\n"
    files = {
        "package.xml": "<package><name>p</name></package>",
        "arm.sdf": ARM,
        "inner.dmd.yaml": INNER,
        "group.dmd.yaml": INNER
        + "- add_collision_filter_group: {name: g, model_namespace: inner, members: ['inner::a']}\n",
        "one.dmd.yaml": other.format("two"),
        "two.dmd.yaml": other.format("one"),
    }
    return reading(f"directives:\n{body}", *subjects, name="main.dmd.yaml", files=files)


SUBJECTS: dict[str, tuple[str, ...]] = {
    "drake.deformable": ("c",),
    "drake.deformable-shape": ("c",),
    "drake.duplicate-group": ("g",),
    "drake.duplicate-joint": ("k",),
    "drake.empty-group": ("g",),
    "drake.empty-member": ("g",),
    "drake.friction-order": ("c", "c::c"),
    "drake.idle-actuator": ("j",),
    "drake.idle-renderer": ("c", "c::v"),
    "drake.joint-pose": ("k",),
    "drake.joint-type": ("k",),
    "drake.material-model": ("c",),
    "drake.mimic": ("j",),
    "drake.mimic-ignored": ("j",),
    "drake.missing": ("k",),
    "drake.no-curve": ("k",),
    "drake.no-role": ("c", "c::v"),
    "drake.old-compliance": ("c",),
    "drake.out-of-range": ("a", "b"),
    "drake.plain-joint": ("j",),
    "drake.rigid-and-compliant": ("c", "c::c"),
    "drake.rigid-modulus": ("c", "c::c"),
    "drake.same-body": ("k",),
    "drake.skew-curve": ("k",),
    "drake.soft-hydroelastic": ("c", "c::c"),
    "drake.tendon-joint": ("j",),
    "drake.two-frictions": ("c", "c::c"),
    "drake.unknown-curve": ("k",),
    "drake.unknown-frame": ("b",),
    "drake.unknown-group": ("g",),
    "drake.unknown-link": ("a",),
    "drake.unknown-member": ("g",),
    "drake.urdf-diffuse-map": ("c",),
    "drake.visual-prefix": ("c", "c::v"),
    "drake.zero-axis": ("c",),
    "directives.duplicate-frame": ("f",),
    "directives.duplicate-model": ("m",),
    "directives.duplicate-weld": ("m::a", "m::b"),
    "directives.ignored-namespace": ("m::g",),
    "directives.missing-field": ("m",),
    "directives.not-a-vector": ("m::a",),
    "directives.not-one-model": ("m",),
    "directives.nothing": ("m",),
    "directives.position-count": ("m::j",),
    "directives.random": ("m",),
    "directives.relative-file": ("m",),
    "directives.rotation": ("m::a",),
    "directives.unknown-field": ("m",),
    "directives.unknown-file": ("m",),
    "directives.unknown-frame": ("m::z",),
    "directives.unknown-joint": ("m",),
    "directives.unknown-namespace": ("z",),
    "directives.unused-pose": ("m::b",),
    "directives.weld-world": ("m::a",),
}
"""Subjects of the finding, where it is about something that has a name."""

EXAMPLES: dict[str, Example] = (
    {code: reading(sdf(body), *SUBJECTS.get(code, ())) for code, body in IN_SDF.items()}
    | {
        code: reading(urdf(body), *SUBJECTS.get(code, ()), name="r.urdf")
        for code, body in IN_URDF.items()
    }
    | DIFFERENCES
    | {code: directives(body, *SUBJECTS.get(code, ())) for code, body in DIRECTIVES.items()}
)

"""Hostile XML, YAML and xacro: much work from little text, characters, numbers and sizes."""

from __future__ import annotations

from pathlib import Path

from tests.hostile_inputs.case import Builder, Hostile, everywhere, link, sdf, shape, text

BOX = "<geometry><box><size>1 1 1</size></box></geometry>"
LIMIT = "!file.limit"
SYNTAX = "!directives.syntax"
RANGE = "!xml.out-of-range"
XACRO = "xmlns:xacro='http://www.ros.org/wiki/xacro'"


def few(**limits: int) -> dict[str, dict[str, int]]:
    """Return options with lower limits, so that a case takes less than a second."""
    return {"limits": limits}


def directives(body: str) -> Builder:
    return text(f"directives:\n{body}", "a.dmd.yaml", m__sdf=sdf(link()))


def doubled_directives(folder: Path) -> str:
    for i in range(26):
        line = f"- add_directives: {{file: f{i + 1}.dmd.yaml}}\n"
        (folder / f"f{i}.dmd.yaml").write_text(
            f"directives:\n{line * 2}" if i < 25 else "directives: []\n"
        )
    return "f0.dmd.yaml"


def doubled_scenes(folder: Path) -> str:
    """Write ten models that include the next twice; the last includes a robot of 1,000 links."""
    links = "".join(f"<link name='l{i}'/>" for i in range(1000))
    joints = "".join(
        f"<joint name='j{i}' type='fixed'><parent link='l{i}'/><child link='l{i + 1}'/></joint>"
        for i in range(999)
    )
    (folder / "f10.sdf").write_text(f"<robot name='r'>{links}{joints}</robot>")
    for i in range(10):
        lines = "".join(
            f"<include><name>{name}</name><uri>f{i + 1}.sdf</uri></include>" for name in "ab"
        )
        (folder / f"f{i}.sdf").write_text(sdf(lines))
    return "f0.sdf"


def many_includes(count: int, included: str) -> Builder:
    lines = "".join(
        f"<include><name>i{i}</name><uri>part/model.sdf</uri></include>" for i in range(count)
    )

    def build(folder: Path) -> str:
        (folder / "part").mkdir()
        (folder / "part" / "model.sdf").write_text(included)
        (folder / "robot.sdf").write_text(sdf(link() + lines))
        return "robot.sdf"

    return build


def excluded_links(count: int) -> str:
    """Return a model in which no two links may collide."""
    collision = (
        "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision>"
    )
    links = "".join(link(collision, f"l{i}") for i in range(count))
    members = "".join(f"<drake:member>l{i}</drake:member>" for i in range(count))
    ignored = "<drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group>"
    group = (
        f"<drake:collision_filter_group name='g'>{members}{ignored}</drake:collision_filter_group>"
    )
    return sdf(links + group)


def colors(count: int) -> str:
    looks = (
        (
            f"<visual name='v{i}'>{BOX}<material><diffuse>{i % 3000 / 3000:.4f} 0 0 "
            f"1</diffuse></material></visual>"
        )
        for i in range(count)
    )
    return sdf(link("".join(looks)))


def chain(count: int) -> str:
    frames = "".join(f"<frame name='f{i}' attached_to='f{i + 1}'/>" for i in range(count))
    return sdf(f"{link()}{frames}<frame name='f{count}'/>")


def nested_models(depth: int, name: str) -> str:
    return sdf(f"<model name='{name}'>" * depth + link() + "</model>" * depth)


def polyline(points: str, height: str = "1") -> str:
    return shape(f"<polyline>{points}<height>{height}</height></polyline>")


def automatic(geometry: str) -> str:
    """Return a model whose inertia is that of a collision."""
    collision = f"<collision name='c'><geometry>{geometry}</geometry></collision>"
    return sdf(f"<link name='a'><inertial auto='true'/>{collision}</link>")


def config_digits(folder: Path) -> str:
    (folder / "model").mkdir()
    (folder / "model" / "model.config").write_text(
        f"<model><sdf version='{'9' * 5000}'>model.sdf</sdf></model>"
    )
    (folder / "model" / "model.sdf").write_text(sdf(link()))
    (folder / "robot.sdf").write_text(sdf(f"{link()}<include><uri>model://model</uri></include>"))
    return "robot.sdf"


def script(content: str) -> Builder:
    look = "<material><script><uri>m.material</uri><name>M</name></script></material>"
    return text(sdf(link(f"<visual name='v'>{BOX}{look}</visual>")), m__material=content)


def urdf(body: str) -> Builder:
    return text(f"<robot name='r'>{body}</robot>", "robot.urdf")


def xacro(body: str, **files: str) -> Hostile:
    main = text(f"<robot name='r' {XACRO}>{body}</robot>", "robot.urdf.xacro", **files)
    return Hostile(main, "!xacro.failed", options={"allow_xacro": True})


SPIKES = "".join(f"<point>{i} {i % 2 * 5}</point>" for i in range(400)) + "<point>0 -9</point>"
ATTRIBUTES = " ".join(f"a{i}=''" for i in range(6_000))
NAMES = "".join(
    f"<frame name='{'ab' * 300}{i}' attached_to='{'ba' * 300}{i}'/>" for i in range(500)
)

BOMBS = {
    "directives-doubling": Hostile(
        doubled_directives, LIMIT, file="f0.dmd.yaml", options=few(files=300)
    ),
    "scene-doubling": Hostile(doubled_scenes, LIMIT, file="f0.sdf", options=few(elements=20_000)),
    "include-many": Hostile(many_includes(1_000, sdf(link())), LIMIT, options=few(elements=3_000)),
    "unread": Hostile(
        many_includes(1_500, sdf(link("<none/>" * 500))),
        LIMIT,
        file="robot.sdf",
        options=few(elements=20_000),
    ),
    "excluded-links": Hostile(
        text(excluded_links(150)), **everywhere(LIMIT), file="robot.sdf", options=few(pairs=10_000)
    ),
    "colours": Hostile(text(colors(1_500))),
    "polyline-points": Hostile(text(polyline(SPIKES)), **everywhere("mesh.polyline")),
    "polyline-too-many": Hostile(
        text(polyline(SPIKES * 15)), **everywhere("mesh.degenerate"), file="robot.sdf"
    ),
    "elements": Hostile(
        text(sdf("<link name='a'/>" * 60_000)), LIMIT, options=few(elements=50_000)
    ),
    "alike-names": Hostile(text(sdf(link() + NAMES)), "!sdf.attached-to"),
    "chain-of-frames": Hostile(text(chain(1_000))),
    "nested-names": Hostile(
        text(nested_models(200, "n" * 5_000)), LIMIT, options=few(text=1_000_000)
    ),
    "depth": Hostile(text("<a>" * 100_000), "!file.too-large"),
    "attributes": Hostile(
        text(sdf(link()).replace("<model", f"<model {ATTRIBUTES}")), "file.unlisted"
    ),
    "long-text": Hostile(text(sdf(link(f"<pose>{'1 ' * 300_000}</pose>"))), "!sdf.pose-format"),
    "comments": Hostile(text(sdf(link() + "<!-- -- -->" * 20_000)), "xml.mended"),
    "doctype": Hostile(text("<!DOCTYPE a [<!ENTITY b 'c'>]><sdf/>"), "!xml.doctype"),
    "doctype-utf-16": Hostile(
        text("<!DOCTYPE a [<!ENTITY b 'c'>]><sdf/>".encode("utf-16")), "!xml.doctype"
    ),
    "encoding": Hostile(text("<?xml version='1.0' encoding='utf-7'?><sdf/>"), "!xml.syntax"),
    "script-regex": Hostile(script("/* " * 30_000), "sdf.unknown-material"),
    "urdf-materials": Hostile(
        urdf("".join(f"<material name='m{i}'/>" for i in range(4_000)) + "<link name='a'/>")
    ),
    "config-digits": Hostile(config_digits, "!sdf.no-model-config", file="model.config"),
    "diagnostics-past-limit": Hostile(text(sdf(link("<none/>" * 7_000))), "file.unlisted"),
    "limit-by-option": Hostile(text(sdf(link())), LIMIT, options={"limits": {"elements": 2}}),
}
YAML = {
    "yaml-keys": Hostile(
        text("".join(f"k{i}: 0\n" for i in range(8_000)), "a.dmd.yaml"), "!directives.unknown-field"
    ),
    "yaml-depth": Hostile(text("[" * 20_000, "a.dmd.yaml"), SYNTAX),
    "yaml-block-depth": Hostile(
        text("".join(f"{' ' * i}a:\n" for i in range(1_000)), "a.dmd.yaml"), SYNTAX
    ),
    "yaml-aliases": Hostile(
        text(
            "a0: &a0 [1, 1]\n"
            + "".join(f"a{i + 1}: &a{i + 1} [*a{i}, *a{i}]\n" for i in range(40)),
            "a.dmd.yaml",
        ),
        SYNTAX,
    ),
    "yaml-alias-cycle": Hostile(text("directives: &a [*a]\n", "a.dmd.yaml"), SYNTAX),
    "yaml-object": Hostile(
        text("directives: !!python/object/apply:os.system ['true']\n", "a.dmd.yaml"),
        "!directives.kind",
    ),
    "yaml-long-key": Hostile(text(f"{{{'k' * 1_000_000}: 1}}", "a.dmd.yaml"), "!directives"),
    "yaml-control": Hostile(
        directives('- add_model: {name: "a\\x07b", file: m.sdf}\n'), SYNTAX, file="a.dmd.yaml"
    ),
    "yaml-surrogate": Hostile(
        directives('- add_model: {name: "\\uD800", file: m.sdf}\n'), SYNTAX, file="a.dmd.yaml"
    ),
    "yaml-escape": Hostile(directives('- add_model: {name: "\\e[2J", file: m.sdf}\n'), SYNTAX),
    "yaml-c1": Hostile(
        directives('- add_model: {name: "\\x9b31m", file: m.sdf}\n'), "directives.relative-file"
    ),
    "yaml-nothing": Hostile(text(b"\0" * 100, "a.dmd.yaml"), SYNTAX),
    "yaml-merge": Hostile(
        text("a: &a {b: 1}\nc:\n  <<: [*a, *a, *a]\n", "a.dmd.yaml"), "!directives"
    ),
}
NUMBERS = {
    "hex-overflow": Hostile(
        text(sdf(link("<pose>0x1p99999 0 0 0 0 0</pose>"))), "!xml.not-finite", file="robot.sdf"
    ),
    "digits": Hostile(text(sdf(link(f"<pose>{'9' * 5000} 0 0 0 0 0</pose>"))), "!xml.not-finite"),
    "sphere-huge": Hostile(
        text(shape("<sphere><radius>1e300</radius></sphere>")),
        "!model.shape-size",
        file="robot.sdf",
    ),
    "sphere-tiny": Hostile(text(shape("<sphere><radius>1e-300</radius></sphere>"))),
    "cone-tiny": Hostile(
        text(shape("<cone><radius>1e-300</radius><length>1</length></cone>")),
        **everywhere("mesh.degenerate"),
    ),
    "cone-flat": Hostile(
        text(shape("<cone><radius>1</radius><length>0</length></cone>")),
        **everywhere("mesh.degenerate"),
    ),
    "capsule-huge": Hostile(
        text(shape("<capsule><radius>1e300</radius><length>1</length></capsule>")),
        "!model.shape-size",
    ),
    "polyline-zero": Hostile(
        text(polyline("<point>0 0</point>" * 3, "0")),
        **everywhere("mesh.degenerate"),
        file="robot.sdf",
    ),
    "polyline-one-point": Hostile(
        text(polyline("<point>0 0</point>")), **everywhere("mesh.degenerate")
    ),
    "polyline-line": Hostile(
        text(polyline("<point>0 0</point><point>1 1</point><point>2 2</point>")),
        **everywhere("mesh.degenerate"),
    ),
    "polyline-huge": Hostile(
        text(polyline("<point>0 0</point><point>1e300 0</point><point>0 1e300</point>")),
        **everywhere("mesh.degenerate"),
    ),
    "polyline-huge-automatic": Hostile(
        text(
            automatic(
                "<polyline><point>0 0</point><point>1e300 0</point><point>0 "
                "1e300</point><height>1</height></polyline>"
            )
        ),
        "sdf.auto-inertia-shape",
        **everywhere("mesh.degenerate"),
    ),
    "capsule-huge-automatic": Hostile(
        text(automatic("<capsule><radius>1e200</radius><length>1</length></capsule>")),
        "!model.shape-size",
    ),
    "stiffness-zero": Hostile(
        text(
            sdf(
                link(
                    f"<collision "
                    f"name='c'>{BOX}<surface><contact><ode><kp>0</kp><kd>1</kd></ode></contact></surface></collision>"
                )
            )
        )
    ),
    "axis-huge": Hostile(
        text(
            sdf(
                link()
                + link(name="b")
                + "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1e300 1e300 0</xyz></axis></joint>"
            )
        )
    ),
    "light-huge": Hostile(
        text(
            sdf(
                link(
                    "<light name='l' "
                    "type='spot'><attenuation><range>1e300</range><linear>1e300</linear></attenuation><direction>1e300 0 0</direction></light>"
                )
            )
        )
    ),
    "lidar-samples": Hostile(
        text(
            sdf(
                link(
                    "<sensor name='s' "
                    "type='gpu_lidar'><lidar><scan><horizontal><samples>2000000000</samples></horizontal></scan><range><min>1</min><max>2</max></range></lidar></sensor>"
                )
            )
        )
    ),
    "mass-huge": Hostile(
        text(sdf("<link name='a'><inertial><mass>1e300</mass></inertial></link>"))
    ),
}
NAMES_OF_FILES = {
    "long-name": Hostile(text(sdf(link()).replace("name='m'", f"name='{'n' * 300}'"))),
    "long-name-of-64-kib": Hostile(text(sdf(link()).replace("name='m'", f"name='{'é' * 65_536}'"))),
    "path-name": Hostile(text(sdf(link()).replace("name='m'", "name='../../../etc/x'"))),
    "reserved-name": Hostile(text(sdf(link()).replace("name='m'", "name='CON'"))),
    "terminal": Hostile(text(sdf(link()).replace("name='m'", "name='\u009b31m'"))),
    "direction-of-writing": Hostile(text(sdf(link()).replace("name='m'", "name='a\u202eb'"))),
    "glob": Hostile(
        text(
            sdf(
                "".join(
                    link(
                        (
                            f"<visual "
                            f"name='v'><geometry><mesh><uri>model://{name}/x</uri></mesh></geometry></visual>"
                        ),
                        f"l{i}",
                    )
                    for i, name in enumerate(("**", "[", "a**b", "..", "~", "$HOME", "a" * 5000))
                )
            )
        ),
        "resource.not-found",
    ),
}
XACROS = {
    "xacro-outside": Hostile(
        text(
            f"<robot name='r' {XACRO}><xacro:include filename='/etc/passwd'/></robot>",
            "r.urdf.xacro",
        ),
        "!resource.outside",
        options={"allow_xacro": True},
    ),
    "xacro-device": Hostile(
        text(
            f"<robot name='r' {XACRO}><xacro:include filename='/dev/zero'/></robot>", "r.urdf.xacro"
        ),
        "!resource.outside",
        options={"allow_xacro": True},
    ),
    "xacro-memory": Hostile(
        text(f"<robot name='r' {XACRO}><link name=\"${{'a' * 10**12}}\"/></robot>", "r.urdf.xacro"),
        "!file.limit",
        options={"allow_xacro": True},
    ),
    "xacro-recursion": Hostile(
        text(
            (
                f"<robot name='r' {XACRO}><xacro:macro "
                f"name='m'><xacro:m/></xacro:macro><xacro:m/></robot>"
            ),
            "r.urdf.xacro",
        ),
        "!xacro.failed",
        options={"allow_xacro": True},
    ),
    "xacro-unasked": Hostile(
        text(f"<robot name='r' {XACRO}/>", "r.urdf.xacro"), "!xacro.not-allowed"
    ),
}

CASES = BOMBS | YAML | NUMBERS | NAMES_OF_FILES | XACROS

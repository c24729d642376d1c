"""Measure how the work of reading and exporting grows with the size of inputs that once took
quadratic time.

    python -m benchmarks.growth [NAME ...] [--write]

Each input is made with n and with 4 n parts, loaded, and exported to every format. The work is the
number of function calls, and the processor time, the smallest of several. If the work grows as a power of
n, the exponent is the power: 1 is linear, 2 quadratic. Function calls do not depend on the load of
the machine; time includes what libraries in C do, among it the mass matrix of models of at most
1,000 velocities: some larger models take less time than smaller ones. With ``--write`` the table
takes its place in `PAGE`.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import bridge
import loaders
from loaders.diagnostics import ExportError, LoadError

PAGE = Path(__file__).parents[1] / "docs" / "fuzzing.md"
BEGIN, END = "<!-- growth: begin -->", "<!-- growth: end -->"
"""Markers around the table in the page."""
FACTOR = 4
"""Ratio of the sizes."""
ROUNDS = 3
"""Number of measurements of time of each size, of which the smallest counts."""

INERTIAL = (
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
)
BALL = "<geometry><sphere><radius>1</radius></sphere></geometry>"
COLLISION = f"<collision name='c'>{BALL}</collision>"
Files = Mapping[str, str]
"""Contents by name; the first is the main file."""


@dataclass(frozen=True, slots=True)
class Input:
    """An input of any size.

    Attributes:
        size: The smaller number of parts to measure.
        files: Returns the files of the input with so many parts.
    """

    size: int
    files: Callable[[int], Files]


def sdf(body: str) -> Files:
    """Return a model in SDFormat."""
    return {"robot.sdf": f"<sdf version='1.11'><model name='m'>{body}</model></sdf>"}


def link(name: str = "a", content: str = "") -> str:
    """Return a link in SDFormat."""
    return f"<link name='{name}'>{INERTIAL}{content}</link>"


def each(count: int, part: Callable[[int], str]) -> str:
    """Return so many parts, joined."""
    return "".join(part(i) for i in range(count))


def shape(geometry: str) -> str:
    """Return a link with a collision of a shape."""
    return link(content=f"<collision name='c'><geometry>{geometry}</geometry></collision>")


def excluded_links(count: int) -> Files:
    """Return links of which no two may touch."""
    members = each(count, lambda i: f"<drake:member>l{i}</drake:member>")
    ignored = "<drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group>"
    group = (
        f"<drake:collision_filter_group name='g'>{members}{ignored}</drake:collision_filter_group>"
    )
    return sdf(each(count, lambda i: link(f"l{i}", COLLISION)) + group)


def filter_rules(count: int) -> Files:
    """Return a chain of filter groups of one link, each of which ignores the next."""
    groups = each(
        count - 1,
        lambda i: (
            f"<drake:collision_filter_group name='g{i}'><drake:member>l{i}</drake:member>"
            f"<drake:ignored_collision_filter_group>g{i + 1}</drake:ignored_collision_filter_group>"
            "</drake:collision_filter_group>"
        ),
    )
    last = f"<drake:collision_filter_group name='g{count - 1}'><drake:member>l0</drake:member>"
    return sdf(
        each(count, lambda i: link(f"l{i}", COLLISION))
        + groups
        + last
        + "</drake:collision_filter_group>"
    )


def polyline_points(count: int) -> Files:
    """Return one outline of many points, a star."""

    def point(i: int) -> str:
        angle, radius = 2.0 * math.pi * i / count, 1.0 + i % 2
        return f"<point>{radius * math.cos(angle):.9f} {radius * math.sin(angle):.9f}</point>"

    return sdf(shape(f"<polyline>{each(count, point)}<height>1</height></polyline>"))


def polyline_outlines(count: int) -> Files:
    """Return many outlines, side by side."""

    def outline(i: int) -> str:
        points = f"<point>{i} 0</point><point>{i + 0.5} 0</point><point>{i} 1</point>"
        return f"<polyline>{points}<height>1</height></polyline>"

    return sdf(shape(each(count, outline)))


def polyline_holes(count: int) -> Files:
    """Return a large outline with many holes in it."""

    def hole(i: int) -> str:
        points = f"<point>{i} 0</point><point>{i + 0.5} 0</point><point>{i} 1</point>"
        return f"<polyline>{points}<height>1</height></polyline>"

    corners = ((-1, -1), (count, -1), (count, 2), (-1, 2))
    around = "".join(f"<point>{x} {y}</point>" for x, y in corners)
    return sdf(shape(f"<polyline>{around}<height>1</height></polyline>" + each(count, hole)))


def yaml_keys(count: int) -> Files:
    """Return a mapping of many keys, in directives for Drake."""
    keys = each(count, lambda i: f"    key{i}: 1\n")
    return {"scene.dmd.yaml": f"directives:\n- add_frame:\n    name: f\n{keys}"}


def suggestions(count: int) -> Files:
    """Return joints of links that do not exist, but have names like those of others."""

    def joint(i: int) -> str:
        return (
            f"<joint name='j{i}' "
            f"type='fixed'><parent>link_nr{i}</parent><child>link_no{i}</child></joint>"
        )

    return sdf(each(count, lambda i: link(f"link_no{i}")) + each(count, joint))


def material_comments(count: int) -> Files:
    """Return a material script with many beginnings of comments."""
    script = "<material><script><uri>m.material</uri><name>M</name></script></material>"
    return {
        **sdf(link(content=f"<visual name='v'>{BALL}{script}</visual>")),
        "m.material": "/* " * count,
    }


def colors(count: int) -> Files:
    """Return visuals of different colors."""

    def visual(i: int) -> str:
        look = f"<material><diffuse>{i % 1000 / 1000} {i // 1000 / 1000} 0 1</diffuse></material>"
        return f"<visual name='v{i}'>{BALL}{look}</visual>"

    return sdf(link(content=each(count, visual)))


def unread_elements(count: int) -> Files:
    """Return elements that SDFormat does not have."""
    return sdf(link(content=each(count, lambda i: f"<unknown{i}>1</unknown{i}>")))


def off_newlines(count: int) -> Files:
    """Return a mesh in OFF with many empty lines."""
    mesh = (
        "OFF\n"
        + "\n" * count
        + "4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
    )
    return {**sdf(shape("<mesh><uri>a.off</uri></mesh>")), "a.off": mesh}


def long_name(count: int) -> Files:
    """Return a link with a long name."""
    return sdf(link("n" * count, COLLISION))


def many_names(count: int) -> Files:
    """Return links and frames whose names are alike."""
    frames = each(
        count, lambda i: f"<frame name='{'n' * 50}{i}_frame' attached_to='{'n' * 50}{i}'/>"
    )
    return sdf(each(count, lambda i: link("n" * 50 + str(i))) + frames)


def frames(count: int) -> Files:
    """Return frames of which each is attached to the next."""
    chain = each(count, lambda i: f"<frame name='f{i}' attached_to='f{i + 1}'/>")
    return sdf(f"{link()}{chain}<frame name='f{count}'/>")


def joints(count: int) -> Files:
    """Return a chain of links, posed relative to their parents."""

    def joint(i: int) -> str:
        ends = f"<parent>l{i}</parent><child>l{i + 1}</child>"
        return f"<joint name='j{i}' type='revolute'>{ends}<axis><xyz>0 0 1</xyz></axis></joint>"

    def posed(i: int) -> str:
        return (
            f"<link name='l{i + 1}'><pose relative_to='l{i}'>0 0 1 0 0 "
            f"0</pose>{INERTIAL}{COLLISION}</link>"
        )

    return sdf(link("l0", COLLISION) + each(count, posed) + each(count, joint))


def includes(count: int) -> Files:
    """Return a world with many includes of one model."""
    parts = each(count, lambda i: f"<include><uri>part.sdf</uri><name>p{i}</name></include>")
    world = f"<sdf version='1.11'><world name='w'>{parts}</world></sdf>"
    return {"world.sdf": world, "part.sdf": sdf(link(content=COLLISION))["robot.sdf"]}


def urdf_extensions(count: int) -> Files:
    """Return links in URDF, each with an element for Gazebo and a material of its own."""

    def part(i: int) -> str:
        inertial = (
            "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
            "iyz='0'/></inertial>"
            f"<visual><geometry><sphere radius='1'/></geometry><material name='m{i}'/></visual>"
        )
        joint = f"<joint name='j{i}' type='fixed'><parent link='root'/><child link='l{i}'/></joint>"
        extension = f"<gazebo reference='l{i}'><mu1>0.5</mu1></gazebo>"
        material = f"<material name='m{i}'><color rgba='1 0 0 1'/></material>"
        return f"{material}<link name='l{i}'>{inertial}</link>{joint}{extension}"

    return {"robot.urdf": f"<robot name='r'><link name='root'/>{each(count, part)}</robot>"}


def mjcf(body: str, rest: str = "") -> Files:
    """Return a model in MJCF."""
    return {"robot.xml": f"<mujoco>{rest}<worldbody>{body}</worldbody></mujoco>"}


def mjcf_defaults(count: int) -> Files:
    """Return classes of defaults in MJCF, each with a geom."""
    classes = each(count, lambda i: f"<default class='c{i}'><geom size='{1 + i}'/></default>")
    return mjcf(
        each(count, lambda i: f"<geom class='c{i}' pos='{i} 0 0'/>"),
        f"<default>{classes}</default>",
    )


def mjcf_excludes(count: int) -> Files:
    """Return a row of bodies in MJCF, each two neighbors excluded from contact."""
    bodies = each(count, lambda i: f"<body name='b{i}'><freejoint/><geom size='1'/></body>")
    excludes = each(count - 1, lambda i: f"<exclude body1='b{i}' body2='b{i + 1}'/>")
    return {
        "robot.xml": f"<mujoco><worldbody>{bodies}</worldbody><contact>{excludes}</contact></mujoco>"
    }


def mjcf_welds(count: int) -> Files:
    """Return two groups of bodies in MJCF, each welded together, which one hinge joins."""

    def group(name: str, content: str) -> str:
        welded = each(count, lambda i: f"<body name='{name}{i}'><geom size='1'/></body>")
        return f"<body name='{name}'>{content}<geom size='1'/>{welded}"

    return mjcf(group("a", "<freejoint/>") + group("b", "<joint/>") + "</body></body>")


def free_bodies(count: int) -> Files:
    """Return links that no joint connects."""
    return sdf(each(count, lambda i: link(f"l{i}", COLLISION)))


def nested_models(count: int) -> Files:
    """Return a model with many models of one free link each."""
    return sdf(each(count, lambda i: f"<model name='n{i}'>{link()}</model>"))


def colliding_shapes(count: int) -> Files:
    """Return a link with many collisions, each of another friction."""

    def collision(i: int) -> str:
        friction = f"<surface><friction><ode><mu>0.{i:06d}</mu></ode></friction></surface>"
        return f"<collision name='c{i}'>{BALL}{friction}</collision>"

    return sdf(link(content=each(count, collision)))


def filter_groups(count: int) -> Files:
    """Return a link that is in many filter groups."""
    group = "<drake:collision_filter_group name='g{}'><drake:member>a</drake:member>"
    end = "</drake:collision_filter_group>"
    return sdf(link() + each(count, lambda i: group.format(i) + end))


INPUTS = {
    "excluded links": Input(100, excluded_links),
    "filter rules": Input(100, filter_rules),
    "polyline: points": Input(500, polyline_points),
    "polyline: outlines": Input(50, polyline_outlines),
    "polyline: holes": Input(50, polyline_holes),
    "YAML keys": Input(500, yaml_keys),
    "did you mean": Input(300, suggestions),
    "material comments": Input(2000, material_comments),
    "colors": Input(200, colors),
    "unread elements": Input(300, unread_elements),
    "OFF newlines": Input(10_000, off_newlines),
    "long name": Input(10_000, long_name),
    "many names": Input(200, many_names),
    "frames": Input(300, frames),
    "joints": Input(100, joints),
    "includes": Input(50, includes),
    "URDF extensions": Input(100, urdf_extensions),
    "MJCF defaults": Input(100, mjcf_defaults),
    "MJCF excludes": Input(100, mjcf_excludes),
    "MJCF weld groups": Input(50, mjcf_welds),
    "free bodies": Input(100, free_bodies),
    "nested models": Input(100, nested_models),
    "colliding shapes": Input(100, colliding_shapes),
    "filter groups": Input(100, filter_groups),
}


LISTED = ("excluded links", "MJCF excludes", "MJCF weld groups")
"""Inputs that need a list of pairs of links; the limit ``pairs`` refuses larger ones, and the pairs
of more than 400 links are not examined for friction.
"""


def use(main: Path) -> None:
    """Load a file and export it to every format, as far as it is valid."""
    with suppress(LoadError):
        scene = loaders.load(main, quiet=True)
        for export in (bridge.to_mjcf, bridge.to_sdf, bridge.to_urdf, bridge.to_directives):
            with suppress(ExportError):
                export(scene, quiet=True)


def written(files: Files, folder: Path) -> Path:
    """Write files into a new folder, and return the path of the first."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content)
    return folder / next(iter(files))


def calls(work: Callable[[], object]) -> int:
    """Return how many functions, of Python and of C, a work calls."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def exponent(small: float, large: float) -> float:
    """Return the power of the size with which a quantity grows."""
    return math.log(large / small) / math.log(FACTOR)


def counted(given: Input, folder: Path) -> tuple[int, int]:
    """Return the numbers of function calls for an input of both sizes, with an empty cache of
    meshes each time.

    Args:
        given: The input.
        folder: An empty folder for the files.
    """
    use(written(given.files(2), folder / "first"))  # modules are imported on first use
    small, large = (
        written(given.files(size), folder / str(size)) for size in (given.size, FACTOR * given.size)
    )
    return calls(lambda: use(small)), calls(lambda: use(large))


def timed(given: Input, folder: Path) -> tuple[float, float]:
    """Return the shortest processor times for an input of both sizes [s].

    Args:
        given: The input.
        folder: A folder for the files.
    """
    times: list[list[float]] = [[], []]
    for number in range(ROUNDS):
        for size, found in zip((given.size, FACTOR * given.size), times, strict=True):
            os.environ["SDFBRIDGE_CACHE"] = str(folder / f"cache{number}_{size}")
            main = written(given.files(size), folder / f"timed{number}_{size}")
            found.append(seconds(lambda main=main: use(main)))  # type: ignore[misc]
    return min(times[0]), min(times[1])


def main(words: list[str]) -> None:
    """Print the work for inputs, all by default, and write it into the page if that is asked
    for.
    """
    lines = [
        "| input | n | calls at n | at 4 n | exponent | time at n [ms] | at 4 n [ms] | exponent |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|")
    print("\n".join(lines))
    for line in rows([word for word in words if word != "--write"] or list(INPUTS)):
        print(line, flush=True)
        lines.append(line)
    if "--write" in words:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), lines), encoding="utf-8")


def with_table(page: str, lines: list[str]) -> str:
    """Return a page with other lines between its markers.

    Args:
        page: The page.
        lines: The lines of the table.
    """
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join([before + BEGIN, "", *lines, "", END]) + after


def rows(names: list[str]) -> Iterator[str]:
    """Yield a row of the table for each input.

    Args:
        names: Keys of `INPUTS`.
    """
    for name in names:
        with tempfile.TemporaryDirectory(prefix="sdfbridge-growth-") as scratch:
            folder = Path(scratch)
            os.environ["SDFBRIDGE_CACHE"] = str(folder / "cache")
            few, many = counted(INPUTS[name], folder)
            short, long = timed(INPUTS[name], folder)
        cells = (name, INPUTS[name].size, few, many, f"{exponent(few, many):.2f}")
        times = (f"{1e3 * short:.1f}", f"{1e3 * long:.1f}", f"{exponent(short, long):.2f}")
        yield f"| {' | '.join(map(str, (*cells, *times)))} |"


if __name__ == "__main__":
    main(sys.argv[1:])

"""Text form of a scene: tree, graph and frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from transforms3d.euler import mat2euler

from bridge.mechanism import Mechanism
from bridge.mechanism.bodies import ROOT, Body
from loaders.model import WORLD, Joint, Link
from loaders.pose import IDENTITY, Pose
from loaders.scene import Scene
from loaders.text import counted, printable


def frame_rows(scene: Scene) -> Iterator[tuple[str, ...]]:
    """Yield kind, name, position [m] and roll, pitch and yaw [rad] of each link, joint and frame at
    zero configuration.
    """
    X_WL = {WORLD: IDENTITY} | {link.name: link.X_WL for link in scene.links}
    for link in scene.links:
        yield "link", link.name, *_numbers(link.X_WL)
    for joint in scene.joints:
        yield "joint", joint.name, *_numbers(X_WL[joint.child] @ joint.X_CJ)
    for frame in scene.frames:
        yield "frame", frame.name, *_numbers(X_WL[frame.link] @ frame.X_LF)


def _numbers(pose: Pose) -> tuple[str, ...]:
    return tuple(f"{round(x, 9) + 0.0:.6g}" for x in (*pose.p, *mat2euler(pose.R, "sxyz")))


def tree(mechanism: Mechanism) -> str:
    """Return the models, then the tree of links, each with the joint that connects it to its
    parent.
    """
    scene = mechanism.scene
    head = (
        f"{scene.name or 'scene'}: {counted(len(scene.models), 'model')}, "
        f"{counted(len(scene.links), 'link')}, "
    )
    degrees = counted(len(mechanism.v_order), "degree")
    head += f"{counted(len(scene.joints), 'joint')}, {degrees} of freedom"
    if mechanism.couplings:
        head += f", {_independent(mechanism)} of them independent"
    lines = [head, *(_model(scene, k) for k in range(len(scene.models))), WORLD]
    return "\n".join(map(printable, [*lines, *_bodies(mechanism)]))  # a name may have line breaks


def _model(scene: Scene, k: int) -> str:
    model = scene.models[k]
    static = ", static" if model.static else ""
    return f"model {model.name}{static}, canonical link {model.canonical_link or 'none'}"


def _bodies(mechanism: Mechanism) -> Iterator[str]:
    children: dict[int, list[int]] = {}
    followers = mimicked(mechanism.scene)
    for i, body in enumerate(mechanism.bodies):
        children.setdefault(body.parent, []).append(i)
    pending = [(i, "", k == 0) for k, i in enumerate(reversed(children.get(ROOT, [])))]
    while pending:
        i, indent, last = pending.pop()
        yield f"{indent}{'`-- ' if last else '|-- '}{_body(mechanism.bodies[i], followers)}"
        below = indent + ("    " if last else "|   ")
        pending.extend((j, below, k == 0) for k, j in enumerate(reversed(children.get(i, []))))


def _independent(mechanism: Mechanism) -> int:
    """Return the number of degrees of freedom that follow no other; those of one chain of couplings
    count once.
    """
    chains = list(range(len(mechanism.v_order)))
    for coupling in mechanism.couplings:
        old, new = chains[coupling.follower], chains[coupling.leader]
        chains = [new if chain == old else chain for chain in chains]
    return len(set(chains))


def mimicked(scene: Scene) -> Mapping[str, str]:
    """Return what each joint that follows others mimics, in words, by its name.

    Args:
        scene: The scene with the joints.
    """
    axes = {joint.name: len(joint.axes) for joint in scene.joints}
    words: dict[str, list[str]] = {}
    for coupling in scene.couplings:
        leader = coupling.leader + (
            f"[{coupling.leader_axis}]" if axes.get(coupling.leader, 1) > 1 else ""
        )
        text = f"mimics {leader} x {coupling.multiplier:g} + {coupling.offset:g}"
        text += "".join(f" + {c:g} {leader}^{k}" for k, c in enumerate(coupling.higher, 2))
        words.setdefault(coupling.follower, []).append(text)
    return {name: ", ".join(texts) for name, texts in words.items()}


def joint_label(joint: Joint, followers: Mapping[str, str]) -> str:
    """Return the name of a joint with its type, and with what it mimics.

    Args:
        joint: The joint.
        followers: What joints mimic; see `mimicked`.
    """
    return f"{joint.name} ({', '.join(filter(None, (str(joint.type), followers.get(joint.name))))})"


def _body(body: Body, followers: Mapping[str, str]) -> str:
    if body.source is not None:
        axes = body.source.axes
        limits = (
            f" [{axes[0].lower:g}, {axes[0].upper:g}]" if len(axes) == 1 and body.primitives else ""
        )
        follows = f", {followers[body.source.name]}" if body.source.name in followers else ""
        joint = f"{body.source.name} ({body.source.type}{limits}{follows})"
    else:
        joint = "free" if body.primitives else "static"
    return f"{body.name}  <- {joint}  {_mass(body.link)}"


def _mass(link: Link) -> str:
    return f"{link.inertia.mass:g} kg" if link.inertia is not None else "no inertia"


def dot(scene: Scene) -> str:
    """Return links and joints as a directed graph in DOT."""
    lines = [f"digraph {_quoted(scene.name)} {{", f"  {_quoted(WORLD)} [shape=box];"]
    lines += [f"  {_quoted(link.name)};" for link in scene.links if link.name != WORLD]
    followers = mimicked(scene)
    lines += [
        f"  {_quoted(j.parent)} -> {_quoted(j.child)} [label={_quoted(joint_label(j, followers))}];"
        for j in scene.joints
    ]
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

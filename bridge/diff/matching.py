"""Items of two scenes that have other names but the same place in the structure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import chain
from typing import Any

from loaders.model import WORLD, Joint, JointType, Link, by_name
from loaders.scene import Scene
from loaders.scoped_names import SEPARATOR, outermost_scope, root_model

Names = dict[str, dict[str, str]]
"""Names in B by name in A, for each kind of item: ``link``, ``joint`` and so on."""

_FEW = 2
"""Number of kinds that a message lists."""
_MANY = 3
"""Number of names of a kind that must differ by the same prefix."""
_OTHERS = ("frames", "models", "filter_groups", "actuators", "lights")
_KINDS = {
    "frames": "frame",
    "models": "model",
    "filter_groups": "group",
    "actuators": "actuator",
    "lights": "light",
}


def names_of_map(a: Scene, b: Scene, names: Mapping[str, str]) -> Names:
    """Return a map of names for each kind of item that has them.

    Args:
        a: Scene A.
        b: Scene B.
        names: Names in B by name in A, whatever the kind; that of an item whose name another kind
            has too may start with its kind, such as ``joint elbow``.

    Raises:
        ValueError: if A has no item of a name, or B has no item of its kind with the new one.
    """
    in_a, in_b = _names_by_kind(a), _names_by_kind(b)
    found: Names = {kind: {} for kind in in_a}
    # a name with its kind comes last and counts
    for key, new in sorted(names.items(), key=lambda entry: " " in entry[0]):
        old: dict[str, str] = {}
        for kind, known in in_a.items():
            for name in (key, key.removeprefix(f"{kind} ")):
                if name in known:
                    old[kind] = name
        if not old:
            raise ValueError(_unknown("A", key, in_a))
        kinds = [kind for kind in old if new in in_b[kind]]
        if not kinds:
            raise ValueError(_unknown("B", new, {kind: in_b[kind] for kind in old}))
        for kind in kinds:
            found[kind][old[kind]] = new
    return found


def _names_by_kind(scene: Scene) -> dict[str, dict[str, None]]:
    kinds = {"links": "link", "joints": "joint", **_KINDS}
    items = {kind: getattr(scene, field) for field, kind in kinds.items()}
    return {kind: dict.fromkeys(item.name for item in of_kind) for kind, of_kind in items.items()}


def _unknown(side: str, name: str, known: Mapping[str, Iterable[str]]) -> str:
    """Return the message about a name of a map that no item of some kinds has, with the names that
    are like it.
    """
    names = list(dict.fromkeys(chain.from_iterable(known.values())))
    close = get_close_matches(name, names, n=3, cutoff=0.5)
    nearest = (
        f"did you mean {', '.join(map(repr, close))}?"
        if close
        else f"expected one of {', '.join(names[:8])}"
    )
    kind = " or ".join(known) if len(known) <= _FEW else "item"
    return f"{side} has no {kind} {name!r}, which the map names; {nearest}"


def names_by_scope(a: Scene, b: Scene) -> Names:
    """Return the names in B of the items of A, if one is a model and the other is a world with one
    model.

    Names in the scene of a model do not start with the name of the model; those in a world do.

    Args:
        a: Scene A.
        b: Scene B.
    """
    roots = root_model(a), root_model(b)
    if (roots[0] is None) == (roots[1] is None):
        return {}
    world, root = (b, roots[0]) if roots[0] is not None else (a, roots[1])
    scopes = {outermost_scope(link.name) for link in world.links if link.name != WORLD}
    if root is None or len(scopes) != 1:
        return {}
    (scope,) = scopes
    names: Names = {"model": {root.name: scope} if world is b else {scope: root.name}}
    for field, kind in {"links": "link", "joints": "joint", **_KINDS}.items():
        prefix = f"{scope}{SEPARATOR}"
        known = {WORLD, *names["model"], *(item.name for item in getattr(b, field))}
        items = [item.name for item in getattr(a, field) if item.name not in known]
        new = [f"{prefix}{name}" if world is b else name.removeprefix(prefix) for name in items]
        names.setdefault(kind, {}).update(zip(items, new, strict=True))
    return names


def names_by_prefix(a: Scene, b: Scene) -> Names:
    """Return the names in B of links and joints of A that differ by a prefix, the same for at least
    three of a kind.

    Args:
        a: Scene A.
        b: Scene B.
    """
    names: Names = {}
    for kind, field in (("link", "links"), ("joint", "joints")):
        in_a, in_b = by_name(getattr(a, field)), by_name(getattr(b, field))
        only_a = [name for name in in_a if name not in in_b]
        only_b = [name for name in in_b if name not in in_a]
        pairs = [(x, y) for x in only_a for y in only_b if x.endswith(y) or y.endswith(x)]
        frequencies = Counter(_prefix(x, y) for x, y in pairs)
        if not frequencies:
            continue
        ((prefix, count),) = frequencies.most_common(1)
        if count >= _MANY:
            names[kind] = {x: y for x, y in pairs if _prefix(x, y) == prefix}
    return names


def _prefix(a: str, b: str) -> tuple[str, str]:
    """Return the prefixes of two names if one ends with the other."""
    return a[: max(0, len(a) - len(b))], b[: max(0, len(b) - len(a))]


def names_by_structure(a: Scene, b: Scene) -> Names:
    """Return the names of links and joints of A that B lacks, and of those in B that have their
    places.

    Two links have the same place if the joints to them start at links that are matched, have the
    same type, and the trees behind them are equal; or if no other link comes into question. So have
    the roots of the only trees.

    Args:
        a: Scene A.
        b: Scene B.
    """
    trees = _Tree(a), _Tree(b)
    names: Names = defaultdict(dict)
    pending = [(WORLD, WORLD)]
    pending += _paired(trees, trees[0].roots(), trees[1].roots(), names)
    pending += _bases(trees, names)
    pending += [(name, name) for name in trees[0].links if name in trees[1].links and name != WORLD]
    while pending:
        parent_a, parent_b = pending.pop()
        joints_a, joints_b = trees[0].below[parent_a], trees[1].below[parent_b]
        for first, second in _matched(joints_a, joints_b, trees):
            if first.name != second.name:
                names["joint"][first.name] = second.name
            if first.child != second.child:
                names["link"][first.child] = second.child
            pending.append((first.child, second.child))
    return _without_known(names, a, b)


class _Tree:
    """The joints below each link, and what is behind each joint."""

    def __init__(self, scene: Scene) -> None:
        self.links = {link.name: link for link in scene.links}
        self.below: dict[str, list[Joint]] = defaultdict(list)
        seen = {WORLD}
        for joint in scene.joints:
            is_free = (
                joint.type is JointType.FLOATING and joint.parent == WORLD
            )  # as without a joint
            if joint.child not in seen and not is_free:
                seen.add(joint.child)
                self.below[joint.parent].append(joint)
        self._held = seen
        self._signatures: dict[str, int] = {}
        self._sign()

    def roots(self) -> list[str]:
        """Return the links that no joint leads to."""
        return [name for name in self.links if name not in self._held]

    def signature(self, link: str) -> int:
        """Return a number that links with equal trees behind them share."""
        return self._signatures.get(link, 0)

    def _sign(self) -> None:
        order = [WORLD, *self.roots()]
        for name in order:  # the list grows during the loop
            order.extend(joint.child for joint in self.below[name])
        for name in reversed(order):
            behind = sorted(
                (joint.type.value, self.signature(joint.child)) for joint in self.below[name]
            )
            self._signatures[name] = hash((*_contents(self.links.get(name)), *behind))


def _contents(link: Link | None) -> tuple[Any, ...]:
    if link is None:
        return ()
    mass = None if link.inertia is None else round(link.inertia.mass, 6)
    return (mass, *sorted(type(part.geometry).__name__ for part in link.collisions))


def _paired(
    trees: tuple[_Tree, _Tree], a: list[str], b: list[str], names: Names
) -> list[tuple[str, str]]:
    """Return the roots that belong together, and note the names of those that differ."""
    same = [(name, name) for name in a if name in b]
    both = {name for name, _ in same}
    rest_a = [name for name in a if name not in both]
    rest_b = [name for name in b if name not in both]
    found = list(same)
    for name in rest_a:
        others = [o for o in rest_b if trees[0].signature(name) == trees[1].signature(o)]
        if not others and len(rest_a) == len(rest_b) == 1:
            others = rest_b
        if others:
            partner = others[0]
            rest_b.remove(partner)
            found.append((name, partner))
            names["link"][name] = partner
    return found


def _bases(trees: tuple[_Tree, _Tree], names: Names) -> list[tuple[str, str]]:
    """Return the only tree of each scene, if one of them is fixed to the world and the other is
    free.
    """
    free = [tree.roots() for tree in trees]
    a, b = free[0] + _held_roots(trees[0]), free[1] + _held_roots(trees[1])
    if len(a) != 1 or len(b) != 1 or bool(free[0]) == bool(free[1]):
        return []
    if a != b:
        names["link"][a[0]] = b[0]
    return [(a[0], b[0])]


def _held_roots(tree: _Tree) -> list[str]:
    return [joint.child for joint in tree.below[WORLD] if joint.type is JointType.FIXED]


def _matched(
    a: list[Joint], b: list[Joint], trees: tuple[_Tree, _Tree]
) -> Iterable[tuple[Joint, Joint]]:
    """Yield the joints that belong together: by name, else by what is behind them, else the only
    ones of a type.
    """
    rest = {joint.name: joint for joint in b}
    left = []
    for joint in a:
        if joint.name in rest:
            yield joint, rest.pop(joint.name)
        else:
            left.append(joint)
    unsure = []
    for joint in left:
        key = (joint.type, trees[0].signature(joint.child))
        equal = [
            other for other in rest.values() if (other.type, trees[1].signature(other.child)) == key
        ]
        if equal:
            yield joint, rest.pop(equal[0].name)
        else:
            unsure.append(joint)
    types = Counter(joint.type for joint in unsure), Counter(joint.type for joint in rest.values())
    for joint in unsure:
        if types[0][joint.type] == types[1][joint.type] == 1:
            other = next(other for other in rest.values() if other.type == joint.type)
            yield joint, rest.pop(other.name)


def _without_known(names: Names, a: Scene, b: Scene) -> Names:
    """Return the names without those that A and B share: an item keeps its partner of the same
    name.
    """
    found: Names = {}
    for kind, field in (("link", "links"), ("joint", "joints")):
        known = {item.name for item in getattr(a, field)} & {
            item.name for item in getattr(b, field)
        }
        pairs = names.get(kind, {}).items()
        found[kind] = {old: new for old, new in pairs if old not in known and new not in known}
    return found

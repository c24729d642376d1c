"""Scoped names, and the names of the items that an element of a file belongs to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Protocol

from .model import WORLD, Model, SceneData

SEPARATOR = "::"
"""Separator between a scope and the names in it."""
MODEL_FRAME = "__model__"
"""Name of the frame of a model in the scope of the model, and of its site in MJCF."""


def local_name(name: str) -> str:
    """Return a scoped name without its scope: ``finger`` for ``arm::gripper::finger``."""
    return name.rpartition(SEPARATOR)[2]


def scopes_around(name: str) -> Iterator[str]:
    """Yield the scopes around a scoped name from the outermost one, and the name itself."""
    words = name.split(SEPARATOR)
    return (SEPARATOR.join(words[:depth]) for depth in range(1, len(words) + 1))


def outermost_scope(name: str) -> str:
    """Return the first part of a scoped name: ``arm`` for ``arm::gripper::finger``."""
    return name.partition(SEPARATOR)[0]


Form = Callable[[str, int], str]
"""Function from a name and the number of an attempt, from 1 on, to the name to try next."""


def from_2(name: str, attempt: int) -> str:
    """Return the name with a number from 2 on behind it: ``arm_2``, ``arm_3``."""
    return f"{name}_{attempt + 1}"


def from_1(name: str, attempt: int) -> str:
    """Return the name with a number from 1 on behind it, as libsdformat does: ``arm_1``."""
    return f"{name}_{attempt}"


def underscores_behind(name: str, attempt: int) -> str:
    """Return the name with underscores behind it: ``arm_``, ``arm__``."""
    return name + "_" * attempt


def underscores_in_front(name: str, attempt: int) -> str:
    """Return the name with underscores in front of it: ``_arm``, ``__arm``."""
    return "_" * attempt + name


def unused_name(
    preferred: str,
    is_taken: Callable[[str], bool],
    form: Form = from_2,
    attempts: dict[str, int] | None = None,
) -> str:
    """Return a name that is not taken: the preferred one, or the first of its forms.

    Args:
        preferred: The name to use if it is not taken.
        is_taken: Function that tells whether a name is taken.
        form: The form of the names to try next.
        attempts: Numbers of the last attempts by preferred name, which are updated. Attempts before
            them are not made again, so that many names with one preferred name take linear time;
            names must stay taken, and the form must stay the same.
    """
    attempt = 0 if attempts is None else attempts.get(preferred, 0)
    name = form(preferred, attempt) if attempt else preferred
    while is_taken(name):
        attempt += 1
        name = form(preferred, attempt)
    if attempts is not None and attempt:
        attempts[preferred] = attempt
    return name


class UnusedNames:
    """Names that are taken, and unused names for others, all of one form."""

    __slots__ = ("_attempts", "_form", "taken")

    def __init__(self, taken: Iterable[str] = (), form: Form = from_2) -> None:
        self.taken = set(taken)
        self._form = form
        self._attempts: dict[str, int] = {}

    def claim(self, preferred: str) -> str:
        """Take and return the preferred name, or the first of its forms that is not taken."""
        name = unused_name(preferred, self.taken.__contains__, self._form, self._attempts)
        self.taken.add(name)
        return name


def free_name(preferred: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: the preferred one, or that with a number from 2 on behind
    it. Use `UnusedNames` for several names.
    """
    return unused_name(preferred, taken.__contains__)


def renaming(
    scene: SceneData | None, scopes: Collection[tuple[str, str]]
) -> Callable[[str], list[str]]:
    """Return a function from a name in the scene of a file to its names in the scopes that the
    scene is placed in.

    Args:
        scene: The scene of the file; None if it could not be read.
        scopes: Name of each scope, which is that of its model, and prefix of the names in it.
    """
    root = None if scene is None else root_model(scene)
    groups = () if scene is None else (scene.links, scene.joints, scene.frames)
    elements = {item.name for items in groups for item in items}

    def rename(name: str) -> list[str]:
        is_root = root is not None and name == root.name and name not in elements
        return [scope if is_root else prefix + name for scope, prefix in scopes]

    return rename


def root_model(scene: SceneData) -> Model | None:
    """Return the model that makes up the whole scene, or None if the scene is a world.

    Names in a scene of one model do not carry the scope of that model; names in a world carry the
    scope of theirs.
    """
    if not scene.models:
        return None
    root = scene.models[0]
    links = [link.name for link in scene.links if link.model == root.name and link.name != WORLD]
    names = links or [root.canonical_link or ""]
    if names == [""]:
        return root if root.name == scene.name else None
    return None if all(name.startswith(root.name + SEPARATOR) for name in names) else root


_ROOTS = {"model", "robot"}
_SCOPES = {*_ROOTS, "joint", "link"}
"""Elements whose names are prefixes of the names of the elements in them."""
_NAME_KEYS = {
    **dict.fromkeys(
        (*_SCOPES, "collision", "drake:joint", "frame", "gripper", "light", "sensor", "visual"),
        "name",
    ),
    "drake:collision_filter_group": "name",
    "gazebo": "reference",
    "transmission": "name",
}
"""Elements that are subjects of diagnostics, with the attribute that names the subject."""
_REFERENCES = {
    "drake:ball_constraint": ("drake:ball_constraint_body_A", "drake:ball_constraint_body_B"),
    "drake:distance_constraint": ("drake:distance_constraint_body_A",
        "drake:distance_constraint_body_B"),
    "drake:linear_bushing_rpy": ("drake:bushing_frameA", "drake:bushing_frameC"),
    "drake:linear_spring_damper": ("drake:linear_spring_damper_body_A",
        "drake:linear_spring_damper_body_B"),
    "drake:tendon_constraint": ("drake:tendon_constraint_joint",),
}  # fmt: skip
"""Elements without a name that connect others, with the children that name those; they are the
subjects."""


class SourceElement(Protocol):
    """An element of a source file."""

    tag: str
    attributes: dict[str, str]
    text: str

    @property
    def children(self) -> Sequence[SourceElement]:
        """The child elements."""


def subjects_of(element_and_ancestors: Sequence[SourceElement]) -> tuple[str, ...]:
    """Return the scoped names, as in the scene, of the items that an element belongs to, outermost
    first.

    Args:
        element_and_ancestors: The element and the elements that contain it, innermost first.
    """
    ancestors = element_and_ancestors
    tags = [node.tag for node in ancestors]
    with_names = [node for node in reversed(ancestors) if node.tag in _NAME_KEYS]
    names = [(node.tag, node.attributes.get(_NAME_KEYS[node.tag])) for node in with_names]
    named = [(tag, name) for tag, name in names if name]
    connects = not _REFERENCES.keys().isdisjoint(tags)
    references = (
        next(_references(node) for node in ancestors if node.tag in _REFERENCES) if connects else ()
    )
    root = ""
    is_world = "world" in tags
    if len(named) + len(references) > 1 and named and named[0][0] in _ROOTS and not is_world:
        root = named.pop(0)[1]
    subjects: list[tuple[str, str]] = []
    prefix = ""
    for tag, name in named:
        subjects.append((tag, prefix + name))
        prefix += f"{name}{SEPARATOR}" if tag in _SCOPES else ""
    subjects.extend(("", prefix + name) for name in references)
    if subjects and subjects[-1] == (
        "model",
        root,
    ):  # the scope of the outermost model makes the name unique
        subjects[-1] = "model", f"{root}{SEPARATOR}{root}"
    return tuple(
        name for i, (tag, name) in enumerate(subjects) if tag != "model" or i == len(subjects) - 1
    )


def _references(element: SourceElement) -> tuple[str, ...]:
    """Return the names of the links, frames or joints that the children of an element name."""
    children = (child for child in element.children if child.tag in _REFERENCES[element.tag])
    names = (child.attributes.get("name") or child.text.strip() for child in children)
    return tuple(name for name in names if name and name != WORLD)

"""Scopes of a document: the world, its models, and the models nested in them, with the names in each."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from loaders.model import Model
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import SEPARATOR, root_model
from loaders.spatial import IDENTITY

_RESERVED = re.compile(r"__.*__|world", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")


@dataclass(slots=True, eq=False)
class Scope:
    """The world, or a model."""

    source: str
    """Prefix of names of the source in this scope: empty or ``a::b::``."""
    model: Model | None
    """The model; None for the world."""
    parent: Scope | None
    local: str = ""
    """Name of the model in its parent."""
    prefix: str = ""
    """Prefix of the names in this scope in a scene that is read from the document."""
    children: list[Scope] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    """Names in use in this scope."""

    def claim(self, preferred: str, kind: str) -> str:
        """Reserve and return a name that is legal and free in this scope.

        Args:
            preferred: The name to use if it is legal and free.
            kind: Kind of the item, which an illegal name gets as a suffix.
        """
        name = _CONTROL.sub("_", preferred.strip()).replace(SEPARATOR, "__") or kind
        if _RESERVED.fullmatch(name) or name in self.taken:
            name = f"{name.strip('_') or kind}_{kind}"
        unique, number = name, 2
        while unique in self.taken:
            unique, number = f"{name}_{number}", number + 1
        self.taken.add(unique)
        return unique

    def ancestors(self) -> list[Scope]:
        """Return this scope and those around it, innermost first."""
        scopes, scope = [], self
        while True:
            scopes.append(scope)
            if scope.parent is None:
                return scopes
            scope = scope.parent

    def walk(self) -> Iterator[Scope]:
        """Yield this scope and those in it, outer ones first."""
        pending = [self]
        while pending:
            scope = pending.pop()
            yield scope
            pending.extend(reversed(scope.children))


class Scopes(NamedTuple):
    """The scopes of a scene."""

    root: Scope
    """The world, or the only outermost model."""
    top: Scope
    """The scope whose names have no prefix in the source: the world, or the only outermost model."""
    by_model: dict[str, Scope]
    """Scope of each model, by its name in the source."""
    added: tuple[str, ...]
    """Scopes that the names of the source imply but that have no model in it."""
    by_source: dict[str, Scope]
    """Scope of each prefix of names of the source."""

    def of_name(self, name: str) -> Scope:
        """Return the innermost scope whose prefix a name of the source has."""
        return innermost(self.by_source, name)


def by_prefix(root: Scope) -> dict[str, Scope]:
    """Return the scopes in and below the outermost one, keyed by the prefix of names in the document."""
    return {scope.prefix: scope for scope in reversed(list(root.walk()))}


def innermost(scopes: Mapping[str, Scope], name: str) -> Scope:
    """Return the innermost scope whose prefix a name has.

    Args:
        scopes: The scopes, keyed by prefix: empty, or with a separator at its end.
        name: The name.
    """
    end = name.rfind(SEPARATOR)
    while end >= 0:
        scope = scopes.get(name[: end + len(SEPARATOR)])
        if scope is not None:
            return scope
        end = name.rfind(SEPARATOR, 0, end + 1)
    return scopes[""]


def common(scopes: Sequence[Scope]) -> Scope:
    """Return the innermost scope that contains all of some scopes, at least one."""
    shared = scopes[0].ancestors()
    for scope in scopes[1:]:
        chain = {id(ancestor) for ancestor in scope.ancestors()}
        shared = [ancestor for ancestor in shared if id(ancestor) in chain]
    return shared[0]


def scopes_of(scene: Scene, *, as_world: bool) -> Scopes:
    """Return the scopes of a scene, outer models before inner ones.

    Args:
        scene: The scene.
        as_world: Whether the document is a world even if the scene is one model.
    """
    outermost = root_model(scene)
    root = Scope(source="", model=None if as_world else outermost, parent=None, local=scene.name)
    paths: dict[str, Scope] = {}
    by_model: dict[str, Scope] = {}
    if outermost is not None:
        top = root if not as_world else _child(root, "", outermost, outermost.name)
        by_model[outermost.name] = paths[""] = top
    else:
        paths[""] = root
    added: list[str] = []
    for model in sorted(scene.models, key=lambda model: model.name.count(SEPARATOR)):
        if outermost is not None and model.name == outermost.name:
            continue
        path = model.name
        if outermost is not None and path == f"{outermost.name}{SEPARATOR}{outermost.name}":
            path = outermost.name  # a nested model with the name of the outermost one
        by_model[model.name] = paths[path] = _nested(path, model, paths, added)
    order = {id(by_model[model.name]): i for i, model in enumerate(scene.models) if model.name in by_model}
    for scope in root.walk():
        scope.children.sort(key=lambda child: order.get(id(child), -1))
    by_source = {scope.source: scope for scope in reversed(list(root.walk()))} | {"": paths[""]}
    return Scopes(root, paths[""], by_model, tuple(added), by_source)


def _nested(path: str, model: Model, paths: dict[str, Scope], added: list[str]) -> Scope:
    """Return a new scope for a model, in scopes that are added where its name implies them."""
    parts = path.split(SEPARATOR)
    parent = paths[""]
    for i in range(1, len(parts)):
        outer = SEPARATOR.join(parts[:i])
        if outer not in paths:
            empty = Model(name=outer, X_WM=IDENTITY if parent.model is None else parent.model.X_WM, canonical_link=None)
            paths[outer] = _child(parent, outer + SEPARATOR, empty, parts[i - 1])
            added.append(outer)
        parent = paths[outer]
    return _child(parent, path + SEPARATOR, model, parts[-1])


def _child(parent: Scope, source: str, model: Model, local: str) -> Scope:
    scope = Scope(source=source, model=model, parent=parent, local=local)
    parent.children.append(scope)
    return scope


def set_prefixes(root: Scope) -> None:
    """Claim the names of all models, and set the prefix and the model's name of each scope accordingly."""
    for scope in root.walk():
        if scope.parent is None:
            scope.local = _legal_root(scope.local)
            scope.prefix = ""
            if scope.model is not None:
                scope.model = dataclasses.replace(scope.model, name=scope.local)
            continue
        scope.local = scope.parent.claim(scope.local, "model")
        scope.prefix = f"{scope.parent.prefix}{scope.local}{SEPARATOR}"
        if scope.model is not None:
            scope.model = dataclasses.replace(scope.model, name=_model_name(scope, root))


def _model_name(scope: Scope, root: Scope) -> str:
    name = scope.prefix.removesuffix(SEPARATOR)
    clash = root.model is not None and name == root.local
    return f"{root.local}{SEPARATOR}{name}" if clash else name


def _legal_root(name: str) -> str:
    plain = _CONTROL.sub("_", name.strip()).replace(SEPARATOR, "__") or "model"
    return f"{plain.strip('_') or 'model'}_model" if _RESERVED.fullmatch(plain) else plain

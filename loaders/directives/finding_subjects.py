"""Subjects of the findings about directives and their model files, as the items are named in the whole scene."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from loaders.scene_queries.scoped_names import SEPARATOR, renaming

from .scene_builder import SceneBuilder, Step

_NAME_KEYS = {
    "add_model": ("name",),
    "add_model_instance": ("name",),
    "add_frame": ("name",),
    "add_weld": ("parent", "child"),
    "add_collision_filter_group": ("name",),
    "add_directives": ("model_namespace",),
}
"""The fields of each directive that name what it is about."""
_NAMES_FRAMES = {"add_frame", "add_weld"}
"""Directives whose names may lack their scope if they are unambiguous."""


class Subjects:
    """The subjects of the findings of one file of directives."""

    def __init__(self, builder: SceneBuilder) -> None:
        self._builder = builder
        self._diagnostics = builder.context.diagnostics
        self._findings: list[tuple[range, tuple[str, ...]]] = []

    @contextmanager
    def of(self, step: Step) -> Iterator[None]:
        """Regard the findings recorded inside the context as findings about a directive."""
        start = len(self._diagnostics)
        yield
        self._findings.append((range(start, len(self._diagnostics)), self._names(step)))

    def _names(self, step: Step) -> tuple[str, ...]:
        children = (step.node.peek(key) for key in _NAME_KEYS[step.node.tag])
        names = [step.full(child.text.strip()) for child in children if child is not None and child.text.strip()]
        if step.node.tag not in _NAMES_FRAMES:
            return tuple(names)
        matches = ((name, self._builder.matches(name)) for name in names)
        return tuple(found[0] if len(found) == 1 else name for name, found in matches)

    def assign(self) -> None:
        """Rename the subjects of the findings of model files; set those of the findings that have none."""
        for file in self._builder.files.values():
            scopes = [(name, name + SEPARATOR) for name in file.instances]
            self._diagnostics.rename_subjects(file.findings, renaming(file.scene, scopes))
        for findings, names in self._findings:
            self._diagnostics.add_missing_subjects(findings, names)

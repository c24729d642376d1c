"""The document of a scene in normal form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from bridge.export.documents.files import Files
from bridge.export.xml_text import Element, add, root_element
from loaders.model import WORLD, Model, Physics
from loaders.scene import Scene
from loaders.scene_queries.scoped_names import local_name
from loaders.spatial import IDENTITY, Pose

from .elements.basics import add_if, add_parameters, add_pose, scale_of, vector
from .elements.drake import add_filters, add_forces
from .elements.joints import add_joint
from .elements.links import add_link
from .elements.materials_lights_sensors import add_light
from .elements.references import References
from .normal.normal_form import NormalForm
from .normal.scopes import Scope, by_prefix, common, innermost
from .normal.world_ends import DRAKE_JOINTS
from .versions import VERSIONS

_DEFAULT = Scene(name="")
_FLAGS = (("static", False), ("self_collide", False), ("allow_auto_disable", True), ("enable_wind", False))


def document(form: NormalForm, files: Files) -> Element:
    """Return the root of the document.

    Args:
        form: The normal form of a scene.
        files: The files that the document names.
    """
    root = root_element("sdf", version=VERSIONS[0])
    _Builder(form, files).build(root)
    return root


class _Builder:
    """The items of a scene by scope."""

    def __init__(self, form: NormalForm, files: Files) -> None:
        self._scene, self._root = form.scene, form.root
        self._scopes = by_prefix(form.root)
        self._files = files
        self._poses = {link.name: link.X_WL for link in self._scene.links}
        self._couplings = {(c.follower, c.follower_axis): c for c in self._scene.couplings}
        self._actuators = {actuator.joint: actuator for actuator in self._scene.actuators}
        self._items: dict[tuple[int, str], list[Any]] = defaultdict(list)
        self._lights: dict[str, list[Any]] = defaultdict(list)
        self._sort()

    def _sort(self) -> None:
        """Assign each item to its scope, and each light to its link."""
        scene = self._scene
        for kind in ("links", "joints", "frames", "filter_groups"):
            for item in getattr(scene, kind):
                self._items[id(innermost(self._scopes, item.name)), kind].append(item)
        for item in (*scene.constraints, *scene.forces):
            self._items[id(self._scope_of(item)), "forces"].append(item)
        for rule in scene.filter_rules:
            scopes = [innermost(self._scopes, rule.a), innermost(self._scopes, rule.b)]
            self._items[id(common(scopes)), "filter_rules"].append(rule)
        for light in scene.lights:
            self._lights[light.link].append(light)

    def _scope_of(self, item: Any) -> Scope:
        keys = ("link_A", "link_B", "link_C")
        names = getattr(item, "joints", None) or [getattr(item, key) for key in keys if hasattr(item, key)]
        return common([innermost(self._scopes, name) for name in names])

    def build(self, root: Element) -> None:
        """Add the world or model to the document, with all that is in it."""
        pending: list[tuple[Scope, Element, Pose]] = [(self._root, root, IDENTITY)]
        while pending:
            scope, parent, X_WR = pending.pop()
            if scope.model is None:
                element = self._add_world(parent)
                X_WM = IDENTITY
            else:
                element = self._add_model(parent, scope, scope.model, X_WR)
                X_WM = scope.model.X_WM
            pending.extend((child, element, X_WM) for child in reversed(scope.children))

    def _add_world(self, root: Element) -> Element:
        scene = self._scene
        world = add(root, "world", name=self._root.local)
        _add_physics(world, scene.physics)
        for key in ("gravity", "magnetic_field"):
            add_if(world, key, vector(getattr(scene, key)), vector(getattr(_DEFAULT, key)))
        if any(scene.wind):
            add(add(world, "wind"), "linear_velocity", vector(scene.wind))
        for light in self._lights[WORLD]:
            add_light(world, light, light.name, light.X_LLight)
        self._add_items(world, self._root, IDENTITY)
        return world

    def _add_model(self, parent: Element, scope: Scope, model: Model, X_WR: Pose) -> Element:
        element = add(parent, "model", name=scope.local, canonical_link=self._canonical_link(scope))
        scale = scale_of(X_WR, model.X_WM)
        add_pose(element, X_WR.inverse() @ model.X_WM, 0.0 if X_WR.is_close(IDENTITY, 0.0) else scale)
        for key, default in _FLAGS:
            add_if(element, key, getattr(model, key), default)
        self._add_items(element, scope, model.X_WM)
        return element

    def _canonical_link(self, scope: Scope) -> str | None:
        """Return the name of the canonical link in its model; None if a reader takes it without being told."""
        model = self._model_in_scene(scope)
        link = model.canonical_link
        if link is None or link == self._default_link(scope):
            return None
        return link.removeprefix(scope.prefix)

    def _model_in_scene(self, scope: Scope) -> Model:
        assert scope.model is not None  # noqa: S101 - only models have canonical links
        name = scope.model.name
        return next((model for model in self._scene.models if model.name == name), scope.model)

    def _default_link(self, scope: Scope) -> str | None:
        """Return the link that a reader takes as canonical: the first, else that of the first nested model."""
        links = self._items[id(scope), "links"]
        if links:
            return str(links[0].name)
        nested = (self._model_in_scene(child).canonical_link or self._default_link(child) for child in scope.children)
        return next((link for link in nested if link is not None), None)

    def _add_items(self, element: Element, scope: Scope, X_WM: Pose) -> None:
        X_MW = X_WM.inverse()
        references = References(self._scene, scope.prefix, self._poses)
        for link in self._items[id(scope), "links"]:
            scale = scale_of(X_WM, link.X_WL)
            add_link(element, link, X_MW @ link.X_WL, scale, self._lights[link.name], self._files)
        joints = sorted(self._items[id(scope), "joints"], key=lambda joint: joint.type in DRAKE_JOINTS)
        for joint in joints:
            add_joint(element, joint, references, self._couplings, self._actuators.get(joint.name))
        for frame in self._items[id(scope), "frames"]:
            attached = None if frame.link == WORLD else references.name(frame.link)
            item = add(element, "frame", name=local_name(frame.name), attached_to=attached)
            add_pose(item, frame.X_LF, references.scale(frame.link))
        add_forces(element, self._items[id(scope), "forces"], references)
        rules: Iterable[Any] = self._items[id(scope), "filter_rules"]
        add_filters(element, self._items[id(scope), "filter_groups"], rules, references)


def _add_physics(world: Element, physics: Physics) -> None:
    if physics == Physics():
        return
    element = add(world, "physics", type=physics.engine)
    add(element, "max_step_size", physics.time_step)
    add(element, "real_time_factor", physics.real_time_factor)
    add(element, "real_time_update_rate", physics.real_time_update_rate)
    add(element, "max_contacts", physics.max_contacts)
    add_parameters(element, physics.parameters)

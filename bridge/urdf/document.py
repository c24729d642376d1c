"""The document: materials, links, joints, transmissions, and the extensions of Drake and Gazebo."""

from __future__ import annotations

from bridge.export.documents.files import Files
from bridge.export.xml_text import Element, root_element
from loaders.model import WORLD, Link, Material
from loaders.scene import Scene

from .elements.basics import add_origin
from .elements.drake import add_drake_elements
from .elements.gazebo import add_gazebo_of_joint, add_gazebo_of_link, add_gazebo_of_robot
from .elements.joints import add_joint, add_transmission
from .elements.links import add_link, add_material
from .elements.ros2_control import add_ros2_control
from .normal.materials import is_only_a_name
from .normal.normal_form import NormalForm
from .options import Options


def document(form: NormalForm, options: Options, files: Files) -> Element:
    """Return the ``<robot>`` of a normal form.

    Args:
        form: The normal form.
        options: The options of the export.
        files: The files of the export.
    """
    scene, extensions = form.scene, options.extensions
    (model,) = scene.models
    robot = root_element("robot", name=scene.name)
    add_origin(robot, model.X_WM)
    for material in _materials(scene):
        add_material(robot, material, files)
    for link in _links(scene):
        add_link(robot, link, extensions, files)
    couplings = {coupling.follower: coupling for coupling in scene.couplings}
    for joint in scene.joints:
        add_joint(robot, joint, couplings.get(joint.name))
    for actuator in scene.actuators if options.transmissions else ():
        add_transmission(robot, actuator, f"{actuator.name}_transmission", ros2_control=options.ros2_control)
    if options.ros2_control:
        add_ros2_control(robot, scene)
    if "drake" in extensions:
        add_drake_elements(robot, scene)
    if "gazebo" in extensions:
        add_gazebo_of_robot(robot, model)
        for link in scene.links:
            add_gazebo_of_link(robot, link, extensions)
        for joint in scene.joints:
            add_gazebo_of_joint(robot, joint)
    return robot


def _links(scene: Scene) -> tuple[Link, ...]:
    """Return the links, with one for the world if a joint or a frame needs it, or if there is no other."""
    needed = not scene.links or any(joint.parent == WORLD for joint in scene.joints)
    if not needed or any(link.name == WORLD for link in scene.links):
        return scene.links
    return (Link(name=WORLD, model="", X_WL=scene.models[0].X_WM), *scene.links)


def _materials(scene: Scene) -> dict[Material, None]:
    """Return the materials that say more than their name, each once."""
    materials = (visual.material for link in scene.links for visual in link.visuals)
    return dict.fromkeys(m for m in materials if m is not None and not is_only_a_name(m))

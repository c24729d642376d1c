"""``model.config``: the description by which Gazebo finds a model in its search path."""

from __future__ import annotations

from bridge.export.provenance import WRITTEN_BY
from bridge.export.xml_text import add, root_element, write
from bridge.installed_packages import own_version


def model_config(name: str, main: str, version: str) -> str:
    """Return the content of ``model.config``.

    Args:
        name: Name of the model.
        main: Name of its file.
        version: Version of SDFormat of the file.
    """
    root = root_element("model")
    add(root, "name", name)
    add(root, "version", "1.0")
    add(root, "sdf", main, version=version)
    add(root, "description", f"{WRITTEN_BY}{own_version()}; see README.md and FIDELITY.md.")
    return write(root)

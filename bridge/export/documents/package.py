"""``package.xml``: the description by which ROS, and other readers of ``package://``, find a folder."""

from __future__ import annotations

from bridge.export.provenance import WRITTEN_BY
from bridge.export.xml_text import add, root_element, write
from bridge.installed_packages import own_version


def package_xml(name: str) -> str:
    """Return the content of ``package.xml``.

    Args:
        name: Name of the package, which that of its folder must equal for some readers.
    """
    root = root_element("package", format="2")
    add(root, "name", name)
    add(root, "version", "1.0.0")
    add(root, "description", f"{WRITTEN_BY}{own_version()}.")
    add(root, "maintainer", "none", email="none@example.com")
    add(root, "license", "see README.md")
    return write(root)

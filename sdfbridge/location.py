"""Check that the packages `bridge` and `loaders` are those of sdfbridge, and not others of the same
name.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("bridge", "loaders")
"""The packages that hold the code of sdfbridge; they lie beside this one."""
_FOLDER = Path(__file__).resolve().parents[1]


def hidden_packages() -> dict[str, str]:
    """Return the place of each package that hides one of sdfbridge, by its name; empty if all are
    our own.

    Nothing is imported.
    """
    found = {name: _folder_of(name) for name in PACKAGES}
    return {name: place for name, place in found.items() if place != str(_FOLDER / name)}


def hidden_text() -> str:
    """Return which packages are hidden, with both paths and what to do; an empty text if none
    is.
    """
    hidden = hidden_packages()
    lines = [
        f"package {name!r} of sdfbridge in {_FOLDER / name} is hidden by {place}"
        for name, place in hidden.items()
    ]
    advice = "rename that folder, or start Python in another folder and without it in PYTHONPATH"
    return "\n".join([*lines, advice]) if lines else ""


def require_own_packages() -> None:
    """Refuse to continue with packages of other projects.

    Raises:
        ImportError: if another package hides `bridge` or `loaders`; it names both paths and what to
        do.
    """
    text = hidden_text()
    if text:
        raise ImportError(text)


def _folder_of(name: str) -> str:
    """Return the folder or file of a package that is imported, or that an import would find."""
    module = sys.modules.get(name)
    try:
        spec = find_spec(name) if module is None else module.__spec__
    except (ImportError, ValueError):  # an import hook of another project
        spec = None
    origin = getattr(module, "__file__", None) or (spec.origin if spec is not None else None)
    if origin is None:
        return (
            "a package without files"
            if module is not None or spec is not None
            else "nothing: it is not installed"
        )
    path = Path(origin).resolve()
    return str(path.parent if path.name == "__init__.py" else path)

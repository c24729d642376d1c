"""The reasons why the search for a URI gives no file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loaders.diagnostics import Fate

FUEL_SCHEMES = frozenset({"http", "https", "fuel"})
"""Schemes of URIs of models of Gazebo Fuel."""
_FETCH = "add its folder to package_map or paths, or download it with fetch=True"
_ADD_FOLDER = "add its folder to package_map or paths"


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a search gives no path: template, hint and arguments of a diagnostic."""

    template: str
    hint: str
    arguments: Mapping[str, str]
    code: str = "resource.not-found"
    fate: Fate = Fate.DROPPED

    @property
    def message(self) -> str:
        """The message for people."""
        return self.template.format(**self.arguments)


def not_found(uri: str, scheme: str, tried: list[str], download: str | None) -> Failure:
    """Return the reason why no place has the file of a URI.

    Args:
        uri: The URI.
        scheme: Its scheme; empty for a path.
        tried: The places.
        download: Reason why a download failed; empty if there was none, None if none is allowed.
    """
    known = scheme in {"", "file", "package", "model", *FUEL_SCHEMES}
    if "$(" in uri or "${" in uri:
        return Failure("{uri!r} contains a xacro substitution", "run xacro on the file first", {"uri": uri})
    if not tried and not known:
        hint = "use package://, model:// or file://, or give folders for the scheme in schemes"
        return Failure("{uri!r} has the unknown scheme {scheme}://", hint, {"uri": uri, "scheme": scheme})
    if not tried and scheme in FUEL_SCHEMES:
        message = "{uri!r} is not the URI of a Fuel model, and other files are not downloaded"
        return Failure(message, "download the file, and give its path", {"uri": uri})
    if not tried:
        return Failure("cannot find {uri!r}: there is no folder to search", _ADD_FOLDER, {"uri": uri})
    if download:
        return Failure("cannot download {uri!r}: {reason}", _ADD_FOLDER, {"uri": uri, "reason": download})
    similar = next((path for place in tried if (path := _other_case(Path(place))) is not None), None)
    advice = _FETCH if scheme in FUEL_SCHEMES and download is None else _ADD_FOLDER
    hint = advice if similar is None else f"did you mean {similar}? File names are case-sensitive"
    return Failure("cannot find {uri!r}; tried {tried}", hint, {"uri": uri, "tried": ", ".join(tried)})


def _other_case(path: Path) -> Path | None:
    """Return the existing path that differs from this one only in case, or None."""
    missing: list[str] = []
    folder = path
    while not os.path.exists(folder) and folder != folder.parent:
        missing.append(folder.name)
        folder = folder.parent
    for name in reversed(missing):
        try:
            matches = sorted(entry.name for entry in os.scandir(folder) if entry.name.lower() == name.lower())
        except OSError:
            return None
        if not matches:
            return None
        folder = folder / matches[0]
    return folder

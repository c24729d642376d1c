"""The files of an export: one format as the other has a document, a README and a report, and is
read back.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bridge
import loaders
from bridge.diagnostic_codes import CODES
from bridge.targets.options import SdfExportOptions, changed_options
from bridge.targets.report import read_back, require_equal
from loaders.diagnostics import ExportError
from tests.support.scenes import joint, link, scene

ARM = scene([link("a"), link("b")], [joint("a", "a", "b")])


@pytest.mark.parametrize(
    ("export", "suffix"), [(bridge.export_sdf, "sdf"), (bridge.export_urdf, "urdf")]
)
def test_the_readme_tells_what_was_made_from_what(
    export: Callable[..., Any], suffix: str, tmp_path: Path
) -> None:
    result = export(ARM, tmp_path / "m", inertia="repair", strict=False)
    readme = (tmp_path / "m" / "README.md").read_text()
    assert result.path == tmp_path / "m" / f"test.{suffix}"
    assert f'bridge.export_{suffix}("a scene in memory", "test", inertia="repair")' in readme
    assert "FIDELITY.md" in readme


def test_the_readme_lists_changed_names(tmp_path: Path) -> None:
    bridge.export_sdf(ARM, tmp_path / "m")
    assert "| `joint a` | `a_joint` |" in (tmp_path / "m" / "README.md").read_text()


def test_files_that_say_another_scene_are_refused() -> None:
    text = str(bridge.to_sdf(scene([link("b")]))).encode()
    code = CODES["sdfout.read-back"]
    with pytest.raises(ExportError, match="link a is only in A"):
        require_equal(read_back({"x.sdf": text}, "x.sdf", ARM, code))
    same = loaders.load_string(text.decode(), format="sdf")
    require_equal(read_back({"x.sdf": text}, "x.sdf", same, code))


def test_changed_options_are_those_that_differ_from_the_defaults() -> None:
    assert changed_options(SdfExportOptions()) == {}
    assert changed_options(SdfExportOptions(version="1.9", strict=True)) == {"version": "1.9"}

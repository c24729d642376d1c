"""Location of the bundled models."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.demo import demo


def test_the_bundled_models_are_found_beside_the_package() -> None:
    assert (demo.assets_dir() / "arm" / "model.sdf").is_file()


def test_an_installed_package_has_its_own_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "bridge"
    (package / "_assets" / "arm").mkdir(parents=True)
    monkeypatch.setattr(demo, "__file__", str(package / "demo" / "bundled_models.py"))
    assert demo.assets_dir() == package / "_assets"


def test_an_installation_without_models_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "bridge" / "demo" / "bundled_models.py"))
    with pytest.raises(FileNotFoundError, match="not installed"):
        demo.assets_dir()

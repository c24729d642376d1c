"""Packages that Drake has downloaded are found in its cache."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import loaders
from loaders.files.fuel import drake_cache, drake_packages

DOWNLOAD = """
import sys
from pydrake.multibody.parsing import PackageMap
package_map = PackageMap()
url, sha256 = sys.argv[1:]
remote = PackageMap.RemoteParams(urls=[url], sha256=sha256, strip_prefix="toys", archive_type="gztar")
package_map.AddRemote("toys", remote)
print(package_map.GetPath("toys"))
"""


@pytest.fixture
def place_of_drake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where Drake puts a package that it downloads, from this disk."""
    package = tmp_path / "toys"
    package.mkdir()
    (package / "package.xml").write_text("<package><name>toys</name></package>", encoding="utf-8")
    (package / "car.urdf").write_text(
        "<robot name='car'><link name='body'/></robot>", encoding="utf-8"
    )
    archive = tmp_path / "toys.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(package, "toys")
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    command = [
        sys.executable,
        "-c",
        DOWNLOAD,
        archive.as_uri(),
        hashlib.sha256(archive.read_bytes()).hexdigest(),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return Path(run.stdout.strip().splitlines()[-1])


def test_a_package_is_where_drake_puts_it(place_of_drake: Path) -> None:
    assert list(drake_packages("toys")) == [place_of_drake]
    assert list(drake_packages("cars")) == []


def test_directives_name_a_downloaded_package(place_of_drake: Path, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere" / "scene.dmd.yaml"
    file.parent.mkdir()
    file.write_text(
        "directives:\n- add_model: {name: car, file: 'package://toys/car.urdf'}\n", encoding="utf-8"
    )
    assert [link.name for link in loaders.load(file).links] == ["car::body"]


def test_a_missing_cache_holds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert drake_cache() == tmp_path / "home" / ".cache" / "drake" / "package_map"
    assert list(drake_packages("toys")) == []

"""The cache of files for engines."""

import pytest

from bridge.geometry.file_cache import cache_folder, stored


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_stored_file_is_named_by_its_content_and_written_once(cache):
    path = stored(b"abc", ".obj")
    before = path.stat().st_mtime_ns
    assert path.read_bytes() == b"abc"
    assert path.is_relative_to(cache)
    assert stored(b"abc", ".obj") == path
    assert path.stat().st_mtime_ns == before
    assert stored(b"abd", ".obj") != path
    assert len([p for p in cache.rglob("*") if p.is_file()]) == 2


def test_the_cache_follows_the_users_choice(cache):
    assert cache_folder() == cache

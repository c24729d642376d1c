"""The inputs of a batch: files, folders, globs, lists of these, and names of robots."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from loaders.diagnostics import Diagnostics, LoadError
from loaders.files.read_file import read
from loaders.files.robot_descriptions import is_robot_name
from loaders.limits import FileError
from loaders.sdf.include import model_file
from loaders.text import WILDCARDS
from loaders.xml import parse

MANIFEST = "model.config"
SUFFIXES = (".sdf", ".world", ".urdf", ".dmd.yaml")
"""Ends of the names of models in a folder, in lower case."""
XACRO = ".xacro"
MJCF = ".xml"
"""End of the names of MJCF models, and of other XML files."""
_MJCF_ROOT = re.compile(rb"(?:\s+|<\?(?>.*?\?>)|<!--(?>.*?-->))*+<mujoco[\s>/]", re.DOTALL)
_MJCF_INCLUDE = re.compile(rb"""<include\s[^<>]*?file\s*=\s*["']([^"'<>]+)["']""")
_LIST = "@"


class InputError(ValueError):
    """An input names no model."""


def expand_inputs(words: Iterable[str], *, xacro: bool = False) -> Iterator[str]:
    """Yield the files that words name, in order, each once.

    A folder with ``model.config`` is one model; any other folder means every model below it, of
    MJCF files those that no other one includes, and a pattern every file that it matches, in
    alphabetical order. ``@FILE`` means every line of a file but empty ones and those that begin
    with ``#``; ``@-`` reads the lines from standard input. ``rd://NAME`` is a robot of
    robot_descriptions.

    Args:
        words: The words.
        xacro: Whether xacro files are models.

    Raises:
        InputError: if a folder, a pattern or a list holds no model.
    """
    seen: set[str] = set()
    for word in words:
        for file in _expand(word, xacro=xacro):
            if file not in seen:
                seen.add(file)
                yield file


def _expand(word: str, *, xacro: bool) -> Iterator[str]:
    if word.startswith(_LIST) and not os.path.exists(word):
        for entry in _entries(word.removeprefix(_LIST)):
            yield from _named(entry, xacro=xacro)
    else:
        yield from _named(word, xacro=xacro)


def _named(word: str, *, xacro: bool) -> Iterator[str]:
    if is_robot_name(word) or os.path.isfile(word):
        yield word
    elif os.path.isdir(word):
        yield from models_below(Path(word), xacro=xacro)
    elif WILDCARDS & set(word):
        matches = sorted(glob.iglob(word, recursive=True))
        if not matches:
            raise InputError(f"pattern {word} matches no file")
        for match in matches:
            yield from (
                models_below(Path(match), xacro=xacro, needed=False)
                if os.path.isdir(match)
                else (match,)
            )
    else:
        yield word  # the result says that it does not exist


def models_below(folder: Path, *, xacro: bool = False, needed: bool = True) -> Iterator[str]:
    """Yield the models in a folder, in alphabetical order; a folder with ``model.config`` is one
    model.

    Args:
        folder: The folder.
        xacro: Whether xacro files are models.
        needed: Whether a folder without a model is an error.

    Raises:
        InputError: if the folder holds no model.
    """
    suffixes = (*SUFFIXES, XACRO) if xacro else SUFFIXES
    found = False
    for file in _walk(folder, suffixes):
        found = True
        yield file
    if needed and not found:
        names = ", ".join((*suffixes, MJCF))
        raise InputError(
            f"folder {folder} holds no model; expected {MANIFEST} or files {names} ({MJCF} if it "
            f"is MJCF)"
        )


def _walk(folder: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    included: set[str] = set()
    found: list[str] = []
    for place, folders, files in os.walk(folder):
        if MANIFEST in files:
            folders.clear()
            found.append(str(Path(place)))
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = str(Path(place, name))
            if name.lower().endswith(MJCF):
                includes = _mjcf_includes(path)
                included.update(
                    os.path.realpath(os.path.join(place, file)) for file in includes or ()
                )
                found += [path] if includes is not None else []
            elif name.lower().endswith(suffixes):
                found.append(path)
    yield from (path for path in found if not included or os.path.realpath(path) not in included)


def _mjcf_includes(path: str) -> list[str] | None:
    """Return the files that an MJCF file includes; None if it is no MJCF file, or cannot be
    read.
    """
    try:
        data = read(path)
    except FileError:
        return None
    if not _MJCF_ROOT.match(data):
        return None
    return [file.decode("utf-8", "replace") for file in _MJCF_INCLUDE.findall(data)]


def _entries(file: str) -> Iterator[str]:
    """Yield the words in a list; a relative one starts from the current folder, or else from that
    of the list.
    """
    try:
        text = sys.stdin.read() if file == "-" else read(file).decode("utf-8-sig")
    except FileError as error:
        raise InputError(f"cannot read the list {file}: {error.reason}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the list {file} is not UTF-8: {error.reason}") from error
    words = [line.strip() for line in text.splitlines()]
    words = [word for word in words if word and not word.startswith("#")]
    if not words:
        raise InputError(f"the list {file} names no model")
    folder = os.path.dirname(file)
    for word in words:
        beside = os.path.join(folder, word)
        yield beside if folder and not _exists(word) and _exists(beside) else word


def _exists(word: str) -> bool:
    return os.path.exists(word) or bool(WILDCARDS & set(word) and glob.glob(word, recursive=True))


def manifest_file(folder: Path, *, unsafe_paths: bool) -> str:
    """Return the file that the ``model.config`` of a folder names.

    Args:
        folder: The folder.
        unsafe_paths: Whether the file may lie outside the folder.

    Raises:
        LoadError: if there is no manifest, or if it is invalid.
    """
    diagnostics = Diagnostics()
    node = parse(
        b"<folder/>", str(folder), diagnostics
    )  # the place of what is wrong with the folder
    file = None if node is None else model_file(folder, node, unsafe_paths=unsafe_paths)
    if file is None:
        raise LoadError(tuple(diagnostics))
    return str(file)


def in_shard(items: Iterable[str], shard: tuple[int, int] | None) -> Iterator[str]:
    """Yield every n-th item.

    Args:
        items: The items of all shards, in the same order for each of them.
        shard: Number of the shard, from 1, and number of shards; None for all items.

    Raises:
        ValueError: if there is no such shard.
    """
    if shard is None:
        yield from items
        return
    number, count = shard
    if not 1 <= number <= count:
        raise ValueError(f"invalid shard {number}/{count}; expected I/N with I from 1 to N")
    yield from (item for index, item in enumerate(items) if index % count == number - 1)

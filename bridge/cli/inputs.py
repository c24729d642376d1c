"""Input of the commands: files, folders, and standard input."""

from __future__ import annotations

import dataclasses
import errno
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import loaders
from bridge.batches.inputs import InputError, manifest_file, models_below
from bridge.output import scratch_folder
from loaders.files.robot_descriptions import is_robot_name
from loaders.text import counted

from .errors import MISSING, CommandError, UsageError

STDIN = "-"
_MAX_NAMED = 5
"""Number of files that a message names."""


def search(options: Namespace) -> loaders.Search:
    """Return where to search for the files that a model refers to, and the limits of the load.

    Raises:
        UsageError: if a limit is unknown.
    """
    found: loaders.Search = {
        "package_map": dict(options.package),
        "paths": options.path,
        "fetch": options.fetch,
        "unsafe_paths": options.unsafe_paths,
    }
    if options.fetch_host:
        found["fetch_hosts"] = options.fetch_host
    if options.limit:
        found["limits"] = limits(options)
    return found


def limits(options: Namespace) -> loaders.Limits:
    """Return the limits of a load or an export.

    Raises:
        UsageError: if a limit is unknown.
    """
    known = [field.name for field in dataclasses.fields(loaders.Limits)]
    for name, _ in options.limit:
        if name not in known:
            raise UsageError(f"unknown limit {name!r}; expected one of: {', '.join(known)}")
    return loaders.Limits(**dict(options.limit))


def load_scene(options: Namespace, file: str | None = None) -> loaders.Scene:
    """Load a file.

    Args:
        options: The options of the command line.
        file: The file; by default the one of the command line, which may be a folder with one
            model.

    Raises:
        LoadError: if the file is invalid.
        UsageError: if a folder does not hold one model.
    """
    source = input_file(options) if file is None else file
    if source == STDIN:
        return _load_stdin(options)
    path = Path(source)
    return loaders.load(
        manifest_file(path, unsafe_paths=options.unsafe_paths) if os.path.isdir(path) else source,
        **load_options(options),
    )


def load_options(options: Namespace) -> loaders.LoadOptions:
    """Return the options of the load of a file.

    Raises:
        UsageError: if a limit is unknown.
    """
    return {
        "strict": options.strict,
        "lenient": options.lenient,
        "srdf": options.srdf,
        "overrides": options.overrides,
        "up_axis": options.up_axis,
        "allow_xacro": options.xacro,
        "xacro_args": dict(options.xacro_arg),
        "quiet": True,  # the commands print the diagnostics
        **search(options),
    }


def _load_stdin(options: Namespace) -> loaders.Scene:
    if options.srdf or options.xacro or options.overrides:
        raise UsageError(
            "--srdf, --overrides and --xacro need a file; standard input has no folder"
        )
    most = limits(options).text_file_bytes
    data = sys.stdin.buffer.read(most + 1)
    if len(data) > most:
        raise UsageError(
            f"standard input is larger than {most} bytes; raise the limit with --limit "
            f"text_file_bytes=N"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"standard input is not UTF-8: {error.reason}; expected a model as text"
        ) from error
    if not text.strip():
        raise UsageError(
            "standard input is empty; expected a model, as in: sdfbridge check - < robot.sdf"
        )
    kind = "sdf" if text.lstrip().startswith("<") else "directives"
    how = {"strict": options.strict, "lenient": options.lenient}
    return loaders.load_string(text, format=kind, quiet=True, **how, **search(options))


def input_file(options: Namespace) -> str:
    """Return the file of the command line; of a folder, its only model.

    Raises:
        UsageError: if the folder holds no model, or several.
    """
    files = list(expand([options.file], xacro=options.xacro))
    if len(files) != 1:
        named = ", ".join(files[:_MAX_NAMED]) + (" ..." if len(files) > _MAX_NAMED else "")
        raise UsageError(
            f"folder {options.file} holds {counted(len(files), 'model')}; name one of them: {named}"
        )
    return files[0]


def expand(words: Iterable[str], *, xacro: bool) -> Iterator[str]:
    """Yield the model files that the arguments of the command line name.

    A folder with ``model.config`` is one model; any other folder is replaced by every model below
    it, in alphabetical order. All other arguments are file names.

    Args:
        words: Files and folders.
        xacro: Whether xacro files are models.

    Raises:
        UsageError: if a folder holds no model.
    """
    for word in dict.fromkeys(words):
        if (
            word == STDIN or is_robot_name(word) or not os.path.isdir(word)
        ):  # not of a name that is too long
            yield word
            continue
        try:
            yield from models_below(Path(word), xacro=xacro)
        except InputError as error:
            raise UsageError(str(error)) from error


def git(*words: str, **environment: str) -> bytes:
    """Run git in this folder and return what it prints.

    Args:
        words: Its arguments.
        environment: Further variables of its environment.

    Raises:
        UsageError: if it is not installed, or fails.
    """
    try:
        done = subprocess.run(  # noqa: S603
            ["git", *words],  # noqa: S607
            env={**os.environ, **environment},
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise UsageError(f"cannot run git: {error.strerror}") from error
    if done.returncode:
        raise UsageError(f"git: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


@contextmanager
def from_git(source: str) -> Iterator[str]:
    """Give the path of a file in a state of git, ``REF:PATH`` as git writes it, beside all other
    files of that state; any other name is the path itself.

    Args:
        source: The name.

    Raises:
        CommandError: if the state lacks the path.
        UsageError: if git does not know the state, or it is of a folder.
    """
    ref, colon, path = source.partition(":")
    if not (ref and colon and path) or "//" in source or os.path.exists(source):
        yield source
        return
    git("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
    try:
        object_type = git("cat-file", "-t", "--", source).strip()
    except UsageError as error:
        raise CommandError(str(error), MISSING) from error
    if object_type != b"blob":
        raise UsageError(f"{source} is a {object_type.decode()}; expected a file")
    if path.startswith(("./", "../")):
        path = git("rev-parse", "--show-prefix").decode().rstrip("\n") + path
    top = git("rev-parse", "--show-toplevel").decode().rstrip("\n")
    with scratch_folder() as folder:
        index = {"GIT_INDEX_FILE": str(folder / "index")}
        git("-C", top, "read-tree", ref, **index)
        git("-C", top, "checkout-index", "--all", f"--prefix={folder}/files/", **index)
        yield os.path.normpath(folder / "files" / path)


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn the refusal of the operating system to write to a path into wrong usage.

    Args:
        path: The file or folder of the command line.

    Raises:
        UsageError: if it cannot be written.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (None, errno.ENOSPC) or isinstance(error, FileExistsError):
            raise
        raise UsageError(
            f"cannot write {path}: {error.strerror}; expected a place that can be written"
        ) from error

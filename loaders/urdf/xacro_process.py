"""The process in which xacro runs, with limits on its time and memory; `loaders.urdf.xacro` starts
it by its path.

The process and its parent exchange messages over the standard input and output: a line of JSON, and
as many bytes of data as its member ``size`` says. xacro reads no file by itself: the process asks
the parent for the contents, and for the folders of packages. It sends the result, or why there is
none, at last.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any, BinaryIO
from xml.dom import expatbuilder, minidom

NO_MEMORY = 77
"""Exit status of the process if it has too little memory."""
MAX_LOG = 100_000
"""Largest number of characters of the warnings of xacro that are sent."""
_MAX_MESSAGE = 10_000
_AMENT = "ament_index_python"
"""Package of ROS 2 that xacro uses to find packages."""


class PackageNotFoundError(LookupError):
    """A package of ``$(find package)`` is not found."""


class RefusedError(Exception):
    """The parent refuses a file, or the load has too many elements."""


def send(stream: BinaryIO, message: dict[str, Any], data: bytes = b"") -> None:
    """Send a message.

    Args:
        stream: The pipe.
        message: Its members.
        data: Its data.

    Raises:
        OSError: if nobody reads the pipe.
    """
    stream.write(json.dumps({**message, "size": len(data)}).encode() + b"\n" + data)
    stream.flush()


def missing_package(name: str) -> str:
    """Return the message about a package that is not found."""
    return f"cannot find package {name!r}"


class _Log(io.StringIO):
    """The output of xacro and of the expressions in the file, up to a limit."""

    def write(self, text: str) -> int:
        return super().write(text) if self.tell() + len(text) <= MAX_LOG else len(text)


class _File(io.BytesIO):
    """The contents of a file."""

    def __init__(self, path: str, data: bytes) -> None:
        super().__init__(data)
        self.path = path


class _Places:
    """The place of each element, as a file and a line; a copy of an element has the place of the
    element.
    """

    _KEY = "place"

    def __init__(self) -> None:
        self.failed: tuple[str, int] | None = None
        """The place of the element at which xacro failed."""
        self._current: Any = None

    def parse(self, stream: _File) -> Any:
        """Return the document of a file, in place of the function of minidom."""
        path, places = stream.path, self

        class _Builder(expatbuilder.ExpatBuilderNS):
            def start_element_handler(self, name: str, attributes: Any) -> None:
                super().start_element_handler(name, attributes)
                self.curNode.setUserData(
                    places._KEY, (path, self.getParser().CurrentLineNumber), places
                )

        return _Builder().parseFile(stream)

    def handle(
        self, _operation: int, key: str, place: tuple[str, int], _source: Any, copy: Any
    ) -> None:
        """Give the copy of an element its place; minidom calls this."""
        if copy is not None:
            copy.setUserData(key, place, self)

    def of(self, node: Any) -> tuple[str, int] | None:
        """Return the place of an element; None if xacro made it."""
        place: tuple[str, int] | None = node.getUserData(self._KEY)
        return place

    def watching(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of xacro whose first argument is an element that it is about to
        read.
        """

        def watched(node: Any, *arguments: Any) -> Any:
            self._current = node
            return function(node, *arguments)

        return watched

    def failing(self, evaluate: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of xacro that evaluates an element; the place of the innermost that
        fails is kept.
        """

        def failed(node: Any, *arguments: Any) -> Any:
            try:
                return evaluate(node, *arguments)
            except Exception:
                if self.failed is None:
                    is_child = self._current is not None and self._current.parentNode is node
                    self.failed = self.of(self._current if is_child else node)
                raise

        return failed

    def of_document(self, document: Any) -> dict[str, Any]:
        """Return the files, and the file's number and line of each element in the order of the
        document.

        An element that xacro made has the place of its parent.
        """
        files: dict[str, int] = {}
        found: list[tuple[int, int]] = []
        waiting = [(document.documentElement, ("", 0))]
        while waiting:
            node, outer = waiting.pop()
            place = self.of(node) or outer
            found.append((files.setdefault(place[0], len(files)), place[1]))
            children = [child for child in node.childNodes if child.nodeType == child.ELEMENT_NODE]
            waiting += [(child, place) for child in reversed(children)]
        return {"files": list(files), "places": found}


class _Parent:
    """The process that started this one."""

    def __init__(self) -> None:
        self._answers = sys.stdin.buffer
        self._questions = sys.stdout.buffer
        self._opened: dict[str, _File] = {}

    def receive(self) -> tuple[dict[str, Any], bytes]:
        line = self._answers.readline()
        if not line:
            os._exit(1)
        message = json.loads(line)
        return message, self._answers.read(message["size"])

    def send(self, kind: str, data: bytes = b"", **members: Any) -> None:
        send(self._questions, {"kind": kind, **members}, data)

    def ask(self, kind: str, name: str) -> tuple[dict[str, Any], bytes]:
        self.send(kind, name=name)
        answer, data = self.receive()
        if "refused" in answer:
            raise RefusedError(answer["refused"])
        return answer, data

    def open(self, name: str | os.PathLike[str], *_: object, **__: object) -> _File:
        """Return a file for reading, in place of the built-in function."""
        path = os.path.abspath(name)
        return self._opened.pop(path) if path in self._opened else self._file(path)

    def _file(self, path: str) -> _File:
        answer, data = self.ask("open", path)
        if "error" in answer:
            raise OSError(*answer["error"])
        return _File(answer.get("path", path), data)

    def find(self, name: str) -> str:
        """Return the folder of a package, in place of the function of ROS 2."""
        answer, _ = self.ask("find", name)
        if answer["folder"] is None:
            raise PackageNotFoundError(missing_package(name))
        return str(answer["folder"])

    def misses(self, name: str) -> bool:
        """Return whether a file does not exist; if it does, it is opened next."""
        try:
            path = os.path.abspath(name)
            self._opened[path] = self._file(path)
        except OSError as error:
            return isinstance(error, FileNotFoundError)
        return False


class _Arguments(dict[str, str]):
    """The arguments of the caller and of the file; one without a value is empty, and false as a
    condition.
    """

    def __init__(self, given: dict[str, str], xacro: Any) -> None:
        super().__init__(given)
        self.missing: list[str] = []
        self._is_true = xacro.get_boolean_value
        vars(xacro).update(get_boolean_value=self.is_true)

    def __missing__(self, name: str) -> str:
        self.missing += [name] if name not in self.missing else []
        return ""

    def is_true(self, value: Any, condition: Any) -> bool:
        """Return the value of a condition."""
        return bool(self._is_true("false" if value == "" and self.missing else value, condition))


class _MissingIncludes:
    """Includes whose package or file is missing, and calls of macros that no file defines, which
    are left out.
    """

    def __init__(self, xacro: Any, parent: _Parent, places: _Places) -> None:
        self.reasons: list[str] = []
        self.macros: list[tuple[str, tuple[str, int] | None]] = []
        self._places = places
        self._xacro = xacro
        self._parent = parent
        self._is_optional = False
        self._process, self._files, self._call = (
            xacro.process_include,
            xacro.get_include_files,
            xacro.handle_macro_call,
        )
        vars(xacro).update(
            process_include=self.process, get_include_files=self.files, handle_macro_call=self.call
        )

    def process(self, element: Any, *arguments: Any) -> None:
        """Expand an include."""
        self._is_optional = element.getAttribute("optional").lower() in ("true", "1")
        self._process(element, *arguments)

    def files(self, *arguments: Any) -> Iterator[str]:
        """Yield the files of an include, except those that are missing."""
        try:
            names = list(self._files(*arguments))
        except self._xacro.XacroException as error:
            if not isinstance(error.exc, PackageNotFoundError):
                raise
            self._add(str(error.exc))
            return
        for name in names:
            if self._is_optional or not self._parent.misses(name):
                yield name
            else:
                self._add(f"cannot find {name}")

    def call(self, node: Any, *arguments: Any) -> bool:
        """Expand a call of a macro, or leave it out."""
        try:
            return bool(self._call(node, *arguments))
        except self._xacro.XacroException as error:
            if str(error).strip() != f"unknown macro name: {node.tagName}":
                raise
        self.macros.append((node.tagName, self._places.of(node)))
        self._xacro.replace_node(node, by=None)
        return True

    def _add(self, reason: str) -> None:
        self.reasons += [reason] if reason not in self.reasons else []


def _limit(seconds: int, memory: int) -> None:
    """Limit the processor time and the memory of this process, where the system can."""
    with suppress(ImportError):
        import resource

        limits = {
            resource.RLIMIT_CORE: (0, 0),
            resource.RLIMIT_CPU: (seconds, seconds + 1),
            resource.RLIMIT_AS: (memory, memory),
        }
        for kind, (soft, hard) in limits.items():
            highest = resource.getrlimit(kind)[1]
            most = hard if highest == resource.RLIM_INFINITY else min(hard, highest)
            with suppress(OSError, ValueError):
                resource.setrlimit(kind, (min(soft, most), most))


class _Count:
    """The number of elements that xacro has evaluated."""

    def __init__(self, limit: int) -> None:
        self.elements = 0
        self._limit = limit

    def counting(self, evaluate: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of xacro that evaluates a node, with the node and its children counted
        as elements.
        """

        def counted(node: Any, *arguments: Any) -> Any:
            self.elements += 1 + len(node.childNodes)
            if self.elements > self._limit:
                raise RefusedError("too many elements")
            return evaluate(node, *arguments)

        return counted


def _xacro(parent: _Parent, count: _Count, places: _Places) -> Any:
    """Return the module xacro, which reads files through the parent and keeps the places of
    elements.
    """
    index, packages = ModuleType(_AMENT), ModuleType(f"{_AMENT}.packages")
    vars(packages)["get_package_share_directory"] = parent.find
    vars(index)["packages"] = packages
    sys.modules.update({_AMENT: index, f"{_AMENT}.packages": packages})
    import xacro

    vars(minidom).update(parse=places.parse)
    evaluate = places.failing(count.counting(xacro.eval_all))
    read = {
        name: places.watching(vars(xacro)[name])
        for name in ("check_attrs", "reqd_attrs", "handle_macro_call")
    }
    vars(xacro).update(open=parent.open, eval_all=evaluate, print_location=lambda: None, **read)
    return xacro


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and those that it wraps; xacro has an attribute for them."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = getattr(error, "exc", None) or error.__cause__ or error.__context__


def main() -> None:
    """Expand the file that the parent names."""
    parent, log = _Parent(), _Log()
    sys.stdout = sys.stderr = log
    request, _ = parent.receive()
    _limit(request["seconds"], request["memory"])
    sys.path[:] = request["modules"]
    count, places, missing, arguments = _Count(request["elements"]), _Places(), None, None
    try:
        xacro = _xacro(parent, count, places)
        missing, arguments = (
            _MissingIncludes(xacro, parent, places),
            _Arguments(request["arguments"], xacro),
        )
        document = xacro.process_file(request["path"], mappings=arguments)
        data, members = (
            document.toxml().encode(errors="surrogatepass"),
            _members(count, log, missing, arguments),
        )
        lines = json.dumps(places.of_document(document)).encode()
        parent.send("expanded", data + lines, document=len(data), **members)
    except Exception as error:  # noqa: BLE001  (xacro and expressions may raise anything)
        if any(isinstance(cause, MemoryError) for cause in _causes(error)):
            os._exit(NO_MEMORY)
        message, found = str(error)[:_MAX_MESSAGE], type(error).__name__
        package = next(
            (str(cause) for cause in _causes(error) if isinstance(cause, PackageNotFoundError)), ""
        )
        members = {
            "package": package,
            "place": places.failed,
            **_members(count, log, missing, arguments),
        }
        parent.send("failed", type=found, message=message, **members)


def _members(
    count: _Count, log: _Log, missing: _MissingIncludes | None, arguments: _Arguments | None
) -> dict[str, Any]:
    """Return the members of both kinds of last messages."""
    reasons, macros = (missing.reasons, missing.macros) if missing is not None else ([], [])
    members = {
        "elements": count.elements,
        "log": log.getvalue(),
        "missing": reasons,
        "macros": macros,
    }
    return members | {"arguments": arguments.missing if arguments is not None else []}


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        os._exit(NO_MEMORY)
    except BaseException:  # noqa: BLE001  (the parent reports the exit status)
        os._exit(1)

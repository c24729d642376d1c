"""Exchange of two folders in one step of the file system.

Linux has ``renameat2`` with ``RENAME_EXCHANGE`` and macOS ``renamex_np`` with ``RENAME_SWAP``: after any interruption
one folder or the other is in its place, whole. Python offers neither, so both are called through the C library.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


class ExchangeUnsupportedError(OSError):
    """The operating system or the file system cannot exchange two folders in one step."""


@cache
def _library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(None, use_errno=True)
    except (OSError, TypeError):  # Windows
        return None


def exchange(a: Path, b: Path) -> None:
    """Exchange two existing folders on one file system, in one step.

    Args:
        a: The first folder.
        b: The second folder.

    Raises:
        ExchangeUnsupportedError: if the system cannot do it.
        OSError: if the system refuses, for example for want of permission.
    """
    library = _library()
    first, second = os.fsencode(a), os.fsencode(b)
    if sys.platform.startswith("linux") and hasattr(library, "renameat2"):
        status = library.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE)  # type: ignore[union-attr]
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        status = library.renamex_np(first, second, _RENAME_SWAP)  # type: ignore[union-attr]
    else:
        raise ExchangeUnsupportedError(errno.ENOSYS, "folders cannot be exchanged in one step on this system", str(a))
    if status != 0:
        code = ctypes.get_errno()
        kind = ExchangeUnsupportedError if code in _UNSUPPORTED else OSError
        raise kind(code, os.strerror(code), str(b))

"""Run a Python file or the command in a process that lacks what Windows lacks.

python -m tests.support.without_posix sdfbridge WORD...
python -m tests.support.without_posix FILE

Source: the notes on availability in the documentation of the modules os and signal.
"""

from __future__ import annotations

import importlib
import os
import runpy
import shutil
import signal
import sys
import tempfile
from typing import Any

MODULES = ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty")
OS_NAMES = (
    "chown", "ctermid", "fchmod", "fchown", "fdatasync", "fork", "forkpty", "fpathconf", "fstatvfs",
    "getegid", "geteuid", "getgid", "getgroups", "getloadavg", "getpgid", "getpgrp", "getpriority",
    "getresuid", "getsid", "getuid", "killpg", "lchown", "lockf", "makedev", "memfd_create",
    "mkfifo", "mknod", "nice", "openpty", "pathconf", "pipe2", "posix_fadvise", "posix_fallocate",
    "posix_spawn", "pread", "preadv", "pwrite", "pwritev", "readv", "register_at_fork",
    "sched_getaffinity", "sched_setaffinity", "sched_yield", "sendfile", "setpgid", "setpriority",
    "setegid", "seteuid", "setsid", "setuid", "splice", "statvfs", "sync", "sysconf", "tcgetpgrp", "ttyname", "uname",
    "wait", "wait3", "wait4", "waitid", "writev",
    "O_ACCMODE", "O_ASYNC", "O_CLOEXEC", "O_DIRECT", "O_DIRECTORY", "O_DSYNC", "O_NOATIME",
    "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH", "O_RSYNC", "O_SYNC", "O_TMPFILE",
)  # fmt: skip
"""Names of `os` that Windows lacks."""
SIGNAL_NAMES = (
    "SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP",
    "SIGTSTP", "SIGUSR1", "SIGUSR2", "alarm", "getitimer", "pause", "pthread_kill",
    "pthread_sigmask", "setitimer", "sigpending", "sigwait",
)  # fmt: skip
"""Names of `signal` that Windows lacks."""


FOREIGN = (
    "collada", "mujoco", "multiprocessing.connection", "numpy", "PIL.Image", "pybullet", "subprocess",
    "tempfile", "trimesh",
)  # fmt: skip
"""Packages whose builds for this system need what Windows lacks while they are imported."""


def remove() -> None:
    """Take away what Windows lacks; folders cannot be opened, and a rename replaces nothing."""
    for module in FOREIGN:
        importlib.import_module(module)
    for module in MODULES:
        sys.modules[module] = None  # type: ignore[assignment]
    for home, names in ((os, OS_NAMES), (signal, SIGNAL_NAMES)):
        for name in names:
            vars(home).pop(name, None)
    real_open, real_rename = os.open, os.rename

    def open_file(path: Any, flags: int, mode: int = 0o777) -> int:
        if os.path.isdir(path):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return real_open(path, flags, mode)

    def link(source: Any, target: Any, *, follow_symlinks: bool = True) -> None:
        raise NotImplementedError("link: follow_symlinks unavailable on this platform")

    def rename(source: Any, target: Any) -> None:
        if os.path.lexists(target):
            raise FileExistsError(17, "File exists", os.fspath(target))
        real_rename(source, target)

    os.open, os.rename, os.link = open_file, rename, link  # type: ignore[assignment]
    vars(shutil)["_use_fd_functions"] = False
    vars(tempfile)["_O_TMPFILE_WORKS"] = False
    os.supports_dir_fd.clear()
    os.supports_follow_symlinks.clear()
    os.supports_follow_symlinks.add(os.stat)
    capture = importlib.import_module("bridge.stdout_capture")
    vars(capture)["_pointers"] = tuple  # Windows' C library has no variables for its streams


def main(words: list[str]) -> None:
    """Run the command or file without what Windows lacks."""
    remove()
    sys.argv = words
    if words[0] == "sdfbridge":
        from sdfbridge.__main__ import main as command

        sys.exit(command())
    runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Output: whole or not at all, and never at the cost of a file that sdfbridge did not write."""

from bridge.output.folder import (
    FolderInUseError,
    Journal,
    exclusive_use,
    line_at,
    remove_aside,
    set_aside,
    whole_lines,
)

from .file import PACKAGE_XML, SEAL, Form, check_file, write_document, write_file, write_sealed
from .folder import MANIFEST, OutputFolderError, check_folder, write_folder
from .scratch import (
    create_scratch_file,
    die_with_parent,
    remove_unused,
    scratch_folder,
    scratch_path,
    scratch_place,
)

__all__ = [
    "MANIFEST", "PACKAGE_XML", "SEAL", "FolderInUseError", "Form", "Journal", "OutputFolderError",
    "check_file", "check_folder", "create_scratch_file", "die_with_parent", "exclusive_use",
    "line_at", "remove_aside", "remove_unused", "scratch_folder", "scratch_path", "scratch_place",
    "set_aside", "whole_lines", "write_document", "write_file", "write_folder", "write_sealed",
]  # fmt: skip

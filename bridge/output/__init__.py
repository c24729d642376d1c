"""Output: whole or not at all, and never at the cost of a file that sdfbridge did not write."""

from .manifest import MANIFEST
from .output_file import write_file
from .output_folder import OutputFolderError, write_folder

__all__ = ["MANIFEST", "OutputFolderError", "write_file", "write_folder"]

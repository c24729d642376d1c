"""Output folders: whole or not at all, and never at the cost of a file that sdfbridge did not write."""

from .output_folder import OutputFolderError, write_folder

__all__ = ["OutputFolderError", "write_folder"]

"""Codes about input files, the files that a model names, and `rd://` sources."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "file.archive": CodeInfo(
        "An archive of MJCF is damaged, has no main model, or has a member that is not read.",
        "Unpack the archive, or write it again with plain files and the model as `model.xml`.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "file.compressed": CodeInfo(
        "The file is compressed with gzip, or is a ZIP archive in place of a model.",
        "Unpack the file first.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "file.include-cycle": CodeInfo(
        "A file includes itself, directly or through other files.",
        "Remove one of the includes that the message lists.",
        (Fate.INVALID,),
    ),
    "file.limit": CodeInfo(
        "The load, with all files together, exceeds the limit that the message names.",
        "Check that the file is not hostile; raise the limit with `limits=Limits(...)` if you trust it.",
        (Fate.INVALID,),
    ),
    "file.not-regular": CodeInfo(
        "A file is a named pipe, a socket or a device.", "Replace it by a regular file.", (Fate.INVALID, Fate.SKIPPED)
    ),
    "file.reader": CodeInfo(
        "The reader of another package, registered for the root element, cannot be imported or fails.",
        "Report this to the authors of the package.",
        (Fate.INVALID,),
    ),
    "file.too-large": CodeInfo(
        "The file has more bytes, more elements or deeper nesting than the reader allows.",
        "Split the file into several that include each other.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "file.unknown-format": CodeInfo(
        "The root element belongs to no known format.",
        "Check that the file is SDFormat, URDF, a Drake directives file or another supported format.",
        (Fate.INVALID,),
    ),
    "file.unlisted": CodeInfo(
        "There are more diagnostics than the limit; the rest is counted.",
        "Correct the problems that are listed, or raise the limit with `limits=Limits(diagnostics=...)`.",
        (Fate.NOTED,),
    ),
    "file.unreadable": CodeInfo(
        "The file does not exist or cannot be read.",
        "Check the path and the permissions of the file.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
    "rd.not-found": CodeInfo(
        "The robot is not in the cache of the package robot_descriptions, or the package is not installed.",
        "Install robot_descriptions and run `robot_descriptions pull` with the name of the robot.",
        (Fate.INVALID,),
    ),
    "resource.not-found": CodeInfo(
        "The file that a URI names was not found in any of the places that the message lists.",
        "Name the folder in `paths` or the package in `package_map`.",
        (Fate.DROPPED,),
    ),
    "resource.outside": CodeInfo(
        "A URI leads to a file outside the folders that the model may read.",
        "Name its folder in `paths`, or pass `unsafe_paths=True` if you trust the file.",
        (Fate.INVALID, Fate.SKIPPED),
    ),
}

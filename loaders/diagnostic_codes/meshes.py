"""Codes of the readers of mesh files."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "mesh.embedded-texture": CodeInfo(
        "A texture inside the mesh file is left out.",
        "Store the texture as a file beside the mesh.",
        (Fate.NOTED,),
    ),
    "mesh.implausible-size": CodeInfo(
        "The size of a mesh differs by a factor of more than 100 from the joint offsets of its model.",
        "Check the unit of the mesh and set its scale, for example 0.001 for millimeters.",
        (Fate.ASSUMED,),
    ),
    "mesh.incomplete": CodeInfo(
        "Parts of a COLLADA file are broken and are left out.",
        "Export the mesh again, or repair the file.",
        (Fate.DROPPED, Fate.NOTED),
    ),
    "mesh.mended": CodeInfo(
        "A COLLADA file is not well-formed, for example `<` in a value, and was mended before reading.",
        "Correct the file.",
        (Fate.ASSUMED,),
    ),
    "mesh.missing-texture": CodeInfo(
        "A texture that the mesh names is not in a folder near the mesh.",
        "Copy the texture to the folder of the mesh.",
        (Fate.NOTED,),
    ),
    "mesh.outside": CodeInfo(
        "A mesh names a material library outside the folders in which its files may lie; it is not opened.",
        "Copy the material library to the folder of the mesh.",
        (Fate.NOTED,),
    ),
    "mesh.unreadable": CodeInfo(
        "The mesh file cannot be read, so the shape is left out.",
        "Export the mesh again, in OBJ, STL, COLLADA or glTF.",
        (Fate.DROPPED,),
    ),
    "mesh.up-axis": CodeInfo(
        "A COLLADA file declares another axis than Z as up; the message states whether the mesh was rotated.",
        "Export the mesh with Z up and with a unit.",
        (Fate.ASSUMED,),
    ),
}

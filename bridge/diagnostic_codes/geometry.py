"""Codes about shapes and textures that are prepared for a target."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "mesh.cone": CodeInfo("A cone is exported as a mesh with 64 sides.", "", (Fate.APPROXIMATED,)),
    "mesh.convex-hull": CodeInfo(
        "A mesh that is not convex collides as its convex hull.",
        'Use `collision_meshes="decompose"`, or build the shape from convex parts.',
        (Fate.APPROXIMATED,),
    ),
    "mesh.convex-parts": CodeInfo(
        "A mesh that is not convex collides as several convex parts.",
        "Raise the number of convex parts if the error in the message is too large.",
        (Fate.APPROXIMATED,),
    ),
    "mesh.decomposition": CodeInfo(
        "A mesh could not be decomposed into convex parts and collides as its convex hull.",
        "Read the reason in the message, or build the shape from convex parts yourself.",
        (Fate.APPROXIMATED,),
    ),
    "mesh.degenerate": CodeInfo(
        "A cone or an outline of a polyline has no volume, or is too large or too intricate; it is left out.",
        "Correct its dimensions or points.",
        (Fate.DROPPED,),
    ),
    "mesh.flat": CodeInfo(
        "A flat mesh is given a small thickness so that it can collide.", "Use a box instead.", (Fate.APPROXIMATED,)
    ),
    "mesh.missing": CodeInfo(
        "The mesh file was not found, so the shape is left out.",
        "Name its folder in `paths` or its package in `package_map`.",
        (Fate.DROPPED,),
    ),
    "mesh.no-coacd": CodeInfo(
        "Meshes are to be decomposed into convex parts, but the package coacd is not installed.",
        'Run `pip install "sdfbridge[convex]"`.',
        (Fate.INVALID,),
    ),
    "mesh.polyline": CodeInfo(
        "An extruded polyline becomes a mesh, which collides as its convex hull.",
        "Split the outline into convex shapes.",
        (Fate.APPROXIMATED,),
    ),
    "mesh.polyline-not-simple": CodeInfo(
        "An outline of an extruded polyline intersects itself or is too intricate, so its mesh does not have its area.",
        "Correct the order of the points.",
        (Fate.APPROXIMATED,),
    ),
    "texture.format": CodeInfo(
        "The image is not a PNG file and could not be converted, so the texture is left out.",
        "Convert the image to PNG.",
        (Fate.NOTED,),
    ),
    "texture.unreadable": CodeInfo(
        "The image file of a texture cannot be read, so the texture is left out.",
        "Check the path and the permissions of the image.",
        (Fate.NOTED,),
    ),
}

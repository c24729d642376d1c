"""Shapes, each in its own frame G, centred on the origin unless stated otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A box; ``size`` holds the full edge lengths [m]."""

    size: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sphere:
    """A sphere of ``radius`` [m]."""

    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cylinder:
    """A cylinder along z, ``radius`` and ``length`` [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule:
    """A capsule along z; ``length`` [m] is that of the cylindrical part."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cone:
    """A cone along z, apex up, the origin half way up, ``radius`` and ``length`` [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ellipsoid:
    """An ellipsoid with semi-axes ``radii`` [m]."""

    radii: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """The half space below the plane through the origin with this unit ``normal``; ``size`` [m] is for drawing."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """A mesh file, or one of its parts."""

    uri: str
    """As written in the source."""
    path: str | None
    """The file that the URI names, or None if it was not found."""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    submesh: str | None = None
    center: bool = False
    """Whether the submesh is moved to the origin."""
    convex: bool = False
    """Whether the source declares the shape to be its convex hull."""
    decomposition: str | None = None
    """The simplification asked for, as in SDFormat's ``mesh/@optimization``."""
    max_convex_hulls: int = 16
    """Largest number of parts of a convex decomposition."""
    voxel_resolution: int = 200000
    """Number of voxels of a convex decomposition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heightmap:
    """Terrain from an image; ``size`` [m] is its full extent, ``position`` [m] its offset."""

    uri: str
    path: str | None
    size: tuple[float, float, float] = (1.0, 1.0, 1.0)
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    sampling: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Polyline:
    """Closed outlines in the xy plane [m], raised from z = 0 to ``height`` [m]."""

    outlines: tuple[tuple[tuple[float, float], ...], ...]
    height: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty:
    """No shape: it touches nothing and shows nothing."""


Geometry = Box | Sphere | Cylinder | Capsule | Cone | Ellipsoid | Plane | Mesh | Heightmap | Polyline | Empty

"""Shapes, each in its own frame G, centered at the origin unless stated otherwise."""

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
    """A cylinder along z with ``radius`` and ``length`` [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule:
    """A capsule along z with ``radius`` [m]; ``length`` [m] is the length of its cylindrical part."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cone:
    """A cone along z, apex up, with ``radius`` and ``length`` [m]; the origin is at half its height."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ellipsoid:
    """An ellipsoid with semi-axes ``radii`` [m]."""

    radii: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """The half space below a plane through the origin with a unit ``normal``; only drawings use ``size`` [m]."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """A mesh file, or a part of one."""

    uri: str
    """URI as the source has it."""
    path: str | None
    """File that the URI refers to, or None if it was not found."""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Scale factor in x, y and z."""
    submesh: str | None = None
    """Name of the part of the file that is used; None is the whole file."""
    center: bool = False
    """Whether the center of the submesh is moved to the origin."""
    convex: bool = False
    """Whether the source declares that the shape is the convex hull of the mesh."""
    decomposition: str | None = None
    """Requested simplification, a value of ``mesh/@optimization`` in SDFormat."""
    max_convex_hulls: int = 16
    """Maximum number of parts of a convex decomposition."""
    voxel_resolution: int = 200000
    """Number of voxels of a convex decomposition."""
    reference: Mesh | None = None
    """Mesh of the same shape at the same pose, which tells whether the up axis that a COLLADA file states is applied;
    without one, the name of its exporter decides."""
    data: bytes | None = None
    """Content of an OBJ file, if the source has the mesh in itself; then it counts instead of ``path``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heightmap:
    """Terrain from an image."""

    uri: str
    """URI as the source has it."""
    path: str | None
    """File that the URI refers to, or None if it was not found."""
    size: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Full extent in x, y and z [m]."""
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Offset [m]."""
    sampling: int = 1
    """Number of samples per pixel."""
    data: bytes | None = None
    """Content of a PNG file, if the source has the heights in itself; then it counts instead of ``path``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Polyline:
    """Closed outlines in the xy plane [m], extruded from z = 0 to ``height`` [m]."""

    outlines: tuple[tuple[tuple[float, float], ...], ...]
    height: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty:
    """No shape: it neither collides nor is visible."""


Geometry = Box | Sphere | Cylinder | Capsule | Cone | Ellipsoid | Plane | Mesh | Heightmap | Polyline | Empty

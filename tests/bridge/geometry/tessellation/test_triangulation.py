"""Triangles fill polygons. The shoelace formula, and cutting ears by trying every corner, are the
witnesses.
"""

from __future__ import annotations

import math
import random

import pytest

from bridge.geometry import shapes
from bridge.geometry.shapes import triangulate, twice_area

Outline = tuple[tuple[float, float], ...]


def circle(n: int, spikes: float = 0.0) -> Outline:
    radii = (1.0 + spikes * (i % 2) for i in range(n))
    return tuple(
        (r * math.cos(math.tau * i / n), r * math.sin(math.tau * i / n))
        for i, r in enumerate(radii)
    )


def comb(n: int) -> Outline:
    teeth = [(float(i), 10.0 * (i % 2)) for i in reversed(range(n - 2))]
    return (*teeth, (-1.0, -1.0), (float(n), -1.0))


def spiral(n: int) -> Outline:
    """A thin band around the origin, two turns."""
    arm = [(math.tau * 2 * i / (n // 2), 1.0 + 3.0 * i / (n // 2)) for i in range(n // 2)]
    sides = [
        (angle, radius + width)
        for width, side in ((0.3, arm), (0.0, arm[::-1]))
        for angle, radius in side
    ]
    return tuple((r * math.cos(a), r * math.sin(a)) for a, r in sides)


def area(outline: Outline) -> float:
    return 0.5 * sum(
        x * v - u * y for (x, y), (u, v) in zip(outline, outline[1:] + outline[:1], strict=True)
    )


def is_ear(outline: Outline, rest: list[int], k: int) -> bool:
    a, b, c = (outline[rest[i % len(rest)]] for i in (k - 1, k, k + 1))
    others = (outline[i] for i in rest if outline[i] not in (a, b, c))
    inside = any(
        min(twice_area(a, b, p), twice_area(b, c, p), twice_area(c, a, p)) >= 0.0 for p in others
    )
    return twice_area(a, b, c) > 0.0 and not inside


def by_trying_every_corner(outline: Outline) -> list[tuple[int, int, int]]:
    rest, triangles = list(range(len(outline))), []
    while len(rest) > 3:
        k = next((k for k in range(len(rest)) if is_ear(outline, rest, k)), 0)
        triangles.append((rest[k - 1], rest[k], rest[(k + 1) % len(rest)]))
        del rest[k]
    return [*triangles, (rest[0], rest[1], rest[2])]


@pytest.mark.parametrize("outline", [circle(600), circle(600, 1.0), comb(600), spiral(600)])
def test_triangles_fill_a_simple_polygon(outline: Outline) -> None:
    triangles, is_filled = triangulate(outline)
    assert is_filled
    areas = [twice_area(*(outline[i] for i in triangle)) / 2.0 for triangle in triangles]
    assert min(areas) >= 0.0
    assert sum(areas) == pytest.approx(area(outline))
    assert len(triangles) == len(outline) - 2


def test_the_ear_of_the_smallest_index_is_cut_each_time() -> None:
    chance = random.Random(3)
    for _ in range(300):
        grid = chance.choice((3, 6, 50))
        corners = [
            (float(chance.randint(0, grid)), float(chance.randint(0, grid)))
            for _ in range(chance.randint(3, 15))
        ]
        if chance.random() < 0.5:
            corners.sort(key=lambda p: math.atan2(p[1] - grid / 2, p[0] - grid / 2))
        outline = tuple(corners)
        assert triangulate(outline)[0] == by_trying_every_corner(outline)


@pytest.mark.parametrize("make", [circle, comb, spiral])
def test_the_number_of_examinations_is_linear(monkeypatch: pytest.MonkeyPatch, make) -> None:
    def examinations(n: int) -> int:
        calls = []
        inside = shapes._is_inside
        monkeypatch.setattr(shapes, "_is_inside", lambda *args: calls.append(1) or inside(*args))
        triangulate(make(n))
        monkeypatch.undo()
        return len(calls)

    assert examinations(1600) < 4.8 * examinations(400)


def test_a_polygon_that_cannot_be_triangulated_is_reported() -> None:
    chance = random.Random(0)
    outline = tuple((chance.random(), chance.random()) for _ in range(1000))
    triangles, is_filled = triangulate(outline)
    assert len(triangles) == 998
    assert not is_filled

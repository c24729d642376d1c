"""The gray levels of height maps are those of the picture, of 8 or 16 bits."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from loaders.pictures.decoding import PictureError
from loaders.pictures.gray_levels import gray_levels


@pytest.mark.parametrize(("kind", "top"), [(np.uint8, 255), (np.uint16, 65535)])
def test_levels_of_8_and_of_16_bits_are_kept(kind: type, top: int, tmp_path: Path) -> None:
    levels = np.array([[0, 1, 77], [top - 1, top, 12]], dtype=kind)
    Image.fromarray(levels).save(tmp_path / "hill.png")
    gray = gray_levels(str(tmp_path / "hill.png"))
    assert gray.max_level == top
    np.testing.assert_array_equal(gray.levels, levels)
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(gray.png()))), levels)


def test_a_color_picture_counts_by_its_luminance(tmp_path: Path) -> None:
    Image.new("RGB", (2, 2), (90, 90, 90)).save(tmp_path / "hill.png")
    assert gray_levels(str(tmp_path / "hill.png")).levels.tolist() == [[90, 90], [90, 90]]


def test_a_picture_that_was_not_found_is_an_error() -> None:
    with pytest.raises(PictureError, match="not found"):
        gray_levels(None)

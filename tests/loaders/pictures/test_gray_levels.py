"""The gray levels of height maps are those of the picture, of 8 or 16 bits."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from loaders.files.images import PictureError, gray_levels, red_levels


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


@pytest.mark.parametrize("mode", ["L", "LA", "1", "RGB", "RGBA", "P", "I;16"])
def test_the_levels_that_mujoco_reads(mode: str, tmp_path: Path) -> None:
    """MuJoCo takes the red channel, and of 16 bits the upper 8; its first row is the last one of
    the picture.
    """
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(1)
    colors = Image.fromarray(rng.integers(0, 256, (4, 5, 4)).astype(np.uint8), "RGBA")
    deep = Image.fromarray(rng.integers(0, 65536, (4, 5)).astype(np.uint16))
    picture = (
        deep
        if mode == "I;16"
        else colors
        if mode == "RGBA"
        else colors.convert("RGB").convert(mode)
    )
    picture.save(tmp_path / "hill.png")
    levels, is_whole = red_levels(str(tmp_path / "hill.png"))
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>'
        '<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>',
        {"h.png": (tmp_path / "hill.png").read_bytes()},
    )
    rows = levels.levels[::-1] - levels.levels.min()
    np.testing.assert_allclose(model.hfield_data, (rows / rows.max()).ravel(), atol=1e-6)
    assert is_whole == (mode in {"L", "LA", "1"})


def test_red_levels_of_a_picture_that_was_not_found_are_an_error() -> None:
    with pytest.raises(PictureError, match="not found"):
        red_levels(None)

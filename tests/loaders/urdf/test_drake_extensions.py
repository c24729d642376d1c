"""Drake's frames of a URDF, compared with Drake."""

from __future__ import annotations

import numpy as np

from loaders.model import by_name
from tests.support.drake_files import (
    URDF_FRAMES,
    load,
    urdf,
)
from tests.support.drake_oracle import DrakePlant


def test_frames_of_a_urdf_are_those_of_drake():
    source = urdf(URDF_FRAMES)
    frame = by_name(load(source).frames)["p"]
    theirs = DrakePlant(*source).plant.GetFrameByName("p").GetFixedPoseInBodyFrame()
    np.testing.assert_allclose(frame.X_LF.R, theirs.rotation().matrix(), atol=1e-12)
    np.testing.assert_allclose(frame.X_LF.p, theirs.translation(), atol=1e-12)

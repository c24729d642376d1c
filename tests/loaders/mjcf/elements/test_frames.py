"""Sites."""

from __future__ import annotations

from tests.support.mjcf_documents import BALL, read


def test_a_site_is_a_frame() -> None:
    (frame,) = read(
        f'<body name="a">{BALL}<site name="s" pos="1 2 3" zaxis="1 0 0"/></body>'
    ).frames
    assert (frame.name, frame.link, frame.X_LF.p.tolist()) == ("s", "a", [1.0, 2.0, 3.0])
    assert abs(frame.X_LF.R[:, 2] - [1.0, 0.0, 0.0]).max() < 1e-15

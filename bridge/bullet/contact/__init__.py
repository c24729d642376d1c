"""Contact coefficients and the filtering of collision pairs in PyBullet."""

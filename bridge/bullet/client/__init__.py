"""The PyBullet physics server: connections, flags, and the output of its C++ code."""

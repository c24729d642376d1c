"""The physics server: connections, flags, defaults to clear, and what its C++ code prints."""

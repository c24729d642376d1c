"""Image files: decoding within limits, and the gray levels of height maps."""

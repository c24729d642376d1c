"""The upgrade of older SDFormat versions to 1.12."""

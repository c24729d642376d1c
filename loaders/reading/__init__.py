"""Bookkeeping of what a load reads, deferred imports, and fast making of objects: what every reader uses."""

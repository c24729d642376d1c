"""Bookkeeping of what a load reads."""

"""Fuzzing of everything that reads a file or writes a folder; `python -m benchmarks.fuzz
--help`.
"""

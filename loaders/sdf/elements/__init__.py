"""Readers of the SDFormat elements, one module for each kind of element."""

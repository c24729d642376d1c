"""Hostile inputs: files that once hung, crashed or leaked, or could. Each states what must become
of it.
"""

"""Statements of a compiled MuJoCo model beside its mechanics, by the names that a scene has for its
elements.
"""

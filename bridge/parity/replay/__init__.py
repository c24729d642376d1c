"""Replay: the motion of a log in every engine, its errors, and the changes of the model that
explain them.
"""

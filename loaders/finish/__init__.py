"""Operations on a scene that every reader shares: placement, merging, validation, mass
properties.
"""

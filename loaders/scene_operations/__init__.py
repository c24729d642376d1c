"""Operations on a scene that every reader shares: placing, merging, checks, mass properties."""

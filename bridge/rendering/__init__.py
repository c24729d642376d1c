"""Off-screen rendering and the camera that all pictures share."""

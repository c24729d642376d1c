"""The running simulation: state, dynamics queries, efforts, passive forces and constraints of PyBullet bodies."""

"""The engine that runs models in MJX, MuJoCo in JAX."""

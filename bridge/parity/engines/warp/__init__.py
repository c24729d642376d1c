"""The engine that runs models in MuJoCo Warp."""

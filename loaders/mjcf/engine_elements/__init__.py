"""Elements that only MuJoCo has: sensors and soft bodies, and those that a scene leaves out."""

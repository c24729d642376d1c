"""Elements that only MuJoCo has: sensors and soft bodies."""

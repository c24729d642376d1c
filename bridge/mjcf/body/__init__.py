"""The MJCF elements of bodies: joints, inertia, sites, lights, sensors and the keyframe."""

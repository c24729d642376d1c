"""The MJCF elements that constrain or drive joints: equalities, tendons, actuators, passive forces."""

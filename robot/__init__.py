"""The arm, knowing no game: frames, ports, limits, kinematics and motion."""

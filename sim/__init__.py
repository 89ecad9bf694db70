"""The simulated world: a tower that behaves like wood, an arm, a finger and cameras."""

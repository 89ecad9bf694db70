"""Whole matches without an arm: a tower of true blocks, players who see and feel it with errors, and what follows."""

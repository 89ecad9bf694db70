"""The game and what to do next: rules, tower, probing, extraction, the turn."""

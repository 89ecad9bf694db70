"""Pictures in, an observation of the tower out."""

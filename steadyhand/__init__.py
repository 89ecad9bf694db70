"""The application: what a person runs."""

"""Wires and devices: real arms, force sensors and cameras."""

"""Measurements that a README or a document quotes; `make bench` runs them all."""

from steadyhand.opengl import choose_backend

choose_backend()  # before MuJoCo loads, which it does with most of these modules

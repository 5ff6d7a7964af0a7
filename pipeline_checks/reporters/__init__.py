"""Reporters: a report in, text out; `formats` lists them."""

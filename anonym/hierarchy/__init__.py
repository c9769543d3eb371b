"""Generalisation hierarchies and the coding of a table into cells."""

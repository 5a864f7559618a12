"""Figures of what changes over time."""

"""Agents that were trained, and the format of their files."""

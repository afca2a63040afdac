"""Agents that play Piquet, and the arena and statistics that compare them."""

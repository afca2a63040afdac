"""The game itself: laws, kernel, notation. Needs NumPy and numba alone, and knows nothing of who uses it."""

"""Evaluation: what a match is called, where its pairs are kept, when it stops, and how its figures are shown."""

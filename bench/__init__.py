"""Speeds: `python -m bench` measures the kernel, the batch and the environments beside their neighbours in one run."""

"""The versioned entry point: `piquet_v0.env`, `piquet_v0.raw_env`. The page of the environment is piquet_env/aec.py."""

from .aec import env, raw_env

__all__ = ["env", "raw_env"]

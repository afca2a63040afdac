"""Piquet for reinforcement learning: the game whole and exact, as environments, on one compiled kernel."""

from importlib.metadata import version
from typing import Any

import gymnasium

from . import piquet_v0
from .batch import PiquetBatch
from .game import Game, LogEntry, Result
from .observation import decode
from .piquet_v0 import env, raw_env
from .rules.errors import IllegalActionError, NotationError
from .rules.variants import Rules

__version__ = version("piquet-env")

__all__ = [
    "Game",
    "IllegalActionError",
    "LogEntry",
    "NotationError",
    "PiquetBatch",
    "Result",
    "Rules",
    "__version__",
    "decode",
    "env",
    "piquet_v0",
    "raw_env",
]


def _register() -> None:
    """Enter the environments in the registries of the installed libraries, once."""
    if "Piquet-v0" not in gymnasium.registry:
        # No wrappers of Gymnasium's: they hide `action_masks()`, and the environment checks the order of calls itself.
        gymnasium.register(
            "Piquet-v0",
            entry_point="piquet_env.gymnasium_env:PiquetEnv",
            vector_entry_point="piquet_env.vector_env:PiquetVectorEnv",
            order_enforce=False,
            disable_env_checker=True,
        )
    import pettingzoo

    register: Any = getattr(pettingzoo, "register", None)  # from PettingZoo 1.27 on
    if register is not None and "piquet-v0" not in pettingzoo.aec_registry:
        register("aec", "piquet_v0", entry_point="piquet_env.piquet_v0:env")


_register()

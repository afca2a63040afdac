"""Frozen versions of the package's agents: `heuristic@1` is an agent whose every decision is fixed for good.

A figure against a name without a version is one against that name as it is today. A name with a version plays as it did
when it was frozen: `agents/data/versions.json` holds a signature of its decisions, and a test plays them again. Who
changes how an agent plays adds a version, or leaves the name unfrozen (`python -m agents.freeze`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .base import AgentError

PATH = Path(__file__).parent / "data" / "versions.json"


def versions() -> dict[str, dict[str, Any]]:
    """Return the frozen versions: by `name@number` the `signature`, the `parties` and the `seed` that it is made of."""
    content: dict[str, dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8"))
    return content


def check_version(name: str, version: str) -> None:
    """Raise AgentError unless `name@version` is frozen, and is what the name stands for."""
    numbers = sorted(int(key.partition("@")[2]) for key in versions() if key.partition("@")[0] == name)
    if not numbers:
        raise AgentError(f"there is no {name}@{version}: no version of {name} is frozen")
    if version not in {str(number) for number in numbers}:
        raise AgentError(f"there is no {name}@{version}; its versions are {', '.join(map(str, numbers))}")

"""Frozen versions of the package's agents: `heuristic@1` is an agent whose every decision is fixed for good.

A figure against a name without a version is one against that name as it is today. A name with a version plays as it did
when it was frozen: `agents/data/versions.json` holds a signature of its decisions, and a test plays them again. Who
changes how an agent plays adds a version, or leaves the name unfrozen.

    python -m agents.versions                  print the versions, and whether they still play as they did
    python -m agents.versions --freeze NAME    add the next version of a name, with its signature
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .base import AgentError
from .files import write_atomically

PATH = Path(__file__).parent / "data" / "versions.json"
PARTIES = {"heuristic": 200, "pretrained": 200, "search": 2, "expert": 2}  # of a signature; searchers think long
SIGNATURE_SEED = 41


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


def signature(name: str, parties: int, seed: int) -> str:
    """Return a digest of every decision of so many Rubicon parties of an agent against itself: 16 hex digits."""
    from piquet_env.rules.variants import Rules

    from .pairs import make_players, play_parties

    rules = Rules()
    tables = play_parties(make_players((name, name), rules), rules, seed, [(pair, 0) for pair in range(parties)])
    digest = hashlib.sha256()
    for table in tables:
        for row in range(len(table.records)):
            digest.update(bytes(table.games.decisions(row)) + b"\n")
    return digest.hexdigest()[:16]


def freeze(name: str) -> str:
    """Add the next version of a name to the table, as it plays today; return `name@number`."""
    found = versions()
    number = 1 + max((int(key.partition("@")[2]) for key in found if key.partition("@")[0] == name), default=0)
    parties = PARTIES[name]
    entry = {"signature": signature(name, parties, SIGNATURE_SEED), "parties": parties, "seed": SIGNATURE_SEED}
    key = f"{name}@{number}"
    write_atomically(PATH, (json.dumps(found | {key: entry}, indent=2) + "\n").encode())
    return key


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if a version does not play as it did."""
    parser = argparse.ArgumentParser(prog="agents.versions", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--freeze", choices=sorted(PARTIES), help="add the next version of a name")
    name = parser.parse_args(arguments).freeze
    if name:
        print(freeze(name))
        return 0
    changed = 0
    for key, entry in versions().items():
        now = signature(key, entry["parties"], entry["seed"])
        changed += now != entry["signature"]
        print(f"{key}: {entry['signature']}" + ("" if now == entry["signature"] else f", and now {now}"))
    return int(changed > 0)


if __name__ == "__main__":
    raise SystemExit(main())

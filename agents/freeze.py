"""Freeze an agent of the package as it plays today, and see whether frozen versions still play as they did.

python -m agents.freeze           print the versions, and whether they still play as they did
python -m agents.freeze NAME      add the next version of a name, with its signature
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence

from piquet_env.rules.variants import Rules

from . import versions as table
from .files import write_atomically
from .pairs import make_players, play_parties

PARTIES = {"heuristic": 200, "pretrained": 200, "search": 2, "expert": 2}  # of a signature; searchers think long
SEED = 41


def signature(name: str, parties: int, seed: int) -> str:
    """Return a digest of every decision of so many Rubicon parties of an agent against itself: 16 hex digits."""
    rules = Rules()
    tables = play_parties(make_players((name, name), rules), rules, seed, [(pair, 0) for pair in range(parties)])
    digest = hashlib.sha256()
    for played in tables:
        for row in range(len(played.records)):
            digest.update(bytes(played.games.decisions(row)) + b"\n")
    return digest.hexdigest()[:16]


def freeze(name: str) -> str:
    """Add the next version of a name to the table, as it plays today; return `name@number`."""
    found = table.versions()
    number = 1 + max((int(key.partition("@")[2]) for key in found if key.partition("@")[0] == name), default=0)
    parties = PARTIES[name]
    entry = {"signature": signature(name, parties, SEED), "parties": parties, "seed": SEED}
    key = f"{name}@{number}"
    write_atomically(table.PATH, (json.dumps(found | {key: entry}, indent=2) + "\n").encode())
    return key


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if a version does not play as it did."""
    parser = argparse.ArgumentParser(prog="agents.freeze", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", nargs="?", choices=sorted(PARTIES), help="add the next version of this name")
    name = parser.parse_args(arguments).name
    if name:
        print(freeze(name))
        return 0
    changed = 0
    for key, entry in table.versions().items():
        now = signature(key, entry["parties"], entry["seed"])
        changed += now != entry["signature"]
        print(f"{key}: {entry['signature']}" + ("" if now == entry["signature"] else f", and now {now}"))
    return int(changed > 0)


if __name__ == "__main__":
    raise SystemExit(main())

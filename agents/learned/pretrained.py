"""`pretrained`: the trained policy that comes with the package, and how a run becomes it.

`agents/data/pretrained/` holds `policy.safetensors`, the critic that was trained beside it, and `card.json`, which says
how both were made and how the policy plays.

    python -m agents.learned.pretrained runs/mine --evaluation runs/mine/evaluation.json --recipe "how it was trained"
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.base import AgentError
from agents.files import write_atomically
from piquet_env.rules.variants import Rules

from .critic import Critic, save_critic
from .policy import PolicyAgent, read_network, save_policy

FOLDER = Path(__file__).parent.parent / "data" / "pretrained"
POLICY = FOLDER / "policy.safetensors"
CRITIC = FOLDER / "critic.safetensors"
CARD = FOLDER / "card.json"

# What a card takes over from the metadata of the policy, and of a match.
_FACTS = ("format", "rules", "rules_hash", "observation_version", "observation_size", "num_actions", "reading")
_OF_THE_START = ("preset", "minutes", "decisions", "run_dir", "resume", "start_from")  # of the last start, not the run
_FIGURES = ("b", "parties", "settlement", "deal_points", "rubicon_against")


def card() -> dict[str, Any]:
    """Return the card of the policy: layout, rules, recipe, cost and strength."""
    content: dict[str, Any] = json.loads(CARD.read_text(encoding="utf-8"))
    return content


class PretrainedAgent(PolicyAgent):
    """Plays the policy of the package: sampled, or the most probable action.

    greedy: whether to play the most probable action
    rules:  what it shall play, if that is to be checked; the policy is one for Rubicon Piquet
    Raises AgentError for other rules.
    """

    def __init__(self, *, greedy: bool = False, rules: Rules | None = None) -> None:
        super().__init__(path=POLICY, greedy=greedy, rules=rules)

    @property
    def name(self) -> str:
        """How tables call the agent."""
        return "pretrained:greedy" if self.greedy else "pretrained"


def package(run: Path, folder: Path, recipe: str, evaluation: Path | None, before: int = 0) -> dict[str, Any]:
    """Write the policy and the critic of a run, in half precision, and their card; return the card.

    recipe:     how the run was made, in words
    evaluation: what evaluate.py or train.py has written of its matches; None: the card tells no strength
    before:     decisions made in earlier runs, whose networks this one began with
    """
    files = {name: run / f"{name}.safetensors" for name in ("policy", "critic")}
    PolicyAgent(path=files["policy"]), Critic(path=files["critic"])  # refuses what cannot be used
    folder.mkdir(parents=True, exist_ok=True)
    (policy, metadata), (critic, of_critic) = (read_network(path) for path in files.values())
    save_policy(folder / POLICY.name, policy, metadata, half=True)
    save_critic(folder / CRITIC.name, critic, of_critic, half=True)
    options = json.loads((run / "config.json").read_text(encoding="utf-8"))
    matches = [] if evaluation is None else json.loads(evaluation.read_text(encoding="utf-8"))["matches"]
    found = {
        **{name: metadata[name] for name in _FACTS},
        "parameters": sum(tensor.size for tensor in policy.values()),
        "sha256": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in _networks(folder)},
        "recipe": recipe,
        "decisions": before + int(metadata["decisions"]),
        "options": {name: value for name, value in options.items() if name not in _OF_THE_START},
        "strength": [{name: match[name] for name in _FIGURES} for match in matches],
    }
    write_atomically(folder / CARD.name, (json.dumps(found, indent=2) + "\n").encode())
    return found


def _networks(folder: Path) -> list[Path]:
    return [folder / POLICY.name, folder / CRITIC.name]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="agents.learned.pretrained", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", type=Path, help="folder of a run of train.py")
    parser.add_argument("--recipe", required=True, help="how the run was made, in words")
    parser.add_argument("--evaluation", type=Path, help="JSON of its matches")
    parser.add_argument("--before", type=int, default=0, help="decisions made in earlier runs (0)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files go")
    options = parser.parse_args(arguments)
    try:
        package(options.run, options.folder, options.recipe, options.evaluation, options.before)
    except (AgentError, OSError, KeyError, json.JSONDecodeError) as error:
        parser.error(f"{options.run} cannot be packaged: {error}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

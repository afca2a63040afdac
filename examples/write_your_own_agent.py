"""An agent of your own, in a match against `random`.

python examples/write_your_own_agent.py
python evaluate.py examples/write_your_own_agent.py:HighCards random greedy
"""

from agents import Agent, View, play_match
from agents.report import format_table


class HighCards(Agent):
    """Throws its lowest cards, says all it may say, and plays its highest card."""

    name = "high cards"

    def act(self, view: View) -> int:
        """Return the id of a legal action. A view holds what this seat may see, and nothing else."""
        discards, plays = view.legal("discard"), view.legal("play")
        if plays:
            return max(plays, key=lambda action: view.rank(view.card_of(action)))
        if discards:
            # Cards go one at a time in ascending order; five of the lowest are wanted, or what there is to take.
            lowest = sorted(view.hand, key=view.rank)[:5]
            wanted = [action for action in discards if view.card_of(action) in lowest]
            if wanted:
                return wanted[0]
            return view.action("draw")
        replies = view.legal("not good") + view.legal("equal")
        if replies:
            return replies[0]
        return view.legal_actions[0]  # the first combination, or whatever else is asked


def main() -> None:
    """Play twenty duplicate pairs and print the table."""
    match = play_match(HighCards(), "random", parties=40, seed=7)
    print(format_table([match]))


if __name__ == "__main__":
    main()

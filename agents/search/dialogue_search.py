"""The dialogue: each lawful word tried on the same hands of the other, and a doubt before one displaces the base's.

Calls, replies, further claims and declarations, silence among them, are played on by the base agent for both seats to
the end of the deal, as cards are (play_search.py). What a word tells the other counts as far as the base reads it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .belief import believe, reweigh, sample_places
from .continuation import UNLIKE
from .dialogue_rows import PHASES, rebuild_dialogue
from .play_search import CONSIDERED, pick_worlds
from .rebuild import Record, can_rebuild, rebuild
from .rollout import Rollout
from .seen import Seen
from .stakes import Stakes

Ints = npt.NDArray[np.int64]


class DialogueSearch:
    """Finds the word of a seat, by the same worlds for each lawful one.

    worlds: the most hands of the other that a decision looks at
    unlike: the factor for a first lead of the other that the base agent would not have led
    doubt:  standard errors of the difference by which a word must be better than the base agent's
    """

    def __init__(self, rollout: Rollout, stakes: Stakes, *, worlds: int, unlike: float = UNLIKE, doubt: float) -> None:
        self._rollout = rollout
        self._stakes = stakes
        self._worlds = worlds
        self._unlike = unlike
        self._doubt = doubt

    def decides(self, seen: Seen) -> bool:
        """Return whether it has something to say to a decision: one of the dialogue, under rules that it rebuilds."""
        return seen.phase in PHASES and can_rebuild(seen.rules)

    def word(self, seen: Seen, mask: np.ndarray, action: int, offset: float) -> int:
        """Return the action to take at a decision that it `decides`; `action` is the base agent's.

        mask:   int8[num_actions], the seat's legal actions
        offset: in [0, 1), shifts samples of hands
        """
        actions: Ints = np.flatnonzero(mask)
        rows, weights = self.worlds(seen, mask, self._worlds, offset)
        if len(rows) < 2:
            return action
        values = self.values(seen, rows, actions, int(offset * (1 << 53)))
        return choose(actions, values, weights, action, self._doubt)

    def worlds(self, seen: Seen, mask: np.ndarray, worlds: int, offset: float) -> tuple[np.ndarray, Ints]:
        """Return rows at the decision, an even sample of at most `worlds`, and their weights; none where none fits."""
        belief = believe(seen)
        if len(belief.hands) == 0:
            return np.empty(0), np.empty(0, dtype=np.int64)
        record = Record.of(seen)
        if record.cards:
            hands, weights = pick_worlds(belief, max(CONSIDERED, worlds), offset)
            before = rebuild(seen, hands, record, before_lead=True)
            fits = self._unlike + (1 - self._unlike) * self._rollout.likeness(before, record.cards[0])
            places, weights = sample_places(reweigh(weights, fits), worlds, offset)
            hands = hands[places]
        else:
            hands, weights = pick_worlds(belief, worlds, offset)
        rows = rebuild_dialogue(seen, hands, mask)
        alike = (self._rollout.observe(rows, np.arange(len(rows)))[1] == mask).all(axis=1)
        return rows[alike], weights[alike]

    def values(self, seen: Seen, rows: np.ndarray, actions: Ints, seed: int) -> Ints:
        """Return what each action is worth in each row, int64[W, A], in the whole numbers of the stakes."""
        return self._stakes.worth_of_points(seen)(self._rollout.play_on(rows, actions, seed))


def choose(actions: Ints, values: Ints, weights: Ints, action: int, doubt: float) -> int:
    """Return the action with the best mean if it beats `action` by more than the noise of their paired difference.

    values:  int64[W, A], of each action in each world; weights: int64[W], of the worlds
    doubt:   standard errors; as many worlds count as would be as noisy with equal weights
    """
    gains = values - values[:, actions == action]
    best = int((weights @ gains).argmax())
    return int(actions[best]) if is_beyond_doubt(gains[:, best], weights, doubt) else action


def is_beyond_doubt(gains: Ints, weights: Ints, doubt: float) -> bool:
    """Return whether the weighted mean of paired gains is above `doubt` of its standard errors.

    All sums are of whole numbers, without a bound, so that the answer is the same on every machine.
    """
    pairs = list(zip(weights.tolist(), gains.tolist(), strict=True))
    total = sum(weight for weight, _ in pairs)
    unevenness = sum(weight * weight for weight, _ in pairs)
    first = sum(weight * gain for weight, gain in pairs)
    second = sum(weight * gain * gain for weight, gain in pairs)
    if first <= 0:
        return False
    # The mean times the root of (worlds - 1) against the deviation, squared and without fractions.
    return first * first * (total * total - unevenness) > doubt * doubt * unevenness * (second * total - first * first)

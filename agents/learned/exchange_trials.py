"""Trials of the exchange: every legal action in the same world, and what a critic says that each comes to.

The policy plays itself. At some of its positions in the exchange each card that can be laid out next, and drawing, is
tried in a copy of the true state; behind it the policy goes on laying out cards until the seat has drawn, and there the
critic, which sees all the cards, says what the deal comes to. The cards are the same for all actions of a position, so
most of the luck that hides what a discard is worth is common to them and drops out.

The network that decides the exchange learns from such rows of values by the policy gradient over all actions at once,
held by a divergence to the policy that made them. A block of trials is learnt from and thrown away, and the policy that
came of it makes the next. What is kept in the end is an average of the weights over the steps: a single trial is off by
some twenty points, where the differences that matter are of the order of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from piquet_env.observation import make_scratch
from piquet_env.rules.state import DEAL_OVER, EXCHANGE
from piquet_env.rules.variants import Rules

from .actor_critic import SelfPlayPolicy
from .critic import look_at_all
from .masked import sample_rows
from .objective import SCALE, Objective
from .parties import SelfPlayParties
from .reading import Inputs
from .self_play import clip_gradient
from .trial_kernel import look_at_own, play_on

PARTIES = 512
POSITIONS_A_STEP = 40  # taken at most from one step of the parties
TRIED_AT_ONCE = 1024  # positions; each has about eight actions, and a state is more than a kilobyte
BLOCK = 65_536  # trials between two policies that make them
PASSES = 2
MINIBATCH = 2048
LEARNING_RATE = 3e-4
DECAY = 2_000_000  # trials in which it falls to 0.71, and on as 1 / sqrt(1 + trials / DECAY)
DIVERGENCE = 0.3  # weight of a nat beside a point
AVERAGE = 0.99  # what a step leaves of the average of the weights
MOST_GRADIENT = 0.5
_DECKS = 1 << 43  # the decks of these trials, apart from those of training, evaluation and lessons
_TRYING, _SHUFFLING = 3, 4  # streams of random numbers; 1 and 2 are those of the lessons


class Trials(NamedTuple):
    """Positions of the exchange, each with all its legal actions tried in the same world.

    rows:      int8[N, own_size], what the seat to act sees
    masks:     int8[N, A], the legal actions
    log_probs: float32[N, A], of the policy that made the trials; 0 where not legal
    values:    float32[N, A], deal points to the seat to act; 0 where not legal
    """

    rows: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    log_probs: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]


class Figures(NamedTuple):
    """Of a block: trials, points by which it was learnt to gain on these very trials, entropy in nats before it."""

    trials: int
    gain: float
    entropy: float


def learn_by_trials(policy: SelfPlayPolicy, rules: Rules, number: int, seed: int) -> Iterator[Figures]:
    """Let the network that decides the exchange learn from `number` trials; yield the figures of each block.

    policy: with a critic that sees all the cards and speaks in deal points, as `Objective` scales them
    The averaged weights are put in place behind the last block. The other networks are left as they are.
    """
    source, learner = TrialSource(policy, rules, seed), TrialLearner(policy, seed)
    while learner.trials < number:
        yield learner.learn(source.collect(min(BLOCK, number - learner.trials)))
    learner.take_average()


# -- making trials ----------------------------------------------------------------------------------------------------


class TrialSource:
    """Parties in which a policy plays itself, and trials of what it could do in their exchanges.

    The policy is asked as it is at the time, and the parties go on from one block to the next.
    """

    def __init__(self, policy: SelfPlayPolicy, rules: Rules, seed: int) -> None:
        decks = _DECKS + seed * 1_000_003
        self.parties = SelfPlayParties(PARTIES, rules, Objective(), reading=policy.reading.name, seed=decks)
        self.parties.reset()
        self._policy, self._rules = policy, rules
        self._rng = np.random.default_rng((seed, _TRYING))

    def collect(self, number: int) -> Trials:
        """Return so many trials."""
        firsts = range(0, number, TRIED_AT_ONCE)
        parts = [self._collect_part(min(TRIED_AT_ONCE, number - first)) for first in firsts]
        return Trials(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _collect_part(self, number: int) -> Trials:
        """Return so many trials, tried together."""
        batch, reading, rng = self.parties.batch, self._policy.reading, self._rng
        parts: list[tuple[np.ndarray, ...]] = []
        missing = number
        while missing:
            rows, masks = reading.rows(batch.buffers.observation), self.parties.action_masks()
            actions, logits = decide(self._policy, rows, masks, rng)
            places = np.flatnonzero(self.parties.phases == 0)
            places = rng.permutation(places[batch.states(places)["phase"] == EXCHANGE])
            places = places[: min(POSITIONS_A_STEP, missing)]
            parts.append((rows[places], masks[places], logits[places], batch.states(places)))
            missing -= len(places)
            batch.step(actions)
        rows, masks, logits, states = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        log_probs = legal_log_probs(torch.from_numpy(logits), torch.from_numpy(masks)).numpy()
        return Trials(rows, masks, log_probs, try_actions(self._policy, self._rules, states, masks, rng))


def decide(
    policy: SelfPlayPolicy, rows: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return the policy's actions, int64[N], and its logits, float32[N, A], from what the seats to act see."""
    with torch.no_grad():
        logits: npt.NDArray[np.float32] = policy.logits(policy.reading.read(rows)).numpy()
    actions, log_probs = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.float32)
    sample_rows(logits, masks, rng.random(len(rows)), actions, log_probs)
    return actions, logits


def try_actions(
    policy: SelfPlayPolicy, rules: Rules, states: np.ndarray, masks: npt.NDArray[np.int8], rng: np.random.Generator
) -> npt.NDArray[np.float32]:
    """Return what each legal action comes to in deal points for the seat to act: float32[N, A], 0 where not legal.

    states: STATE_DTYPE[N] in the phase of the exchange; masks: int8[N, A], their legal actions
    """
    positions, actions = np.nonzero(masks)
    tried = states[positions]
    seats = tried["to_act"].copy()
    play_on(tried, np.arange(len(tried)), rules.codes(), actions)
    finish_exchanges(policy, rules, tried, seats, rng)
    points = points_of(policy, rules, tried)
    values = np.zeros(masks.shape, dtype=np.float32)
    values[positions, actions] = np.where(seats == 0, points, -points)
    return values


def finish_exchanges(
    policy: SelfPlayPolicy, rules: Rules, states: np.ndarray, seats: npt.NDArray[np.int64], rng: np.random.Generator
) -> None:
    """Let the policy lay out cards in each state, changed in place, until the seat named for it has drawn."""
    codes, words = rules.codes(), make_scratch()[0]
    waiting = np.arange(len(states))
    while True:
        goes_on = (states["phase"][waiting] == EXCHANGE) & (states["to_act"][waiting] == seats[waiting])
        waiting = waiting[goes_on]
        if len(waiting) == 0:
            return
        rows = np.zeros((len(waiting), policy.reading.own_size), dtype=np.int8)
        masks = np.zeros((len(waiting), policy.reading.actions.shape[1]), dtype=np.int8)
        look_at_own(states, waiting, codes, words, rows, masks)
        actions, _ = decide(policy, rows, masks, rng)
        play_on(states, waiting, codes, actions)


def points_of(policy: SelfPlayPolicy, rules: Rules, states: np.ndarray) -> npt.NDArray[np.float32]:
    """Return what the deal of each state comes to, in points for seat 0: float32[N].

    A deal is paid when it ends, with what was booked early in it too, so the critic's values are of the whole deal. A
    deal that has ended already, as one of au cent may before the play, has the points that it has brought.
    """
    points = (states["deal_points"][:, 0] - states["deal_points"][:, 1]).astype(np.float32)
    lasting = np.flatnonzero(states["phase"] < DEAL_OVER)
    asked = states[lasting]
    rows = np.zeros((len(asked), policy.reading.row_size), dtype=np.int8)
    look_at_all(asked, rules.codes(), make_scratch()[0], rows, rows[:, policy.reading.own_size :])
    values = policy.predict_values(torch.from_numpy(rows)).detach().numpy() / np.float32(SCALE["deal_points"])
    points[lasting] = np.where(asked["to_act"] == 0, values, -values)
    return points


# -- learning from them -----------------------------------------------------------------------------------------------


class TrialLearner:
    """The network that decides the exchange, with Adam and the average of its weights.

    trials: from how many it has learnt
    """

    def __init__(self, policy: SelfPlayPolicy, seed: int) -> None:
        self._policy = policy
        exchange = policy.actor.exchange
        self.network = policy.actor.main if exchange is None else exchange
        self.trials = 0
        self._parameters = list(self.network.parameters())
        self._average = [parameter.detach().clone() for parameter in self._parameters]
        self._optimizer = torch.optim.Adam(self._parameters, lr=LEARNING_RATE, eps=1e-5, fused=True)
        self._rng = np.random.default_rng((seed, _SHUFFLING))

    def learn(self, trials: Trials) -> Figures:
        """Go over a block of trials, and return its figures."""
        found = self._policy.reading.read(trials.rows)
        number = len(trials.rows)
        for group in self._optimizer.param_groups:
            group["lr"] = LEARNING_RATE / (1 + self.trials / DECAY) ** 0.5
        for _ in range(PASSES):
            for rows in np.array_split(self._rng.permutation(number), max(number // MINIBATCH, 1)):
                self._step(trials, found, rows)
        self.trials += number
        return self._measure(trials, found)

    def take_average(self) -> None:
        """Put the averaged weights into the network."""
        with torch.no_grad():
            for parameter, average in zip(self._parameters, self._average, strict=True):
                parameter.copy_(average)

    def _step(self, trials: Trials, found: Inputs, rows: npt.NDArray[np.int64]) -> None:
        """Take a step by a minibatch, and renew the average."""
        chosen = (torch.from_numpy(array[rows]) for array in trials[1:])
        loss = trial_loss(self._logits(found, rows), *chosen)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
        clip_gradient(self.network, MOST_GRADIENT)
        self._optimizer.step()
        with torch.no_grad():
            for average, parameter in zip(self._average, self._parameters, strict=True):
                average.lerp_(parameter, 1 - AVERAGE)

    def _logits(self, found: Inputs, rows: npt.NDArray[np.int64]) -> torch.Tensor:
        return self._policy.by_action(self.network(found, rows), found, rows)

    def _measure(self, trials: Trials, found: Inputs) -> Figures:
        gain = entropy = 0.0
        for first in range(0, len(trials.rows), MINIBATCH):
            rows = np.arange(first, min(first + MINIBATCH, len(trials.rows)))
            masks, old, values = (torch.from_numpy(array[rows]) for array in trials[1:])
            with torch.no_grad():
                now = legal_log_probs(self._logits(found, rows), masks)
            gain += float(((now.exp() - old.exp()) * masks * values).sum())
            entropy -= float((old.exp() * masks * old).sum())
        return Figures(len(trials.rows), gain / len(trials.rows), entropy / len(trials.rows))


def legal_log_probs(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of the probabilities of the legal actions, 0 where not legal: float32[N, A]."""
    illegal = masks == 0
    return torch.log_softmax(logits.masked_fill(illegal, -torch.inf), dim=1).masked_fill(illegal, 0)


def trial_loss(
    logits: torch.Tensor, masks: torch.Tensor, old_log_probs: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """Return what is to be made small: the divergence from the old policy less the points gained over it, a mean.

    All are [N, A], those behind `logits` as in `Trials`.
    """
    log_probs = legal_log_probs(logits, masks)
    probs, old_probs = log_probs.exp() * masks, old_log_probs.exp() * masks
    advantages = values - (old_probs * values).sum(1, keepdim=True)
    gains = (probs * advantages).sum(1)
    divergences = (probs * (log_probs - old_log_probs)).sum(1)
    return (DIVERGENCE * divergences - gains).mean()

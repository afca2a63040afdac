"""The compiled pass of `PiquetBatch`: check, step, restart and look at rows, and fill the caller's buffers.

No Python object is made in it and no memory is asked for. Arrays are handed on whole, with the index of the row.
"""

from __future__ import annotations

import numpy as np

from .memory import borrow, prefetch, take
from .observation import encode_float32, encode_int8
from .rewards import REWARDS
from .rules.jit import inline, inner, jit
from .rules.masks import write_mask
from .rules.partie import settlement_of, start_partie
from .rules.play import apply, deal_next, find_legal, is_forced, only_legal
from .rules.shuffle import shuffle_into
from .rules.state import DEAL_OVER, HOT_BYTES, NOBODY, PARTIE_OVER

SAME_STEP, NEXT_STEP, DISABLED = range(3)
CHECK, STEP, RESTART, LOOK = range(4)  # what a pass does; a step checks first
CHECK_AND_STEP = 4
_SETTLEMENT, _WIN, _DEAL_POINTS, _EQUITY = range(len(REWARDS))
_MANY_ROWS = 256  # from here on the rows outgrow the nearest cache, and each is fetched one ahead
_TAKEN_AT_ONCE = 64  # rows that a thread takes from a share: a few microseconds of work
START_PLAYED, START_DEALER = 2, 3  # columns of where a partie begins, behind the totals of both seats
_KIND_SHIFT = 40  # behind the cards of either pack
_ANY_ACTION = -1


@inline
def _note_legal(row: np.void, autoreset: int, legal: np.ndarray, index: int) -> None:
    """Note the legal actions of a row in two words, so that a check reads no row: kind and cards, then the words."""
    if autoreset == NEXT_STEP and row["phase"] == PARTIE_OVER:
        legal[index, 0] = _ANY_ACTION
    else:
        legal[index, 0] = row["legal_kind"] << _KIND_SHIFT | row["legal_cards"]
    legal[index, 1] = row["legal_words"]


@inner
def _find_illegal(legal: np.ndarray, pack: int, rows: np.ndarray, actions: np.ndarray, first: int, end: int) -> int:
    """Return the first place from `first` to `end` whose action is not legal in its row, or -1."""
    for place in range(first, end):
        index, action = rows[place], actions[place]
        cards = legal[index, 0]
        if cards == _ANY_ACTION:
            continue
        if action < 0 or action >= 3 * pack + 63:
            return place
        if action >= 3 * pack:
            if legal[index, 1] >> (action - 3 * pack) & 1 == 0:
                return place
        else:
            kind = action // pack
            if cards >> _KIND_SHIFT != kind or cards >> (action - kind * pack) & 1 == 0:
                return place
    return -1


@inner
def _take_places(shares: np.ndarray, own: int) -> tuple[int, int]:
    """Return the first and end place of what thread `own` does next, of its own share or else another; 0, 0 if none."""
    threads = shares.shape[0]
    for turn in range(threads):
        share = (own + turn) % threads
        end = shares[share, 1]
        first = take(shares, share, _TAKEN_AT_ONCE)
        if first < end:
            return first, min(first + _TAKEN_AT_ONCE, end)
    return 0, 0


@inner
def _pay(row: np.void, rules: np.void, reward: int, index: int, rewards: np.ndarray) -> None:
    """Add the reward of a deal that has ended, and of the partie if it has."""
    if reward == _DEAL_POINTS:
        points = row["deal_points"][0] - row["deal_points"][1]
    elif row["phase"] != PARTIE_OVER or reward == _EQUITY:
        return
    else:
        points = settlement_of(row, rules)
        if reward == _WIN:
            points = 1 if points > 0 else -1 if points < 0 else 0
    rewards[index, 0] += points
    rewards[index, 1] -= points


@inner
def _deal(row: np.void, rules: np.void, index: int, decks: np.ndarray, deck: np.ndarray) -> None:
    """Begin the next deal from the given decks, or from the row's seed."""
    number = row["deal_number"] + 1
    if row["partie"] == 0 and number <= decks.shape[1]:
        deck[:] = decks[index, number - 1]
    else:
        shuffle_into(row["seed"], row["partie"], number, deck)
    deal_next(row, rules, deck)


@inner
def _go_on(
    row: np.void,
    rules: np.void,
    index: int,
    deals: int,
    reward: int,
    skip_forced: bool,
    decks: np.ndarray,
    deck: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
) -> None:
    """Pay for ended deals, deal anew and play forced decisions, until a decision is asked or the partie is over.

    deals: how many deals had ended before
    """
    while True:
        if row["deals_ended"] > deals:
            deals += 1
            ended[index] += 1
            _pay(row, rules, reward, index, rewards)
        if row["phase"] == PARTIE_OVER:
            return
        if row["phase"] == DEAL_OVER:
            _deal(row, rules, index, decks, deck)
        elif skip_forced and is_forced(row):
            apply(row, rules, only_legal(row, rules))
        else:
            return


@inner
def _restart(
    row: np.void,
    rules: np.void,
    index: int,
    starts: np.ndarray,
    reward: int,
    skip_forced: bool,
    autoreset: int,
    decks: np.ndarray,
    deck: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
) -> None:
    """Begin the row's next partie, where its row of `starts` says.

    In au cent a carte blanche may end it before anybody acts; under 'same_step' the one behind it then begins.
    """
    while True:
        row["partie"] += 1
        shuffle_into(row["seed"], row["partie"], 0, deck)
        start_partie(row, rules, starts[index, START_DEALER], deck)
        for seat in range(2):
            row["totals"][seat] = starts[index, seat]
        row["deal_number"] = starts[index, START_PLAYED]
        find_legal(row, rules)
        _go_on(row, rules, index, 0, reward, skip_forced, decks, deck, rewards, ended)
        if autoreset != SAME_STEP or row["phase"] != PARTIE_OVER:
            return


@inline
def _write_observation(
    row: np.void,
    rules: np.void,
    seat: int,
    words: np.ndarray,
    raw: np.ndarray,
    scale: np.ndarray,
    out: np.ndarray,
    index: int,
) -> None:
    """Write the observation of `seat` into `out[index]`: int8 as it is, float32 scaled."""
    if len(scale) == 1:
        encode_int8(row, rules, seat, words, raw, out, index)
    else:
        encode_float32(row, rules, seat, words, raw, scale, out, index)


@inner
def write_hidden(row: np.void, rules: np.void, seat: int, scaled: bool, out: np.ndarray, index: int) -> None:
    """Write the cards hidden from `seat`: the other's hand, the other's discards, the talon's order.

    scaled: whether places in the talon are divided by 12, as in the float32 form
    out:    [N, 3 * pack], written at `index`
    """
    pack = rules["pack"]
    other = 0 if row["dealer"] == seat else 1  # the other's role
    for card in range(pack):
        out[index, card] = row["hands"][other] >> card & 1
        out[index, pack + card] = row["discards"][other] >> card & 1
        out[index, 2 * pack + card] = 0
    for place in range(pack - 24):
        out[index, 2 * pack + row["talon"][place]] = (place + 1) / 12 if scaled else place + 1


@inline
def _look(
    row: np.void,
    rules: np.void,
    index: int,
    words: np.ndarray,
    raw: np.ndarray,
    scale: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
    to_act: np.ndarray,
    critic: np.ndarray,
) -> None:
    """Fill the buffers of a row for the seat to act."""
    seat = row["to_act"]
    to_act[index] = seat
    write_mask(row, rules, mask, index)
    viewer = seat if seat != NOBODY else 0
    _write_observation(row, rules, viewer, words, raw, scale, observation, index)
    if critic.shape[0]:
        write_hidden(row, rules, viewer, len(scale) > 1, critic, index)


@inner
def _finish(
    row: np.void,
    rules: np.void,
    index: int,
    words: np.ndarray,
    raw: np.ndarray,
    scale: np.ndarray,
    rewards: np.ndarray,
    final_observation: np.ndarray,
    final_rewards: np.ndarray,
    finals: np.ndarray,
) -> None:
    """Keep how the row's partie has ended."""
    for seat in range(2):
        final_rewards[index, seat] = rewards[index, seat]
        finals[index, seat] = row["totals"][seat]
        if final_observation.shape[0]:
            _write_observation(row, rules, seat, words, raw, scale, final_observation, 2 * index + seat)
    finals[index, 2] = settlement_of(row, rules)


@jit
def run_rows(
    task: int,
    rows: np.ndarray,
    actions: np.ndarray,
    first: int,
    end: int,
    own: int,
    shares: np.ndarray,
    states: np.ndarray,
    codes: np.ndarray,
    legal: np.ndarray,
    starts: np.ndarray,
    reward: int,
    skip_forced: bool,
    autoreset: int,
    decks: np.ndarray,
    deck: np.ndarray,
    words: np.ndarray,
    scale: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
    to_act: np.ndarray,
    rewards: np.ndarray,
    terminated: np.ndarray,
    critic: np.ndarray,
    final_observation: np.ndarray,
    final_rewards: np.ndarray,
    finals: np.ndarray,
    ended: np.ndarray,
) -> int:
    """Do a task with the rows from place `first` to `end`; return the first place with an illegal action, or -1.

    shares: int64[threads, 2]: next place and end of what is left of each thread's rows; int64[0, 2] for one thread
    own:    number of this thread. With `first` equal to `end` it takes rows from the shares until none is left

    starts: int64[N, 4]: where each row's next partie begins: totals, deals played (START_PLAYED), dealer (START_DEALER)

    After an illegal action nothing has changed. One function for all tasks: each of its own would compile the whole
    game once more. The arrays are those of `PiquetBatch`; finals: int64[N, 3], totals and settlement.
    """
    # Every row hands these on: see `borrow`.
    rows, actions, states, legal = borrow(rows), borrow(actions), borrow(states), borrow(legal)
    shares, starts = borrow(shares), borrow(starts)
    decks, deck, words, scale = borrow(decks), borrow(deck), borrow(words), borrow(scale)
    observation, mask, to_act, critic = borrow(observation), borrow(mask), borrow(to_act), borrow(critic)
    rewards, terminated, ended, finals = borrow(rewards), borrow(terminated), borrow(ended), borrow(finals)
    final_observation, final_rewards = borrow(final_observation), borrow(final_rewards)
    rules = codes[0]
    if task == CHECK or task == CHECK_AND_STEP:
        place = _find_illegal(legal, rules["pack"], rows, actions, first, end)
        if place >= 0 or task == CHECK:
            return place
    raw = words.view(np.int8)
    many = states.shape[0] >= _MANY_ROWS
    taking = shares.shape[0] > 0 and first == end
    if taking:
        first, end = _take_places(shares, own)
    while first < end:
        for place in range(first, end):
            index = rows[place]
            if many and place + 1 < end:
                following = rows[place + 1]
                prefetch(states, following, HOT_BYTES)
                prefetch(mask, following, mask.shape[1])
            row = states[index]
            ended[index] = 0
            rewards[index, 0] = 0
            rewards[index, 1] = 0
            terminated[index] = False
            # Under autoreset 'next_step' an ended row restarts and its action is ignored.
            if task == RESTART or (task != LOOK and row["phase"] == PARTIE_OVER):
                _restart(row, rules, index, starts, reward, skip_forced, autoreset, decks, deck, rewards, ended)
            elif task != LOOK:
                deals = row["deals_ended"]
                apply(row, rules, actions[place])
                _go_on(row, rules, index, deals, reward, skip_forced, decks, deck, rewards, ended)
            if task != LOOK and row["phase"] == PARTIE_OVER:
                terminated[index] = True
                _finish(row, rules, index, words, raw, scale, rewards, final_observation, final_rewards, finals)
                if autoreset == SAME_STEP:
                    _restart(row, rules, index, starts, reward, skip_forced, autoreset, decks, deck, rewards, ended)
            _note_legal(row, autoreset, legal, index)
            _look(row, rules, index, words, raw, scale, observation, mask, to_act, critic)
        first = end
        if taking:
            first, end = _take_places(shares, own)
    return -1

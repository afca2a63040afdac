"""PGX's card games over batch sizes: a compiled loop of vectorised steps with auto-reset on one thread.

The loop is a `jax.lax.scan`, which spares PGX the way through Python at every step, and the choice of actions is
inside it. Every state that it passes on holds observation and legal_action_mask.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench.batches import sizes
from bench.measure import DECISIONS, Plan, Result, Speeds, speeds

GROUP = "PGX"
GAMES = {"leduc_holdem": "Leduc hold'em", "bridge_bidding": "bridge bidding"}
# Read by JAX when it starts: one thread, and no search for accelerators.
ENVIRONMENT = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}
_NOTES = {"bridge_bidding": "made-up double-dummy results"}
_DEALS = 10_000


def measure(game: str, plan: Plan) -> list[Result]:
    """Measure a game at every batch size, compilation left out."""
    make = {"leduc_holdem": _make_leduc, "bridge_bidding": _make_bridge}[game]
    environment = make()
    results = []
    for count in sizes(plan):
        found = _measure_size(environment, count, plan)
        results.append(
            Result(
                GROUP,
                f"{GAMES[game]}, N = {count:,}",
                DECISIONS,
                found.processor,
                _NOTES.get(game, ""),
                wall=found.wall,
                series=f"PGX {GAMES[game]}",
                size=count,
            )
        )
    return results


def _measure_size(environment: Any, count: int, plan: Plan) -> Speeds:
    import jax
    from pgx.experimental.wrappers import auto_reset

    step = jax.vmap(auto_reset(environment.step, environment.init))
    steps = max(1, 2048 // count)

    def play_one(carry: Any, _: None) -> tuple[Any, None]:
        state, key = carry
        key, for_choice, for_step = jax.random.split(key, 3)
        actions = choose(state.legal_action_mask, for_choice)
        return (step(state, actions, jax.random.split(for_step, count)), key), None

    play_many = jax.jit(lambda carry: jax.lax.scan(play_one, carry, None, length=steps)[0])
    begin = jax.jit(jax.vmap(environment.init))
    carry = (begin(jax.random.split(jax.random.PRNGKey(1), count)), jax.random.PRNGKey(2))

    def play() -> int:
        nonlocal carry
        carry = jax.block_until_ready(play_many(carry))
        return steps * count

    return speeds(play, plan)


def choose(masks: Any, key: Any) -> Any:
    """Return a legal action for each row of `masks` (bool[N, A]), uniformly, from one random number a row."""
    import jax
    from jax import numpy as jnp

    counts = jnp.cumsum(masks, axis=1, dtype=jnp.int32)
    legal = counts[:, -1:]
    place = jnp.minimum((jax.random.uniform(key, legal.shape) * legal).astype(jnp.int32), legal - 1)
    return jnp.argmax(counts > place, axis=1)


def _make_leduc() -> Any:
    import pgx

    return pgx.make("leduc_holdem")


def _make_bridge() -> Any:
    """Return the bidding of bridge over random deals.

    PGX takes deals from a table of double-dummy results that is a download of its own; here the deals are made anew and
    the results are zeros, which changes what the contracts pay and not the time.
    """
    from pgx.bridge_bidding import BridgeBidding

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deals.npy"
        np.save(file, bridge_table(_DEALS))
        return BridgeBidding(str(file))


def bridge_table(deals: int) -> np.ndarray:
    """Return deals and results as PGX reads them: int32[2, deals, 4], first the deals, then results of zeros.

    A deal is one number a suit: thirteen digits to the base 4, the owner of each card, ace to king.
    """
    cards = np.tile(np.repeat(np.arange(4), 13), (deals, 1))
    owners = np.random.default_rng(1).permuted(cards, axis=1).reshape(deals, 4, 13)
    keys = (owners * 4 ** np.arange(12, -1, -1)).sum(axis=2).astype(np.int32)
    return np.stack([keys, np.zeros_like(keys)])

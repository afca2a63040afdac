"""The belief of the other's hand: what is in doubt, what is learnt of it, and that no decision sees the truth."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

torch.set_num_threads(1)  # as train.py does

from agents.learned.belief import BeliefFigures, BeliefHead, Unseen, cross_entropy, find_unseen  # noqa: E402
from agents.learned.objective import Objective  # noqa: E402
from agents.learned.parties import SelfPlayParties  # noqa: E402
from agents.learned.reading import READINGS, reading_of  # noqa: E402
from agents.learned.schedules import Schedules  # noqa: E402
from agents.learned.self_play import SelfPlayPPO, build_model, policy_weights  # noqa: E402
from piquet_env.observation import decode, observation_size  # noqa: E402


def make_model(reading: str = "suits", parties: int = 16, steps: int = 16, **options: object) -> SelfPlayPPO:
    table = SelfPlayParties(parties, "rubicon", Objective(), reading=reading, seed=9)
    settings = {"seed": 1, "hidden": 32, "layers": 2, "precision": "float32", "rollout": parties * steps}
    settings |= {"minibatch": 64, "epochs": 2, "clip": 0.1, "discount": 1.0, "trace": 0.95, "belief_weight": 1.0}
    return build_model(table, Schedules(2e-3, 0.05, 40_000_000), **(settings | options))


def positions(parties: int = 64, steps: int = 30) -> tuple[np.ndarray, SelfPlayParties]:
    """Return rows of positions from parties of random actions, with the hidden cards."""
    table = SelfPlayParties(parties, "rubicon", Objective(), seed=3)
    rows, rng = [table.reset()], np.random.default_rng(1)
    for _ in range(steps):
        masks = table.action_masks()
        table.step_async((rng.random(masks.shape) * masks).argmax(1))
        rows.append(table.step_wait()[0])
    return np.concatenate(rows), table


def unseen_of(rows: np.ndarray, reading: str = "suits", among: np.ndarray | None = None) -> Unseen:
    how = reading_of(reading, 32)
    return find_unseen(rows, how.read(rows).exchanges, how, np.ones(len(rows), dtype=bool) if among is None else among)


def test_what_is_in_doubt_is_what_the_seat_does_not_know() -> None:
    """The other's hand is what is known of it and what is held of the unseen; its size follows from the tricks."""
    rows, table = positions()
    unseen = unseen_of(rows)
    assert len(unseen.rows) > 800
    facts = decode(rows[:, : observation_size()][unseen.rows])
    hand = rows[unseen.rows, table.num_own : table.num_own + 32]
    assert (unseen.cards.numpy() == facts["unseen"]).all()
    assert (unseen.held.numpy() + facts["other_known"] == hand).all()
    known_size = 12 - (facts["other_trick"] > 0).sum(1) - facts["other_known"].sum(1)
    assert unseen.held.sum(1).numpy() == pytest.approx(known_size)
    assert unseen.chances.numpy() == pytest.approx(known_size / facts["unseen"].sum(1))
    assert (facts["phase"].argmax(1) >= 4).all()  # behind the exchange
    among = np.zeros(len(rows), dtype=bool)
    among[unseen.rows[::2]] = True
    assert (unseen_of(rows, among=among).rows == unseen.rows[::2]).all()


def test_a_belief_begins_as_the_prior() -> None:
    rows, _ = positions(16, 5)
    unseen = unseen_of(rows)
    head = BeliefHead(8, reading_of("suits", 32))
    log_odds = head(torch.randn(len(unseen.rows), 8), np.zeros(len(unseen.rows), dtype=np.int64), unseen.chances)
    assert torch.allclose(log_odds.sigmoid(), unseen.chances[:, None].expand(-1, 32))
    figures = BeliefFigures()
    figures.add(log_odds.detach(), unseen)
    means = figures.means()
    assert means["cross_entropy"] == pytest.approx(means["prior_cross_entropy"])


@pytest.mark.parametrize("reading", READINGS)
def test_an_output_is_a_card_in_the_order_of_the_suits(reading: str) -> None:
    """Exchanging two suits everywhere exchanges what is believed of them, where suits are read in their own order."""
    how = reading_of(reading, 32)
    head = BeliefHead(4, how)
    with torch.no_grad():
        head.weight[:] = torch.randn(32, 4)
    hidden, chances = torch.randn(1, 4), torch.tensor([0.25])
    raw = (torch.nn.functional.linear(hidden, head.weight) + torch.logit(chances))[0]
    for order in range(len(how.actions)):
        by_card = head(hidden, np.array([order]), chances)[0]
        for card in range(32):
            assert by_card[card] == raw[how.actions[order, card]]  # plays of cards are the first actions
    with torch.no_grad():
        believed = [head(hidden, how.read(row).orders, chances)[0] for row in suits_exchanged()]
    exchanged = believed[1].reshape(4, 8)[[1, 0, 2, 3]].flatten()
    assert torch.equal(believed[0], exchanged) == (reading != "plain")


def suits_exchanged() -> tuple[np.ndarray, np.ndarray]:
    """Return a position in the play, and the same with spades' and hearts' places exchanged; lengths differ."""
    rows, _ = positions(64, 30)
    facts = decode(rows[:, : observation_size()])
    lengths = ((facts["hand"] > 0) | (facts["own_trick"] > 0)).reshape(-1, 4, 8).sum(2)
    distinct = np.array([len(set(line)) == 4 for line in lengths.tolist()])
    row = rows[np.flatnonzero(distinct & (facts["phase"].argmax(1) >= 4))[:1]]
    other = row.copy()
    cards = row[:, : 19 * 32].reshape(-1, 4, 8)
    other[:, : 19 * 32] = cards[:, [1, 0, 2, 3]].reshape(1, -1)
    return row, other


def test_figures_are_what_they_say() -> None:
    cards = torch.tensor([[1.0, 1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0]])
    held = torch.tensor([[1.0, 1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]])
    unseen = Unseen(np.arange(2), cards, held, torch.tensor([0.5, 0.5]))
    log_odds = torch.tensor([[3.0, -1.0, 2.0, -2.0, 9.0], [-1.0, 4.0, 9.0, 9.0, 9.0]])
    likelihood = [1 / (1 + np.exp(-odds)) for odds in (3.0, -1.0, -2.0, 2.0, 1.0, 4.0)]
    figures = BeliefFigures()
    figures.add(log_odds, unseen)
    means = figures.means()
    assert means["cross_entropy"] == pytest.approx(-np.log(likelihood).mean(), rel=1e-5)
    assert means["prior_cross_entropy"] == pytest.approx(np.log(2))
    assert means["found"] == pytest.approx(2 / 3)  # one of the first hand's two, and the second's one
    assert means["prior_found"] == pytest.approx(0.5)
    assert float(cross_entropy(log_odds, unseen)) == pytest.approx(means["cross_entropy"], rel=1e-5)
    assert all(np.isnan(figure) for figure in BeliefFigures().means().values())


def test_hidden_cards_change_no_decision() -> None:
    model = make_model()
    model.learn(512)
    rows, table = positions(32, 4)
    other = rows.copy()
    other[:, table.num_own : table.num_own + 96] = np.roll(rows[:, table.num_own : table.num_own + 96], 7, axis=1)
    assert (other != rows).any()
    with torch.no_grad():
        logits = [model.policy.logits(model.policy.list_rows(torch.from_numpy(given))) for given in (rows, other)]
    assert torch.equal(*logits)


@pytest.mark.parametrize("exchange_hidden", [0, 8])
def test_the_head_teaches_the_main_network_and_is_no_part_of_the_policy(exchange_hidden: int) -> None:
    model = make_model(exchange_hidden=exchange_hidden)
    model.learn(256)
    actor = model.policy.actor
    batch = next(model.rollout_buffer.minibatches(256, np.random.default_rng(1)))
    _, hidden, decided = actor.think(batch.found, batch.rows)
    model.policy.zero_grad()
    model._belief_loss(actor.belief, batch, hidden, decided).backward()
    taught = {name for name, weight in model.policy.named_parameters() if weight.grad is not None and weight.grad.any()}
    assert {name.split(".")[1] for name in taught} == {"main", "belief"}  # the actor's; neither exchange nor critic
    assert not any(name.startswith("actor.main.others.1") for name in taught)  # nor the layer that decides
    assert all(name.removeprefix("exchange.").startswith("layer") for name in policy_weights(model))


def test_the_belief_learns_to_read_the_other() -> None:
    """Even of random play it learns something, as that a suit not followed to is not held: on other positions too."""
    model = make_model()
    actor, how = model.policy.actor, model.env.reading
    optimizer = torch.optim.Adam(actor.parameters(), lr=3e-3)
    rows, _ = positions(256, 30)
    taught, asked = rows[: len(rows) * 3 // 4], rows[len(rows) * 3 // 4 :]
    rng = np.random.default_rng(1)

    def believe(given: np.ndarray) -> tuple[torch.Tensor, Unseen]:
        found = how.read(given)
        unseen = find_unseen(given, found.exchanges, how, np.ones(len(given), dtype=bool))
        _, hidden, _ = actor.think(found)
        return actor.belief(hidden[torch.from_numpy(unseen.rows)], found.orders[unseen.rows], unseen.chances), unseen

    for _ in range(60):
        loss = cross_entropy(*believe(taught[rng.integers(len(taught), size=512)]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    figures = BeliefFigures()
    figures.add(*believe(asked))
    means = figures.means()
    assert means["cross_entropy"] < means["prior_cross_entropy"] - 0.01
    assert means["found"] > means["prior_found"] + 0.02


def test_an_opponents_decisions_teach_no_belief() -> None:
    model = make_model()
    model.learn(256)
    batch = next(model.rollout_buffer.minibatches(256, np.random.default_rng(1)))
    batch = batch._replace(own=torch.zeros_like(batch.own))
    _, hidden, decided = model.policy.actor.think(batch.found, batch.rows)
    loss = model._belief_loss(model.policy.actor.belief, batch, hidden, decided)
    assert float(loss.detach()) == 0


def test_without_a_weight_nothing_is_different() -> None:
    """The head draws no random number, and with a weight that is next to nothing the decisions are learnt alike."""
    models = [make_model(belief_weight=weight) for weight in (0.0, 1e-30)]
    for model in models:
        model.learn(512)
    assert models[0].policy.actor.belief is None
    assert not any("belief" in name for name in models[0].policy.state_dict())
    weights = [policy_weights(model) for model in models]
    for name, weight in weights[0].items():  # the norm of the gradient may be rounded otherwise; a step is 2e-3
        np.testing.assert_allclose(weights[1][name], weight, rtol=0, atol=1e-6)

"""The networks' kernels beside torch's own operations, and what the actor may not see."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from agents.learned.actor_critic import Perceptron  # noqa: E402
from agents.learned.masked import sample_rows, weigh_choices  # noqa: E402
from agents.learned.reading import Inputs  # noqa: E402
from agents.learned.sparse_layer import SparseLinear  # noqa: E402

pytestmark = pytest.mark.nojit


def some_rows(number: int, entries: int, rng: np.random.Generator) -> np.ndarray:
    return (rng.integers(-3, 12, (number, entries)) * (rng.random((number, entries)) < 0.1)).astype(np.int8)


def find_nonzeros(rows: np.ndarray, scale: np.ndarray, num_own: int) -> Inputs:
    """List the nonzero entries of rows, as a reading does."""
    at, places = np.nonzero(rows)
    counts, owned = (np.bincount(kept, minlength=len(rows)) for kept in (at, at[places < num_own]))
    starts = np.concatenate([[0], np.cumsum(counts)])
    nothing = np.zeros(len(rows), np.int64)
    values = (rows[at, places] * scale[places]).astype(np.float32)
    return Inputs(starts, starts[:-1] + owned, places.astype(np.int32), values, nothing, nothing)


@pytest.mark.parametrize(("own", "inputs"), [(24, 40), (40, 40)])
def test_the_sparse_layer_is_a_linear_layer(own: int, inputs: int) -> None:
    rng = np.random.default_rng(1)
    rows, scale = some_rows(600, inputs, rng), rng.random(inputs).astype(np.float32)
    found = find_nonzeros(rows, scale, own)
    for is_own, seen in ((True, own), (False, inputs)):
        layer = SparseLinear(seen, 16, is_own=is_own)
        torch.nn.init.normal_(layer.bias)
        dense = torch.from_numpy(rows[:, :seen].astype(np.float32) * scale[:seen])
        weight, bias = (tensor.detach().clone().requires_grad_() for tensor in (layer.weight, layer.bias))
        slopes = torch.from_numpy(rng.normal(size=(600, 16)).astype(np.float32))
        out, expected = layer(found), dense @ weight + bias
        assert torch.allclose(out, expected, atol=1e-4)
        (out * slopes).sum().backward()
        (expected * slopes).sum().backward()
        assert torch.allclose(layer.weight.grad, weight.grad, atol=1e-3)
        assert torch.allclose(layer.bias.grad, bias.grad, atol=1e-3)


def test_hidden_cards_never_reach_the_actor() -> None:
    rng = np.random.default_rng(3)
    rows = some_rows(50, 48, rng)
    exchanged = rows.copy()
    exchanged[:, 32:] = rng.integers(0, 2, (50, 16))
    actor = Perceptron(32, 16, 2, 9, is_own=True, last_gain=1.0, precision="float32")
    critic = Perceptron(48, 16, 2, 1, is_own=False, last_gain=1.0, precision="float32")
    one, other = (find_nonzeros(given, np.ones(48, np.float32), 32) for given in (rows, exchanged))
    assert torch.equal(actor(one), actor(other))
    assert not torch.equal(critic(one), critic(other))


def reference_choices(logits, masks, actions):
    log_probs = torch.log_softmax(logits.masked_fill(masks == 0, -torch.inf), dim=1)
    probs = log_probs.exp()
    terms = torch.where(masks != 0, probs * log_probs.masked_fill(masks == 0, 0.0), 0.0)
    most = masks.sum(1).clamp(min=2).double().log()
    return log_probs.gather(1, actions[:, None]).flatten(), -terms.sum(1) / most


def choices(number: int, rng: np.random.Generator):
    masks = (rng.random((number, 20)) < 0.2).astype(np.int8)
    masks[np.arange(number), rng.integers(0, 20, number)] = 1
    actions = (rng.random(masks.shape) * masks).argmax(1)
    return torch.from_numpy(masks), torch.from_numpy(actions)


def test_log_probabilities_and_entropies_are_over_the_legal_actions_and_so_are_their_gradients() -> None:
    rng = np.random.default_rng(4)
    masks, actions = choices(300, rng)
    logits = torch.from_numpy(rng.normal(0, 3, (300, 20)).astype(np.float32)).requires_grad_()
    exact = logits.detach().double().requires_grad_()
    mine, expected = weigh_choices(logits, masks, actions), reference_choices(exact, masks, actions)
    weights = [torch.from_numpy(rng.normal(size=300)) for _ in range(2)]
    for (result, right), weight in zip(zip(mine, expected, strict=True), weights, strict=True):
        assert torch.allclose(result.double(), right, atol=1e-5)
        (result * weight.float()).sum().backward(retain_graph=True)
        (right * weight).sum().backward(retain_graph=True)
    assert torch.allclose(logits.grad.double(), exact.grad, atol=1e-5)
    assert (logits.grad[masks == 0] == 0).all()


def test_entropy_is_one_for_equal_logits_and_nothing_for_a_forced_decision() -> None:
    masks = torch.zeros(3, 20, dtype=torch.int8)
    masks[0, :2], masks[1, 3:15], masks[2, 7] = 1, 1, 1
    logits = torch.zeros(3, 20)
    logits[0, 5] = 50.0  # illegal
    _, entropies = weigh_choices(logits, masks, torch.tensor([1, 4, 7]))
    assert entropies.tolist() == pytest.approx([1, 1, 0])


def test_extreme_logits_stay_finite() -> None:
    masks = torch.ones(2, 4, dtype=torch.int8)
    masks[1, 0] = 0
    logits = torch.tensor([[3e38, -3e38, 0.0, 1.0], [3e38, -1e4, -1e4, 5e3]], requires_grad=True)
    log_probs, entropies = weigh_choices(logits, masks, torch.tensor([0, 3]))
    (log_probs.sum() + entropies.sum()).backward()
    assert log_probs.tolist() == [0, 0]
    assert torch.isfinite(logits.grad).all()
    actions, logs = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.float32)
    for number in (0.0, 0.5, 1 - 1e-16):
        sample_rows(logits.detach().numpy(), masks.numpy(), np.full(2, number), actions, logs)
        assert actions.tolist() == [0, 3]
        assert logs.tolist() == [0, 0]


def test_samples_are_legal_and_as_frequent_as_their_probabilities() -> None:
    rng = np.random.default_rng(6)
    number = 20_000
    logits = np.tile(np.array([1.0, 9.0, 0.0, -1.0, 2.0], dtype=np.float32), (number, 1))
    masks = np.tile(np.array([1, 0, 1, 1, 1], dtype=np.int8), (number, 1))
    actions, logs = np.empty(number, dtype=np.int64), np.empty(number, dtype=np.float32)
    sample_rows(logits, masks, rng.random(number), actions, logs)
    weights = np.exp([1.0, -np.inf, 0.0, -1.0, 2.0])
    expected = weights / weights.sum()
    assert np.bincount(actions, minlength=5) / number == pytest.approx(expected, abs=0.015)
    assert np.exp(logs) == pytest.approx(expected[actions], rel=1e-5)

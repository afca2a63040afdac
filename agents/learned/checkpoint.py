"""Checkpoints: what a run goes on from, in one file of tensors and plain values, written whole or not at all.

A checkpoint is taken between an update and the next rollout. It holds actor, critic, optimiser, the average of the
policies, the parties being played, the snapshots of the pool, and the number of decisions, from which all random
numbers and schedules follow, so a resumed run goes on as the uninterrupted one would. `torch.load(weights_only=True)`
reads it: nothing in it is executed.
"""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .actor_critic import Actor, Perceptron
from .averaging import Average
from .critic import Critic
from .parties import SelfPlayParties
from .policy import Layer, PolicyAgent
from .reading import Reading
from .self_play import SelfPlayPPO

FORMAT = "piquet-checkpoint-2"
_BELIEF = "actor.belief."
_UNFIT = (RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError)  # what damage comes to


class CheckpointError(ValueError):
    """Raised, with one clear sentence, for a checkpoint that is missing, damaged, or of another run."""


def capture(model: SelfPlayPPO, parties: SelfPlayParties, about: dict[str, str]) -> bytes:
    """Return a checkpoint of a run between two rollouts. about: what a resumed run must agree with, as text."""
    content = {
        "format": FORMAT,
        "about": about,
        "decisions": model.num_timesteps,
        "updates": model._n_updates,
        "paid": parties.objective.paid_at(model.num_timesteps),
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "parties": _as_tensors(parties.snapshot()),
        "average": model.average.state() if model.average is not None else {},
        "pool": [_as_tensors(snapshot) for snapshot in pool.state()] if (pool := model.company.pool) else [],
    }
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint; CheckpointError says what is wrong with the file."""
    if not path.is_file():
        raise CheckpointError(f"there is no checkpoint {path}")
    try:
        content = torch.load(path, weights_only=True)
    except (RuntimeError, OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CheckpointError(f"the checkpoint {path} cannot be read: {reason}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CheckpointError(f"{path} is not a checkpoint of this trainer")
    return content


def resume(model: SelfPlayPPO, parties: SelfPlayParties, content: dict[str, Any], about: dict[str, str]) -> None:
    """Put model and parties where the checkpoint has them; CheckpointError if it is of another run."""
    made = content.get("about")
    if not isinstance(made, dict):
        raise CheckpointError("the checkpoint does not say what run it is of")
    for key, value in about.items():
        if made.get(key) != value:
            raise CheckpointError(f"the checkpoint was made with {key}={made.get(key)}, this run has {value}")
    try:
        _check_belief(model, content["policy"])
        model.policy.load_state_dict(content["policy"])
        model.policy.optimizer.load_state_dict(content["optimizer"])
        parties.restore(_as_arrays(content["parties"]))
        if model.company.pool is not None:
            model.company.pool.restore([_as_arrays(snapshot) for snapshot in content.get("pool", [])])
        if model.average is not None:
            _resume_average(model.average, model.policy.actor, content.get("average", {}))
        model.num_timesteps, model._n_updates = int(content["decisions"]), int(content["updates"])
    except CheckpointError:
        raise
    except _UNFIT as error:
        raise CheckpointError(f"the checkpoint does not fit this run: {_reason(error)}") from None
    model._last_obs = parties.look()


def _reason(error: BaseException) -> str:
    """Return the first thing that an error says, in one line: torch says behind a colon which weights do not fit."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return " ".join(lines[: 2 if lines[0].endswith(":") else 1])


def _resume_average(average: Average, actor: Actor, state: dict[str, torch.Tensor]) -> None:
    """Go on with an average, or begin one with the actor of a run that had none."""
    if state:
        average.restore(state)
    else:
        average.actor.load_state_dict(actor.state_dict())


def _check_belief(model: SelfPlayPPO, weights: dict[str, Any]) -> None:
    """Raise CheckpointError where one of run and checkpoint alone has a head for the belief."""
    has = any(name.startswith(_BELIEF) for name in weights)
    if has and model.policy.actor.belief is None:
        raise CheckpointError("the checkpoint has a head for the belief: --belief-weight cannot become 0")
    if not has and model.policy.actor.belief is not None:
        raise CheckpointError("the checkpoint has no head for the belief: --belief-weight must stay 0")


def begin_from(model: SelfPlayPPO, path: Path) -> str:
    """Give a new run the networks of another; return what the critic among them was paid in, "" if there was none.

    path: a checkpoint (`.pt`), or a policy; a `critic.safetensors` beside a policy is taken along
    CheckpointError or AgentError says why a file does not serve.
    """
    assert isinstance(model.env, SelfPlayParties)
    rules = model.env.rules
    if path.suffix == ".pt":
        content = read_checkpoint(path)
        try:
            own = {name: weight for name, weight in model.policy.state_dict().items() if name.startswith(_BELIEF)}
            theirs = {name: weight for name, weight in content["policy"].items() if not name.startswith(_BELIEF)}
            about = content["about"]
            if about["rules_hash"] != rules.hash:
                raise CheckpointError(f"{path} was trained for the rules '{about['rules']}', not for '{rules}'")
            model.policy.load_state_dict(theirs | own)  # a head for the belief is no part of what decides
            return str(content.get("paid", about["reward"]))
        except CheckpointError:
            raise
        except _UNFIT as error:
            raise CheckpointError(f"the networks of {path} do not fit this run: {_reason(error)}") from None
    policy = PolicyAgent(path=path, rules=rules)
    networks = model.policy.actor.networks()
    if left_out := [prefix for prefix in policy.layers if prefix not in networks]:
        units = len(policy.layers[left_out[0]][0][1])
        raise CheckpointError(f"{path} has a network of its own for the exchange: add --exchange-hidden {units}")
    for prefix, network in networks.items():
        layers = policy.layers[prefix] if prefix in policy.layers else policy.layers[""]
        _give_layers(model, network, policy.reading, layers, path)
    beside = path.with_name("critic.safetensors")
    if not beside.is_file() or model.policy.is_critic_blind:
        return ""
    critic = Critic(path=beside, rules=rules)
    _give_layers(model, model.policy.critic, critic.reading, critic.layers, beside)
    return critic.reward


def _give_layers(model: SelfPlayPPO, network: Perceptron, reading: Reading, layers: list[Layer], path: Path) -> None:
    """Put layers from a file into a network of the learner; inputs that they do not know weigh nothing at first."""
    try:
        columns = model.policy.reading.columns_of(reading)
    except ValueError:
        raise CheckpointError(
            f"{path} has the reading {reading.name}, and this run another: add --reading {reading.name}"
        ) from None
    own = network.linear_layers()
    theirs, asked = [len(bias) for _, bias in layers], [len(bias) for _, bias in own]
    if theirs != asked:
        raise CheckpointError(f"{path} has layers of {theirs} units, and this run has {asked}")
    with torch.no_grad():
        for number, ((weight, bias), (new_weight, new_bias)) in enumerate(zip(own, layers, strict=True)):
            given = torch.from_numpy(new_weight)
            if number == 0:
                known = np.flatnonzero(columns[: given.shape[1]] >= 0)
                weight[:] = 0
                weight[:, torch.from_numpy(columns[known])] = given[:, torch.from_numpy(known)]
            else:
                weight[:] = given
            bias[:] = torch.from_numpy(new_bias)


def _as_tensors(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a tree of arrays with tensors in their place."""
    return {
        key: _as_tensors(value)
        if isinstance(value, dict)
        else torch.from_numpy(value.copy())
        if isinstance(value, np.ndarray)
        else value
        for key, value in tree.items()
    }


def _as_arrays(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the tree that `_as_tensors` was made from."""
    return {
        key: _as_arrays(value)
        if isinstance(value, dict)
        else value.numpy().copy()
        if isinstance(value, torch.Tensor)
        else value
        for key, value in tree.items()
    }

"""sb3-contrib's MaskablePPO on the batch of parties: building it, keeping it, and taking its policy out.

A checkpoint is one file of tensors and plain values (`torch.load(weights_only=True)`), written whole or not at all:
policy, optimiser, the parties being played and every random state, taken between two rollouts, so that a resumed run
goes on as the uninterrupted one would.
"""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents.files import write_atomically
from piquet_env.sb3_vec_env import PiquetVecEnv

CHECKPOINT_FORMAT = "piquet-checkpoint-1"


class CheckpointError(ValueError):
    """Raised, with one clear sentence, for a checkpoint that is missing, damaged, or of another run."""


def build_model(
    parties: PiquetVecEnv,
    *,
    seed: int,
    hidden: int,
    layers: int,
    learning_rate: float,
    rollout: int,
    minibatch: int,
    epochs: int,
    entropy: float,
    clip: float,
    discount: float,
    trace: float,
) -> MaskablePPO:
    """Return a MaskablePPO with separate networks for policy and value; the arguments are train.py's options."""
    network = [hidden] * layers
    return MaskablePPO(
        "MlpPolicy",
        parties,
        learning_rate=learning_rate,
        n_steps=max(rollout // parties.num_envs, 1),
        batch_size=minibatch,
        n_epochs=epochs,
        gamma=discount,
        gae_lambda=trace,
        clip_range=clip,
        ent_coef=entropy,
        vf_coef=0.5,
        max_grad_norm=0.5,
        seed=seed,
        device="cpu",
        policy_kwargs={"net_arch": {"pi": network, "vf": network}, "activation_fn": torch.nn.ReLU},
    )


def policy_weights(model: MaskablePPO) -> dict[str, np.ndarray]:
    """Return the policy's layers as `agents.learned.policy.save_policy` takes them."""
    linear: list[torch.nn.Module] = [
        module for module in model.policy.mlp_extractor.policy_net if isinstance(module, torch.nn.Linear)
    ]
    linear.append(model.policy.action_net)
    weights = {}
    for number, layer in enumerate(linear):
        weights[f"layer{number}.weight"] = _array(layer.weight)
        weights[f"layer{number}.bias"] = _array(layer.bias)
    return weights


def _array(parameter: Any) -> np.ndarray:
    array: np.ndarray = parameter.detach().numpy().copy()
    return array


def capture(model: MaskablePPO, parties: PiquetVecEnv, about: dict[str, str]) -> bytes:
    """Return a checkpoint of a run between two rollouts. about: what a resumed run must agree with, as text."""
    name, keys, position, has_gauss, gauss = np.random.get_state()  # noqa: NPY002  (SB3 shuffles by the global state)
    assert name == "MT19937"
    content = {
        "format": CHECKPOINT_FORMAT,
        "about": about,
        "decisions": model.num_timesteps,
        "updates": model._n_updates,
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "torch_random": torch.get_rng_state(),
        "numpy_random": [
            torch.from_numpy(np.asarray(keys).astype(np.int64)),
            int(position),
            int(has_gauss),
            float(gauss),
        ],
        "parties": _as_tensors(parties.snapshot()),
        "episode_starts": torch.from_numpy(np.asarray(model._last_episode_starts)),
    }
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


def write_checkpoint(path: Path, content: bytes) -> None:
    """Write a checkpoint whole or not at all."""
    write_atomically(path, content)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint; CheckpointError says what is wrong with the file."""
    if not path.is_file():
        raise CheckpointError(f"there is no checkpoint {path}")
    try:
        content = torch.load(path, weights_only=True)
    except (RuntimeError, OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CheckpointError(f"the checkpoint {path} cannot be read: {reason}") from None
    if not isinstance(content, dict) or content.get("format") != CHECKPOINT_FORMAT:
        raise CheckpointError(f"{path} is not a checkpoint of this trainer")
    return content


def resume(model: MaskablePPO, parties: PiquetVecEnv, content: dict[str, Any], about: dict[str, str]) -> None:
    """Put model, parties and random states where the checkpoint has them; CheckpointError if it is of another run."""
    made = content.get("about")
    if not isinstance(made, dict):
        raise CheckpointError("the checkpoint does not say what run it is of")
    for key, value in about.items():
        if made.get(key) != value:
            raise CheckpointError(f"the checkpoint was made with {key}={made.get(key)}, this run has {value}")
    try:
        model.policy.load_state_dict(content["policy"])
        model.policy.optimizer.load_state_dict(content["optimizer"])
        parties.restore(_as_arrays(content["parties"]))
    except (RuntimeError, KeyError, ValueError) as error:
        raise CheckpointError(f"the checkpoint does not fit this run: {str(error).splitlines()[0]}") from None
    model.num_timesteps = content["decisions"]
    model._n_updates = content["updates"]
    model._last_obs = parties.parties.observation.copy()
    model._last_episode_starts = content["episode_starts"].numpy().copy()
    keys, position, has_gauss, gauss = content["numpy_random"]
    np.random.set_state(("MT19937", keys.numpy().astype(np.uint32), position, has_gauss, gauss))  # noqa: NPY002  (as above)
    torch.set_rng_state(content["torch_random"])


def _as_tensors(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a tree of arrays with tensors in their place (uint64 as the int64 of the same bits)."""
    out: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            out[key] = _as_tensors(value)
        elif isinstance(value, np.ndarray) and value.dtype == np.uint64:
            out[key] = {"uint64": torch.from_numpy(value.view(np.int64).copy())}
        else:
            out[key] = torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value
    return out


def _as_arrays(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the tree that `_as_tensors` was made from."""
    out: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict) and set(value) == {"uint64"}:
            out[key] = value["uint64"].numpy().view(np.uint64).copy()
        elif isinstance(value, dict):
            out[key] = _as_arrays(value)
        else:
            out[key] = value.numpy().copy() if isinstance(value, torch.Tensor) else value
    return out

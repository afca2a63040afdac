"""Train sb3-contrib's MaskablePPO as it is against an opponent by name, and keep the policy for evaluate.py.

python examples/train_with_maskable_ppo.py --decisions 300000 --opponent random
python evaluate.py policy:runs/example/policy.safetensors random greedy --parties 400

The batch is a Stable-Baselines3 `VecEnv`: one learner's seat in each of many parties. For more strength in less time
see train.py, which plays both seats itself; this is the shortest way into research of your own.
"""

import argparse
from pathlib import Path

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

import piquet_env  # noqa: F401  (registers Piquet-v0)
from agents.learned.policy import policy_metadata, save_policy
from piquet_env import Rules
from piquet_env.sb3_vec_env import PiquetVecEnv


def train(decisions: int, opponent: str, seed: int) -> MaskablePPO:
    """Learn from so many own decisions, paid by the points of each deal."""
    parties = PiquetVecEnv(256, opponent, reward="deal_points", reward_scale=0.03, seed=seed)
    model = MaskablePPO(
        "MlpPolicy",
        parties,
        learning_rate=1e-3,
        n_steps=64,
        batch_size=2048,
        n_epochs=2,
        gamma=1.0,
        clip_range=0.1,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128]},
        seed=seed,
        device="cpu",
    )
    return model.learn(decisions)


def play_a_partie(model: MaskablePPO, opponent: str, seed: int) -> float:
    """Play one partie through the Gymnasium view; return its settlement."""
    env = gymnasium.make("Piquet-v0", opponent=opponent)
    observation, _ = env.reset(seed=seed)
    total, done = 0.0, False
    while not done:
        masks = env.unwrapped.action_masks()
        action, _ = model.predict(observation, action_masks=masks)
        observation, reward, done, _, _ = env.step(int(action))
        total += float(reward)
    return total


def export(model: MaskablePPO, path: Path) -> None:
    """Write the actor as a policy that evaluate.py plays; a file of Stable-Baselines3 would hold pickled code."""
    linear = [layer for layer in model.policy.mlp_extractor.policy_net if hasattr(layer, "weight")]
    layers = [*linear, model.policy.action_net]
    weights = {}
    for number, layer in enumerate(layers):
        weights[f"layer{number}.weight"] = layer.weight.detach().numpy()
        weights[f"layer{number}.bias"] = layer.bias.detach().numpy()
    path.parent.mkdir(parents=True, exist_ok=True)
    save_policy(path, weights, policy_metadata(Rules(), "tanh", len(layers)))


def main() -> None:
    """Train, play a few parties, keep the policy."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--decisions", type=int, default=300_000)
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policy", type=Path, default=Path("runs/example/policy.safetensors"))
    options = parser.parse_args()
    model = train(options.decisions, options.opponent, options.seed)
    export(model, options.policy)
    settlements = [play_a_partie(model, options.opponent, seed) for seed in range(1000, 1020)]
    print(f"settlement over 20 parties against {options.opponent}: {np.mean(settlements):+.0f} · {options.policy}")


if __name__ == "__main__":
    main()

"""`SelfPlayPPO`: sb3-contrib's MaskablePPO where one policy moves for both seats of a zero-sum game.

Stable-Baselines3's logger, callbacks, schedules and parameters are kept. What differs: the rollout notes whose decision
it was; values, rewards and returns form one stream from seat 0's side (advantages.py); the critic sees all the cards;
entropies and advantages are made comparable between decisions and phases; actor and critic have their gradients clipped
apart. Every random number of a rollout and of an update comes from the seed and the number of decisions before it, so a
run needs no random state to go on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from .actor_critic import Actor, Perceptron, SelfPlayPolicy
from .averaging import Average
from .belief import BeliefFigures, BeliefHead, cross_entropy, find_unseen
from .company import Company
from .masked import weigh_choices
from .parties import PHASES, SelfPlayParties
from .reading import Reading
from .rollout import Minibatch, SelfPlayBuffer
from .schedules import Schedules
from .side_by_side import SideBySide

_SAMPLING, _SHUFFLING, _COMPANY, _POOL = range(4)  # streams of random numbers


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO on `SelfPlayParties`.

    schedules:   of learning rate and entropy; the learner tells it how many decisions are made
    company:     who else moves: a teacher, opponents, snapshots; nobody by default
    critic_first: decisions in which the critic learns alone, for an actor that brings its knowledge with it
    belief_weight: of the belief's loss beside that of the decisions (belief.py); 0 without a head for it
    average: decisions over which the weights of the policy to play are averaged (averaging.py); 0: it has the last ones
    The other arguments are MaskablePPO's.
    """

    policy: SelfPlayPolicy
    rollout_buffer: SelfPlayBuffer

    def __init__(
        self,
        *arguments: Any,
        schedules: Schedules,
        company: Company,
        critic_first: int = 0,
        belief_weight: float = 0.0,
        average: int = 0,
        **options: Any,
    ) -> None:
        self.schedules, self.company, self.critic_first = schedules, company, critic_first
        self.belief_weight = belief_weight
        self._is_lesson = self._is_actor_learning = False
        self._beliefs: BeliefFigures | None = None
        super().__init__(*arguments, **options)
        self.average = Average(self.policy.actor, average) if average else None

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Fill the buffer with decisions of both seats; return False if a callback stops the run."""
        assert isinstance(env, SelfPlayParties)
        assert isinstance(rollout_buffer, SelfPlayBuffer)
        assert use_masking
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        self.schedules.decisions = self.num_timesteps
        self.ent_coef = self.schedules.entropy_now()
        env.equity_weight = env.objective.equity_weight(self.num_timesteps)
        self._is_lesson = self.company.is_lesson(self.num_timesteps)
        self._is_actor_learning = self.num_timesteps >= self.critic_first
        rng, others = self._stream(_SAMPLING), self._stream(_COMPANY)
        self._renew_pool()
        callback.on_rollout_start()
        rows = np.asarray(self._last_obs)
        for _ in range(n_rollout_steps):
            masks, signs, phases = env.action_masks(), env.signs, env.phases
            found = self.policy.reading.read(rows)
            actions, log_probs, values = self.policy.act(found, masks, rng.random(env.num_envs))
            own = self.company.move(env.batch, actions, others)
            if self._is_lesson:
                actions = self.company.teach(env.batch, others)
                own[:] = True
            env.step_async(actions)
            following, rewards, ends, _ = env.step_wait()
            rollout_buffer.note(
                found,
                observations=rows,
                action_masks=masks,
                actions=actions,
                log_probs=log_probs,
                values=values * signs,
                rewards=rewards,
                ends=ends,
                signs=signs,
                phases=phases,
                own=own,
            )
            rows = following
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        self._last_obs, self._last_episode_starts = rows, ends
        with torch.no_grad():
            last_values = self.policy.predict_values(torch.from_numpy(rows)).numpy() * env.signs
        rollout_buffer.estimate(last_values)
        callback.on_rollout_end()
        return True

    def _renew_pool(self) -> None:
        """Take a snapshot if one is due, and draw those that sit in this rollout."""
        company = self.company
        if company.pool is not None and company.pool.is_due(self.num_timesteps, company.lessons):
            company.pool.take(actor_weights(self.policy.actor, self.policy.reading), self.num_timesteps)
        company.begin_rollout(self._stream(_POOL))

    def train(self) -> None:
        """Update actor and critic by some passes over the rollout."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        clip = float(self.clip_range(self._current_progress_remaining))  # type: ignore[operator]
        figures, beliefs = _Figures(), BeliefFigures()
        rng = self._stream(_SHUFFLING)
        for epoch in range(self.n_epochs):
            for batch in self.rollout_buffer.minibatches(int(self.batch_size or 0), rng):
                # The belief is measured in the first pass, on decisions that it has not learnt from.
                self._beliefs = beliefs if epoch == 0 else None
                self._update(batch, clip, figures if epoch == self.n_epochs - 1 else None)
            self._n_updates += 1
        if self.average is not None:
            self.average.take(self.policy.actor, self.n_steps * self.n_envs)
        self._log(figures, clip)
        self._log_company(beliefs)

    def _update(self, batch: Minibatch, clip: float, figures: _Figures | None) -> None:
        """Take one step of both networks by a minibatch."""
        policy = self.policy
        policy.optimizer.zero_grad()

        def improve(network: torch.nn.Module, loss: torch.Tensor) -> float:
            loss.backward()  # type: ignore[no-untyped-call]  # torch has no types here
            clip_gradient(network, self.max_grad_norm)
            return float(loss.detach())

        def improve_actor() -> float:
            if not self._is_actor_learning:
                return 0.0
            return improve(policy.actor, self._actor_loss(batch, clip, figures))

        losses = policy.side_by_side(
            improve_actor, lambda: improve(policy.critic, self.vf_coef * self._critic_loss(batch))
        )
        policy.optimizer.step()
        if figures is not None:
            figures.losses.append(losses)

    def _actor_loss(self, batch: Minibatch, clip: float, figures: _Figures | None) -> torch.Tensor:
        """Return the clipped surrogate and the entropy, as a loss; in lessons likelihood instead of the surrogate."""
        outputs, hidden, decided = self.policy.actor.think(batch.found, batch.rows)
        logits = self.policy.by_action(outputs, batch.found, batch.rows)
        log_probs, entropies = weigh_choices(logits, batch.action_masks, batch.actions)
        change = log_probs - batch.old_log_probs
        ratios = change.exp()
        gains = torch.min(batch.advantages * ratios, batch.advantages * ratios.clamp(1 - clip, 1 + clip))
        if self._is_lesson:
            gains = log_probs
        if figures is not None:
            with torch.no_grad():
                figures.add(batch.phases, batch.own, entropies, ratios - 1 - change, (ratios - 1).abs() > clip)
        loss = -((gains + self.ent_coef * entropies) * batch.own).sum() / batch.own.sum().clamp(min=1)
        if self.policy.actor.belief is not None:
            loss = loss + self.belief_weight * self._belief_loss(self.policy.actor.belief, batch, hidden, decided)
        return loss

    def _belief_loss(
        self, head: BeliefHead, batch: Minibatch, hidden: torch.Tensor, decided: np.ndarray
    ) -> torch.Tensor:
        """Return the cross-entropy of what the policy believes of the other's hand where it decides itself.

        hidden: the last hidden layer in the decisions `decided` of the minibatch
        """
        among = np.zeros(len(batch.rows), dtype=bool)
        among[decided] = batch.own.numpy()[decided] > 0
        observations = self.rollout_buffer.observations_of(batch.rows)
        orders = batch.found.orders[batch.rows]
        unseen = find_unseen(observations, batch.found.exchanges[batch.rows], self.policy.reading, among)
        places = torch.from_numpy(np.searchsorted(decided, unseen.rows))
        log_odds: torch.Tensor = head(hidden.index_select(0, places), orders[unseen.rows], unseen.chances)
        if self._beliefs is not None:
            self._beliefs.add(log_odds, unseen)
        return cross_entropy(log_odds, unseen)

    def _critic_loss(self, batch: Minibatch) -> torch.Tensor:
        """Return the mean squared error of the critic."""
        return (self.policy.critic(batch.found, batch.rows).flatten() - batch.returns).square().mean()

    def _log(self, figures: _Figures, clip: float) -> None:
        record = self.logger.record
        actor_loss, critic_loss = figures.mean_losses()
        record("train/actor_loss", actor_loss)
        record("train/critic_loss", critic_loss)
        record("train/clip_range", clip)
        record("train/entropy_weight", self.ent_coef)
        record("train/n_updates", self._n_updates, exclude="tensorboard")
        explained = self.rollout_buffer.explained()
        for phase, (entropy, kl, clipped) in zip(PHASES, figures.by_phase(), strict=True):
            record(f"{phase}/entropy", entropy)
            record(f"{phase}/approx_kl", kl)
            record(f"{phase}/clip_fraction", clipped)
            record(f"{phase}/explained_variance", explained[phase])

    def _log_company(self, beliefs: BeliefFigures) -> None:
        """Log the belief and the pool, where there are such."""
        if self.policy.actor.belief is not None:
            for name, figure in beliefs.means().items():
                self.logger.record(f"belief/{name}", figure)
        if self.company.pool is not None:
            self.logger.record("train/snapshots", len(self.company.pool.snapshots))

    def _stream(self, purpose: int) -> np.random.Generator:
        """Return the random numbers of this rollout or of its update."""
        return np.random.default_rng((int(self.seed or 0), purpose, self.num_timesteps))


class _Figures:
    """Sums of entropy, divergence and clipped decisions by phase, over the policy's own decisions in a pass."""

    def __init__(self) -> None:
        self.sums = np.zeros((3, len(PHASES)))
        self.counts = np.zeros(len(PHASES))
        self.losses: list[tuple[float, float]] = []

    def add(self, phases: torch.Tensor, own: torch.Tensor, *figures: torch.Tensor) -> None:
        chosen = own > 0
        phases = phases[chosen]
        self.counts += torch.bincount(phases, minlength=len(PHASES)).numpy()
        for row, figure in enumerate(figures):
            self.sums[row] += torch.bincount(phases, figure[chosen].double(), minlength=len(PHASES)).numpy()

    def mean_losses(self) -> tuple[float, float]:
        actor, critic = np.mean(self.losses, axis=0).tolist() if self.losses else (float("nan"), float("nan"))
        return actor, critic

    def by_phase(self) -> list[tuple[float, float, float]]:
        with np.errstate(invalid="ignore"):
            rows: Any = (self.sums / self.counts).T.tolist()
        return [tuple(row) for row in rows]


def build_model(
    parties: SelfPlayParties,
    schedules: Schedules,
    company: Company | None = None,
    *,
    seed: int,
    hidden: int,
    layers: int,
    precision: str,
    rollout: int,
    minibatch: int,
    epochs: int,
    clip: float,
    discount: float,
    trace: float,
    critic_first: int = 0,
    critic_sees: str = "all",
    exchange_hidden: int = 0,
    belief_weight: float = 0.0,
    average: int = 0,
    threads: int = 1,
) -> SelfPlayPPO:
    """Return a learner for these parties; the arguments are train.py's options."""
    return SelfPlayPPO(
        SelfPlayPolicy,
        parties,
        schedules=schedules,
        company=company or Company(parties.num_envs, parties.rules),
        critic_first=critic_first,
        belief_weight=belief_weight,
        average=average,
        learning_rate=schedules.learning_rate_now,
        n_steps=max(rollout // parties.num_envs, 1),
        batch_size=minibatch,
        n_epochs=epochs,
        gamma=discount,
        gae_lambda=trace,
        clip_range=clip,
        normalize_advantage=False,  # the buffer does it, by phase
        ent_coef=schedules.entropy,
        vf_coef=0.5,
        max_grad_norm=0.5,
        rollout_buffer_class=SelfPlayBuffer,
        seed=seed,
        device="cpu",
        policy_kwargs={
            "reading": parties.reading,
            "critic_sees": critic_sees,
            "exchange_hidden": exchange_hidden,
            "has_belief": belief_weight > 0,
            "hidden": hidden,
            "layers": layers,
            "precision": precision,
            "side_by_side": SideBySide(threads),
        },
    )


def policy_weights(model: SelfPlayPPO) -> dict[str, np.ndarray]:
    """Return the layers of the policy to play as `agents.learned.policy.save_policy` takes them, without the critic."""
    actor = model.policy.actor if model.average is None else model.average.actor
    return actor_weights(actor, model.policy.reading)


def actor_weights(actor: Actor, reading: Reading) -> dict[str, np.ndarray]:
    """Return the layers of an actor by name, those of a network for the exchange among them."""
    weights = {}
    for prefix, network in actor.networks().items():
        for name, tensor in network_weights(network).items():
            kept = tensor[:, : reading.num_read] if name == "layer0.weight" else tensor  # no padding
            weights[prefix + name] = kept.copy()
    return weights


def network_weights(network: Perceptron) -> dict[str, np.ndarray]:
    """Return the layers of a network by name: weights [out, in] and biases."""
    weights = {}
    for number, (weight, bias) in enumerate(network.linear_layers()):
        weights[f"layer{number}.weight"] = weight.detach().numpy().copy()
        weights[f"layer{number}.bias"] = bias.detach().numpy().copy()
    return weights


def clip_gradient(network: torch.nn.Module, most: float) -> None:
    """Shorten the gradient of a network to the norm `most`, as `clip_grad_norm_` does.

    That multiplies every number by 1 where the gradient is short enough; this leaves them where they are.
    """
    parameters = [parameter for parameter in network.parameters() if parameter.grad is not None]
    norm = torch.nn.utils.get_total_norm([parameter.grad for parameter in parameters if parameter.grad is not None])
    if not norm + 1e-6 <= most:  # torch divides by norm + 1e-6
        torch.nn.utils.clip_grads_with_norm_(parameters, most, norm)

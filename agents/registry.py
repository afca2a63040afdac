"""Specs: an agent as text.

| spec | agent |
|---|---|
| `random`, `greedy`, `heuristic`, `search` | a name of the table BUILDERS |
| `name:key=value,key=value` | with keyword arguments |
| `heuristic@1`, `search@1:worlds=30` | a frozen version of a name (agents/versions.py) |
| `pretrained`, `pretrained:greedy` | the trained policy of the package; `greedy` is short for `greedy=true` |
| `expert`, `expert:worlds=32` | search on the trained policy, with its critic for the exchange |
| `search:base=SPEC`, `search:worlds=30,base=SPEC` | search on another agent, whose whole spec comes last |
| `policy:runs/x/policy.safetensors`, `policy:PATH:greedy=true` | a trained policy |
| `lbr:against=SPEC`, `lbr:key=value,against=SPEC` | the best response to another agent, whose whole spec comes last |
| `path/to/file.py:ClassName`, `path/to/file.py:ClassName:key=value` | anybody's own class in a file |
| `package.module:ClassName`, `package.module:ClassName:key=value` | likewise in a module |

Values are read as Python writes them (`64`, `0.5`, `'text'`), `true` and `false` too; anything else is text.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from piquet_env.rules.variants import Rules

from .base import Agent, AgentError
from .streams import Streams
from .versions import check_version
from .view import View

if TYPE_CHECKING:
    from .search.agent import SearchAgent

# Streams and View are handed on to `piquet_env.opponents`, which asks this module alone for all that an agent needs.
__all__ = ["BUILDERS", "Streams", "View", "make_agent", "split_spec"]


class Builder(NamedTuple):
    """How the agents of a name are made: `build(rules, **arguments)`.

    takes_path: whether the text behind the name is a path, given as `path`
    takes_spec: the argument that is another agent's spec and takes all that follows it; "" where there is none
    switches:   arguments that may be written without "=true"
    """

    build: Callable[..., Agent]
    takes_path: bool = False
    takes_spec: str = ""
    switches: tuple[str, ...] = ()


def _build_random(rules: Rules | None) -> Agent:  # noqa: ARG001  (plays any rules)
    from .random_agent import RandomAgent

    return RandomAgent()


def _build_greedy(rules: Rules | None, *, elder_max: int | None = None) -> Agent:
    from .greedy_agent import GreedyAgent

    return GreedyAgent(elder_max=rules.elder_max if elder_max is None and rules is not None else elder_max)


def _build_heuristic(rules: Rules | None, *, style: str = "plain", elder_max: int | None = None) -> Agent:
    from .heuristic.agent import HeuristicAgent

    return HeuristicAgent(style=style, rules=rules, elder_max=elder_max)


def _build_policy(rules: Rules | None, *, path: str, greedy: bool = False) -> Agent:
    from .learned.policy import PolicyAgent

    return PolicyAgent(path=path, greedy=greedy, rules=rules)


def _build_pretrained(rules: Rules | None, *, greedy: bool = False) -> Agent:
    from .learned.pretrained import PretrainedAgent

    return PretrainedAgent(greedy=greedy, rules=rules)


SEARCH_BASE = "heuristic"  # does what search leaves to another agent
EXPERT_BASE = "pretrained"  # likewise


def _build_search(
    rules: Rules | None,
    *,
    base: str = SEARCH_BASE,
    worlds: int | None = None,
    ms: float | None = None,
    from_cards: int = 12,
    exchange: bool = False,
    dialogue: bool = False,
    endgame: int = 0,
    equity: str = "always",
    leaf: str = "base",
    unlike: float | None = None,
    critic: str = "",
) -> SearchAgent:
    from .learned.critic import Critic
    from .search.agent import WORLDS, SearchAgent
    from .search.continuation import UNLIKE

    if base.partition(":")[0].partition("@")[0] in {"expert", "lbr", "search"}:
        raise AgentError(f"the base of search decides without looking ahead; {base} does not")
    return SearchAgent(
        base=make_agent(base, rules),
        rules=rules,
        worlds=WORLDS if worlds is None else worlds,
        ms=ms,
        from_cards=from_cards,
        exchange=exchange,
        dialogue=dialogue,
        endgame=endgame,
        equity=equity,
        leaf=leaf,
        unlike=UNLIKE if unlike is None else unlike,
        critic=Critic(path=critic, rules=rules) if critic and exchange else None,
    )


def _build_lbr(
    rules: Rules | None,
    *,
    against: str,
    base: str = SEARCH_BASE,
    continuation: str = SEARCH_BASE,
    worlds: int | None = None,
    games: int | None = None,
    from_cards: int = 12,
) -> Agent:
    from .exploit.agent import GAMES, WORLDS, LocalBestResponse

    return LocalBestResponse(
        opponent=make_agent(against, rules),
        base=make_agent(base, rules),
        continuation=make_agent(continuation, rules),
        rules=rules,
        worlds=WORLDS if worlds is None else worlds,
        games=GAMES if games is None else games,
        from_cards=from_cards,
    )


def _build_expert(rules: Rules | None, *, base: str = EXPERT_BASE, critic: str = "", **options: Any) -> Agent:
    from .learned.pretrained import CRITIC

    own = base.partition(":")[0].partition("@")[0] == "pretrained"
    critic = critic or (str(CRITIC) if own else "")
    options = {"exchange": bool(critic)} | options
    agent = _build_search(rules, base=base, critic=critic, **options)
    agent.label = "expert"
    return agent


BUILDERS: dict[str, Builder] = {
    "random": Builder(_build_random),
    "expert": Builder(_build_expert, takes_spec="base"),
    "greedy": Builder(_build_greedy),
    "heuristic": Builder(_build_heuristic),
    "lbr": Builder(_build_lbr, takes_spec="against"),
    "policy": Builder(_build_policy, takes_path=True),
    "pretrained": Builder(_build_pretrained, switches=("greedy",)),
    "search": Builder(_build_search, takes_spec="base"),
}


def make_agent(spec: str, rules: Rules | str | None = None) -> Agent:
    """Return the agent that a spec stands for.

    rules: what it shall play; agents made for other rules are refused
    Raises AgentError, in one sentence, for whatever goes wrong.
    """
    rules = None if rules is None else Rules.of(rules)
    if not spec.strip():
        raise AgentError("an agent's spec cannot be empty; write a name such as greedy")
    body, arguments = _split_arguments(spec.strip())
    head, colon, tail = body.partition(":")
    name, at, version = head.partition("@")
    if at and name in BUILDERS:
        check_version(name, version)
        head = name
    if not colon:
        return _make_named(spec, head, rules, arguments)
    if head in BUILDERS and tail in BUILDERS[head].switches:
        return _make_named(spec, head, rules, {tail: True, **arguments})
    if head in BUILDERS:
        if not BUILDERS[head].takes_path:
            raise AgentError(f"{spec!r} cannot be read: the arguments of {head!r} are written key=value, not {tail!r}")
        return _make_named(spec, head, rules, {"path": tail, **arguments})
    module = _load_file(Path(head)) if head.endswith(".py") else _load_module(spec, head)
    return _make(spec, _find_class(head, module, tail), arguments)


def split_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Return a spec's name, file or module, and its keyword arguments, a path among them."""
    body, arguments = _split_arguments(spec.strip())
    head, _, tail = body.partition(":")
    name = head.partition("@")[0]
    if name not in BUILDERS:
        return head, arguments
    if tail in BUILDERS[name].switches:
        return name, {tail: True, **arguments}
    return name, {"path": tail, **arguments} if tail else arguments


def _split_arguments(spec: str) -> tuple[str, dict[str, Any]]:
    """Return a spec without its keyword arguments, and these."""
    head, _, text = spec.partition(":")
    name = head.partition("@")[0]
    key = BUILDERS[name].takes_spec if name in BUILDERS else ""
    found = re.search(rf"(^|,)\s*{key}\s*=", text) if key else None
    if found is None:
        return _split_keywords(spec)
    before = text[: found.start()]
    body, arguments = _split_keywords(f"{head}:{before}") if before else (head, {})
    return body, {**arguments, key: text[found.end() :].strip()}


def _split_keywords(spec: str) -> tuple[str, dict[str, Any]]:
    """Return a spec without the keyword arguments behind its last colon, and these."""
    body, colon, tail = spec.rpartition(":")
    items = [item.partition("=") for item in tail.split(",")]
    # A path may hold an equals sign, as runs/lr=1 does; a keyword may not hold a slash.
    if not colon or not all(equals and key.strip().isidentifier() for key, equals, _ in items):
        return spec, {}
    arguments: dict[str, Any] = {}
    for key, _, value in items:
        if key.strip() in arguments:
            raise AgentError(f"{spec!r} gives {key.strip()} twice")
        arguments[key.strip()] = _read_value(value.strip())
    return body, arguments


def _read_value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _make_named(spec: str, name: str, rules: Rules | None, arguments: Mapping[str, Any]) -> Agent:
    """Return the agent of a name of the table."""
    if name.endswith(".py"):
        raise AgentError(f"{spec!r} names no class: write {name}:ClassName")
    if name not in BUILDERS:
        if name.endswith(".safetensors"):
            raise AgentError(f"{spec!r} names a file and no agent: write policy:{name}")
        near = difflib.get_close_matches(name, BUILDERS, n=1)
        guess = f"did you mean {near[0]!r}? " if near else ""
        raise AgentError(
            f"unknown agent {name!r}; {guess}the names are {', '.join(sorted(BUILDERS))}, "
            "and your own agent is written path/to/file.py:ClassName"
        )
    if BUILDERS[name].takes_path and not arguments.get("path"):
        raise AgentError(f"{spec!r} names no file: write {name}:path/to/file")
    return _make(spec, BUILDERS[name].build, arguments, rules)


def _make(spec: str, build: Callable[..., Any], arguments: Mapping[str, Any], *before: Any) -> Agent:
    """Return what `build` makes of the arguments, checked."""
    try:
        signature = inspect.signature(build)
    except (TypeError, ValueError):
        signature = None
    if signature is not None:
        try:
            signature.bind(*before, **arguments)
        except TypeError as error:
            known = ", ".join(name for name in list(signature.parameters)[len(before) :])
            takes = f"its arguments are {known}" if known else "it takes no arguments"
            raise AgentError(f"the agent {spec!r} cannot be made: {error}; {takes}") from None
    try:
        agent = build(*before, **arguments)
    except AgentError:
        raise
    except (Exception, SystemExit) as error:
        raise AgentError(f"the agent {spec!r} cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(agent, Agent):
        raise AgentError(f"{spec!r} makes no agent: a class of agents derives from agents.base.Agent")
    return agent


def _load_file(path: Path) -> ModuleType:
    """Return the module in a file; files beside it can be imported by it."""
    try:
        is_file = path.is_file()
    except OSError:  # the name is too long for a file
        is_file = False
    if not is_file:
        raise AgentError(f"there is no file {path}")
    folder = str(path.resolve().parent)
    name = f"agent_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None, "a file with the suffix .py can be loaded"
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # pickle looks the class up there
    sys.path.append(folder)
    try:
        found.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise AgentError(f"{path} raised {type(error).__name__} when it was imported: {error}") from error
    finally:
        sys.path.remove(folder)
    return module


def _load_module(spec: str, name: str) -> ModuleType:
    """Return an installed module."""
    if not all(part.isidentifier() for part in name.split(".")):
        hint = f": {name} is no file that ends with .py and no module" if os.sep in name else ""
        raise AgentError(f"{spec!r} cannot be read as an agent{hint}; write path/to/file.py:ClassName")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise AgentError(f"{spec!r}: there is no agent and no module {name!r}") from None
        raise AgentError(f"{name} raised ModuleNotFoundError when it was imported: {error}") from error
    except (Exception, SystemExit) as error:
        raise AgentError(f"{name} raised {type(error).__name__} when it was imported: {error}") from error


def _find_class(where: str, module: ModuleType, name: str) -> Callable[..., Any]:
    """Return a class of a module."""
    found = getattr(module, name, None)
    if not inspect.isclass(found):
        agents = [
            key
            for key, value in vars(module).items()
            if inspect.isclass(value) and issubclass(value, Agent) and value.__module__ == module.__name__
        ]
        holds = f"its agents are {', '.join(agents)}" if agents else "it defines no agent"
        raise AgentError(f"there is no class {name!r} in {where}; {holds}")
    return found

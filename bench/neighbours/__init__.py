"""The neighbours: other libraries' card games at random legal play, observation and legal actions at every decision.

Each game is measured in an interpreter of its own (`python -m bench.neighbours LIBRARY GAME`), so that no library's
threads, flags or faults touch another's figures, and a neighbour that crashes is one line of the table.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

from bench.measure import DECISIONS, Plan, Result

from . import openspiel_games, pettingzoo_games, pgx_games, rlcard_games

LIBRARIES: dict[str, ModuleType] = {
    "pettingzoo": pettingzoo_games,
    "rlcard": rlcard_games,
    "openspiel": openspiel_games,
    "pgx": pgx_games,
}
TIMEOUT_SECONDS = 600.0
_ROOT = Path(__file__).resolve().parent.parent.parent  # where the package `bench` is found


def measure_neighbours(
    plan: Plan,
    say: Callable[[str], None],
    libraries: Iterable[str] = tuple(LIBRARIES),
    timeout: float = TIMEOUT_SECONDS,
) -> list[Result]:
    """Measure every game of some libraries in turn. say: is told which game comes next."""
    results = []
    for library in libraries:
        for game in LIBRARIES[library].GAMES:
            say(f"measuring: {library} {game}")
            results += _measure_apart(library, game, plan, timeout)
    return results


def measure_here(library: str, game: str, plan: Plan) -> list[Result]:
    """Measure one game in this interpreter; a library that is missing or fails gives a line that says so."""
    module = LIBRARIES[library]
    try:
        found: list[Result] = module.measure(game, plan)
    except ImportError as error:
        missing = error.name or str(error).partition("\n")[0]
        return [skipped(library, game, f"not installed: skipped ({missing})")]
    except Exception as error:  # noqa: BLE001  (whatever a neighbour does, the run goes on, and its line says what it was)
        return [skipped(library, game, f"failed: {type(error).__name__}: {str(error).partition(chr(10))[0]}")]
    return found


def skipped(library: str, game: str, note: str) -> Result:
    """Return the line of a game that gave no figures."""
    module = LIBRARIES[library]
    return Result(module.GROUP, module.GAMES[game], DECISIONS, (), note)


def _measure_apart(library: str, game: str, plan: Plan, timeout: float) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        command = [sys.executable, "-m", __name__, library, game, "--output", str(file)]
        command += [f"--{name}={value}" for name, value in plan._asdict().items()]
        try:
            run = subprocess.run(
                command, cwd=_ROOT, env=_environment(), capture_output=True, text=True, check=False, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            return [skipped(library, game, f"failed: no result within {timeout:g} seconds")]
        if run.returncode != 0 or not file.is_file():
            return [skipped(library, game, f"failed: {_ending(run.returncode, run.stderr)}")]
        return [Result.from_dict(content) for content in json.loads(file.read_text(encoding="utf-8"))]


def _environment() -> dict[str, str]:
    """Return the environment of a neighbour's interpreter: one thread, no accelerator."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return os.environ | one_thread | pgx_games.ENVIRONMENT


def _ending(code: int, errors: str) -> str:
    """Return how an interpreter ended, in words."""
    if code < 0:
        return f"ended by signal {signal.Signals(-code).name}"
    lines = errors.strip().splitlines()
    return f"ended with code {code}" + (f": {lines[-1]}" if lines else "")

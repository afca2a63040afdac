"""What `import piquet_env` does, and does not do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(code: str, **environment: str) -> str:
    """Run a program in a fresh interpreter, warnings as errors; return what it prints."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_an_import_is_silent_and_compiles_nothing() -> None:
    code = (
        "import piquet_env\nfrom piquet_env.rules import play\nprint(len(getattr(play.apply_at, 'signatures', [])))\n"
    )
    assert run(code) == "0\n"


def test_an_import_draws_no_random_number_and_starts_no_thread() -> None:
    code = (
        "import random, threading, numpy as np\n"
        "random.seed(1); np.random.seed(1)\n"
        "before = random.getstate(), np.random.get_state()[1].tolist(), np.random.get_state()[2]\n"
        "import piquet_env\n"
        "from piquet_env import PiquetBatch, env\n"
        "env().reset(seed=1)\n"
        "PiquetBatch(2)\n"
        "print(before == (random.getstate(), np.random.get_state()[1].tolist(), np.random.get_state()[2]))\n"
        "print(threading.active_count())\n"
    )
    assert run(code) == "True\n1\n"


def test_an_import_registers_once_even_when_repeated() -> None:
    code = (
        "import gymnasium, importlib, pettingzoo, piquet_env\n"
        "importlib.reload(piquet_env)\n"
        "spec = gymnasium.spec('Piquet-v0')\n"
        "print(spec.entry_point, spec.vector_entry_point)\n"
        "if hasattr(pettingzoo, 'make'):\n"
        "    assert str(pettingzoo.make('aec', 'piquet_v0')) == 'piquet_v0'\n"
    )
    assert run(code) == "piquet_env.gymnasium_env:PiquetEnv piquet_env.vector_env:PiquetVectorEnv\n"


def test_gymnasium_finds_it_by_module_name() -> None:
    code = "import gymnasium\nprint(type(gymnasium.make('piquet_env:Piquet-v0', opponent='random')).__name__)\n"
    assert run(code) == "PiquetEnv\n"


def test_an_import_opens_no_agents() -> None:
    """The one upward import waits until an opponent is asked for."""
    code = (
        "import sys, piquet_env\n"
        "import piquet_env.gymnasium_env, piquet_env.vector_env\n"
        "print(sorted(name for name in sys.modules if name == 'agents' or name.startswith('agents.')))\n"
    )
    assert run(code) == "[]\n"


@pytest.mark.slow
def test_it_runs_uncompiled() -> None:
    code = (
        "import numpy as np\n"
        "from piquet_env import PiquetBatch, env\n"
        "one = env()\n"
        "one.reset(seed=1)\n"
        "batch = PiquetBatch(1, seed=1)\n"
        "for _ in range(25):\n"
        "    seen = one.last()[0]\n"
        "    assert np.array_equal(seen['observation'], batch.buffers.observation[0])\n"
        "    action = int(np.flatnonzero(seen['action_mask'])[0])\n"
        "    one.step(action)\n"
        "    batch.step([action])\n"
        "print('played')\n"
    )
    assert run(code, NUMBA_DISABLE_JIT="1") == "played\n"
